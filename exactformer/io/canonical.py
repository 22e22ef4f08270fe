"""The canonical text of a rational: `0`, an integer, or `p/q` in lowest terms. So numbers stand in files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction

from flint import fmpz

from exactformer.errors import Malformed, NotExact

_CANONICAL = re.compile(r"(0|-?[1-9][0-9]*)(?:/([1-9][0-9]*))?", re.ASCII)

#: characters of the longest canonical number that is read; weights may be longer than the data they come from
MAX_CANONICAL = 200_000


def canonical(number: object) -> str:
    """The canonical text of a rational; NotExact for a number of another kind.

    >>> canonical(Fraction(-6, 4)), canonical(7)
    ('-3/2', '7')
    """
    try:
        p, q = number.numerator, number.denominator  # type: ignore[attr-defined]
    except AttributeError as problem:
        raise NotExact(f"canonical text is for rational numbers, got the algebraic number {number}") from problem
    return integer_text(p) if q == 1 else f"{integer_text(p)}/{integer_text(q)}"


def integer_text(n: int) -> str:
    """The decimal digits of n, of any length (Python's own conversion stops at 4,300 digits)."""
    return str(n) if n.bit_length() < 14_000 else str(fmpz(n))


def integer_of(digits: str) -> int:
    """The integer of a text of decimal digits, of any length, in subquadratic time."""
    return int(digits) if len(digits) < 4_000 else int(fmpz(digits.removeprefix("+")))


def from_canonical(text: str) -> Fraction:
    """The rational that a canonical text denotes; anything but canonical text is Malformed.

    >>> from_canonical("-3/2")
    Fraction(-3, 2)
    """
    match = _CANONICAL.fullmatch(text) if isinstance(text, str) and len(text) <= MAX_CANONICAL else None
    if match:
        p, q = integer_of(match[1]), integer_of(match[2] or "1")
        if match[2] is None or (q > 1 and math.gcd(p, q) == 1):
            return Fraction(p, q)
    raise Malformed(f"expected a canonical number such as 0, -7 or 3/2 in lowest terms, got {shortened(text)}")


def from_canonical_row(row: Iterable[str]) -> tuple[Fraction, ...]:
    """The rationals of a row of canonical text."""
    return tuple(from_canonical(text) for text in row)


def shortened(value: object) -> str:
    """The repr of a value in a message, of at most 60 characters."""
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:40]}... ({len(shown)} characters)"
