"""Products of double-double matrices from integer slices: every partial sum is an integer up to 2^53, in any order.

A row x over a power of two s with |x/s| < 1/2 is sum_t X_t 2^(-bt) + rest with integers |X_t| <= 2^(b-1) + 1; a matrix
of float32 numbers is a finite sum of such slices, its columns scaled alike. With k (2^(b-1) + 1)^2 <= 2^53 the BLAS
product of two slices of inner dimension k is exact. Pairs of slices beyond the first 108 bits are left out and bounded.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from exactformer.evaluate import double_double as dd
from exactformer.evaluate.double_double import Pair
from exactformer.evaluate.outward import Floats, length, size, up

#: bits of a row that are multiplied
BITS = 108
#: the share of nonzero entries below which a slice is kept as rows and columns that have some
_SPARSE = 1e-3


@cache
def slice_bits(k: int) -> int:
    """The largest b with k (2^(b-1) + 1)^2 <= 2^53."""
    return max(b for b in range(1, 27) if k * (2 ** (b - 1) + 1) ** 2 <= 2**53)


@cache
def widths(k: int) -> tuple[int, int]:
    """The bits b of slices, and how many products of slices have an exact sum: narrower slices if as many suffice."""
    widest = slice_bits(k)
    b = slice_bits(2 * k) if math.ceil(BITS / slice_bits(2 * k)) == math.ceil(BITS / widest) else widest
    return b, 2**53 // (k * (2 ** (b - 1) + 1) ** 2)


def power_above(m: Floats) -> Floats:
    """A power of two above 2|m|, entry by entry; 1 where m is 0."""
    return np.where(m > 0, np.ldexp(1.0, np.frexp(m)[1] + 1), 1.0)


def slices_of(x: Pair, b: int, count: int) -> list[Floats]:
    """The first slices X_1, X_2, .. of numbers below 1/2; what is left is at most 1.001 2^(-b count - 1).

    h - X_t 2^(-bt) is exact: h 2^(bt) is an integer, or the difference is a multiple of ulp(h) below 2^(-bt).
    """
    h, l = x
    found = []
    for t in range(1, count + 1):
        q = 2.0 ** (b * t)
        found.append(np.rint(h * q))
        h, l = dd.two_sum(h - found[-1] / q, l)
    return found


class SparseSlice:
    """A slice with few nonzero entries, as the last ones of most matrices are; x @ slice."""

    def __init__(self, part: Floats) -> None:
        self._rows = np.flatnonzero(part.any(1))
        self._columns = np.flatnonzero(part.any(0))
        self._entries = np.ascontiguousarray(part[np.ix_(self._rows, self._columns)])
        self._width = part.shape[1]

    __array_ufunc__ = None  # so that x @ slice asks this class

    def __rmatmul__(self, x: Floats) -> Floats:
        found = np.zeros((len(x), self._width))
        found[:, self._columns] = x[:, self._rows] @ self._entries
        return found


class SlicedMatrix:
    """A matrix of float32 numbers (k by m, acting as x @ W) in slices, all of it; with what its products err by."""

    def __init__(self, W: Floats, spectral: float) -> None:
        k, _ = W.shape
        self.k, self.spectral = k, spectral
        self.b, self.together = widths(k)
        self.count = math.ceil(BITS / self.b)
        self.scale = power_above(np.abs(W).max(0, initial=0.0))
        self.slices: list[Floats | SparseSlice] = []
        left = W / self.scale
        while left.any():
            q = 2.0 ** (self.b * (len(self.slices) + 1))
            part = np.rint(left * q)
            self.slices.append(SparseSlice(part) if np.count_nonzero(part) < _SPARSE * part.size else part)
            left = left - part / q
        self.left_out = self._left_out()

    def _left_out(self) -> float:
        """The bound, for rows of scale 1, of the rest of the row and of the pairs of slices left out."""
        b, T, n = self.b, self.count, len(self.slices)
        pairs = [c for c in range(T + 2, T + n + 1) for _ in range(max(1, c - n), min(T, c - 1) + 1)]
        beyond: float = self.k * size(self.scale) * math.fsum(2.0 ** (2 * b - 2 - b * c) for c in pairs)
        rest = 2.0 ** (-b * T - 1) * math.sqrt(self.k) * self.spectral
        return up(1.01 * (beyond + rest))

    def product(self, x: Pair) -> tuple[Pair, Floats]:
        """The rows of x @ W, and a bound of the Euclidean norm of each row's error."""
        h, l = x
        n, m = len(h), len(self.scale)
        s = power_above(np.abs(h).max(-1, keepdims=True))
        rows = np.concatenate(slices_of((h / s, l / s), self.b, self.count), 0)
        terms: dict[int, list[Floats]] = {}
        for u, weights in enumerate(self.slices, 1):
            used = min(self.count, self.count + 1 - u)
            if used < 1:
                break
            found = (rows[: used * n] @ weights).reshape(used, n, m)
            for t in range(1, used + 1):
                terms.setdefault(t + u, []).append(found[t - 1])
        total, charged = add_up(terms, self.b, self.together, (n, m))
        scale = s * self.scale
        rounding = up(2.0**-104 * length(charged * scale))
        return (total[0] * scale, total[1] * scale), up(rounding + s[..., 0] * self.left_out)


def add_up(terms: dict[int, list[Floats]], b: int, together: int, shape: tuple[int, ...]) -> tuple[Pair, Floats]:
    """The sum of terms[c] 2^(-bc), small ones first, and a bound of the sum, over all additions, of what they gave.

    So many terms `together` have exact sums of at most 2^53, and are added in float64. All sums of terms with c > 2
    are at most `tail`; the last sum, with the one term of c = 2, exceeds it by no more than that term.
    """
    total: Pair | None = None
    additions, tail = 1, 0.0
    for c in sorted(terms, reverse=True):
        for i in range(0, len(terms[c]), together):
            scaled = sum(terms[c][i + 1 : i + together], terms[c][i]) * 2.0 ** (-b * c)
            total = dd.of_floats(scaled) if total is None else dd.add_float(total, scaled)
            additions += 1
            tail += 2.0 ** (53 - b * c) if c > 2 else 0.0
    if total is None:
        return dd.of_floats(np.zeros(shape)), np.zeros(shape)
    return total, np.abs(terms[2][0]) * 2.0 ** (-2 * b) + up(additions * tail)


def products(x: Pair, y: Pair) -> tuple[Pair, Floats]:
    """x @ y for stacks of double-double matrices, and a bound of the error of every entry."""
    k = x[0].shape[-1]
    b, together = widths(k)
    T = math.ceil(BITS / b)
    sx = power_above(np.abs(x[0]).max(-1, keepdims=True))
    sy = power_above(np.abs(y[0]).max(-2, keepdims=True))
    left = slices_of((x[0] / sx, x[1] / sx), b, T)
    right = slices_of((y[0] / sy, y[1] / sy), b, T)
    n, stacked = x[0].shape[-2], np.concatenate(left, -2)
    terms: dict[int, list[Floats]] = {}
    for u in range(1, T + 1):
        used = T + 1 - u
        found = stacked[..., : used * n, :] @ right[u - 1]
        for t in range(1, used + 1):
            terms.setdefault(t + u, []).append(found[..., (t - 1) * n : t * n, :])
    total, charged = add_up(terms, b, together, terms[2][0].shape)
    scale = sx * sy
    beyond = T * sum(2.0 ** (2 * b - 2 - b * j) for j in range(T + 2, 2 * T + 1))
    error = up(charged * scale * dd.ERROR + 1.01 * k * scale * (2.0 ** (-b * T) + beyond))
    return (total[0] * scale, total[1] * scale), error
