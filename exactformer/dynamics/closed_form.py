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
from functools import lru_cache

from exactformer.arithmetic.power_sum import Number, Point, power, written
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.text import Exact
from exactformer.geometry.points import dot


@short_repr
@dataclass(frozen=True)
class Term:
    """vector * base^k * binom(k, power)."""

    base: Fraction
    power: int
    vector: Point


@short_repr
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
    def of(cls, coefficients: Mapping[tuple[Fraction, int], Point], dim: int) -> ClosedForm:
        """The form with the given vector for every (base, power)."""
        ordered = sorted(coefficients, key=lambda key: (-key[0], key[1]))
        terms = (Term(base, power, coefficients[base, power]) for base, power in ordered)
        return cls(tuple(term for term in terms if any(term.vector)), dim)

    @property
    def limit(self) -> Point:
        """The vector of base 1: the limit for k to infinity."""
        first = self.terms[0] if self.terms else None
        return first.vector if first is not None and first.base == 1 else (Fraction(0),) * self.dim

    def at(self, k: int) -> Point:
        """z(k): plain numbers where they can be written out, exact sums of powers where they are too long."""
        return tuple(written(x) for x in self.value(k))

    def value(self, k: int) -> Point:
        """z(k), with long powers as symbols."""
        total: list[Number] = [Fraction(0)] * self.dim
        for term in self.terms:
            scale = power(term.base, k) * math.comb(k, term.power) if term.base != 1 else Fraction(1)
            total = [x + scale * v for x, v in zip(total, term.vector, strict=True)]
        return tuple(total)


def constant(value: Point) -> ClosedForm:
    """The form of a token that stands still."""
    return ClosedForm((Term(Fraction(1), 0, value),) if any(value) else (), len(value))


def solve_recursion(start: Point, eigenvalue: Fraction, forcing: Iterable[tuple[Fraction, ClosedForm]]) -> ClosedForm:
    """The solution of z(k+1) = lambda z(k) + sum_j c_j z_j(k), z(0) = start, with 0 < lambda < 1."""
    return continued(constant(start), 0, eigenvalue, forcing)


def continued(
    before: ClosedForm, layer: int, eigenvalue: Fraction, forcing: Iterable[tuple[Fraction, ClosedForm]]
) -> ClosedForm:
    """The solution of z(k+1) = lambda z(k) + sum_j c_j z_j(k) that agrees with the form `before` at k = layer.

    A forcing v mu^k binom(k,m) adds (v/lambda) lambda^k binom(k,m+1) if mu = lambda; otherwise beta_s mu^k binom(k,s),
    s <= m, with beta_m = v/(mu - lambda) and beta_s = -mu beta_{s+1}/(mu - lambda). The rest is a multiple of lambda^k.
    """
    found: dict[tuple[Fraction, int], Point] = {}
    for factor, form in forcing:
        for term in form.terms:
            if term.base == eigenvalue:
                _add(found, (eigenvalue, term.power + 1), _scaled(term.vector, factor / eigenvalue))
                continue
            share = factor / (term.base - eigenvalue)
            for m in range(term.power, -1, -1):
                _add(found, (term.base, m), _scaled(term.vector, share))
                share *= -term.base / (term.base - eigenvalue) if m else 1
    difference = {key: _scaled(vector, Fraction(-1)) for key, vector in found.items()}
    for term in before.terms:
        _add(difference, (term.base, term.power), term.vector)
    for (base, m), vector in difference.items():
        if layer >= m:
            # two symbols, not their quotient: the power of the eigenvalue cancels when the form is evaluated
            scale = power(base, layer) * power(eigenvalue, -layer) * math.comb(layer, m)
            _add(found, (eigenvalue, 0), _scaled(vector, scale))
    return ClosedForm.of(found, before.dim)


def _scaled(vector: Point, factor: Number) -> Point:
    return vector if factor == 1 else tuple([x * factor for x in vector])


def _add(found: dict[tuple[Fraction, int], Point], key: tuple[Fraction, int], vector: Point) -> None:
    old = found.get(key)
    found[key] = vector if old is None else tuple(x + y for x, y in zip(old, vector, strict=True))


def combination(parts: Iterable[tuple[Number | int, ClosedForm]], dim: int) -> ClosedForm:
    """sum_j c_j z_j(k)."""
    found: dict[tuple[Fraction, int], Point] = {}
    for factor, form in parts:
        for term in form.terms:
            _add(found, (term.base, term.power), tuple(x * factor for x in term.vector))
    return ClosedForm.of(found, dim)


def inner(A: Sequence[Sequence[Exact]], x: ClosedForm, y: ClosedForm) -> dict[Fraction, list[Number]]:
    """<A x(k), y(k)> = sum_b b^k P_b(k): for every b with P_b != 0 the coefficients of P_b in powers of k."""
    total: dict[Fraction, list[Number]] = {}
    images = [(t, [dot(row, t.vector) for row in A]) for t in x.terms]
    for left, image in images:
        for right in y.terms:
            value = dot(image, right.vector)
            if value == 0:
                continue
            polynomial = total.setdefault(left.base * right.base, [])
            for e, c in enumerate(binomial_product(left.power, right.power)):
                if e == len(polynomial):
                    polynomial.append(Fraction(0))
                polynomial[e] += c * value
    for polynomial in total.values():
        while polynomial and polynomial[-1] == 0:
            polynomial.pop()
    return {base: polynomial for base, polynomial in total.items() if polynomial}


@lru_cache
def binomial_product(m: int, n: int) -> tuple[Fraction, ...]:
    """The coefficients of binom(k,m) * binom(k,n) in powers of k."""
    result = [Fraction(1)]
    for root, divisor in [(s, s + 1) for s in range(m)] + [(s, s + 1) for s in range(n)]:
        shifted = [Fraction(0), *result]
        result = [(up - root * low) / divisor for up, low in zip(shifted, [*result, Fraction(0)], strict=True)]
    return tuple(result)
