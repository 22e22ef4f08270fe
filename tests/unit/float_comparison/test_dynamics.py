"""Tests of `exactformer.float_comparison.dynamics`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.dynamics.orbit import simulate
from exactformer.evaluate.floats import Backend
from exactformer.float_comparison.dynamics import _margin, crosscheck_dynamics
from exactformer.model.tokens import Tokens

F = Fraction


# ---------------------------------------------------------------- dynamics


@pytest.mark.parametrize("A", [[[1, 0], [0, 1]], [[2, 1], [1, 3]], [[1, 2], [0, 1]], [[0, 1], [-1, 0]]])
def test_the_gap_is_that_of_the_best_score_to_the_next_one(A: list[list[int]]) -> None:
    rng = np.random.default_rng(2)
    for _ in range(8):
        orbit = simulate(Tokens(rng.integers(-2, 3, (4, 2)), A=A), layers=1, unchecked=True)
        for layer in (0, 1):
            rows = orbit.tokens(layer).rows()
            gaps = []
            for x in rows:
                pairs = [(p, q) for p in range(2) for q in range(2)]
                scores = sorted({sum(A[p][q] * x[q] * y[p] for p, q in pairs) for y in rows})
                gaps.append(scores[-1] - scores[-2] if len(scores) > 1 else None)
            for i, gap in enumerate(gaps):
                assert _margin(orbit, layer, (i,)) == gap
            known = [gap for gap in gaps if gap is not None]
            assert _margin(orbit, layer, (0, 1, 2, 3)) == min(known, default=None)


def test_the_gap_at_a_tie_is_the_distance_to_what_is_not_tied() -> None:
    """Tokens 0 and 1 tie for token 2 at (4/5, 2/5), where both score 6/5 and it scores 4/5 itself."""
    check = crosscheck_dynamics(Tokens([["7/5", "1/5"], [1, 1], [0, 0]]), layers=3)
    assert (check.first_difference, check.tokens, check.margin) == (2, (2,), F(2, 5))


def test_floats_agree_within_the_tolerance_and_not_beyond_it() -> None:
    check = crosscheck_dynamics(Tokens([[1, 0], [0, 1], ["1/4", "1/8"]]), layers=4)
    assert check
    assert check.json()["largest_deviation"] == repr(check.largest_deviation)
    assert check.json().keys() == check.__dict__.keys()
    for deviation, right in ((check.tolerance, True), (check.tolerance * 1.001, False), (float("nan"), False)):
        assert bool(replace(check, largest_deviation=deviation)) == right
    assert not replace(check, first_difference=0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("size", "factor"), [(1000, 1000), (1, 1), (F(1, 8), 1)])
def test_the_tolerance_is_relative_to_the_largest_coordinate(dtype: str, size: Any, factor: int) -> None:
    backend = Backend.of("numpy", dtype)
    check = crosscheck_dynamics(Tokens([[-size, 0], [0, size / 2]]), layers=1, backend=backend)
    assert check.dtype == dtype
    assert check.tolerance == pytest.approx(factor * float(np.finfo(dtype).eps) ** 0.5)


@pytest.mark.parametrize(
    "tokens",
    [
        Tokens([["7/5", "1/5"], [1, 1], [0, 0]]),
        Tokens([[1, 1], [F(2, 3), F(4, 3)], [F(1, 5), F(1, 7)], [-1, 0]], alpha="1/3"),
        Tokens([[1], [1 + F(1, 10**20)], ["1/2"]]),
    ],
)
def test_the_first_difference_does_not_depend_on_the_layers_behind_it(tokens: Tokens) -> None:
    first = crosscheck_dynamics(tokens, layers=12).first_difference
    for layers in range(12):
        check = crosscheck_dynamics(tokens, layers=layers)
        assert check.first_difference == (first if first is not None and first <= layers else None)
        assert bool(check) == (check.first_difference is None and check.largest_deviation <= check.tolerance)
        assert len(check.follows_exact) == len(check.follows_float) == len(check.tokens)
        assert (check.margin is None) == (check.first_difference is None)


TINY = F(1, 10**30)


# ---------------------------------------------------------------- floats beside exact arithmetic


def test_dynamics_are_compared_to_their_last_layer() -> None:
    tokens = Tokens([["7/5", "1/5"], [1, 1], [0, 0]], alpha="1/2")
    check = crosscheck_dynamics(tokens, layers=6)
    assert check.layers == 6
    assert check.clusters_exact == ((0,), (1,), (2,))
    assert check.leaders_exact == (0, 1)
    early = Tokens([[1], [1 + TINY], ["1/2"]])
    found = crosscheck_dynamics(early, layers=2)
    assert (found.first_difference, found.tokens) == (0, (0, 1, 2))
    assert found.follows_exact == ((1,), (1,), (1,))
    assert found.follows_float[0] == (0, 1)
    assert found.margin == TINY / 2
    assert not found.agrees


def test_tolerances_grow_with_the_tokens() -> None:
    eps = float(np.sqrt(np.finfo("float64").eps))
    for size, factor in ((F(1, 1000), 1.0), (F(1), 1.0), (F(1000), 1000.0)):
        tokens = Tokens([[size], [-size]])
        assert crosscheck_dynamics(tokens, layers=1).tolerance == pytest.approx(eps * factor)
