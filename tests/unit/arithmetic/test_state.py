"""Tests of `exactformer.arithmetic.state`."""

from __future__ import annotations

import io
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from exactformer.arithmetic.algebraic import from_text
from exactformer.arithmetic.integers import objects, wide
from exactformer.arithmetic.state import State, odd_parts
from exactformer.errors import InvalidInput
from exactformer.model.dataset import Dataset

F = Fraction


# ---------------------------------------------------------------- numbers and floats


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


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


# ---------------------------------------------------------------- states


def test_states_are_equal_as_points_whatever_their_denominators() -> None:
    thirds, sixths = State(ints(1, 2).reshape(1, 2), 3), State(ints(2, 4).reshape(1, 2), 6)
    assert thirds == sixths
    assert hash(thirds) == hash(sixths)
    assert thirds != State(ints(1, 2).reshape(1, 2), 6)
    assert thirds != State(ints(1, 2).reshape(1, 2), 1)
    assert thirds != State(ints(2, 4).reshape(1, 2), 3)
    assert thirds != State(ints(1, 2).reshape(2, 1), 3)
    assert (thirds == 5) is False


def test_states_reduce_over_the_least_denominator() -> None:
    state = State(ints(2, 4).reshape(1, 2), 6).reduced()
    assert (state.array.tolist(), state.denominator) == ([[1, 2]], 3)
    assert State(ints(0, 0).reshape(1, 2), 6).reduced().denominator == 1
    assert State.of([["1/6", "1/4"]]).denominator == 12
    with pytest.raises(InvalidInput):
        State(ints(1).reshape(1, 1), 0)


@pytest.mark.parametrize("value", [2**63, 2**64 - 1, 2**62, 5])
def test_unsigned_integers_do_not_wrap(value: int) -> None:
    assert State.of(np.array([[value, 1]], dtype=np.uint64)).rows() == [(Fraction(value), Fraction(1))]


def test_the_size_of_a_state_counts_numerators_and_denominator() -> None:
    assert State.of([["1/1024", 0]]).bits == 11
    assert State.of([[1024, 0]]).bits == 11
    assert State.of([["-1023", 0]]).bits == 10
    assert State.of([["sqrt(2)", 300]]).bits == 9


ROOT: Any = from_text("sqrt(2)")


# ---------------------------------------------------------------- states


def test_rational_coordinates_beside_algebraic_ones_are_fractions() -> None:
    state = State.of([["sqrt(2)", "1/3"], [2, "-sqrt(2)"]])
    assert [[type(x) is F for x in row] for row in state] == [[False, True], [True, False]]
    assert state.rows() == [(ROOT, F(1, 3)), (F(2), -ROOT)]
    assert not state.is_rational
    assert State.of([[1, 2]]).is_rational
    assert State(wide(np.array([[2**70, 1]]))).is_rational
    assert state.reduced() == state
    assert state.floats().tolist() == [[math.sqrt(2), 1 / 3], [2.0, -math.sqrt(2)]]
    assert state.take([1]).rows() == [(F(2), -ROOT)]
    assert State.of([["sqrt(2)/1024", 1]]).bits == 11


def test_states_are_of_the_integers_given() -> None:
    state = State.of_integers([2, 4, 6, 8], 2)
    assert (state.rows(), state.denominator) == ([(2, 4), (6, 8)], 1)
    assert State.of_integers([2, 4, 6, 8], 2, 4).rows() == [(F(1, 2), 1), (F(3, 2), 2)]
    assert State.of_integers([2, 4, 6, 8], 2, 4).denominator == 2
    assert State.of_integers([2**70, 0], 1, 2).denominator == 1
    assert (len(state), state.dim, list(state)) == (2, 2, state.rows())
    assert State.of(state) is state
    assert repr(State.of([["1/2", 3]])) == "State(1 point in dimension 2: (1/2, 3))"
    assert repr(State.of([[k] for k in range(7)])).endswith("(0), (1), (2), (3), (4), (5), ..)")
    assert State(np.array([[6]]), 4).reduced().array.tolist() == [[3]]
    assert State(objects([2**70, 2**71]).reshape(1, 2), 2**68).reduced().array.dtype == np.int64


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (np.array([1, 2]), r"expected a 2-dimensional array.*got shape \(2,\); reshape\(-1, 1\)"),
        (np.zeros((1, 2, 3)), r"got shape \(1, 2, 3\)$"),
        (np.zeros((0, 2)), r"expected at least one point of dimension >= 1, got shape \(0, 2\)"),
        (np.zeros((2, 0)), r"got shape \(2, 0\)"),
        ("12", "expected rows of numbers, got str"),
        (5, "expected rows of numbers, got int"),
        ([1, 2], r"here\[0\]: expected a row of numbers such as \[0, 1\], got 1"),
        ([[1], "2"], r"here\[1\]: expected a row of numbers"),
        ([], "got no row"),
        ([[]], "got an empty row"),
        ([[1, 2], [3, 4], [5]], r"here\[2\]: expected 2 numbers as in row 0, got 1"),
        ([[1, 2], [3, "x"]], r"here\[1\]\[1\]: "),
        (np.array([[True]]), r"here\[0\]\[0\]: "),
        (np.array([[1.0, 2.0], [np.inf, np.nan]]), r"here\[1\]\[0\]: expected a finite number, got inf"),
    ],
)
def test_rows_that_are_no_points_are_refused_by_their_place(rows: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as caught:
        State.of(rows, "here")
    assert str(caught.value).startswith("here")


def test_floats_are_odd_integers_times_powers_of_two() -> None:
    values = np.array([1.0, -0.375, 6.0, 0.0, 2.0**-1074, 1e300, -(2.0**53) + 1])
    odd, exponents, bits = odd_parts(values)
    for x, p, e, b in zip(values.tolist(), odd.tolist(), exponents.tolist(), bits.tolist(), strict=True):
        assert F(p) * F(2) ** e == F(x)
        assert abs(p) < 2**b
        assert p == 0 or (p % 2 == 1 and abs(p) >= 2 ** (b - 1))
    for low in (-61, -62, -63, -1074):
        assert State.of(np.array([[1.0, 2.0**low]])).rows() == [(1, F(2) ** low)]
        assert State.of(np.array([[3.0 * 2.0**50, 2.0 ** (low // 8)]])).rows() == [(3 * 2**50, F(2) ** (low // 8))]


# ---------------------------------------------------------------- intervals


def test_arrays_of_floats_far_apart_do_not_overflow() -> None:
    for spread in range(130):
        values = [float(2**53 - 1), -3.0, 2.0**-spread, -float(2**53 - 1) * 2.0**-spread]
        assert State.of(np.array([values]))[0] == tuple(map(F, values))
        assert State.of(np.array([[2.0**spread, 1.0]])).rows() == [(2**spread, 1)]


# ---------------------------------------------------------------- pages


def test_states_and_data_are_shown_with_their_first_rows() -> None:
    shown = Dataset.of([[["1/2", 1], [0, 0]], [[3, 4]]], labels=["<a>", "b"], names=["n", "m"])._repr_html_()
    for part in ("<td>n</td>", "<td>2</td>", "<td>(1/2, 1) ..</td>", "<td>&lt;a&gt;</td>", "<td>(3, 4)</td>"):
        assert part in shown
    targets = Dataset.of([[[1]]], targets=[[["7/2"], [5]]])._repr_html_()
    assert "<td>(7/2)</td>" in targets
    assert "<td>0</td>" in targets
    assert "more sequences" not in Dataset.of([[[k]] for k in range(40)])._repr_html_()
    assert State.of([[1]]) != State.of([[2]])


# ---------------------------------------------------------------- writing


def test_states_of_frames_are_the_exact_values_of_their_columns() -> None:
    frame = pd.read_csv(io.StringIO("sequence,x1,x2\na,1,0.5\na,2,0.25\n"))
    assert Dataset.of(frame).tokens == State.of([[1, "1/2"], [2, "1/4"]])
