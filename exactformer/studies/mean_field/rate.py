"""A certified rate of the zero-temperature limit: rational, without roots.

Let a be rational, M_a = M - a, and H a rational symmetric matrix with M_a'H + H M_a > 0. Then no eigenvalue of M has
the real part a, and as many have a smaller one as H has negative eigenvalues (Ostrowski, Schneider). So if H < 0 on a
subspace of dimension d - k, all but k eigenvalues have real parts below a, and -H is a Lyapunov form of M_a on their
space. H is proposed at rising precision, rounded, and verified exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
from flint import arb, arb_mat, ctx

from exactformer.arithmetic.ball import Ball, dyadic, ends
from exactformer.arithmetic.interval import rational
from exactformer.arithmetic.rational import RationalRow, RationalRows, simplest_between
from exactformer.errors import InvalidInput, Undecided
from exactformer.geometry.linear_algebra import positive_definite, positive_semidefinite
from exactformer.geometry.points import primitive
from exactformer.studies.mean_field.spectrum import Dominant
from exactformer.studies.mean_field.system import product, transpose

#: the part of the gap that is given up at each of its two ends
SHARE = Fraction(1, 400)
#: bits at which a form is first proposed, and at which proposing gives up
FIRST, LAST = 128, 16_384
#: doublings of Smith's iteration before a proposal is given up
DOUBLINGS = 200


@dataclass(frozen=True)
class Rate:
    """lambda >= low, all other eigenvalues have real parts below `bound`, and |B| <= norm.

    `form` is H, `subspace` are vectors on which H < 0. The rate in time is (low - bound)/norm.
    """

    low: Fraction
    bound: Fraction
    form: RationalRows
    subspace: tuple[RationalRow, ...]
    norm: Fraction

    @property
    def value(self) -> Fraction:
        """The rate c in |x(t) - T(x(0))| <= C e^(-ct)."""
        return (self.low - self.bound) / self.norm

    def verify(self, matrix: RationalRows, B: RationalRows) -> None:
        """Raises InvalidInput unless M_a'H + H M_a > 0, H < 0 on the subspace, norm^2 I - B B' >= 0, low > bound."""
        if self.low <= self.bound or self.norm <= 0:
            raise InvalidInput("rate: expected low > bound and norm > 0")
        shifted = _shifted(matrix, -self.bound)
        half = product(self.form, shifted)
        if not positive_definite(_sum(half, transpose(half))):
            raise InvalidInput("rate: expected M_a'H + H M_a > 0")
        inside = product(product(self.subspace, self.form), transpose(self.subspace))
        if not positive_definite([[-x for x in row] for row in inside]):
            raise InvalidInput("rate: expected H < 0 on the subspace")
        verify_norm(self.norm, B)


def certified_rate(found: Dominant, B: RationalRows) -> Rate | None:
    """A rate of at least 99 % of gap/|B|, verified; None where M is a multiple of I and nothing moves.

    Raises Undecided where no form was found within the precision.

    >>> from exactformer.studies.mean_field.spectrum import dominant
    >>> certified_rate(dominant([[2, 0], [0, 1]]), ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))).value
    Fraction(200, 201)
    """
    if found.dimension == found.dim:
        return None
    low, bound = _ends(found)
    norm = norm_above(B)
    bits = FIRST
    while bits <= LAST:
        for form, subspace in _proposals(found, bound, bits):
            rate = Rate(low, bound, form, subspace, norm)
            try:
                rate.verify(found.matrix, B)
            except InvalidInput:  # rounded too much
                continue
            return rate
        bits *= 2
    raise Undecided(f"no Lyapunov form was found with {LAST} bits: M is too close to one with a Jordan block")


def _ends(found: Dominant) -> tuple[Fraction, Fraction]:
    """(low, bound): rationals low <= lambda, and bound above the real parts of all others."""
    bits = 64
    while True:
        largest, others = found.enclosure(bits), found.others(bits)
        if others is None:
            raise InvalidInput("rate: expected an eigenvalue besides lambda")
        top, floor = ends(largest)[0], ends(others)[1]
        width = top - floor
        if max(dyadic(largest.rad()), dyadic(others.rad())) < width * SHARE / 16:
            break
        bits *= 2
    exactly = len(found.polynomial) == 2
    low = -found.polynomial[0] if exactly else simplest_between(top - width * SHARE, top)
    return low, simplest_between(floor + width * SHARE, floor + 2 * width * SHARE)


# the form -----------------------------------------------------------------------------------------------------
def _proposals(found: Dominant, bound: Fraction, bits: int) -> Iterator[tuple[RationalRows, tuple[RationalRow, ...]]]:
    """H and the subspace, computed with so many bits, rounded to more and more of them.

    With J = I - 2 Pi, which is -1 on E and 1 on ker Pi, the matrix A = M_a - 2(lambda - a) Pi is Hurwitz. The P with
    A'P + P A = -(I + J'J)/2 commutes with J in the sense J'P J = P, and H = -P J has M_a'H + H M_a = (I + J'J)/2.
    """
    with ctx.workprec(bits):
        Pi, M = _balls(found.projector, bits), _balls(found.matrix, bits)
        one = _identity(found.dim)
        distance = (found.enclosure(bits) - _ball(bound)).mid()
        A = (M - one * _ball(bound) - Pi * (2 * distance)).mid()
        J = (one - Pi * 2).mid()
        P = _lyapunov(A, ((one + J.transpose() * J) * arb(0.5)).mid(), bits)
        if P is None:
            return
        H = (P * J * -1).mid()
        complement = (one - Pi).mid()
        chosen = _independent(Pi, found.dimension)
    kept = [j for j in range(found.dim) if j not in chosen]
    columns = [[complement[i, j] for i in range(found.dim)] for j in kept]
    digits = 8
    while digits <= bits // 2:
        inside = tuple(tuple(map(Fraction, primitive(_rounded([column], digits)[0]))) for column in columns)
        yield _symmetric(_rounded(H.tolist(), digits)), inside
        digits *= 2


def _lyapunov(A: arb_mat, S: arb_mat, bits: int) -> arb_mat | None:
    """P with A'P + P A = -S for a Hurwitz matrix A, nearly, by Smith's doubling; None where it does not settle.

    With U = (A - q)^-1 (A + q) it is the sum of (U')^n Y U^n, Y = 2q (A - q)'^-1 S (A - q)^-1, for any q > 0.
    """
    one = _identity(A.nrows())
    q = _size(A) / arb(8)
    try:
        inverse = (A - one * q).inv().mid()
    except ZeroDivisionError:
        return None
    U, P = (inverse * (A + one * q)).mid(), (inverse.transpose() * S * inverse * (2 * q)).mid()
    for _ in range(DOUBLINGS):
        step = (U.transpose() * P * U).mid()
        P = (P + step).mid()
        if not _size(step).is_finite():
            return None
        if _size(step) <= _size(P) * arb(2) ** -bits:
            return P
        U = (U * U).mid()
    return None


def _independent(Pi: arb_mat, count: int) -> list[int]:
    """Indices of so many rows of Pi that are independent, the longest remainders first: coordinates that tell E."""
    rows = [[x.mid() for x in row] for row in Pi.tolist()]
    chosen: list[int] = []
    for _ in range(count):
        lengths = [sum((x * x for x in row), arb(0)).mid() for row in rows]
        best = max((i for i in range(len(rows)) if i not in chosen), key=lambda i: dyadic(lengths[i]))
        chosen.append(best)
        pivot, length = rows[best], lengths[best]
        for i, row in enumerate(rows):
            share = sum((x * y for x, y in zip(row, pivot, strict=True)), arb(0)) / length
            rows[i] = [(x - share * y).mid() for x, y in zip(row, pivot, strict=True)]
    return chosen


def _rounded(rows: Sequence[Sequence[arb]], digits: int) -> RationalRows:
    """Integers proportional to the entries, the largest one of so many binary digits."""
    numbers = [[dyadic(x.mid()) for x in row] for row in rows]
    top = max((abs(x) for row in numbers for x in row), default=Fraction(0))
    if not top:
        return tuple(map(tuple, numbers))
    return tuple(tuple(Fraction(round(x / top * (1 << digits))) for x in row) for row in numbers)


def _symmetric(rows: RationalRows) -> RationalRows:
    """The matrix with its upper half reflected."""
    return tuple(tuple(rows[min(i, j)][max(i, j)] for j in range(len(rows))) for i in range(len(rows)))


def _size(M: arb_mat) -> arb:
    """The largest absolute value of an entry, or infinity."""
    largest = arb(0)
    for x in M.entries():
        largest = largest.max(abs(x).upper())
    return largest


def _identity(n: int) -> arb_mat:
    return arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def _balls(rows: Sequence[Sequence[object]], bits: int) -> arb_mat:
    return arb_mat([[Ball.of(x, bits=bits).arb.mid() for x in row] for row in rows])


def _ball(x: Fraction) -> arb:
    return arb(rational(x))


def _shifted(rows: RationalRows, c: Fraction) -> RationalRows:
    """The matrix plus c I."""
    return tuple(tuple(x + c * (i == j) for j, x in enumerate(row)) for i, row in enumerate(rows))


def _sum(left: RationalRows, right: RationalRows) -> RationalRows:
    return tuple(tuple(x + y for x, y in zip(*pair, strict=True)) for pair in zip(left, right, strict=True))


# the norm of B ------------------------------------------------------------------------------------------------
def verify_norm(norm: Fraction, B: RationalRows) -> None:
    """Raises InvalidInput unless norm^2 I - B B' >= 0, that is |B| <= norm."""
    gram = product(B, transpose(B))
    rest = [[norm * norm * (i == j) - x for j, x in enumerate(row)] for i, row in enumerate(gram)]
    if norm <= 0 or not positive_semidefinite(rest):
        raise InvalidInput(f"norm: expected a number >= |B|, got {norm}")


def norm_above(B: RationalRows) -> Fraction:
    """A simple rational >= |B|, the least that floats suggest and exact arithmetic confirms.

    >>> norm_above(((Fraction(1, 5), Fraction(0)), (Fraction(0), Fraction(1))))
    Fraction(1, 1)
    """
    scale = max(abs(x) for row in B for x in row)
    near = Fraction(float(np.linalg.norm(np.array([[float(x / scale) for x in row] for row in B]), 2)))
    candidates = [near.limit_denominator(q) for q in (1, 10, 100, 10_000)]
    for part in (10**9, 10**6, 1000):
        candidates.append(simplest_between(near * (1 + Fraction(1, 2 * part)), near * (1 + Fraction(2, part))))
    for candidate in candidates:
        try:
            verify_norm(candidate * scale, B)
        except InvalidInput:
            continue
        return candidate * scale
    squares = sum((x / scale) ** 2 for row in B for x in row)  # the Frobenius norm is never less
    return Fraction(isqrt(-(-squares.numerator // squares.denominator) << 64) + 1, 1 << 32) * scale
