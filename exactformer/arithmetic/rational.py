"""Rational numbers: common denominators, the simplest rational of an interval, multiples of the identity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

from exactformer.errors import InvalidInput

#: a point with rational coordinates, and several of them
RationalRow = tuple[Fraction, ...]
RationalRows = tuple[RationalRow, ...]


def common_denominator(numbers: Iterable[Fraction | int]) -> int:
    """The least D >= 1 such that D*x is an integer for every x.

    >>> common_denominator([Fraction(1, 4), Fraction(5, 6), 2])
    12
    """
    return math.lcm(*{x.denominator for x in numbers})


def simplest_between(low: Fraction | int | None, high: Fraction | int | None) -> Fraction:
    """The rational of least denominator, then of least absolute value, in the open interval (low, high).

    `None` stands for an infinite end. Raises InvalidInput where the interval is empty.

    >>> simplest_between(Fraction(3, 10), Fraction(1, 2))
    Fraction(1, 3)
    >>> simplest_between(Fraction(-7, 2), None)
    Fraction(0, 1)
    """
    if low is not None and high is not None and low >= high:
        raise InvalidInput(f"expected an open interval low < high, got ({low}, {high}): it contains no number")
    if (low is None or low < 0) and (high is None or high > 0):
        return Fraction(0)
    if low is None or low < 0:
        return -_simplest_positive(Fraction(-high if high is not None else 0), None if low is None else Fraction(-low))
    return _simplest_positive(Fraction(low), None if high is None else Fraction(high))


def _simplest_positive(low: Fraction, high: Fraction | None) -> Fraction:
    """The simplest rational in (low, high) with 0 <= low, by the continued fraction both ends share."""
    quotients: list[int] = []
    while True:
        whole = math.floor(low)
        if high is None or whole + 1 < high:
            quotients.append(whole + 1)
            break
        quotients.append(whole)
        # every number of the interval is whole + 1/y, with y between the inverted ends
        low, high = 1 / (high - whole), (1 / (low - whole) if low > whole else None)
    value = Fraction(quotients[-1])
    for whole in reversed(quotients[:-1]):
        value = whole + 1 / value
    return value


@lru_cache(maxsize=32)
def identity(dim: int) -> RationalRows:
    """The rows of the identity matrix.

    >>> identity(1)
    ((Fraction(1, 1),),)
    """
    return diagonal([1] * dim)


def diagonal(entries: Sequence[Fraction | int]) -> RationalRows:
    """The rows of the diagonal matrix with the given entries.

    >>> diagonal([2, Fraction(1, 2)])[1]
    (Fraction(0, 1), Fraction(1, 2))
    """
    return tuple(tuple(Fraction(x if i == j else 0) for j in range(len(entries))) for i, x in enumerate(entries))


def minus_multiple(rows: Sequence[Sequence[Fraction]], c: Fraction | int) -> RationalRows:
    """M - c I.

    >>> minus_multiple(identity(1), 3)
    ((Fraction(-2, 1),),)
    """
    return tuple(tuple(x - c * (i == j) for j, x in enumerate(row)) for i, row in enumerate(rows))
