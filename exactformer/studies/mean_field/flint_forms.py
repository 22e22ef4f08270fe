"""Rational matrices and polynomials in the forms that FLINT computes with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq_mat, fmpq_poly, fmpz_poly

from exactformer.arithmetic.interval import fraction, rational
from exactformer.arithmetic.rational import RationalRow


def evaluated(p: fmpq_poly, M: fmpq_mat) -> fmpq_mat:
    """p(M)."""
    n = M.nrows()
    one = fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    value = one * 0
    for c in reversed(p.coeffs()):
        value = value * M + one * c
    return value


def flint_matrix(rows: Sequence[Sequence[Fraction]]) -> fmpq_mat:
    """The same matrix, in the form FLINT computes with."""
    return fmpq_mat(len(rows), len(rows[0]), [rational(x) for row in rows for x in row])


def kernel(M: fmpq_mat) -> list[RationalRow]:
    """A basis of the kernel of a square matrix."""
    reduced, rank = M.rref()
    n = M.nrows()
    pivots = [next(j for j in range(n) if reduced[i, j] != 0) for i in range(rank)]
    basis = []
    for free in (j for j in range(n) if j not in pivots):
        v = [Fraction(int(j == free)) for j in range(n)]
        for i, j in enumerate(pivots):
            v[j] = -fraction(reduced[i, free])
        basis.append(tuple(v))
    return basis


def column(v: RationalRow) -> fmpq_mat:
    """The vector as a matrix of one column."""
    return fmpq_mat(len(v), 1, [rational(x) for x in v])


def monic(factor: fmpz_poly) -> RationalRow:
    """The coefficients c_0, .., c_m = 1 of the monic multiple."""
    last = int(factor[factor.degree()])
    return tuple(Fraction(int(c), last) for c in factor.coeffs())


def flint_polynomial(coefficients: RationalRow) -> fmpq_poly:
    """c_0 + .. + c_m x^m."""
    return fmpq_poly([rational(c) for c in coefficients])


def primitive(coefficients: RationalRow) -> fmpz_poly:
    """The primitive integer multiple of a polynomial, its leading coefficient positive."""
    return fmpz_poly(flint_polynomial(coefficients).numer())
