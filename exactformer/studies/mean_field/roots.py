"""Which roots of a rational polynomial have the largest real part: decided, ties included.

Roots of irreducible factors are isolated in balls. Balls that keep overlapping are compared through the polynomial
whose roots are all sums of two roots: twice a real part is one of them, and is the same root of it for two roots
exactly if their real parts are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import acb, ctx, fmpq, fmpq_mat, fmpz_poly

from exactformer.arithmetic.ball import dyadic, ends
from exactformer.errors import Undecided

#: bits of the enclosures that are given unless the caller says otherwise
BITS = 128
#: bits at which roots are first isolated, at which ties are suspected, and at which comparing gives up
FIRST, SUSPECT, LAST = 64, 512, 65_536
#: the largest degree of a product of factors whose sums of two roots are formed
LARGEST_DEGREE = 16


class Root(NamedTuple):
    """A root of factor number `factor`, isolated in a ball; real ones have the imaginary part 0 exactly."""

    factor: int
    ball: acb

    @property
    def is_real(self) -> bool:
        """Whether the root is real."""
        return bool(self.ball.imag.is_zero())


def isolated(factors: Sequence[fmpz_poly], bits: int) -> list[Root]:
    """The roots of all factors, each irreducible and none twice, in balls of so many bits."""
    with ctx.workprec(bits):
        return [Root(k, acb(root)) for k, factor in enumerate(factors) for root, _ in factor.complex_roots()]


def leading_roots(factors: Sequence[fmpz_poly]) -> list[Root]:
    """The roots with the largest real part, of distinct irreducible factors.

    >>> [root.factor for root in leading_roots([fmpz_poly([-1, 1]), fmpz_poly([2, -2, 1])])]
    [0, 1, 1]
    """
    bits = FIRST
    while True:
        top = _candidates(isolated(factors, bits))
        if len(top) == 1 or _is_one_pair(top):
            return top
        if bits >= SUSPECT:
            return _leading_by_sums(factors, {root.factor for root in top}, bits)
        bits *= 2


def _candidates(roots: list[Root]) -> list[Root]:
    """The roots whose real part is not seen to be smaller than another one's."""
    floor = max(ends(root.ball.real)[0] for root in roots)
    return [root for root in roots if ends(root.ball.real)[1] >= floor]


def _is_one_pair(top: list[Root]) -> bool:
    """Whether these are two conjugate roots, whose real parts are equal."""
    return len(top) == 2 and top[0].factor == top[1].factor and not any(root.is_real for root in top)


def _leading_by_sums(factors: Sequence[fmpz_poly], tied: set[int], bits: int) -> list[Root]:
    """The leading roots where balls overlap: every doubled real part is found among the sums of two roots."""
    sums = _sums_of_two(factors, sorted(tied))
    while bits <= LAST:
        top = _candidates(isolated(factors, bits))
        centres = [root.ball.real for root in isolated(sums, bits) if root.is_real]
        with ctx.workprec(bits):
            places = [[k for k, c in enumerate(centres) if (2 * root.ball.real).overlaps(c)] for root in top]
        if all(len(place) == 1 for place in places):
            best = max((place[0] for place in places), key=lambda k: dyadic(centres[k].mid()))
            return [root for root, place in zip(top, places, strict=True) if place[0] == best]
        bits *= 2
    raise Undecided(f"the real parts of two eigenvalues could not be told apart with {LAST} bits")


def _sums_of_two(factors: Sequence[fmpz_poly], tied: list[int]) -> list[fmpz_poly]:
    """The distinct irreducible factors of prod (x - r_i - r_j), over all pairs of roots of the tied factors.

    With C a companion matrix of their product it is the characteristic polynomial of C (x) I + I (x) C.
    """
    product = fmpz_poly([1])
    for k in tied:
        product *= factors[k]
    n = int(product.degree())
    if n > LARGEST_DEGREE:
        raise Undecided(
            f"eigenvalues of factors of degree {n} together may have equal real parts; they are compared up to degree "
            f"{LARGEST_DEGREE}"
        )
    C = [[fmpq(int(i == j + 1)) for j in range(n)] for i in range(n)]
    for i in range(n):
        C[i][-1] = C[i][-1] - fmpq(product[i], product[n])
    both = [
        C[i][k] * int(j == m) + C[j][m] * int(i == k)
        for i in range(n)
        for j in range(n)
        for k in range(n)
        for m in range(n)
    ]
    found = fmpq_mat(n * n, n * n, both).charpoly()
    return [factor for factor, _ in fmpz_poly(found.numer()).factor()[1]]
