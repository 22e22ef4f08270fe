"""Rational matrices and polynomials in the forms that FLINT computes with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, arb_mat, fmpq_mat, fmpq_poly, fmpz_poly

from exactformer.arithmetic.interval import fraction, rational
from exactformer.arithmetic.rational import RationalRow, RationalRows, identity
from exactformer.geometry.linear_algebra import null_space


def evaluated(p: fmpq_poly, M: fmpq_mat) -> fmpq_mat:
    """p(M)."""
    one = flint_matrix(identity(M.nrows()))
    value = one * 0
    for c in reversed(p.coeffs()):
        value = value * M + one * c
    return value


def flint_matrix(rows: Sequence[Sequence[Fraction]]) -> fmpq_mat:
    """The same matrix, in the form FLINT computes with."""
    return fmpq_mat(len(rows), len(rows[0]), [rational(x) for row in rows for x in row])


def ball_matrix(rows: Sequence[Sequence[Fraction]]) -> arb_mat:
    """The matrix in balls of the precision of the moment."""
    return arb_mat([[arb(rational(x)) for x in row] for row in rows])


def kernel(M: fmpq_mat) -> list[RationalRow]:
    """A basis of the kernel, the last number of each vector that is not 0 being 1."""
    basis = null_space([[fraction(x) for x in row] for row in M.tolist()])
    return [tuple(Fraction(x, next(filter(None, reversed(v)))) for x in v) for v in basis]


def flint_column(v: RationalRow) -> fmpq_mat:
    """The vector as a matrix of one column."""
    return fmpq_mat(len(v), 1, [rational(x) for x in v])


def monic(factor: fmpz_poly) -> RationalRow:
    """The coefficients c_0, .., c_m = 1 of the monic multiple."""
    last = int(factor[factor.degree()])
    return tuple(Fraction(int(c), last) for c in factor.coeffs())


def flint_polynomial(coefficients: RationalRow) -> fmpq_poly:
    """c_0 + .. + c_m x^m."""
    return fmpq_poly([rational(c) for c in coefficients])


def primitive_polynomial(coefficients: RationalRow) -> fmpz_poly:
    """The primitive integer multiple of a polynomial, its leading coefficient positive."""
    return fmpz_poly(flint_polynomial(coefficients).numer())


def projector_parts(M: fmpq_mat, f: fmpq_poly, h: fmpq_poly) -> tuple[RationalRows, ...]:
    """N_0, .., N_{m-1} of f'(lambda) Pi = sum_i lambda^i N_i for chi = f^k h, by the formula of spectrum.py."""
    _, _, t = f.xgcd(h)  # 1 = s f + t h, so that t h is 1 modulo f and 0 modulo h
    onto = evaluated(t * h, M)
    quotients = [onto]  # of f/(x - lambda) = sum_i lambda^i q_i(x), times the projector onto ker f(M); the last first
    for i in range(int(f.degree()) - 1, 0, -1):
        quotients.append(M * quotients[-1] + onto * f[i])
    return tuple(tuple(tuple(fraction(x) for x in row) for row in part.tolist()) for part in reversed(quotients))
