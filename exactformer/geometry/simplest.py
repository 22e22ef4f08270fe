"""The simplest direction: small integers that are still strictly positive on every row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array, matmul, narrowed
from exactformer.arithmetic.rational import simplest_between
from exactformer.geometry.points import Element, Vector, approx_over_norm, column, plain, primitive, quotient
from exactformer.geometry.propose import Floats

#: bits to which a float direction is rounded, one after the other, until the exact check succeeds
ROUNDINGS = (20, 40, 60)
PASSES = 8


def is_positive(rows: Array, v: Sequence[Element]) -> bool:
    """Whether <r_j, v> > 0 for every row, exactly; v of integers, or with algebraic numbers."""
    return bool(np.all(matmul(rows, narrowed(column(v))) > 0))


def rounded(v: Floats, bits: int) -> Vector:
    """The integer vector nearest to 2^bits v / |v|."""
    size = float(np.abs(v).max())
    # a float of size at most 1 times 2^60 is still an exact dyadic number
    return tuple(round(Fraction(float(x) / size) * 2**bits) for x in v) if size > 0 else (0,) * len(v)


def simplest_direction(rows: Array, v: Vector) -> Vector:
    """A short primitive integer vector positive on all rows, near the direction v.

    v is first rounded to the coarsest grid on which it stays positive; then each entry in turn is moved towards
    0 as far as it can go alone, until none can (or for PASSES rounds: two entries may lead each other down slowly).

    >>> simplest_direction(np.array([[3, 1], [1, 3]], dtype=object), (1000, 1003))
    (0, 1)
    """
    v = primitive(v) if all(type(plain(x)) is Fraction for x in v) else _rational_direction(rows, v)
    if not all(type(x) is int for x in v):
        return v
    v = _coarsest(rows, v)
    for _ in range(PASSES):
        last, v = v, primitive(_shortened(rows, v))
        if v == last:
            break
    return v


def _rational_direction(rows: Array, v: Vector) -> Vector:
    """Integers near the direction of algebraic v that are positive too; v itself if 60 bits do not suffice."""
    approximate = np.array(approx_over_norm(v))
    candidates = (rounded(approximate, bits) for bits in ROUNDINGS)
    return next((c for c in candidates if is_positive(rows, c)), v)


def _coarsest(rows: Array, v: Vector) -> Vector:
    """v rounded to integers of size K, for a K that bisection cannot make smaller."""
    size = max(map(abs, v))
    grid = [1 << e for e in range(size.bit_length()) if 1 << e < size] + [size]
    place = _first(len(grid) - 1, lambda i: is_positive(rows, _scaled(v, size, grid[i])))
    low, high = (grid[place - 1], grid[place]) if place else (0, 1)
    if high <= 1 << 12:
        high = low + 1 + _first(high - low - 1, lambda i: is_positive(rows, _scaled(v, size, low + 1 + i)))
    return _scaled(v, size, high)


def _first(last: int, works: Callable[[int], bool]) -> int:
    """An index i <= last at which `works` holds and i-1 does not, by bisection; it is known to hold at `last`."""
    low, high = -1, last
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return high


def _scaled(v: Vector, size: int, K: int) -> Vector:
    """The integer vector nearest to K v / size."""
    return tuple((2 * K * x + size) // (2 * size) for x in v)


def _shortened(rows: Array, v: Vector) -> Vector:
    """v with each entry in turn moved to the integer nearest 0 that keeps every product positive."""
    entries = list(v)
    values = matmul(rows, column(entries))
    for k, entry in enumerate(entries):
        if entry == 0:
            continue
        sign = 1 if entry > 0 else -1
        # with |entry| = x: value - r (|entry| - x) > 0 for every r = sign * rows[j, k] > 0 bounds x from below
        least = 0
        for value, r in zip(values, rows[:, k] * sign, strict=True):
            if r > 0:
                least = max(least, _floor(r * abs(entry) - value, r) + 1)
        values = values - rows[:, k] * (entry - sign * least)
        entries[k] = sign * least
    return tuple(entries)


def _floor(x: Element, y: Element) -> int:
    """The largest integer k <= x / y, for y > 0."""
    return int(x // y) if type(x) is int and type(y) is int else math.floor(quotient(x, y))


def simplest_offset(low: Element | None, high: Element) -> Element:
    """The simplest rational in the open interval (low, high); `None` is minus infinity.

    Algebraic ends are first replaced by rationals inside, found from floats; where floats cannot tell the
    ends apart, the (algebraic) midpoint is returned.

    >>> simplest_offset(Fraction(3, 10), Fraction(1, 2))
    Fraction(1, 3)
    """
    if low is None:
        return Fraction(min(0, -math.floor(-high) - 1))
    low, high = plain(low), plain(high)
    if isinstance(low, Fraction) and isinstance(high, Fraction):
        return simplest_between(low, high)
    floats = [float_of(x) for x in ((high - low) / 3, low, high)]
    if not all(map(math.isfinite, floats)):
        return plain((low + high) / 2)
    third, left, right = map(Fraction, floats)
    inner = left + third, right - third
    return simplest_between(*inner) if low < inner[0] < inner[1] < high else plain((low + high) / 2)
