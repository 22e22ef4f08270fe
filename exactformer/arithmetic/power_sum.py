"""Exact numbers sum c * b^e * ..: rational (or algebraic) coefficients times powers too long to write out.

A token that changed its mind at layer 10,000 stands at 1 - 3*(1/2)^10000 + ..: a few symbols, though its digits fill
pages. Sums, differences and products of such numbers are formal; signs are decided by balls, and where balls cannot
separate a number from zero it is written out, which ends the question.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from flint import arb, ctx, fmpq, fmpz

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.text import Exact
from exactformer.io.json_lines import JsonObject
from exactformer.io.untyped import Given

#: ((p, q, e), ..): the product of (p/q)^e, p < q, e != 0, in increasing order
Monomial = tuple[tuple[int, int, int], ...]

#: a power with fewer bits is multiplied out at once
SHORT_BITS = 1024
#: a number with fewer bits is written out for the user
WRITTEN_BITS = 2**18


class PowerSum:
    """The exact number sum of c * monomial; `power_sum` makes one, and plain numbers where no long power is left.

    >>> x = 1 - power(Fraction(1, 2), 10**9) / 2
    >>> print(x)
    1 - 1/2*(1/2)^1000000000
    >>> x < 1, x - x, x.interval(8)
    (True, Fraction(0, 1), (Fraction(255, 256), Fraction(257, 256)))
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, Exact]) -> None:
        self.terms = dict(terms)

    # arithmetic ----------------------------------------------------------------------------------
    def __add__(self, other: Number | int) -> Number:
        total = dict(self.terms)
        for key, c in _terms(other).items():
            total[key] = total[key] + c if key in total else c
        return power_sum(total)

    __radd__ = __add__

    def __neg__(self) -> PowerSum:
        return PowerSum({key: -c for key, c in self.terms.items()})

    def __sub__(self, other: Number | int) -> Number:
        return self.__add__(-other)

    def __rsub__(self, other: Number | int) -> Number:
        return (-self).__add__(other)

    def __mul__(self, other: Number | int) -> Number:
        total: dict[Monomial, Exact] = {}
        theirs = _terms(other)
        for left, c in self.terms.items():
            for right, d in theirs.items():
                key, factor = _product(left, right) if left and right else (left or right, 1)
                value = c * d if factor == 1 else c * d * factor
                total[key] = total[key] + value if key in total else value
        return power_sum(total)

    __rmul__ = __mul__

    def __truediv__(self, other: Exact | int) -> Number:
        return power_sum({key: c / other for key, c in self.terms.items()})

    # order ---------------------------------------------------------------------------------------
    def sign(self) -> int:
        """-1, 0 or 1: balls of growing precision, until the number written out is no longer than they are."""
        common = self._without_common_powers()
        bits, longest = 64, _length(common)
        while bits < longest:
            ball = _ball(common, bits)
            if ball > 0 or ball < 0:
                return 1 if ball > 0 else -1
            bits *= 4
        exact = _written(common)
        return (exact > 0) - (exact < 0)

    def _without_common_powers(self) -> dict[Monomial, Exact]:
        """The terms divided by the powers they share, which are positive."""
        exponents = [{(p, q): e for p, q, e in key} for key in self.terms]
        bases = sorted({base for powers in exponents for base in powers})
        shift = tuple((*base, -min(powers.get(base, 0) for powers in exponents)) for base in bases)
        total: dict[Monomial, Exact] = {}
        for key, c in self.terms.items():
            rest, factor = _product(key, shift)
            total[rest] = total.get(rest, Fraction(0)) + c * factor
        return total

    def __bool__(self) -> bool:
        return self.sign() != 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (int, Fraction, Algebraic, PowerSum)):
            return NotImplemented
        return not self - other

    def __hash__(self) -> int:
        return hash(self.written())  # one number may be several sums

    def __lt__(self, other: Number | int) -> bool:
        return sign_of(self - other) < 0

    def __gt__(self, other: Number | int) -> bool:
        return sign_of(self - other) > 0

    def __le__(self, other: Number | int) -> bool:
        return sign_of(self - other) <= 0

    def __ge__(self, other: Number | int) -> bool:
        return sign_of(self - other) >= 0

    def __abs__(self) -> PowerSum:
        return -self if self.sign() < 0 else self

    # reading -------------------------------------------------------------------------------------
    def enclosure(self, bits: int) -> arb:
        """A ball that contains the number, computed with `bits` of precision."""
        return _ball(self.terms, bits)

    def written(self) -> Exact:
        """The number itself, however long."""
        return _written(self.terms)

    def interval(self, bits: int = 64) -> tuple[Fraction, Fraction]:
        """Rationals lo <= number <= hi with denominator 2^bits, next to each other or with one between them."""
        precision = bits + 64
        while True:
            with ctx.workprec(precision + 64):
                scaled = self.enclosure(precision) * arb(2) ** bits
                if scaled.rad() < 0.25:
                    low, high = scaled.lower().floor().unique_fmpz(), scaled.upper().ceil().unique_fmpz()
                    return Fraction(int(low), 2**bits), Fraction(int(high), 2**bits)
            precision *= 2

    def __float__(self) -> float:
        """The float next to the number, or beside that one, though terms cancel."""
        return float(enclosure(self, 96).mid())

    def json(self) -> JsonObject:
        """{"terms", "interval"}: the sum itself, and rationals around it."""
        return {"terms": sum_json(self), "interval": list(self.interval())}

    def __str__(self) -> str:
        text = ""
        for key, c in sorted(self.terms.items(), key=lambda item: item[0]):
            powers = "*".join(f"({Fraction(p, q)})^{e}" for p, q, e in key)
            body = f"{abs(c)}*{powers}" if powers and abs(c) != 1 else powers or f"{abs(c)}"
            sign = "-" if c < 0 else "+"
            text += f" {sign} {body}" if text else (f"-{body}" if c < 0 else body)
        return text

    __repr__ = __str__


#: an exact number of any of the three kinds
Number: TypeAlias = Fraction | Algebraic | PowerSum
Point: TypeAlias = tuple[Number, ...]


def sum_json(number: Number) -> list[JsonObject]:
    """[{"coefficient", "powers": [[base, exponent], ..]}, ..], the plain number first."""
    ordered = sorted(_terms(number).items(), key=lambda term: term[0])
    return [{"coefficient": c, "powers": [[Fraction(p, q), e] for p, q, e in key]} for key, c in ordered]


def power_sum(terms: Mapping[Monomial, Exact]) -> Number:
    """The sum of c * monomial; a plain number if no monomial is left."""
    kept = {key: c for key, c in terms.items() if c}
    if not kept:
        return Fraction(0)
    if len(kept) == 1 and () in kept:
        return kept[()]
    return PowerSum(kept)


def power(base: Fraction, exponent: int) -> Number:
    """base^exponent for a rational base > 0: written out if it is short.

    >>> power(Fraction(1, 2), 3), print(power(Fraction(2, 3), -5000))
    (2/3)^-5000
    (Fraction(1, 8), None)
    """
    key, factor = _product(((base.numerator, base.denominator, exponent),), ())
    return PowerSum({key: Fraction(1)}) if key else factor


def written(number: Number) -> Number:
    """The number written out where it has at most WRITTEN_BITS bits."""
    if isinstance(number, PowerSum) and _length(number.terms) <= WRITTEN_BITS:
        return number.written()
    return number


def enclosure(number: Number, bits: int) -> arb:
    """A ball around a number; for a number that is not zero, one of `bits` - 32 relative bits, so that it shows its
    sign."""
    if isinstance(number, Fraction):
        with ctx.workprec(bits):
            return arb(fmpq(number.numerator, number.denominator))
    precision = bits
    while (ball := number.enclosure(precision)).rel_accuracy_bits() < bits - 32 and number:
        precision *= 2
    return ball


def _terms(number: Given) -> Mapping[Monomial, Exact]:
    return number.terms if isinstance(number, PowerSum) else {(): number}


def sign_of(number: Given) -> int:
    """-1, 0 or 1, for a number of any kind."""
    return int(number.sign()) if hasattr(number, "sign") else (number > 0) - (number < 0)


def _product(left: Monomial, right: Monomial) -> tuple[Monomial, Fraction]:
    """(monomial, factor): the product, its short powers written out."""
    exponents: dict[tuple[int, int], int] = {}
    for p, q, e in (*left, *right):
        p, q, e = (p, q, e) if p <= q else (q, p, -e)  # one base for a number and its inverse
        exponents[p, q] = exponents.get((p, q), 0) + e
    factor, kept = Fraction(1), []
    for (p, q), e in sorted(exponents.items()):
        if abs(e) * max(p, q).bit_length() <= SHORT_BITS or p == q:
            factor *= _short_power(p, q, e)
        else:
            kept.append((p, q, e))
    return tuple(kept), factor


@lru_cache(maxsize=4096)
def _short_power(p: int, q: int, e: int) -> Fraction:
    return Fraction(p, q) ** e


def _length(terms: Mapping[Monomial, Exact]) -> int:
    """About the bits of the number written out."""
    powers = max(sum(abs(e) * max(p, q).bit_length() for p, q, e in key) for key in terms)
    return powers + max(_bits(c) for c in terms.values()) + 64


def _bits(c: Exact) -> int:
    parts = c.coefficients if isinstance(c, Algebraic) else [c]
    return 64 + sum(max(x.numerator.bit_length(), x.denominator.bit_length()) for x in parts)


def _ball(terms: Mapping[Monomial, Exact], bits: int) -> arb:
    with ctx.workprec(bits + 64):
        total = arb(0)
        for key, c in terms.items():
            value = c.enclosure(bits) if isinstance(c, Algebraic) else arb(fmpq(c.numerator, c.denominator))
            for p, q, e in key:
                value *= power_ball(p, q, e, bits)
            total += value
        return total


@lru_cache(maxsize=4096)
def power_ball(p: int, q: int, e: int, bits: int) -> arb:
    """A ball around (p/q)^e of about `bits` relative bits."""
    with ctx.workprec(bits + 64 + e.bit_length()):  # a power loses as many bits as its exponent has
        return arb(fmpq(p, q)) ** fmpz(e)


def _written(terms: Mapping[Monomial, Exact]) -> Exact:
    rational, algebraic = fmpq(0), None
    for key, c in terms.items():
        value = fmpq(1)
        for p, q, e in key:
            value *= fmpq(p, q) ** e
        if isinstance(c, Algebraic):
            algebraic = c * value if algebraic is None else algebraic + c * value
        else:
            rational += value * fmpq(c.numerator, c.denominator)
    plain = Fraction(int(rational.p), int(rational.q))
    return plain if algebraic is None else algebraic + plain
