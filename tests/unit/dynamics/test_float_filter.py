"""Tests of `exactformer.dynamics.float_filter`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.dynamics.float_filter import UNIT, Shadow, candidates
from exactformer.dynamics.score_form import ScoreForm

F = Fraction


def test_the_error_of_a_shadow_grows_with_the_rounding_of_slow_steps() -> None:
    """z(k) = r^k z + (1 - r^k) y: with a = 1/1000 the floats of 400 layers are off by more than those of one."""
    share, form = F(1, 1000), ScoreForm([[1, 0], [0, 1]])
    state = State.of(np.random.default_rng(0).standard_normal((40, 2)))
    first = shadow = Shadow.of(state.array, state.denominator, form)
    for _ in range(400):
        shadow = shadow.moved(shadow.values[[0] * 40], float(share), 1)
    rows, rest = state.rows(), (1 - share) ** 400
    exact = [rest * x + (1 - rest) * y for row in rows for x, y in zip(row, rows[0], strict=True)]
    worst = max(abs(F(float(f)) - x) for f, x in zip(shadow.values.flat, exact, strict=True))
    assert first.error < worst <= shadow.error
    assert shadow.error >= first.error + 400 * 8 * UNIT * shadow.size


@pytest.mark.parametrize("seed", range(12))
def test_every_float_score_is_within_its_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 7))
    scale = 10.0 ** rng.integers(-60, 60)
    rows = rng.standard_normal((n, d)) * scale
    B = rng.integers(-5, 6, (d, d)) * 10 ** int(rng.integers(0, 12))
    state, form = State.of(rows), ScoreForm((B + B.T).tolist() if np.any(B + B.T) else np.eye(d, dtype=int).tolist())
    third = State(state.numerators, state.denominator * 3)  # not dyadic: the shadow is rounded
    shadow = Shadow.of(third.array, third.denominator, form)
    assert not shadow.exact
    floats = form.approx_left(shadow.values) @ shadow.values.T
    exact_rows = [[F(int(x), third.denominator) for x in row] for row in third.numerators]
    assert all(
        abs(F(float(f)) - x) <= F(shadow.error)
        for fs, xs in zip(shadow.values, exact_rows, strict=True)
        for f, x in zip(fs, xs, strict=True)
    )
    bounds = shadow.errors(form, shadow.values, shadow.error)
    assert shadow.largest_error(form) >= bounds.max() * (1 - 1e-9)
    matrix = form.matrix.tolist()
    for i in range(n):
        image = [sum(F(int(a)) * x for a, x in zip(row, exact_rows[i], strict=True)) for row in matrix]
        for j in range(n):
            score = sum((x * y for x, y in zip(image, exact_rows[j], strict=True)), start=F(0))
            assert abs(F(float(floats[i, j])) - score) <= F(float(bounds[i]))


def test_candidates_contain_every_maximiser_and_ties_are_near() -> None:
    form = ScoreForm([[1, 0], [0, 1]])
    state = State.of([["3/5", "4/5"], [1, 0], ["4/5", "2/5"]])
    shadow = Shadow(state.floats(), 2.0**-50, 1.0)
    sets, near = candidates(shadow, form, shadow.values, shadow.error)
    assert 2 in near.tolist()
    assert set(sets[2].tolist()) >= {0, 1, 2}


def test_small_integers_are_scored_exactly_by_floats() -> None:
    form = ScoreForm([[1, 0], [0, 1]])
    assert Shadow.of(np.array([[3, 4], [5, 0]]), 7, form).exact
    assert not Shadow.of(np.array([[2**30, 4], [5, 0]]), 1, form).exact


@pytest.mark.parametrize(("size", "entry", "exact"), [(2, 1, True), (1 << 20, 1, True), (1 << 20, 1 << 20, False)])
def test_scores_are_exact_in_floats_only_while_they_and_their_sums_fit(size: int, entry: int, exact: bool) -> None:
    form = ScoreForm([[entry, 0], [0, 2 * entry + 1]])
    assert Shadow.of(np.array([[size, 1], [1, -size]]), 1, form).exact == exact


def test_bounds_of_errors_are_those_of_the_formula() -> None:
    """Large errors, so that every term counts: E = V (gamma A'M + e A'1) + error sum(A'M), V and M enlarged."""
    form = ScoreForm([[2, -1], [-1, 3]])
    shadow = Shadow(np.array([[1.0, -2.0], [-3.0, 0.5]]), 0.25, 3.0)
    rows, error, gamma = np.array([[1.0, -1.0], [0.0, 2.0]]), 0.5, (2 * 2 + 3) * UNIT
    M = [3.25, 2.25]
    AM = [2 * M[0] + M[1], M[0] + 3 * M[1]]
    for row, bound in zip(rows, shadow.errors(form, rows, error), strict=True):
        V = [abs(x) + error for x in row]
        expected = sum(v * (gamma * am + 0.25 * a) for v, am, a in zip(V, AM, (3, 4), strict=True)) + error * sum(AM)
        assert expected < bound < expected * (1 + 2e-6)
    size = 3.0 + 2 * 0.25
    expected = form.mass * size * (gamma * size + 2 * 0.25)
    assert expected < shadow.largest_error(form) < expected * (1 + 2e-6)
    assert 7 <= form.mass < 7 * (1 + 1e-8)


def test_scores_are_exact_up_to_two_to_the_53() -> None:
    form = ScoreForm([[1]])
    for largest, exact in (
        (2**26 - 1, True),
        (2**26 + 2**24, True),
        (94906265, True),
        (94906267, False),
        (2**27, False),
    ):
        shadow = Shadow.of(np.array([[largest], [-3]], dtype=np.int64), 7, form)
        assert shadow.exact == exact, largest
        if exact:
            assert (shadow.error, shadow.values.tolist()) == (0.0, [[largest], [-3]])
            assert largest <= shadow.size <= largest * (1 + 16 * UNIT)
            assert shadow.largest_error(form) == 0
        else:
            assert 0 < shadow.error < 1e-6 * shadow.size
    assert not Shadow.of(np.array([[1]], dtype=np.int64), 2**53, form).exact
    assert Shadow.of(np.array([[1]], dtype=np.int64), 2**53 - 1, form).exact


@pytest.mark.parametrize("power", [-95, -89, 0, 89, 95])
def test_states_of_any_size_have_a_shadow_near_one(power: int) -> None:
    numerators = np.array([[3 * 10 ** max(power, 0)], [-(10 ** max(power, 0))]], dtype=object)
    shadow = Shadow.of(numerators, 7 * 10 ** max(-power, 0), ScoreForm([[1]]))
    assert shadow.values[0, 0] / shadow.values[1, 0] == pytest.approx(-3)
    near = 1.0 if abs(power) > 90 else 3 / 7 * 10.0**power
    assert shadow.values[0, 0] == pytest.approx(near)
    assert shadow.size == pytest.approx(near)
    assert 4 * UNIT * shadow.size <= shadow.error <= 5 * UNIT * shadow.size
    assert np.isfinite(shadow.largest_error(ScoreForm([[1]])))
