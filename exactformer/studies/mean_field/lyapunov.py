"""All but k eigenvalues of a matrix have real parts below a bound: proved by a rational form, without roots.

Let a be rational, M_a = M - a, and H a rational symmetric matrix with M_a'H + H M_a > 0. Then no eigenvalue of M has
the real part a, and as many have a smaller one as H has negative eigenvalues (Ostrowski, Schneider). So if H < 0 on a
subspace of dimension d - k, all but k eigenvalues have real parts below a, and -H is a Lyapunov form of M_a on their
space. H is proposed at rising precision, rounded, and verified exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_mat, ctx

from exactformer.arithmetic.ball import Ball, dyadic
from exactformer.arithmetic.rational import RationalRow, RationalRows, identity, minus_multiple
from exactformer.errors import InvalidInput, Undecided
from exactformer.geometry.linear_algebra import positive_definite
from exactformer.geometry.points import dot, primitive
from exactformer.studies.mean_field.flint_forms import ball_matrix
from exactformer.studies.mean_field.system import matrix_product, transpose

#: bits at which a form is first proposed, and at which proposing gives up
FIRST, LAST = 128, 16_384
#: doublings of Smith's iteration before a proposal is given up
DOUBLINGS = 200


@dataclass(frozen=True)
class Below:
    """All but at most k eigenvalues have real parts < bound: `form` is H, `subspace` are d - k vectors with H < 0."""

    bound: Fraction
    form: RationalRows
    subspace: tuple[RationalRow, ...]

    def verify(self, matrix: RationalRows) -> None:
        """Raises InvalidInput unless M_a'H + H M_a > 0 and H < 0 on the subspace."""
        half = matrix_product(self.form, minus_multiple(matrix, self.bound))
        rising = [[x + y for x, y in zip(*pair, strict=True)] for pair in zip(half, transpose(half), strict=True)]
        if not positive_definite(rising):
            raise InvalidInput("form: expected M_a'H + H M_a > 0")
        inside = matrix_product(matrix_product(self.subspace, self.form), transpose(self.subspace))
        if not positive_definite([[-x for x in row] for row in inside]):
            raise InvalidInput("form: expected H < 0 on the subspace")


def eigenvalues_below(matrix: RationalRows, projector: Callable[[int], arb_mat], count: int, bound: Fraction) -> Below:
    """The proof that all but `count` eigenvalues have real parts below the bound, verified.

    `projector(bits)` encloses the spectral projector of the eigenvalues above. Raises Undecided where no form is found.

    >>> M = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(0)))
    >>> eigenvalues_below(M, lambda bits: ball_matrix(M), 1, Fraction(1, 2)).subspace
    ((Fraction(0, 1), Fraction(1, 1)),)
    """
    bits = FIRST
    while bits <= LAST:
        for form, subspace in _proposals(matrix, projector, count, bound, bits):
            below = Below(bound, form, subspace)
            try:
                below.verify(matrix)
            except InvalidInput:  # rounded too much
                continue
            return below
        bits *= 2
    raise Undecided(f"no Lyapunov form was found with {LAST} bits: M is too close to one with a Jordan block")


def _proposals(
    matrix: RationalRows, projector: Callable[[int], arb_mat], count: int, bound: Fraction, bits: int
) -> Iterator[tuple[RationalRows, tuple[RationalRow, ...]]]:
    """H and the subspace, computed with so many bits, rounded to more and more of them.

    With J = I - 2 Pi, which is -1 above and 1 below, A = M_a J has all its eigenvalues on the left. The P with
    A'P + P A = -(I + J'J)/2 satisfies J'P J = P, since both sides do, and H = -P J has M_a'H + H M_a = (I + J'J)/2.
    """
    dim = len(matrix)
    with ctx.workprec(bits):
        Pi, M, one = projector(bits).mid(), ball_matrix(matrix), ball_matrix(identity(dim))
        J = (one - Pi * 2).mid()
        A = ((M - one * Ball.of(bound, bits=bits).arb) * J).mid()
        P = _lyapunov(A, ((one + J.transpose() * J) * arb(0.5)).mid(), bits)
        if P is None:
            return
        H = (P * J * -1).mid()
        complement = (one - Pi).mid()
        chosen = _independent(Pi, count)
    kept = [j for j in range(dim) if j not in chosen]
    columns = [[complement[i, j] for i in range(dim)] for j in kept]
    digits = 8
    while digits <= bits // 2:
        inside = tuple(tuple(map(Fraction, primitive(_rounded([column], digits)[0]))) for column in columns)
        yield _symmetric(_rounded(H.tolist(), digits)), inside
        digits *= 2


def _lyapunov(A: arb_mat, S: arb_mat, bits: int) -> arb_mat | None:
    """P with A'P + P A = -S for a Hurwitz matrix A, nearly, by Smith's doubling; None where it does not settle.

    With U = (A - q)^-1 (A + q) it is the sum of (U')^n Y U^n, Y = 2q (A - q)'^-1 S (A - q)^-1, for any q > 0.
    """
    one = ball_matrix(identity(A.nrows()))
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
        lengths = [dot(row, row).mid() for row in rows]
        best = max((i for i in range(len(rows)) if i not in chosen), key=lambda i: dyadic(lengths[i]))
        chosen.append(best)
        pivot, length = rows[best], lengths[best]
        for i, row in enumerate(rows):
            share = dot(row, pivot) / length
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
