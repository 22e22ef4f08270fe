"""Tests of `exactformer.evaluate.certified_norms`; that bounds are bounds, on matrices of all kinds, is in tests/laws."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from exactformer.evaluate import certified_norms
from exactformer.evaluate.certified_norms import _spectral_radius, spectral_norm, spectral_norm_of_product

U = 2.0**-53


def radius_on_paper(T: list[list[Fraction]], error: float) -> float:
    """f_0 sqrt(f_1 sqrt(.. sqrt(rest))) of six squarings; (T + E)^2 is 2e + e^2 + 4(n + 2)u from the computed T^2."""
    n, factors, e = len(T), [], error
    for _ in range(6):
        f = math.sqrt(sum(float(x) ** 2 for row in T for x in row)) + e
        factors.append(f)
        T, e = [[x / Fraction(f) for x in row] for row in T], e / f
        T = [[sum(T[i][k] * T[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
        e = 2 * e + e * e + 4 * (n + 2) * U
    rest = math.sqrt(sum(float(x) ** 2 for row in T for x in row)) + e
    for f in reversed(factors):
        rest = f * math.sqrt(rest)
    return rest


@pytest.mark.parametrize("error", [0.0, 2.0**-60, 2.0**-20, 0.25, 3.0])
@pytest.mark.parametrize(
    "T",
    [
        [[3, 0], [0, 4]],
        [[0, 1], [0, 0]],  # nilpotent: what rounding may add is all there is
        [[0, 2, 1], [0, 0, 5], [0, 0, 0]],
        [[1, 2, 0], [-2, 1, 0], [0, 0, 1]],
        [[0, 0], [0, 0]],
    ],
)
def test_six_squarings_carry_the_error_along(T: list[list[int]], error: float) -> None:
    if not error and not any(map(any, T)):
        return
    found = _spectral_radius(np.array(T, float), error)
    expected = radius_on_paper([[Fraction(x) for x in row] for row in T], error)
    assert expected * (1 + 1e-7) <= found <= expected * (1 + 1e-5)


@pytest.mark.parametrize("scale", [1.0, 2.0**9, 2.0**-7, 2.0**300, 3e-200])
def test_both_scales_of_a_product_come_back(scale: float) -> None:
    """Diagonal matrices: the norm is the largest product, and the bound at most 3^(1/256) above it."""
    left, right = np.diag([3.0, 4.0, 1.0]) * scale, np.diag([1.0, 0.5, 2.5])
    for found, true in (
        (spectral_norm_of_product(left, right), 3 * scale),
        (spectral_norm_of_product(right, left), 3 * scale),
        (spectral_norm(left), 4 * scale),
    ):
        assert true <= found <= true * 3 ** (1 / 256) * (1 + 1e-5) + 2.0**-300


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 1), (1, 5), (40, 7)])
def test_a_product_that_is_zero_has_a_bound_of_what_rounding_may_hide(rows: int, columns: int) -> None:
    """P Q = 0 in floats: the bound is sqrt(e) 3^(63/128), e the sum of three gammas times |left|^2 |right|^2."""
    left, right = np.zeros((rows, 2)), np.zeros((2, columns))
    left[:, 0], right[1] = 0.75, -0.75
    roundings = rows + columns + 2 + 4
    e = roundings * U * (rows * 0.75**2) * (columns * 0.75**2)
    found = spectral_norm_of_product(left, right)
    expected = math.sqrt(e) * 3 ** (63 / 128)
    assert expected <= found <= expected * 1.006  # of 1.01 in e


@pytest.mark.parametrize("side", ["rows", "columns"])
def test_a_product_of_zeros_is_zero(side: str) -> None:
    left, right = np.ones((2, 3)), np.ones((3, 4))
    (left if side == "rows" else right)[:] = 0
    assert spectral_norm_of_product(left, right) == 0
    assert spectral_norm(left if side == "rows" else right) == 0


def test_both_sides_beyond_the_largest_order_leave_the_frobenius_norm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certified_norms, "LARGEST", 2)
    for sizes, expected in (
        ((2, 2), 2.0),
        ((2, 9), 2.0),
        ((9, 2), 2.0),
        ((3, 3), 2 * math.sqrt(3)),
        ((4, 3), 2 * math.sqrt(3)),
    ):
        found = spectral_norm(2 * np.eye(*sizes))
        assert expected <= found <= expected * 1.01
    assert certified_norms.spectral_norm(2.0**30 * np.eye(3)) == pytest.approx(2.0**30 * math.sqrt(3), rel=1e-5)


@pytest.mark.parametrize("sizes", [(1, 5), (5, 1), (2, 5), (5, 2), (3, 3)])
def test_the_rounding_of_the_gram_matrix_counts_its_longest_sums(
    sizes: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a roundoff of 1/1000 it is seen: gamma of the longer side times the square of the Frobenius norm."""
    monkeypatch.setattr(certified_norms, "gamma", lambda k: k / 1000)
    n, long = min(sizes), max(sizes)
    gram = [[Fraction(9, 16) * long] * n for _ in range(n)]
    expected = math.sqrt(radius_on_paper(gram, long / 1000 * 9 / 16 * n * long)) * 4
    assert spectral_norm(np.full(sizes, 3.0)) == pytest.approx(expected, rel=1e-5)


def test_a_product_is_taken_over_the_inner_dimension() -> None:
    """Rank one: the norm is |left| |<., .>| |right| by hand, here sqrt(5) * 3 * sqrt(2)."""
    left, right = np.array([[1.0, 1, 1], [2, 2, 2]]), np.array([[1.0, 1], [1, 1], [1, 1]])
    true = 3 * math.sqrt(10)
    assert true <= spectral_norm_of_product(left, right) <= true * 3 ** (1 / 256) * (1 + 1e-5)
