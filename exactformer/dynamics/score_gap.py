"""Score gaps <A z_i(k), z_j(k) - z_l(k)> of closed forms, as exponential sums with enclosures and exact signs.

Rational numbers are kept as they are, in flint's arithmetic; what is long (a sum of powers) or algebraic is enclosed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from flint import arb, ctx, fmpq

from exactformer.arithmetic.power_sum import Number, enclosure, sign_of
from exactformer.dynamics.closed_form import ClosedForm, binomial_product, combination, inner
from exactformer.dynamics.positivity import BITS, Exponential
from exactformer.geometry.points import dot
from exactformer.model.matrix import Row

#: a rational number, or an enclosure of a number of another kind
Coefficient: TypeAlias = fmpq | arb
#: (code of the base, power, vector) of every term
Terms: TypeAlias = list[tuple[int, int, list[Coefficient]]]
#: up to this time rational tokens are written out to find who scores most
WRITTEN_LAYERS = 2000


class Gaps:
    """The gaps of one matrix A; the numbers of forms and of their differences are made once."""

    def __init__(self, A: tuple[Row, ...]) -> None:
        self.A = A
        self._rows = [[_coefficient(x) for x in row] for row in A]
        self._bases: list[Fraction] = []
        self._codes: dict[Fraction, int] = {}
        self._products: dict[tuple[int, int], int] = {}
        # keyed by identity; the forms are kept beside, so that an identity is not used again
        self._terms: dict[int, tuple[ClosedForm, Terms, Terms]] = {}
        self._differences: dict[tuple[int, int], Terms] = {}

    def __reduce__(self) -> tuple[type[Gaps], tuple[tuple[Row, ...]]]:
        return Gaps, (self.A,)  # enclosures have no file form, and identities do not outlive their process

    def gap(self, x: ClosedForm, y: ClosedForm, z: ClosedForm) -> Exponential | None:
        """k -> <A x(k), y(k) - z(k)>, or None where that vanishes for all k."""
        with ctx.workprec(BITS):
            right = self._difference(y, z)
            found: dict[int, list[Coefficient]] = {}
            for base, m, u in self._known(x)[2]:
                for other, n, v in right:
                    _add(found.setdefault(self._product(base, other), []), m, n, dot(u, v))
            if any(isinstance(c, arb) and not (c > 0 or c < 0) for polynomial in found.values() for c in polynomial):
                exact = inner(self.A, x, combination(((1, y), (-1, z)), y.dim))
                total = {base: [_shown(c) for c in polynomial] for base, polynomial in exact.items()}
            else:
                total = {self._bases[code]: list(map(arb, kept)) for code, p in found.items() if (kept := _stripped(p))}
        if not total:
            return None
        return Exponential(total, lambda k: self.sign(x, combination(((1, y), (-1, z)), y.dim), k))

    def sign(self, x: ClosedForm, difference: ClosedForm, k: int) -> int:
        """The exact sign of <A x(k), difference(k)>."""
        at = x.value(k)
        value: Number = dot([dot(row, at) for row in self.A], difference.value(k))
        return sign_of(value)

    def scores(self, x: ClosedForm, forms: Sequence[ClosedForm], k: int) -> list[Number] | list[fmpq]:
        """<A x(k), z(k)> for all forms z."""
        rational = k <= WRITTEN_LAYERS and not any(isinstance(a, arb) for row in self._rows for a in row)
        at_k = [self._at(form, k) for form in (x, *forms)] if rational else []
        points = [point for point in at_k if point is not None]
        if len(points) > len(forms):
            image = [dot(row, points[0]) for row in self._rows]
            return [dot(image, point) for point in points[1:]]
        left = [dot(row, x.value(k)) for row in self.A]
        return [dot(left, form.value(k)) for form in forms]

    def _at(self, form: ClosedForm, k: int) -> list[fmpq] | None:
        """The token at a time, None where its form is not rational."""
        total = [fmpq(0)] * form.dim
        for code, m, vector in self._known(form)[1]:
            base = self._bases[code]
            scale = fmpq(base.numerator, base.denominator) ** k * math.comb(k, m)
            total = [x + scale * v for x, v in zip(total, vector, strict=True)]
        return None if any(isinstance(x, arb) for x in total) else total

    # what is made once ---------------------------------------------------------------------------
    def _known(self, form: ClosedForm) -> tuple[ClosedForm, Terms, Terms]:
        """The form, its terms, and those of its image under A."""
        if id(form) not in self._terms:
            terms = [(self._code(t.base), t.power, [_coefficient(x) for x in t.vector]) for t in form.terms]
            image = [(code, m, [dot(row, v) for row in self._rows]) for code, m, v in terms]
            self._terms[id(form)] = (form, terms, image)
        return self._terms[id(form)]

    def _difference(self, y: ClosedForm, z: ClosedForm) -> Terms:
        """The terms of y - z, which are not 0."""
        key = (id(y), id(z))
        if key not in self._differences:
            found: dict[tuple[int, int], list[Coefficient]] = {}
            for sign, form in ((1, y), (-1, z)):
                for code, m, vector in self._known(form)[1]:
                    old = found.get((code, m), [fmpq(0)] * y.dim)
                    found[code, m] = [a + sign * b for a, b in zip(old, vector, strict=True)]
            if any(isinstance(c, arb) for vector in found.values() for c in vector):
                terms = combination(((1, y), (-1, z)), y.dim).terms
                found = {(self._code(t.base), t.power): [_coefficient(x) for x in t.vector] for t in terms}
            self._differences[key] = [(*place, v) for place, v in found.items() if any(c != 0 for c in v)]
        return self._differences[key]

    def _code(self, base: Fraction) -> int:
        """The number of a base: a Fraction is slow to hash."""
        if base not in self._codes:
            self._codes[base] = len(self._bases)
            self._bases.append(base)
        return self._codes[base]

    def _product(self, code: int, other: int) -> int:
        """The number of the product of two bases."""
        if (code, other) not in self._products:
            self._products[code, other] = self._code(self._bases[code] * self._bases[other])
        return self._products[code, other]


def _coefficient(x: Number) -> Coefficient:
    return fmpq(x.numerator, x.denominator) if isinstance(x, Fraction) else enclosure(x, BITS)


def _stripped(polynomial: list[Coefficient]) -> list[Coefficient]:
    """The polynomial without leading zeros."""
    while polynomial and polynomial[-1] == 0:
        polynomial.pop()
    return polynomial


def _shown(number: Number) -> arb:
    """An enclosure that contains zero only if the number is zero."""
    return enclosure(number, BITS) if number else arb(0)


def _add(polynomial: list[Coefficient], m: int, n: int, value: Coefficient) -> None:
    """Adds value * binom(k,m) * binom(k,n), in powers of k."""
    for e, c in enumerate(_binomials(m, n)):
        if e == len(polynomial):
            polynomial.append(fmpq(0))
        polynomial[e] += c * value


@lru_cache
def _binomials(m: int, n: int) -> tuple[fmpq, ...]:
    return tuple(fmpq(c.numerator, c.denominator) for c in binomial_product(m, n))
