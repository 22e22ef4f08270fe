"""Answers that mean no are not truthy, undecided ones raise, and what is missing is said aloud."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import click
import cvxpy as cp
import numpy as np
import pytest

import exactformer as ef
from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import exact
from exactformer.cli import common
from exactformer.conjectures.judgement import fails, holds, undecided
from exactformer.dynamics.families import sample
from exactformer.dynamics.limits import Unsettled, prove
from exactformer.dynamics.prepared_instance import System
from exactformer.errors import InvalidInput, Undecided
from exactformer.geometry import propose
from exactformer.geometry.hull import NotInHull, in_hull
from exactformer.geometry.separation import separate
from exactformer.geometry.simplex import nonnegative_solution
from exactformer.model.feed_forward import FeedForward
from exactformer.model.process_lock import _locked, only_process
from exactformer.model.transformer import Block, Transformer

SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


# ---------------------------------------------------------------- no is not truthy


def test_a_point_outside_a_hull_is_a_false_answer_with_a_witness() -> None:
    outside = in_hull([2, "1/2"], SQUARE)
    assert isinstance(outside, NotInHull)
    assert not outside
    outside.verify(SQUARE)
    assert outside.point == (2, Fraction(1, 2))
    with pytest.raises(InvalidInput):
        outside.verify([*SQUARE, [2, 1], [2, 0]])
    assert in_hull([0, 0], SQUARE)
    assert in_hull([1, 0], SQUARE)


def test_farkas_is_a_no() -> None:
    M, b = np.array([[1, 1], [1, 2]], dtype=object), np.array([1, 0], dtype=object)
    assert not nonnegative_solution(M, b)
    assert nonnegative_solution(M, np.array([1, 1], dtype=object))


def test_a_limit_that_is_not_proved_is_a_no() -> None:
    answer = prove(System(sample("emerging-leader", 8, 2, 1)), 0)
    assert isinstance(answer, Unsettled)
    assert not answer


def test_judgements_are_three_valued() -> None:
    assert holds()
    assert not fails(token=1)
    with pytest.raises(Undecided, match="no idea"):
        bool(undecided("no idea"))


# ---------------------------------------------------------------- numbers and floats


def two() -> Algebraic:
    root = exact("sqrt(2)")
    assert isinstance(root, Algebraic)
    return root * root


def test_algebraic_numbers_meet_floats_as_their_exact_values() -> None:
    assert two() == 2.0
    assert two() == np.float64(2)
    assert two() != 2.5
    assert hash(two()) == hash(2.0) == hash(2)
    assert {two(): "even"}[Fraction(2)] == "even"
    root = exact("sqrt(2)")
    assert root != math.sqrt(2)
    assert (root < math.sqrt(2)) != (root > math.sqrt(2))
    assert root < math.inf
    assert not root < -math.inf
    assert root >= -math.inf
    assert root != math.inf
    assert root != math.nan
    with pytest.raises(TypeError):
        assert root < math.nan


def test_algebraic_numbers_meet_integers_of_numpy() -> None:
    assert two() == np.int64(2)
    assert two() + np.int64(1) == 3
    assert two() > np.uint8(1)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
def test_floats_of_every_width_are_read_exactly(dtype: str) -> None:
    rows = np.array([[1 / 3, 2.5], [-0.1, 7]], dtype=dtype)
    if dtype == "longdouble":
        rows[0, 0] = np.longdouble(1) / 3  # more digits than a double holds
    expected = [[Fraction(*value.as_integer_ratio()) for value in row] for row in rows]
    assert State.of(rows).rows() == [tuple(row) for row in expected]
    bad = rows.copy()
    bad[1, 0] = np.inf
    with pytest.raises(InvalidInput, match=r"tokens\[1\]\[0\]"):
        State.of(bad)


# ---------------------------------------------------------------- what is missing is said


@pytest.fixture
def no_solver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    propose._has_solver.cache_clear()
    monkeypatch.setattr(cp, "installed_solvers", lambda: ["SCS"])
    yield
    propose._has_solver.cache_clear()


@pytest.mark.usefixtures("no_solver")
def test_a_missing_solver_warns_once_and_exact_arithmetic_decides_alone() -> None:
    left, right = [[0, 0, 1], [5, 1, 2], [1, 7, 3]], [[0, 0, 2], [3, 1, 9], [1, 1, 7]]
    with pytest.warns(
        RuntimeWarning, match=r"no solver HIGHS: answers stay exact but come slowly; pip install highspy"
    ):
        answer = separate(left, right)
    answer.verify(left, right)
    assert propose.propose_direction(np.eye(3)) is None
    with pytest.warns(RuntimeWarning, match="pip install clarabel"):
        assert propose.propose_nearest(np.eye(3)) is None


def test_the_solvers_are_there() -> None:
    assert propose.propose_direction(np.eye(3)) is not None
    assert propose.propose_nearest(np.eye(3)) is not None


# ---------------------------------------------------------------- quiet, and one at a time


@pytest.mark.parametrize(
    ("terminal", "quiet", "drawn"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_bars_are_drawn_on_a_terminal_unless_quiet(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, quiet: bool, drawn: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    with click.Context(click.Command("x")) as ctx:
        ctx.meta[common.QUIET] = quiet
        assert common.shows_progress() is drawn
        from exactformer.cli.hunt import _bar

        with _bar("name", 10) as tell:
            assert (tell is not None) is drawn


def test_only_one_process_holds_a_lock(tmp_path: Path) -> None:
    with only_process(tmp_path / "lock", wait=0) as mine:
        assert mine
        with only_process(tmp_path / "lock", wait=0) as second:
            assert not second
    with only_process(tmp_path / "lock", wait=0) as again:
        assert again
    with pytest.raises(sqlite3.OperationalError):  # a lock that cannot be had is none that another process has
        only_process(tmp_path / "absent" / "lock", wait=0).__enter__()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        assert _locked(connection)
        with pytest.raises(sqlite3.OperationalError, match="within a transaction"):
            _locked(connection)


def test_outputs_far_off_depart_even_where_the_nearest_target_is_right() -> None:
    """relu(10^17 x + 1/3) - relu(10^17 x) is 1/3, in floats 0: there is no other target, and still it is wrong."""
    layer = FeedForward(0, [["1e17"], ["1e17"]], ["1/3", 0], [[1, -1]])
    found = ef.crosscheck(Transformer(1, [Block(layer)]), ef.Dataset.of([[[1]]], targets=[["1/3"]]))
    assert (found.right, found.sequences) == (1, 1)
    assert found.first_difference is None
    assert found.largest_deviation == pytest.approx(1 / 3)
    assert not found
