"""Simple rational numbers: what a number costs to write on a blackboard, and cheaper ones nearby."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from random import Random

from exactformer.arithmetic.rational import RationalRow, RationalRows


def cost(x: Fraction) -> int:
    """Roughly the digits of x, a fraction counting double: 0 for zero, 2 for one, 3 for minus one.

    >>> cost(Fraction(0)), cost(Fraction(3)), cost(Fraction(-7, 12))
    (0, 4, 19)
    """
    if not x:
        return 0
    fraction = 0 if x.denominator == 1 else 3 * x.denominator.bit_length()
    return 2 * abs(x.numerator).bit_length() + fraction + (x < 0)


def total_cost(rows: Iterable[Iterable[Fraction]]) -> tuple[int, int]:
    """(cost, sum of numerators and denominators) of all entries: the second settles ties of the first."""
    entries = [x for row in rows for x in row]
    return sum(map(cost, entries)), sum(abs(x.numerator) + x.denominator for x in entries)


def simpler_numbers(x: Fraction) -> Iterator[Fraction]:
    """Cheaper numbers near x, the cheapest first.

    >>> [str(y) for y in simpler_numbers(Fraction(-7, 2))]
    ['0', '1', '-1', '-3', '-2', '-4', '7/2', '-5/2']
    """
    candidates = [Fraction(0), Fraction(1), Fraction(-1), Fraction(round(x / 2)), Fraction(round(x))]
    candidates += [x.limit_denominator(q) for q in (2, 3, 4, 6, 10) if q < x.denominator]
    candidates += [Fraction(int(x)), x - 1 if x > 1 else x + 1 if x < -1 else x]
    if x < 0:
        candidates.append(-x)
    rank = (cost(x), abs(x.numerator) + x.denominator)
    better = {y for y in candidates if (cost(y), abs(y.numerator) + y.denominator) < rank}
    yield from sorted(better, key=lambda y: (cost(y), y))


def rounded_rows(rows: Sequence[RationalRow], largest: int) -> RationalRows:
    """The rows scaled so that their largest entry is `largest` in absolute value, then rounded to integers."""
    top = max((abs(x) for row in rows for x in row), default=Fraction(0))
    if not top:
        return tuple(rows)
    return tuple(tuple(Fraction(round(x * largest / top)) for x in row) for row in rows)


def integral_rows(rows: Sequence[RationalRow]) -> RationalRows:
    """The rows scaled to integers without a common divisor."""
    from exactformer.geometry.points import primitive

    flat = primitive([x for row in rows for x in row])
    width = len(rows[0])
    return tuple(tuple(map(Fraction, flat[i : i + width])) for i in range(0, len(flat), width))


def replaced(row: Sequence[Fraction], k: int, x: Fraction) -> RationalRow:
    """The row with entry k replaced."""
    return (*row[:k], x, *row[k + 1 :])


def with_entry(rows: RationalRows, i: int, k: int, x: Fraction) -> RationalRows:
    """The rows with entry k of row i replaced."""
    return (*rows[:i], replaced(rows[i], k, x), *rows[i + 1 :])


def without(rows: Sequence[RationalRow], i: int) -> RationalRows:
    """The rows but the i-th."""
    return (*rows[:i], *rows[i + 1 :])


def without_column(rows: Sequence[RationalRow], k: int) -> RationalRows:
    """The rows without entry k."""
    return tuple((*row[:k], *row[k + 1 :]) for row in rows)


def nudged(x: Fraction, rng: Random) -> Fraction:
    """A number near x: an integer, a unit of x's own denominator or half of it away; halfway to zero; or -x."""
    step = rng.randrange(8)
    if step == 0:
        return -x
    if step == 1:
        return x / 2 if x.denominator < 2**16 else Fraction(round(x))
    unit = Fraction(rng.choice((-2, -1, 1, 2)))
    scale = x.denominator if step < 5 else 2 * x.denominator if step == 5 and x.denominator < 64 else 1
    return x + unit / scale
