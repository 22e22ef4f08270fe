"""The one protocol the layers are written against, and how an exact weight becomes a number of each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from exactformer.arithmetic.ball import Ball
from exactformer.arithmetic.text import Exact


class Number(Protocol):
    """Anything with + - * / and an order that is right or raises: Fraction, Algebraic, Ball, mpmath.mpf."""

    def __add__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...
    def __lt__(self, other: Any, /) -> bool: ...


#: turns an exact number into a number of one kind
NumberKind = Callable[[Exact], Any]


def exactly(number: Exact) -> Exact:
    """The number itself: evaluation with this kind is exact."""
    return number


def balls(bits: int) -> NumberKind:
    """Rigorous enclosures of the given precision."""
    return lambda number: Ball.of(number, bits=bits)


def mpmath_numbers(count: int) -> NumberKind:
    """mpmath numbers of `count` digits (numbers, not proofs); evaluate inside mpmath.workdps(count)."""
    import mpmath

    def convert(number: Exact) -> Any:
        if hasattr(number, "enclosure"):
            return mpmath.mpf(number.enclosure(int(count * 3.33) + 16).mid().str(count + 5, radius=False))
        return mpmath.mpf(number.numerator) / number.denominator

    return convert
