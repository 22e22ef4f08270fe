"""Score gaps <A z_i(k), z_j(k) - z_l(k)> of closed forms, as exponential sums with enclosures and exact signs."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx, fmpq

from exactformer.arithmetic.power_sum import Number, enclosure, sign_of
from exactformer.dynamics.closed_form import ClosedForm, binomial_product, combination, inner
from exactformer.dynamics.positivity import BITS, Exponential
from exactformer.geometry.points import dot
from exactformer.model.matrix import Row

#: (base, power, enclosures of the vector) of every term
TermBalls = list[tuple[Fraction, int, list[arb]]]


class Gaps:
    """The gaps of one matrix A; enclosures of forms and of their differences are made once."""

    def __init__(self, A: tuple[Row, ...]) -> None:
        self.A = A
        with ctx.workprec(BITS):
            self._floats = [[enclosure(x, BITS) for x in row] for row in A]
        # keyed by identity; the forms are kept beside, so that an identity is not used again
        self._images: dict[int, tuple[ClosedForm, TermBalls]] = {}
        self._differences: dict[tuple[int, int], tuple[ClosedForm, ClosedForm, ClosedForm, TermBalls]] = {}

    def __reduce__(self) -> tuple[type[Gaps], tuple[tuple[Row, ...]]]:
        return Gaps, (self.A,)  # enclosures have no file form, and identities do not outlive their process

    def gap(self, x: ClosedForm, y: ClosedForm, z: ClosedForm) -> Exponential | None:
        """k -> <A x(k), y(k) - z(k)>, or None where that vanishes for all k."""
        difference, right = self._difference(y, z)
        with ctx.workprec(BITS):
            total: dict[Fraction, list[arb]] = {}
            for base, m, u in self._image(x):
                for other, n, v in right:
                    _add(total.setdefault(_times(base, other), []), m, n, dot(u, v))
            if any(not (c > 0 or c < 0) for polynomial in total.values() for c in polynomial):
                exact = inner(self.A, x, difference)
                total = {base: [_shown(c) for c in polynomial] for base, polynomial in exact.items()}
        if not total:
            return None
        return Exponential(total, lambda k: self.sign(x, difference, k))

    def sign(self, x: ClosedForm, difference: ClosedForm, k: int) -> int:
        """The exact sign of <A x(k), difference(k)>."""
        at = x.value(k)
        value: Number = dot([dot(row, at) for row in self.A], difference.value(k))
        return sign_of(value)

    def _image(self, x: ClosedForm) -> TermBalls:
        if id(x) not in self._images:
            with ctx.workprec(BITS):
                balls = [(b, m, [dot(row, v) for row in self._floats]) for b, m, v in _balls(x)]
            self._images[id(x)] = (x, balls)
        return self._images[id(x)][1]

    def _difference(self, y: ClosedForm, z: ClosedForm) -> tuple[ClosedForm, TermBalls]:
        key = (id(y), id(z))
        if key not in self._differences:
            exact = combination(((1, y), (-1, z)), y.dim)
            self._differences[key] = (y, z, exact, _balls(exact))
        return self._differences[key][2:]


def _balls(form: ClosedForm) -> TermBalls:
    return [(t.base, t.power, [enclosure(x, BITS) for x in t.vector]) for t in form.terms]


def _shown(number: Number) -> arb:
    """An enclosure that contains zero only if the number is zero."""
    return enclosure(number, BITS) if number else arb(0)


def _add(polynomial: list[arb], m: int, n: int, value: arb) -> None:
    """Adds value * binom(k,m) * binom(k,n), in powers of k."""
    for e, c in enumerate(_binomials(m, n)):
        if e == len(polynomial):
            polynomial.append(arb(0))
        polynomial[e] += c * value


@lru_cache
def _binomials(m: int, n: int) -> tuple[fmpq, ...]:
    return tuple(fmpq(c.numerator, c.denominator) for c in binomial_product(m, n))


@lru_cache(maxsize=4096)
def _times(b: Fraction, c: Fraction) -> Fraction:
    return b * c
