"""Kinds of numbers: how an exact weight becomes a Fraction, a ball or an mpmath number, in which layers evaluate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from exactformer.arithmetic.ball import Ball
from exactformer.arithmetic.text import Exact

#: a number of the kind at hand: exact, a ball, or one of mpmath, which has no types
Num: TypeAlias = Any
#: turns an exact number into a number of one kind
NumberKind = Callable[[Exact], Num]


def exactly(number: Exact) -> Exact:
    """The number itself: evaluation with this kind is exact."""
    return number


def balls(bits: int) -> NumberKind:
    """Rigorous enclosures of the given precision."""
    return lambda number: Ball.of(number, bits=bits)


def mpmath_numbers(count: int) -> NumberKind:
    """mpmath numbers of `count` digits (numbers, not proofs); evaluate inside mpmath.workdps(count)."""
    import mpmath

    def convert(number: Exact) -> Num:
        if hasattr(number, "enclosure"):
            return mpmath.mpf(number.enclosure(int(count * 3.33) + 16).mid().str(count + 5, radius=False))
        return mpmath.mpf(number.numerator) / number.denominator

    return convert
