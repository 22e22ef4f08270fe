"""The dominant eigenvalue of a rational matrix and its spectral projector in Q(lambda), exactly; or why there is none.

chi = f^k h with f irreducible and f(lambda) = 0. If lambda is semisimple, f h annihilates M. With a = 1 mod f and
a = 0 mod h the matrix a(M) projects onto ker f(M), and there f(M)/(M - lambda), divided by f'(lambda), projects onto
ker(M - lambda). Everything is rational but the powers of lambda: f'(lambda) Pi = sum_i lambda^i N_i. Pi itself has
numbers as many times longer as the degree of lambda, and is formed when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpq_poly, fmpz_poly

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.ball import Ball, dyadic, ends
from exactformer.arithmetic.interval import rational
from exactformer.arithmetic.number_field import MAX_DEGREE, NumberField
from exactformer.arithmetic.rational import RationalRow, RationalRows
from exactformer.arithmetic.text import Exact, NumberLike, exact_row
from exactformer.errors import Declined, InvalidInput
from exactformer.geometry.points import dot
from exactformer.studies.mean_field.flint_forms import (
    evaluated,
    flint_column,
    flint_matrix,
    flint_polynomial,
    kernel,
    monic,
    primitive_polynomial,
    projector_parts,
)
from exactformer.studies.mean_field.no_dominant import NoDominant
from exactformer.studies.mean_field.roots import BITS, Root, isolated, leading_roots

#: bits that the entries of a projector over Q(lambda) may take together
MAX_BITS = 4_000_000_000
#: the largest work d^5 b + d^3 b^2 for d-by-d matrices with numbers of b bits: about a minute
MAX_WORK = 20_000_000_000


@dataclass(frozen=True)
class Dominant:
    """The real eigenvalue lambda > Re of all others, semisimple of multiplicity k, and its projector Pi.

    `polynomial` are the coefficients c_0, .., c_m = 1 of the minimal polynomial f of lambda, its largest real root;
    `coefficients` are the N_i in f'(lambda) Pi = sum_i lambda^i N_i.
    """

    matrix: RationalRows
    polynomial: RationalRow
    dimension: int
    coefficients: tuple[RationalRows, ...]
    factors: tuple[tuple[int, ...], ...]
    kind: Literal["real-semisimple"] = "real-semisimple"

    def __bool__(self) -> bool:
        return True

    @property
    def dim(self) -> int:
        """The dimension d of the space."""
        return len(self.matrix)

    @cached_property
    def _field(self) -> NumberField:
        return NumberField.of_root(flint_polynomial(self.polynomial), self.enclosure)

    @cached_property
    def eigenvalue(self) -> Exact:
        """lambda."""
        if len(self.polynomial) == 2:
            return -self.polynomial[0]
        return Algebraic(self._field, fmpq_poly([0, 1]))

    @cached_property
    def projector(self) -> tuple[tuple[Exact, ...], ...]:
        """The rows of Pi, in Q(lambda)."""
        if len(self.coefficients) == 1:
            return self.coefficients[0]
        f, m = flint_polynomial(self.polynomial), len(self.coefficients)
        bits = max(int(c).bit_length() for c in fmpz_poly(f.numer()).coeffs())
        if self.dim**2 * m * m * bits > MAX_BITS:
            raise Declined(
                f"Pi over Q(lambda), lambda of degree {m}, in dimension {self.dim}: some {self.dim**2 * m} numbers of "
                f"{m * bits} bits; the limit is {MAX_BITS} bits. Balls around its entries and the certificate are short"
            )
        inverse = f.derivative().xgcd(f)[1] % f
        numbers = range(self.dim)
        return tuple(tuple(Algebraic(self._field, self._entry(i, j) * inverse % f) for j in numbers) for i in numbers)

    def _entry(self, i: int, j: int) -> fmpq_poly:
        """An entry of f'(lambda) Pi, as a polynomial in lambda."""
        return fmpq_poly([rational(part[i][j]) for part in self.coefficients])

    def projector_balls(self, bits: int) -> arb_mat:
        """Balls around the entries of Pi, computed with so many bits."""
        with ctx.workprec(bits):
            root, scale = self.enclosure(bits), arb(0)
            for c in reversed(flint_polynomial(self.polynomial).derivative().coeffs()):
                scale = scale * root + c
            total = arb_mat(self.dim, self.dim)
            for part in reversed(self.coefficients):
                total = total * root + arb_mat([[arb(rational(x)) for x in row] for row in part])
            return total * (1 / scale)

    def enclosure(self, bits: int) -> arb:
        """A ball around lambda: the largest real root of its polynomial."""
        roots = isolated([primitive_polynomial(self.polynomial)], bits + 16)
        return max((root.ball.real for root in roots if root.is_real), key=lambda ball: dyadic(ball.mid()))

    def others(self, bits: int) -> arb | None:
        """A ball around the largest real part of the other eigenvalues; None where there is no other."""
        factors = [fmpz_poly(list(factor)) for factor in self.factors]
        own = factors.index(primitive_polynomial(self.polynomial))
        mine = self.enclosure(bits)
        rest = [
            root.ball.real
            for root in isolated(factors, bits + 16)
            if not (root.factor == own and root.is_real and root.ball.real.overlaps(mine))
        ]
        return max(rest, key=lambda ball: ends(ball)[1], default=None)

    def gap(self, bits: int = BITS) -> Ball | None:
        """A ball around lambda minus the largest real part of the other eigenvalues; None where there is no other."""
        others = self.others(bits)
        if others is None:
            return None
        with ctx.workprec(bits):
            return Ball(self.enclosure(bits) - others, bits)

    def direction(self, x: Sequence[NumberLike]) -> tuple[Exact, ...]:
        """Pi x, whose direction is the limit T(x); raises InvalidInput where it is zero and there is no limit in E.

        >>> dominant([[2, 0], [0, 1]]).direction(["3/5", "4/5"])
        (Fraction(3, 5), Fraction(0, 1))
        """
        point = exact_row(x, "x")
        if len(point) != self.dim:
            raise InvalidInput(f"x: expected {self.dim} coordinates, got {len(point)}")
        image = tuple(dot(row, point) for row in self.projector)
        if not any(image):
            raise InvalidInput("x: expected a point with Pi x != 0, got one in ker Pi, which never comes near E")
        return image

    def T(self, x: Sequence[NumberLike], *, bits: int = BITS) -> tuple[Ball, ...]:
        """Balls around T(x) = Pi x/|Pi x|, the limit of x at zero temperature.

        >>> [float(ball) for ball in dominant([[2, 0], [0, 1]]).T(["3/5", "4/5"])]
        [1.0, 0.0]
        """
        image = self.direction(x)
        with ctx.workprec(bits):
            balls = [Ball.of(value, bits=bits).arb for value in image]
            length = sum((ball * ball for ball in balls), arb(0)).sqrt()
            return tuple(Ball(ball / length, bits) for ball in balls)

    def verify(self) -> None:
        """Raises InvalidInput unless M Pi = Pi M = lambda Pi, Pi^2 = Pi and the trace of Pi is k, for N and modulo f.

        For k = 1 the square need not be formed: the image of Pi lies in ker(M - lambda), so that Pi has rank at most
        1, and a matrix of rank 1 and trace 1 is its own square.
        """
        f, M = flint_polynomial(self.polynomial), flint_matrix(self.matrix)
        parts, m = [flint_matrix(part) for part in self.coefficients], len(self.coefficients)
        one = evaluated(fmpq_poly([1]), M)
        times_lambda = [(parts[i - 1] if i else parts[0] * 0) - parts[m - 1] * f[i] for i in range(m)]
        if [M * part for part in parts] != times_lambda or [part * M for part in parts] != times_lambda:
            raise InvalidInput("projector: expected M Pi = Pi M = lambda Pi")
        slope = f.derivative()
        if self.dimension > 1 and _product(parts, parts, f) != _product([one * c for c in slope.coeffs()], parts, f):
            raise InvalidInput("projector: expected Pi^2 = Pi")
        traces = [sum((part[i, i] for i in range(self.dim)), fmpq(0)) for part in parts]
        if traces != [self.dimension * slope[i] for i in range(m)]:
            raise InvalidInput(f"projector: expected the trace {self.dimension}")


def dominant(matrix: RationalRows | Sequence[Sequence[NumberLike]]) -> Dominant | NoDominant:
    """The dominant eigenvalue with its projector, or why M has none.

    Raises Undecided where real parts of eigenvalues cannot be compared, Declined for degrees and sizes beyond limits.

    >>> dominant([[1, 1], [1, 0]]).eigenvalue
    1.61803398875...
    >>> dominant([[0, -1], [1, 0]]).kind, dominant([[1, 1], [0, 1]]).kind
    ('complex', 'real-defective')
    """
    rows = tuple(tuple(_rational(x) for x in exact_row(row, f"M[{i}]")) for i, row in enumerate(matrix))
    _verify_work(rows)
    M = flint_matrix(rows)
    pairs = fmpz_poly(M.charpoly().numer()).factor()[1]
    factors = [factor for factor, _ in pairs]
    top = leading_roots(factors)
    if any(not root.is_real for root in top):
        mine = tuple(monic(factors[k]) for k in dict.fromkeys(root.factor for root in top))
        return NoDominant(rows, "complex", mine, None, _as_balls(top), _plain(pairs))
    return _real(rows, M, pairs, top[0])


def _verify_work(rows: RationalRows) -> None:
    """Raises Declined where factors and roots would take longer than a minute."""
    d = len(rows)
    bits = max(max(x.numerator.bit_length(), x.denominator.bit_length()) for row in rows for x in row)
    if d**5 * bits + d**3 * bits**2 > MAX_WORK:
        raise Declined(
            f"the dominant eigenvalue of a {d}-by-{d} matrix with numbers of {bits} bits: expected d^5 b + d^3 b^2 <= "
            f"{MAX_WORK}; round the numbers of V, Q and K, or use fewer dimensions"
        )


def _as_balls(roots: list[Root]) -> tuple[tuple[Ball, Ball], ...]:
    return tuple((Ball(root.ball.real, BITS), Ball(root.ball.imag, BITS)) for root in roots)


def _plain(pairs: list[tuple[fmpz_poly, int]]) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Factors with their multiplicities, as integers."""
    return tuple((tuple(int(c) for c in factor.coeffs()), times) for factor, times in pairs)


def _real(rows: RationalRows, M: fmpq_mat, pairs: list[tuple[fmpz_poly, int]], top: Root) -> Dominant | NoDominant:
    """The answer where the leading root is one real number."""
    factor, multiplicity = pairs[top.factor]
    polynomial = monic(factor)
    f, m = flint_polynomial(polynomial), int(factor.degree())
    if m > MAX_DEGREE:
        raise Declined(f"a dominant eigenvalue of degree {m}: the limit is {MAX_DEGREE}")
    value = evaluated(f, M)
    geometric = (len(rows) - value.rank()) // m
    if geometric < multiplicity:
        u = next(u for u in kernel(value * value) if any(x for x in (value * flint_column(u)).entries()))
        return NoDominant(rows, "real-defective", (polynomial,), geometric, _as_balls([top]), _plain(pairs), u)
    h = fmpq_poly([1])
    for k, (other, times) in enumerate(pairs):
        if k != top.factor:
            h *= fmpq_poly(other) ** times
    factors = tuple(factor for factor, _ in _plain(pairs))
    return Dominant(rows, polynomial, multiplicity, projector_parts(M, f, h), factors)


def eigenvectors(found: Dominant) -> list[RationalRow]:
    """Rational u_1, .., u_k with f(M) u_j = 0 such that all M^i u_j, i < m, are independent.

    The images of u under polynomials of M form a field of degree m over Q times u: two such spaces meet in 0 or agree.
    """
    M, chosen, spanned = flint_matrix(found.matrix), list[RationalRow](), list[list[fmpq]]()
    for u in kernel(evaluated(flint_polynomial(found.polynomial), M)):
        images, v = [], flint_column(u)
        for _ in found.coefficients:
            images.append(v.entries())
            v = M * v
        trial = spanned + images
        if fmpq_mat(trial).rank() == len(trial):
            chosen, spanned = [*chosen, u], trial
    return chosen


def _product(left: list[fmpq_mat], right: list[fmpq_mat], f: fmpq_poly) -> list[fmpq_mat]:
    """The coefficients of (sum_i x^i A_i)(sum_j x^j B_j) modulo f, for matrices A_i and B_j."""
    m = int(f.degree())
    total = [right[0] * 0 for _ in range(2 * m - 1)]
    for i, A in enumerate(left):
        for j, B in enumerate(right):
            total[i + j] = total[i + j] + A * B
    for k in range(2 * m - 2, m - 1, -1):  # x^m = -(c_0 + .. + c_{m-1} x^{m-1})
        for i in range(m):
            total[k - m + i] = total[k - m + i] - total[k] * f[i]
    return total[:m]


def _rational(x: Exact) -> Fraction:
    if isinstance(x, Algebraic):
        raise InvalidInput(f"M: expected rational numbers, got the algebraic number {x}")
    return x
