"""Double-double operations and products from slices against exact fractions: errors within what is claimed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.evaluate import double_double as dd
from exactformer.evaluate.exact_slices import SlicedMatrix, products, slice_bits, slices_of, widths
from exactformer.evaluate.pair_midpoints import UU

U2 = Fraction(1, 2**106)


def pairs(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Normalised pairs of very different sizes, with low parts at the very end and next to it."""
    h = rng.choice([-1, 1], count) * rng.uniform(1, 2, count) * 2.0 ** rng.integers(-40, 40, count)
    share = rng.choice([1.0, -1.0, 0.0, 0.5, 2.0**-30, -(2.0**-52)], count) * rng.uniform(0.9, 1, count)
    return dd.fast_two_sum(h, h * 2.0**-53 * share * 0.999)


def exactly(x: tuple[np.ndarray, np.ndarray]) -> list[Fraction]:
    return [Fraction(float(h)) + Fraction(float(l)) for h, l in zip(*x, strict=True)]


def near(x: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pairs that nearly cancel x in a sum."""
    h = -x[0] * (1 + 2.0**-52 * rng.integers(-2, 3, x[0].size))
    return dd.fast_two_sum(h, -x[1] * rng.choice([1.0, 0.5, -1.0], x[0].size))


@pytest.mark.parametrize("seed", range(3))
def test_each_operation_errs_by_what_is_claimed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = pairs(rng, 2000), pairs(rng, 2000)
    close = near(x, rng)
    X, Y, C = exactly(x), exactly(y), exactly(close)
    floats = [Fraction(float(b)) for b in y[0]]
    third = Fraction(1, 3)
    claims = [
        (dd.add(x, y), [a + b for a, b in zip(X, Y, strict=True)], Fraction(301, 100)),
        (dd.add(x, close), [a + b for a, b in zip(X, C, strict=True)], Fraction(301, 100)),
        (dd.add_float(x, y[0]), [a + b for a, b in zip(X, floats, strict=True)], Fraction(201, 100)),
        (
            dd.add_float(x, close[0]),
            [a + Fraction(float(b)) for a, b in zip(X, close[0], strict=True)],
            Fraction(201, 100),
        ),
        (dd.multiply(x, y), [a * b for a, b in zip(X, Y, strict=True)], Fraction(81, 10)),
        (dd.multiply_float(x, y[0]), [a * b for a, b in zip(X, floats, strict=True)], Fraction(31, 10)),
        (dd.inverse(x), [1 / a for a in X], Fraction(8)),
    ]
    for found, true, units in claims:
        for f, t, h, l in zip(exactly(found), true, *found, strict=True):
            assert abs(f - t) <= units * U2 * abs(t)
            assert abs(l) <= 2.0**-53 * abs(h)
    root = dd.inverse_root((abs(x[0]), np.where(x[0] > 0, x[1], -x[1])))
    for f, a in zip(exactly(root), X, strict=True):
        assert abs(f * f * abs(a) - 1) <= 16 * U2 + third**60


@pytest.mark.parametrize("k", [1, 2, 3, 7, 64, 384])
def test_sums_by_halving(k: int) -> None:
    rng = np.random.default_rng(k)
    x = pairs(rng, 5 * k)
    h, l = (part.reshape(5, k) for part in x)
    found, terms = dd.total((h, l)), exactly(x)
    for i, value in enumerate(exactly(found)):
        row = terms[i * k : (i + 1) * k]
        assert abs(value - sum(row)) <= Fraction(301, 100) * (k - 1).bit_length() * U2 * sum(map(abs, row))


def test_the_largest_pair_may_lead_in_its_low_part_only() -> None:
    h, l = np.array([[1.0, 1.0, 0.5]]), np.array([[0.0, 2.0**-60, 0.0]])
    assert dd.largest((h, l)) == (1.0, 2.0**-60)


@pytest.mark.parametrize("k", [1, 2, 3, 31, 32, 384, 512, 1000, 4096])
def test_sums_of_products_of_slices_stay_exact(k: int) -> None:
    b = slice_bits(k)
    assert k * (2 ** (b - 1) + 1) ** 2 <= 2**53
    assert b == 26 or k * (2**b + 1) ** 2 > 2**53


def test_slices_add_up() -> None:
    rng = np.random.default_rng(5)
    h, l = pairs(rng, 500)
    scale = 2.0 ** (np.frexp(abs(h))[1] + 1.0)
    x = (h / scale, l / scale)
    for b in (8, 23, 26):
        count = 5
        parts = slices_of(x, b, count)
        for i, true in enumerate(exactly(x)):
            assert all(float(p[i]).is_integer() and abs(p[i]) <= 2 ** (b - 1) + 1 for p in parts)
            rest = true - sum(Fraction(float(p[i])) / 2 ** (b * t) for t, p in enumerate(parts, 1))
            assert abs(rest) <= Fraction(1001, 1000) / 2 ** (b * count + 1)


def matrices(rng: np.random.Generator) -> list[np.ndarray]:
    """Ordinary, with extreme columns, sparse, zero, and of one entry: float32 numbers all."""
    plain = rng.standard_normal((24, 5))
    extreme = plain * 2.0 ** rng.integers(-100, 100, (24, 5))
    few = np.where(rng.uniform(size=(400, 30)) < 2e-4, 2.0**-40, 1.0) * rng.standard_normal((400, 30))
    found = [few, plain, extreme, plain * (plain > 1), np.zeros((24, 5)), rng.standard_normal((1, 1))]
    return [m.astype(np.float32).astype(np.float64) for m in found]


def test_products_with_a_matrix_err_by_what_they_say() -> None:
    rng = np.random.default_rng(6)
    for W in matrices(rng):
        k, m = W.shape
        for spread in (0, 30):
            h, l = pairs(rng, 3 * k)
            size = 2.0 ** rng.integers(-spread, spread + 1, (3, 1))
            x = (h.reshape(3, k) * size, l.reshape(3, k) * size)
            found, error = SlicedMatrix(W, float(np.linalg.norm(W)) * 1.001).product(x)
            for i in range(3):
                row = exactly((x[0][i], x[1][i]))
                off = [
                    sum(a * Fraction(float(W[c, j])) for c, a in enumerate(row))
                    - Fraction(float(found[0][i, j]))
                    - Fraction(float(found[1][i, j]))
                    for j in range(m)
                ]
                assert sum(v * v for v in off) <= Fraction(float(error[i])) ** 2
                if W.any():
                    assert error[i] <= 2.0**-95 * np.abs(x[0][i]).max() * k * np.linalg.norm(W)


def test_products_of_pairs_err_by_what_they_say() -> None:
    rng = np.random.default_rng(7)
    for spread in (0, 20):
        x, y = pairs(rng, 4 * 9), pairs(rng, 9 * 3)
        scale = 2.0 ** rng.integers(-spread, spread + 1, (1, 4, 1))
        left = tuple(part.reshape(1, 4, 9) * scale for part in x)
        right = tuple(part.reshape(1, 9, 3) for part in y)
        found, error = products(left, right)
        X, Y = np.array(exactly(x)).reshape(4, 9), np.array(exactly(y)).reshape(9, 3)
        true = X @ Y
        for i, j in np.ndindex(4, 3):
            value = Fraction(float(found[0][0, i, j])) + Fraction(float(found[1][0, i, j]))
            assert abs(value - true[i, j] * Fraction(float(scale[0, i, 0]))) <= Fraction(float(error[0, i, j]))


def test_slices_with_few_entries_are_kept_small() -> None:
    rng = np.random.default_rng(8)
    W = matrices(rng)[0]
    kinds = [type(part).__name__ for part in SlicedMatrix(W, 1.0).slices]
    assert "SparseSlice" in kinds
    assert kinds[0] == "ndarray"


def test_units_are_those_of_the_proofs() -> None:
    assert UU == 2.0**-106


@pytest.mark.parametrize("k", [1, 7, 64, 768, 3072])
def test_as_many_products_of_slices_as_float64_adds_exactly(k: int) -> None:
    b, together = widths(k)
    largest = k * (2 ** (b - 1) + 1) ** 2
    assert together * largest <= 2**53 < (together + 1) * largest


@pytest.mark.parametrize(("k", "m"), [(5, 3), (64, 8)])
def test_every_pair_of_slices_left_out_is_in_the_bound(k: int, m: int) -> None:
    weights = np.random.default_rng(k).normal(size=(k, m)).astype(np.float32).astype(np.float64)
    sliced = SlicedMatrix(weights, 100.0)
    b, T, n = sliced.b, sliced.count, len(sliced.slices)
    pairs = [(t, u) for t in range(1, T + 1) for u in range(1, n + 1) if t + u > T + 1]
    beyond = k * np.linalg.norm(sliced.scale) * sum(2.0 ** (2 * b - 2 - b * (t + u)) for t, u in pairs)
    rest = 2.0 ** (-b * T - 1) * np.sqrt(k) * 100.0
    assert pairs
    assert beyond + rest < sliced.left_out < 1.02 * (beyond + rest)
