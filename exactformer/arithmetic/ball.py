"""Balls: rigorous enclosures with explicit precision and three-valued comparisons.

A ball never lies: `a < b` is True or False only where every number of the enclosures says so, and
raises `Undecided` otherwise. `decide` repeats a question with doubled precision up to a stated cap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from fractions import Fraction
from functools import reduce
from typing import TypeVar

from flint import arb, ctx, fmpq

from exactformer.errors import Undecided
from exactformer.io.untyped import Given

Value = TypeVar("Value")

#: bits at which a question is first asked, and at which it is given up, unless the caller says otherwise
START_BITS = 64
CAP_BITS = 4096


class Truth(Enum):
    """The three answers to a comparison of balls."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"

    def __bool__(self) -> bool:
        """True or False for a decided comparison; an undecided one raises, it never becomes False."""
        if self is Truth.UNDECIDED:
            raise Undecided("the enclosures overlap: raise the precision (bits) and ask again")
        return self is Truth.YES


class Ball:
    """The set of reals within a radius of a midpoint, computed with `bits` of precision.

    >>> third = Ball.of(Fraction(1, 3), bits=64)
    >>> third < Ball.of(Fraction(1, 2), bits=64)
    True
    >>> third.less(third + 0)
    <Truth.UNDECIDED: 'undecided'>
    """

    __slots__ = ("arb", "bits")

    def __init__(self, value: arb, bits: int) -> None:
        self.arb = value
        self.bits = bits

    @classmethod
    def of(cls, number: Given, *, bits: int = START_BITS) -> Ball:
        """The narrowest ball of `bits` bits that contains the number."""
        if isinstance(number, Ball):
            return cls(number.arb, bits)
        if hasattr(number, "enclosure"):  # an algebraic number encloses itself
            return cls(number.enclosure(bits), bits)
        with ctx.workprec(bits):
            return cls(arb(fmpq(number.numerator, number.denominator)), bits)

    def _with(self, operation: Callable[[arb, arb], arb], other: object) -> Ball:
        bits = max(self.bits, other.bits) if isinstance(other, Ball) else self.bits
        right = Ball.of(other, bits=bits)
        with ctx.workprec(bits):
            return Ball(operation(self.arb, right.arb), bits)

    def __add__(self, other: object) -> Ball:
        return self._with(lambda x, y: x + y, other)

    def __radd__(self, other: object) -> Ball:
        return self + other

    def __sub__(self, other: object) -> Ball:
        return self._with(lambda x, y: x - y, other)

    def __rsub__(self, other: object) -> Ball:
        return -(self - other)

    def __mul__(self, other: object) -> Ball:
        return self._with(lambda x, y: x * y, other)

    def __rmul__(self, other: object) -> Ball:
        return self * other

    def __truediv__(self, other: object) -> Ball:
        return self._with(lambda x, y: x / y, other)

    def __neg__(self) -> Ball:
        return Ball(-self.arb, self.bits)

    def exp(self) -> Ball:
        """A ball that contains e^x for every x of this ball."""
        with ctx.workprec(self.bits):
            return Ball(self.arb.exp(), self.bits)

    def less(self, other: object) -> Truth:
        """Is every number here below every number there, none, or is it undecided?"""
        right = Ball.of(other, bits=self.bits).arb
        if self.arb < right:
            return Truth.YES
        return Truth.NO if self.arb >= right else Truth.UNDECIDED

    def equal(self, other: object) -> Truth:
        """Equality is proved for two exact balls only, and refuted for disjoint ones."""
        right = Ball.of(other, bits=self.bits).arb
        if not self.arb.overlaps(right):
            return Truth.NO
        return Truth.YES if self.arb == right else Truth.UNDECIDED

    def __lt__(self, other: object) -> bool:
        return bool(self.less(other))

    def __gt__(self, other: object) -> bool:
        return bool((-self).less(-Ball.of(other, bits=self.bits)))

    def __le__(self, other: object) -> bool:
        return not self > other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        return bool(self.equal(other))

    def __hash__(self) -> int:
        raise TypeError("a ball is not hashable: equality of balls may be undecided")

    def contains(self, number: Fraction | int) -> bool:
        """Whether the rational lies in the ball, exactly: |x - midpoint| <= radius."""
        return abs(number - dyadic(self.arb.mid())) <= dyadic(self.arb.rad())

    def __float__(self) -> float:
        return float(self.arb.mid())

    @property
    def radius(self) -> float:
        """An upper bound of the radius."""
        return float(self.arb.rad())

    def __repr__(self) -> str:
        return f"Ball({self.arb.str(20)}, bits={self.bits})"


def dyadic(point: arb) -> Fraction:
    """The exact value of a ball of radius 0."""
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def ends(ball: arb) -> tuple[Fraction, Fraction]:
    """The least and the largest number of a ball, exactly: `lower` and `upper` round to the precision of the moment.

    >>> low, high = ends(arb(3, 2))
    >>> low <= 1 and 5 <= high < 5 + Fraction(1, 2**20)
    True
    """
    middle, radius = dyadic(ball.mid()), dyadic(ball.rad())
    return middle - radius, middle + radius


def least_ball(balls: Sequence[arb]) -> arb:
    """A ball around the least of the numbers, whatever numbers of the balls they are."""
    return reduce(arb.min, balls)


def largest_ball(balls: Sequence[arb]) -> arb:
    """A ball around the largest of the numbers, whatever numbers of the balls they are.

    >>> largest_ball([arb(1), arb(3), arb(2)]), least_ball([arb(1), arb(3)])
    (3.00000000000000, 1.00000000000000)
    """
    return reduce(arb.max, balls)


def until_decided(question: Callable[[int], Value], *, start: int = START_BITS, cap: int = CAP_BITS) -> Value:
    """The answer of `question(bits)` at the first precision start, 2*start, .. <= cap that decides it.

    The question answers, or raises Undecided at too low a precision; past the cap so does `decide`.

    >>> until_decided(lambda bits: bool(Ball.of(Fraction(1, 3), bits=bits).less(Fraction(2**200 + 1, 3 * 2**200))))
    True
    """
    bits = start
    while True:
        try:
            return question(bits)
        except Undecided as undecided:
            if 2 * bits > cap:
                raise Undecided(f"undecided at {bits} bits, the cap is {cap}: raise the cap to try on") from undecided
        bits *= 2
