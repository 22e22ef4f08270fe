"""Intervals with rational ends, and the exponential on them (FORMAT.md, section 2.1)."""

from fractions import Fraction

from ..core.budget import Budget, division_cost

Interval = tuple[Fraction, Fraction]  # (l, h): all x with l <= x <= h
PARTS = 200  # operations of an exponential apart from its terms


def exponential(x: Interval, p: int, budget: Budget) -> Interval:
    """An interval that contains e^-t for every t in x."""
    low, high = x
    first = around(low, p, budget)
    return (first if high == low else around(high, p, budget))[0], first[1]


def around(t: Fraction, p: int, budget: Budget) -> Interval:
    """An interval that contains e^-t."""
    if t >= 0:
        return falling(t, p, budget)
    low, high = falling(-t, p, budget)
    return 1 / high, 1 / low


def falling(x: Fraction, p: int, budget: Budget) -> Interval:
    """An interval that contains e^-x, x >= 0.

    It is 1 for x = 0. From x = p on it is [0, 2^-p], since e^-x < 2^-x. Else y = x/2^k < 1/2, and the Taylor terms of
    e^y, each made from the one before and rounded down, are less than 2 too small: an error is at most half of the one
    before and 1. So is the first one that is 0, and all after it are together less than it. The inverse of e^y, squared
    k times, is e^-x. All in integers over 2^shift.
    """
    if x == 0:
        return Fraction(1), Fraction(1)
    if x >= p:
        return Fraction(0), Fraction(1, 1 << p)
    k = int(x).bit_length() + 1
    shift = p + k + 8
    numerator, denominator = x.numerator, x.denominator << k
    budget.spend(PARTS + (shift + 2 * k) * division_cost(shift + denominator.bit_length()))
    term = total = 1 << shift
    j = 0
    while term:
        j += 1
        term = term * numerator // (denominator * j)
        total += term
    least, most = (1 << 2 * shift) // (total + 2 * j + 2), -(-(1 << 2 * shift) // total)
    for _ in range(k):
        least, most = least * least >> shift, -(-most * most >> shift)
    return Fraction(least, 1 << shift), Fraction(most, 1 << shift)
