"""The constants behind exp and GELU from tables, proved by balls over their whole range, and points against balls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from flint import arb, ctx

from exactformer.evaluate import function_tables as tables

KINDS = ("gelu", "gelu_tanh")


@pytest.fixture(autouse=True)
def _precision():
    before, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = before


def proved(holds: Callable[[arb], bool], low: float, high: float, pieces: int) -> bool:
    """Whether a statement that balls can prove holds on the whole interval, which is halved where they are too wide."""
    width = (high - low) / pieces
    todo = [(low + (j + 0.5) * width, width / 2) for j in range(pieces)]
    while todo:
        centre, radius = todo.pop()
        if not holds(arb(centre, radius * (1 + 1e-9))):
            if radius < 1e-6:
                return False
            todo += [(centre - radius / 2, radius / 2), (centre + radius / 2, radius / 2)]
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_slopes_and_curvature_of_gelu(kind: str) -> None:
    ctx.prec = 80

    def holds(x: arb) -> bool:
        series = tables.gelu_series(kind, x, 2)
        return bool(abs(series[1]) < tables.STEEPEST) and bool(2 * abs(series[2]) < tables.MOST_CURVED)

    assert proved(holds, -12.5, 12.5, 800)


@pytest.mark.parametrize("kind", KINDS)
def test_beyond_the_tables_gelu_is_zero_or_the_identity(kind: str) -> None:
    """x Phi(-x) decreases for x > 1, and so does x / (1 + e^w) for w' x > 1 + e^-w."""
    for x in (arb(12), arb(13), arb(40)):
        low, high = tables.gelu_series(kind, -x, 1), tables.gelu_series(kind, x, 1)
        assert abs(low[0]) < tables.GELU_PAIR / 8
        assert abs(high[0] - x) < tables.GELU_PAIR / 8
        assert abs(low[1]) + abs(high[1] - 1) < tables.SLOPE_ERROR / 8


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", ["float64", "pair"])
def test_what_taylor_polynomials_leave_out(kind: str, level: str) -> None:
    """r^(K+1) times a bound of the next coefficient over all points of the table, and of the slope's."""
    ctx.prec = 120
    degree = 8 if level == "float64" else tables.DEGREES[kind]
    allowed = (tables.GELU_FLOAT64 if level == "float64" else tables.GELU_PAIR) / 4

    def holds(x: arb) -> bool:
        next_one = abs(tables.gelu_series(kind, x, degree + 1)[degree + 1])
        near = 2.0**-6 * (1 + 2.0**-40)
        rest = next_one * near ** (degree + 1)
        slope = next_one * (degree + 1) * near**degree
        return bool(rest < allowed) and bool(slope < tables.SLOPE_ERROR / 4)

    assert proved(holds, -12.02, 12.02, 400)


@pytest.mark.parametrize("kind", KINDS)
def test_gelu_at_points(kind: str) -> None:
    rng, table = np.random.default_rng(0), tables.activation_table(kind)
    edges = (rng.integers(-390, 390, 300) + 0.5) / 32
    x = np.concatenate(
        [rng.uniform(-12.5, 12.5, 400), edges, rng.uniform(-1e-3, 1e-3, 50), [0, 12, -12, 12.001, 1e6, -1e9]]
    )
    low = x * 2.0**-54 * rng.uniform(-1, 1, x.size)
    pairs = table.pair((x, low))
    rows = zip(x, low, table.float64(x), *pairs, table.slope(x), strict=True)
    for v, l, f, h, tail, slope in rows:
        size, true = max(1, abs(v)), tables.gelu_series(kind, arb(v), 1)
        assert abs(arb(f) - true[0]) <= tables.GELU_FLOAT64 * size
        assert abs(arb(slope) - true[1]) <= tables.SLOPE_ERROR
        assert abs(arb(h) + arb(tail) - tables.gelu_series(kind, arb(v) + arb(l), 0)[0]) <= tables.GELU_PAIR * size


def test_exp_at_points() -> None:
    rng = np.random.default_rng(1)
    edges = (rng.integers(0, 74 * 64, 300) + 0.5) / 64
    t = -np.concatenate([rng.uniform(0, 74, 400), edges, rng.uniform(0, 1e-3, 50), [0, 74, 74.01, 700, 1e9]])
    low = t * 2.0**-54 * rng.uniform(0, 1, t.size)
    pairs = tables.exp_pair((t, low))
    for v, l, f, h, tail in zip(t, low, tables.exp_float64(t), *pairs, strict=True):
        below = tables.EXP_BELOW if v < -74 else 0
        for found, true, error in (
            (arb(f), arb(v), tables.EXP_FLOAT64),
            (arb(h) + arb(tail), arb(v) + arb(l), tables.EXP_PAIR),
        ):
            assert abs(found - true.exp()) <= error * true.exp() + below
    assert tables.exp_float64(np.zeros(1))[0] == 1
    assert tables.exp_pair((np.zeros(1), np.zeros(1))) == (1, 0)


def test_what_is_not_a_number_stays_that() -> None:
    odd = np.array([np.nan, np.inf, -np.inf])
    table = tables.activation_table("gelu")
    assert np.array_equal(table.float64(odd), [np.nan, np.inf, 0], equal_nan=True)
    assert np.array_equal(table.pair((odd, np.zeros(3)))[0], [np.nan, np.inf, 0], equal_nan=True)
