"""f(k) = sum_b b^k P_b(k) > 0 for all integers k >= u: a proof, or the first k at which it fails.

Only signs at integers are asked for, never a sum over all k. Divide f by the power of its largest base and take
differences: every step removes one coefficient, so that after as many steps as there are coefficients nothing is
left. Where a difference does not change its sign, the function before it is monotone, and two of its values settle
its own sign. So the range is cut where some difference changes its sign, found by bisection, and on each part the
signs at both ends, level by level, are a proof (Rolle's theorem, for sequences).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from exactformer.arithmetic.power_sum import power_ball

#: for every base b in (0, 1] enclosures of the coefficients of P_b in powers of k
Balls = Mapping[Fraction, Sequence[arb]]

#: the precision of enclosures; a sign they leave open is decided exactly
BITS = 192


@dataclass(frozen=True)
class Positive:
    """f(k) > 0 for all k >= u: settled part by part up to `dominant`, from where the largest base dominates."""

    dominant: int
    cuts: tuple[int, ...]


@dataclass(frozen=True)
class Fails:
    """f(k) > 0 for u <= k < `at`, settled part by part, and f(`at`) <= 0."""

    at: int
    cuts: tuple[int, ...]

    def __bool__(self) -> bool:
        return False


class Exponential:
    """f(k) = sum_b b^k P_b(k), known by enclosures of its coefficients and by its exact sign at any k.

    No enclosure of a leading coefficient may contain zero: `balls` holds exactly the bases that occur.
    """

    def __init__(self, balls: Balls, exact_sign: Callable[[int], int]) -> None:
        self._levels = [_Level(balls)]
        self._exact_sign = exact_sign

    def sign(self, k: int) -> int:
        """The sign of f(k)."""
        with ctx.workprec(BITS):
            found = self.sign_at(0, k)
        return self._exact_sign(k) if found is None else found

    def level(self, depth: int) -> Balls:
        """f, and its differences, each divided by the power of its largest base beforehand."""
        return self._level(depth).balls

    def sign_at(self, depth: int, k: int) -> int | None:
        """The sign of a level at k, None where the enclosures leave it open at the precision set."""
        total = arb(0)
        for p, q, polynomial in self._level(depth).terms:
            value = _value(polynomial, k)
            total += value if p == q else power_ball(p, q, k, BITS) * value
        return _sign(total)

    def one_sign(self, depth: int) -> bool:
        """Whether all coefficients of a level have the same sign, so that it changes sign nowhere."""
        return self._level(depth).one_sign

    def _level(self, depth: int) -> _Level:
        while len(self._levels) <= depth:
            with ctx.workprec(BITS):
                self._levels.append(_Level(_difference(self._levels[-1].balls)))
        return self._levels[depth]


class _Level:
    """A sum of exponentials, and what is asked of it at many k: its terms, and whether it has one sign."""

    def __init__(self, balls: Balls) -> None:
        self.balls = balls
        self.terms = [(base.numerator, base.denominator, polynomial) for base, polynomial in balls.items()]
        signs = {_sign(c) for polynomial in balls.values() for c in polynomial}
        self.one_sign = signs <= {0, 1} or signs <= {0, -1}


def positive_from(f: Exponential, u: int) -> Positive | Fails:
    """The proof that f(k) > 0 for all integers k >= u, or the first k > u at which it is false; f(u) > 0 is given.

    >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
    >>> positive_from(Exponential({half: [arb(1)], quarter: [arb(-1) / 2]}, lambda k: 1), 0)
    Positive(dominant=1, cuts=())
    >>> positive_from(Exponential({half: [arb(1000), arb(-1)]}, lambda k: 0), 0)
    Fails(at=1000, cuts=())
    """
    with ctx.workprec(BITS):
        lead = max(f.level(0))
        if f.level(0)[lead][-1] > 0:
            end, step = max(u, 1), 1
            while not dominates(f.level(0), lead, end):
                end, step = u + step, 2 * step
            fails, cuts = _search(f, u, end)
            return Positive(end, cuts) if fails is None else Fails(fails, cuts)
        step = 1
        while f.sign(u + step) > 0:
            step *= 2
        fails, cuts = _search(f, u, u + step)
        return Fails(u + step if fails is None else fails, cuts)


def cuts_until(f: Exponential, u: int, v: int) -> tuple[int, ...]:
    """The cuts with which f > 0 is settled on u..v, where it is true."""
    return _search(f, u, v)[1]


def _search(f: Exponential, u: int, v: int) -> tuple[int | None, tuple[int, ...]]:
    """(first k in u..v with f(k) <= 0 or None, the cuts with which f > 0 is settled on u..v, or before that k)."""
    cuts: list[int] = []
    ends = [v]
    while ends:
        end = ends[-1]
        cut = unsettled(f, u, end)
        if cut is not None:
            ends.append(cut)
            continue
        if f.sign(end) <= 0:  # f, divided by a power, falls from u to the end
            low = u
            while end - low > 1:
                middle = (low + end) // 2
                low, end = (middle, end) if f.sign(middle) > 0 else (low, middle)
            return end, tuple(cuts)
        u = ends.pop()
        if ends:
            cuts.append(u)
    return None, tuple(cuts)


def unsettled(f: Exponential, u: int, v: int) -> int | None:
    """None if f, divided by the power of its largest base, is monotone on u..v by the signs of its differences at the
    ends; otherwise a place at which to cut the range."""
    if v - u <= 1:
        return None
    with ctx.workprec(BITS):
        return _cut(f, u, v)


def _cut(f: Exponential, u: int, v: int) -> int | None:
    depth = 1
    while True:
        last = v - depth  # the difference at k speaks of k, .., k + depth
        if last < u or f.one_sign(depth):
            return None
        first, final = f.sign_at(depth, u), f.sign_at(depth, last)
        if first is None:
            return None if last == u else u + 1
        if final is None:
            return v - 1
        if first * final < 0:
            return _change(f, depth, u, last, first) + depth
        if last <= u + 1:
            return None
        depth += 1


def _change(f: Exponential, depth: int, u: int, v: int, first: int) -> int:
    """The last k of u..v-1 before a level loses the sign it has at u, by bisection."""
    while v - u > 1:
        middle = (u + v) // 2
        u, v = (middle, v) if f.sign_at(depth, middle) == first else (u, middle)
    return u


def dominates(f: Balls, lead: Fraction, k0: int) -> bool:
    """Whether the terms of the largest base outweigh all negative ones from k0 >= 1 on: P_b0(k0 + x) has no negative
    coefficient; every negative term c k^e b^k of another base has (b/b0)(1 + 1/k0)^e <= 1, so that it loses weight; and
    P_b0(k0) exceeds the sum of their absolute values, divided by b0^k0."""
    at_k0 = shifted(f[lead], k0)
    if not all(c >= 0 for c in at_k0):
        return False
    weight = arb(0)
    for base, polynomial in f.items():
        ratio = base / lead
        for e, c in enumerate(polynomial if base != lead else ()):
            if not c >= 0:
                if e and ratio * (1 + Fraction(1, k0)) ** e > 1:
                    return False
                weight += power_ball(ratio.numerator, ratio.denominator, k0, BITS) * abs(c) * k0**e
    return bool(at_k0[0] > weight)


def shifted(polynomial: Sequence[arb], k0: int) -> list[arb]:
    """The coefficients of P(k0 + x) in powers of x."""
    degree = len(polynomial) - 1
    return [
        sum((math.comb(e, s) * k0 ** (e - s) * polynomial[e] for e in range(s, degree + 1)), start=arb(0))
        for s in range(degree + 1)
    ]


def _difference(f: Balls) -> Balls:
    """g(k+1) - g(k) for g(k) = f(k)/b0^k, b0 the largest base: one coefficient less."""
    if not f:
        return {}
    lead, result = max(f), {}
    for base, polynomial in f.items():
        ratio = base / lead
        after = shifted(polynomial, 1)
        if base == lead:
            kept = [x - y for x, y in zip(after[:-1], polynomial[:-1], strict=True)]
        else:
            scale = arb(fmpq(ratio.numerator, ratio.denominator))
            kept = [scale * x - y for x, y in zip(after, polynomial, strict=True)]
        if kept:
            result[ratio] = kept
    return result


def _value(polynomial: Sequence[arb], k: int) -> arb:
    value = polynomial[-1]
    for c in polynomial[-2::-1]:
        value = value * k + c
    return value


def _sign(ball: arb) -> int | None:
    if ball > 0:
        return 1
    if ball < 0:
        return -1
    return 0 if ball.is_zero() else None
