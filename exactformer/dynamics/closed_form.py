"""Closed forms of tokens: z(k) = sum v * b^k * binom(k, m), and the forms that constant follower sets imply.

If the follower sets are constant, position i obeys z_i(k+1) = lambda_i z_i(k) + a * sum_{j != i} (w_j/W_i) z_j(k)
with lambda_i = r + a w_i/W_i if i is in C_i, else r. Members other than i have a larger A-norm, so the system is
triangular and every position is a finite sum of such terms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.text import Exact
from exactformer.geometry.points import dot
from exactformer.model.matrix import Row

#: a power b^k whose exact value would have more bits stays a symbol
WRITTEN_BITS = 2**18


@dataclass(frozen=True)
class Term:
    """vector * base^k * binom(k, power)."""

    base: Fraction
    power: int
    vector: Row


@dataclass(frozen=True)
class ClosedForm:
    """z(k) = sum of terms, k >= 0, in decreasing order of the base, then increasing power, without zero vectors.

    >>> form = ClosedForm.of({(Fraction(1), 0): (Fraction(1),), (Fraction(1, 2), 0): (Fraction(-1),)}, 1)
    >>> form.at(3), form.limit
    ((Fraction(7, 8),), (Fraction(1, 1),))
    """

    terms: tuple[Term, ...]
    dim: int

    @classmethod
    def of(cls, coefficients: Mapping[tuple[Fraction, int], Row], dim: int) -> ClosedForm:
        """The form with the given vector for every (base, power)."""
        ordered = sorted(coefficients, key=lambda key: (-key[0], key[1]))
        terms = (Term(base, power, coefficients[base, power]) for base, power in ordered)
        return cls(tuple(term for term in terms if any(term.vector)), dim)

    @property
    def limit(self) -> Row:
        """The vector of base 1: the limit for k to infinity."""
        first = self.terms[0] if self.terms else None
        return first.vector if first is not None and first.base == 1 else (Fraction(0),) * self.dim

    def at(self, k: int) -> tuple[Exact | PowerSum, ...]:
        """z(k): exact numbers where they can be written out, exact sums of powers where they are too long."""
        longest = max((max(t.base.numerator, t.base.denominator).bit_length() for t in self.terms), default=0)
        if k * (longest - 1) <= WRITTEN_BITS:
            scales = [t.base**k * math.comb(k, t.power) for t in self.terms]
            start: list[Exact] = [Fraction(0)] * self.dim
            return tuple(
                sum((s * t.vector[c] for s, t in zip(scales, self.terms, strict=True)), start=start[c])
                for c in range(self.dim)
            )
        return tuple(PowerSum.of(self.terms, c, k) for c in range(self.dim))


@dataclass(frozen=True)
class PowerSum:
    """The exact number sum c * b^k * binom(k, m) for a k so large that its digits would fill books.

    >>> number = PowerSum(((Fraction(1), 0, Fraction(6, 5)), (Fraction(1, 2), 0, Fraction(-6, 5))), 10**9)
    >>> print(number)
    6/5 - 6/5*(1/2)^1000000000
    >>> number.interval(8)
    (Fraction(307, 256), Fraction(77, 64))
    """

    terms: tuple[tuple[Fraction, int, Exact], ...]
    k: int

    @classmethod
    def of(cls, terms: Sequence[Term], coordinate: int, k: int) -> Exact | PowerSum:
        """The coordinate of a closed form at k; a plain number where no power is left in it."""
        kept = tuple((t.base, t.power, t.vector[coordinate]) for t in terms if t.vector[coordinate] != 0)
        if all(base == 1 for base, _, _ in kept):
            return kept[0][2] if kept else Fraction(0)
        return cls(kept, k)

    def interval(self, bits: int = 64) -> tuple[Fraction, Fraction]:
        """Rationals lo <= number <= hi with denominator 2^bits, next to each other."""
        from flint import arb, ctx, fmpq, fmpz

        precision = bits + 64 + self.k.bit_length()  # a power loses as many bits as its exponent has
        with ctx.workprec(precision):
            total = arb(0)
            for base, power, c in self.terms:
                factor = c.enclosure(precision) if isinstance(c, Algebraic) else fmpq(c.numerator, c.denominator)
                scale = arb(fmpq(base.numerator, base.denominator)) ** fmpz(self.k)
                total += scale * arb(fmpz(math.comb(self.k, power))) * arb(factor)
            scaled = total * arb(2) ** bits
            low, high = scaled.lower().floor().unique_fmpz(), scaled.upper().ceil().unique_fmpz()
        return Fraction(int(low), 2**bits), Fraction(int(high), 2**bits)

    def __float__(self) -> float:
        low, high = self.interval(80)
        return float((low + high) / 2)

    def json(self) -> dict[str, Any]:
        """{"k", "terms", "interval"}: the sum itself, and rationals around it."""
        terms = [{"coefficient": c, "base": base, "power": power} for base, power, c in self.terms]
        return {"k": self.k, "terms": terms, "interval": list(self.interval())}

    def __str__(self) -> str:
        text = ""
        for base, power, c in self.terms:
            sign = "-" if c < 0 else "+"
            body = f"{abs(c)}" + ("" if base == 1 else f"*({base})^{self.k}")
            body += f"*binom({self.k},{power})" if power else ""
            text += f" {sign} {body}" if text else (f"-{body}" if c < 0 else body)
        return text


def constant(value: Row) -> ClosedForm:
    """The form of a token that stands still."""
    return ClosedForm((Term(Fraction(1), 0, value),) if any(value) else (), len(value))


def solve(start: Row, eigenvalue: Fraction, forcing: Iterable[tuple[Fraction, ClosedForm]]) -> ClosedForm:
    """The solution of z(k+1) = lambda z(k) + sum_j c_j z_j(k), z(0) = start, with 0 < lambda < 1.

    A forcing v mu^k binom(k,m) adds (v/lambda) lambda^k binom(k,m+1) if mu = lambda; otherwise beta_s mu^k binom(k,s),
    s <= m, with beta_m = v/(mu - lambda) and beta_s = -mu beta_{s+1}/(mu - lambda).
    """
    found: dict[tuple[Fraction, int], Row] = {}
    for factor, form in forcing:
        for term in form.terms:
            vector = _scaled(term.vector, factor)
            if term.base == eigenvalue:
                _add(found, (eigenvalue, term.power + 1), _scaled(vector, 1 / eigenvalue))
                continue
            vector = _scaled(vector, 1 / (term.base - eigenvalue))
            for power in range(term.power, -1, -1):
                _add(found, (term.base, power), vector)
                vector = _scaled(vector, -term.base / (term.base - eigenvalue))
    at_zero: list[Exact] = list(start)
    for (_, power), vector in found.items():
        if power == 0:
            at_zero = [x - v for x, v in zip(at_zero, vector, strict=True)]
    _add(found, (eigenvalue, 0), tuple(at_zero))
    return ClosedForm.of(found, len(start))


def _scaled(vector: Row, factor: Fraction) -> Row:
    return tuple(x * factor for x in vector)


def _add(found: dict[tuple[Fraction, int], Row], key: tuple[Fraction, int], vector: Row) -> None:
    old = found.get(key)
    found[key] = vector if old is None else tuple(x + y for x, y in zip(old, vector, strict=True))


def combination(parts: Iterable[tuple[Any, ClosedForm]], dim: int) -> ClosedForm:
    """sum_j c_j z_j(k)."""
    found: dict[tuple[Fraction, int], Row] = {}
    for factor, form in parts:
        for term in form.terms:
            _add(found, (term.base, term.power), tuple(x * factor for x in term.vector))
    return ClosedForm.of(found, dim)


def inner(A: Sequence[Sequence[Exact]], x: ClosedForm, y: ClosedForm) -> dict[Fraction, list[Exact]]:
    """<A x(k), y(k)> = sum_b b^k P_b(k): for every b with P_b != 0 the coefficients of P_b in powers of k."""
    total: dict[Fraction, list[Exact]] = {}
    images = [(t, [dot(row, t.vector) for row in A]) for t in x.terms]
    for left, image in images:
        for right in y.terms:
            value = dot(image, right.vector)
            if value == 0:
                continue
            polynomial = total.setdefault(left.base * right.base, [])
            for e, c in enumerate(_binomial_product(left.power, right.power)):
                if e == len(polynomial):
                    polynomial.append(Fraction(0))
                polynomial[e] += c * value
    for polynomial in total.values():
        while polynomial and polynomial[-1] == 0:
            polynomial.pop()
    return {base: polynomial for base, polynomial in total.items() if polynomial}


def _binomial_product(m: int, n: int) -> list[Fraction]:
    """The coefficients of binom(k,m) * binom(k,n) in powers of k."""
    result = [Fraction(1)]
    for root, divisor in [(s, s + 1) for s in range(m)] + [(s, s + 1) for s in range(n)]:
        shifted = [Fraction(0), *result]
        result = [(up - root * low) / divisor for up, low in zip(shifted, [*result, Fraction(0)], strict=True)]
    return result
