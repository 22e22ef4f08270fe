"""Exact reading of numbers as users write them, forgiving but exact, and short text of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

import numpy as np
from flint import arb, fmpq

from exactformer.arithmetic.algebraic import Algebraic, from_text
from exactformer.errors import InvalidInput, NotExact
from exactformer.io.canonical import canonical, integer_of, shortened
from exactformer.io.read_limits import verify_memory

Exact = Fraction | Algebraic

#: what a user may write for a number: "0.1" is a tenth, a float its exact dyadic value
NumberLike = int | float | str | Fraction | Decimal | Algebraic | np.number[Any]

_DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,9}))?", re.ASCII)
_QUOTIENT = re.compile(r"([+-]?[0-9]+)\s*/\s*([0-9]+)", re.ASCII)

#: digits of the longest number a user may write; beyond it reading would take quadratic time
MAX_DIGITS = 20_000


def brief(number: Exact | int, digits: int = 24) -> str:
    """The exact text of a number, or ~ and its leading digits where numerator or denominator is long.

    >>> brief(Fraction(-1, 3)), brief(10**4000 + 1)
    ('-1/3', '~1.0000000e+4000')
    """
    if isinstance(number, Algebraic):
        return str(number)
    p, q = int(number.numerator), int(number.denominator)
    if max(p.bit_length(), q.bit_length()) <= 3.3 * digits:
        return canonical(number)
    return f"~{arb(fmpq(p, q)).str(8, radius=False)}"


def exact(value: NumberLike | object, where: str = "") -> Exact:
    """The exact number a user's value denotes: 0.1 in text is 1/10, a float is its dyadic value.

    Ints, Fractions, Decimals, decimal and `p/q` text, NumPy and Python floats (the exact dyadic
    value), mpmath numbers, and algebraic text such as "sqrt(2)/2" or "cos(2*pi/5)".

    >>> exact("0.1"), exact("-3/6"), exact("1e-3")
    (Fraction(1, 10), Fraction(-1, 2), Fraction(1, 1000))
    >>> exact(0.1) == Fraction(3602879701896397, 36028797018963968)
    True
    """
    if isinstance(value, (Fraction, Algebraic)):
        return value
    if isinstance(value, (bool, np.bool_)) or value is None:
        raise InvalidInput(_refusal("a number", value, where))
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, str):
        return _from_text(value, where)
    return _from_float_like(value, where)


def _from_float_like(value: object, where: str) -> Fraction:
    try:
        if isinstance(value, (float, np.floating, Decimal)):
            return Fraction(value) if isinstance(value, Decimal) else Fraction(*value.as_integer_ratio())
    except (ValueError, OverflowError) as problem:
        raise NotExact(_refusal("a finite number", value, where)) from problem
    if hasattr(value, "_mpf_"):
        sign, mantissa, exponent, _ = value._mpf_
        if not mantissa and exponent:
            raise NotExact(_refusal("a finite number", value, where))
        return Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** int(exponent)
    if hasattr(value, "p") and hasattr(value, "q"):  # FLINT and SymPy rationals
        return Fraction(int(value.p), int(value.q))
    raise InvalidInput(_refusal("an exact number (int, Fraction, text, float or mpmath number)", value, where))


def _from_text(text: str, where: str) -> Exact:
    if len(text) > MAX_DIGITS:
        raise InvalidInput(_refusal(f"a number of at most {MAX_DIGITS} characters", text, where))
    pair = integer_ratio(text.strip())
    if pair:
        return Fraction(*pair)
    return from_text(text, where)


def integer_ratio(text: str) -> tuple[int, int] | None:
    """(p, q) with q >= 1 of a decimal or `p/q` text, not necessarily in lowest terms; None for other text.

    >>> integer_ratio("2.50"), integer_ratio("1/3"), integer_ratio("sqrt(2)")
    ((250, 100), (1, 3), None)
    """
    match = _DECIMAL.fullmatch(text)
    if match and (match[2] or match[3]):
        sign, whole, fraction, exponent = match[1], match[2], match[3] or "", int(match[4] or 0)
        if abs(exponent) > MAX_DIGITS:
            raise InvalidInput(_refusal(f"an exponent of at most {MAX_DIGITS}", text, ""))
        digits = integer_of(sign + whole + fraction)
        shift = exponent - len(fraction)
        return (digits * 10**shift, 1) if shift >= 0 else (digits, 10**-shift)
    match = _QUOTIENT.fullmatch(text)
    if match:
        if not match[2].strip("0"):
            raise InvalidInput(_refusal("a nonzero denominator", text, ""))
        return integer_of(match[1]), integer_of(match[2])
    return None


def exact_integers(
    values: Sequence[Any], place: Callable[[int], str] = "entry {}".format
) -> tuple[list[int], int] | None:
    """(numerators, D) with values[k] = numerators[k]/D for a long list of rationals; None if one is algebraic.

    Equal texts are read once, and no Fraction is made: this is how large files are read. `place(k)`
    words the place of entry k in an error.
    """
    known: dict[str, tuple[int, int]] = {}
    bits = 0
    for value in dict.fromkeys(values) if all(type(v) is str for v in values) else ():
        try:
            p, q = known[value] = _ratio(value)
            bits += p.bit_length() + q.bit_length()
            verify_memory(len(values) * (bits // len(known) // 8))
        except _Algebraic:
            return None
        except InvalidInput as problem:
            raise type(problem)(f"{place(values.index(value))}: {problem}") from problem
    if not known:
        return _mixed_integers(values, place)
    denominator = _common(len(values), [q for _, q in known.values()])
    scaled = {text: p * (denominator // q) for text, (p, q) in known.items()}
    return [scaled[v] for v in values], denominator


def _common(count: int, denominators: Iterable[int]) -> int:
    """The least common multiple of the denominators, if so many numerators over it may be held."""
    common = 1
    for q in set(denominators):
        common = math.lcm(common, q)
        verify_memory(count * (common.bit_length() // 8))
    return common


class _Algebraic(Exception):
    """An algebraic number where rationals are read in bulk."""


def _ratio(text: str) -> tuple[int, int]:
    if len(text) < 4_000 and text.isascii() and text.removeprefix("-").isdigit():
        return int(text), 1
    value = _from_text(text, "")
    if isinstance(value, Algebraic):
        raise _Algebraic
    return value.numerator, value.denominator


def _mixed_integers(values: Sequence[Any], place: Callable[[int], str]) -> tuple[list[int], int] | None:
    if all(type(v) is int for v in values):
        return list(values), 1
    numbers: list[Fraction] = []
    for k, value in enumerate(values):
        number = exact(value, place(k)) if type(value) is not Fraction else value
        if isinstance(number, Algebraic):
            return None
        numbers.append(number)
    denominator = _common(len(numbers), [x.denominator for x in numbers])
    return [x.numerator * (denominator // x.denominator) for x in numbers], denominator


def exact_row(values: Iterable[object], where: str = "") -> tuple[Exact, ...]:
    """The exact numbers of a row; an error names the place inside it."""
    if isinstance(values, tuple) and all(v.__class__ is Fraction for v in values):
        return values
    return tuple(exact(v, f"{where}[{k}]") for k, v in enumerate(values))


def _refusal(expected: str, got: object, where: str) -> str:
    place = f"{where}: " if where else ""
    return f"{place}expected {expected}, got {shortened(got)}"
