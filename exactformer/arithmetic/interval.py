"""Intervals with rational ends: sums, products and e^-x, every result contains all it stands for.

An interval of width 0 is a point, and stays exact: nothing here rounds a point. `outward` alone rounds, to multiples
of 2^-p, and only intervals of positive width.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import fmpq

Interval = tuple[fmpq, fmpq]
Box = tuple[Interval, ...]

ZERO, ONE = fmpq(0), fmpq(1)


def rational(number: Fraction | int) -> fmpq:
    """The same number, in the form intervals compute with."""
    return fmpq(number.numerator, number.denominator)


def fraction(number: fmpq) -> Fraction:
    """The same number as a Fraction."""
    return Fraction(int(number.p), int(number.q))


def point(number: fmpq) -> Interval:
    """The interval that holds one number."""
    return number, number


def is_point(x: Interval) -> bool:
    """Whether the interval holds one number only."""
    return bool(x[0] == x[1])


def plus(x: Interval, y: Interval) -> Interval:
    """{a + b}."""
    return x[0] + y[0], x[1] + y[1]


def minus(x: Interval, y: Interval) -> Interval:
    """{a - b}, a and b independent."""
    return x[0] - y[1], x[1] - y[0]


def scaled(c: fmpq, x: Interval) -> Interval:
    """{c * a}."""
    return (c * x[0], c * x[1]) if c >= 0 else (c * x[1], c * x[0])


def product(x: Interval, y: Interval) -> Interval:
    """{a * b}, a and b independent: the hull of the four products of ends."""
    ends = [a * b for a in x for b in y]
    return min(ends), max(ends)


def hull(parts: Iterable[Interval]) -> Interval:
    """The least interval that contains all the given ones."""
    lows, highs = zip(*parts, strict=True)
    return min(lows), max(highs)


def form(row: Sequence[fmpq], box: Box) -> Interval:
    """{sum row_k x_k : x in the box}.

    >>> form([fmpq(2), fmpq(-1)], ((fmpq(0), fmpq(1)), (fmpq(3), fmpq(5))))
    (-5, -1)
    """
    low = high = ZERO
    for c, (a, b) in zip(row, box, strict=True):
        if c > 0:
            low, high = low + c * a, high + c * b
        elif c < 0:
            low, high = low + c * b, high + c * a
    return low, high


def outward(x: Interval, bits: int) -> Interval:
    """The least interval with ends in 2^-bits Z that contains x; a point stays as it is.

    >>> outward((fmpq(1, 3), fmpq(1, 2)), 2)
    (1/4, 1/2)
    """
    if is_point(x):
        return x
    scale = 1 << bits
    return fmpq((x[0] * scale).floor(), scale), fmpq((x[1] * scale).ceil(), scale)


def exp_minus(x: fmpq, bits: int) -> Interval:
    """An interval around e^-x for x >= 0, of width at most 2^-bits; 1 for x = 0, [0, 2^-bits] from x = bits on.

    y = x/2^k < 1/2; every Taylor term of e^y, made from the one before and rounded down, is less than 2 units too
    small (an error is at most half of the one before and 1), and so is the first that is 0, which exceeds all that
    follow. The sum is inverted and squared k times, in integers over 2^(bits+k+8) rounded to both sides.
    """
    if x == 0:
        return ONE, ONE
    if x >= bits:
        return ZERO, fmpq(1, 1 << bits)
    k = int(x.floor()).bit_length() + 1
    shift = bits + k + 8
    one = term = total = 1 << shift
    p, q = int(x.p), int(x.q) << k
    j = 0
    while term:
        j += 1
        term = term * p // (q * j)
        total += term
    least, most = (one << shift) // (total + 2 * j + 2), -(-(one << shift) // total)
    for _ in range(k):
        least, most = least * least >> shift, -(-most * most >> shift)
    return fmpq(least, one), fmpq(most, one)
