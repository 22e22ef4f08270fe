"""f(k) = sum_b b^k P_b(k) > 0 for all integers k >= 0: a proof, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactformer.arithmetic.text import Exact

#: for every base b in (0, 1] the coefficients of P_b in powers of k, the last one not zero
Exponential = Mapping[Fraction, Sequence[Exact]]


@dataclass(frozen=True)
class Fails:
    """f(k) > 0 does not hold for all k: f(`at`) <= 0, or (`at` None) f is negative for all large k, or f = 0."""

    at: int | None

    def __bool__(self) -> bool:
        return False


def positive_from(f: Exponential) -> int | Fails:
    """k0 >= 1 that proves f(k) > 0 for all k >= 0, or why it is false. One of the two always exists.

    With b0 the largest base: f(k) > 0 for k < k0; P_b0(k0 + x) has no negative coefficient; every negative term
    c k^e b^k of another base has (b/b0)(1 + 1/k0)^e <= 1, so that it loses weight from k0 on; and P_b0(k0)
    exceeds the sum of their absolute values, all divided by b0^k0.

    >>> positive_from({Fraction(1, 2): [Fraction(1)], Fraction(1, 4): [Fraction(-1, 2)]})
    1
    >>> positive_from({Fraction(1, 2): [Fraction(-1), Fraction(1)]})
    Fails(at=0)
    """
    if not f:
        return Fails(None)
    lead = max(f)
    if f[lead][-1] < 0:
        return Fails(None)
    k0, checked = 1, 0
    while True:
        for k in range(checked, k0):
            if value_at(f, k) <= 0:
                return Fails(k)
        checked = k0
        if dominates(f, lead, k0):
            return k0
        k0 *= 2


def dominates(f: Exponential, lead: Fraction, k0: int) -> bool:
    """Whether the terms of the largest base outweigh all negative ones from k0 on, by the three conditions."""
    if any(c < 0 for c in _shifted(f[lead], k0)):
        return False
    weight: Exact = Fraction(0)
    for base, polynomial in f.items():
        ratio = base / lead
        negative = [(e, c) for e, c in enumerate(polynomial) if c < 0] if base != lead else []
        if any(ratio * (1 + Fraction(1, k0)) ** e > 1 for e, _ in negative):
            return False
        weight = weight + ratio**k0 * sum((-c * k0**e for e, c in negative), start=Fraction(0))
    return bool(_value(f[lead], k0) > weight)


def value_at(f: Exponential, k: int) -> Exact:
    """f(k)."""
    return sum((base**k * _value(polynomial, k) for base, polynomial in f.items()), start=Fraction(0))


def _value(polynomial: Sequence[Exact], k: int) -> Exact:
    value: Exact = Fraction(0)
    for c in reversed(polynomial):
        value = value * k + c
    return value


def _shifted(polynomial: Sequence[Exact], k0: int) -> list[Exact]:
    """The coefficients of P(k0 + x) in powers of x."""
    degree = len(polynomial) - 1
    return [
        sum((math.comb(e, s) * k0 ** (e - s) * polynomial[e] for e in range(s, degree + 1)), start=Fraction(0))
        for s in range(degree + 1)
    ]
