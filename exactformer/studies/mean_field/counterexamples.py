"""What happens to the limit without one of its hypotheses: judged exactly on an instance, with a witness.

Statements about solutions at zero temperature are decided by the spectrum of M = V B'; those at every temperature by
invariant cones and by symmetry; those about laws with a density by a lower bound of the mass that is late.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product as choices

import numpy as np
from flint import fmpq_poly

from exactformer.arithmetic.ball import dyadic
from exactformer.arithmetic.interval import exp_minus, fraction, rational
from exactformer.arithmetic.rational import RationalRow, RationalRows, simplest_between
from exactformer.conjectures.verdict import StatementVerdict, fails, holds, undecided
from exactformer.errors import Undecided
from exactformer.geometry.alternative import PositiveDirection, alternative
from exactformer.geometry.linear_algebra import pivot_columns
from exactformer.geometry.points import dot, primitive
from exactformer.instances.mean_field import MeanField
from exactformer.studies.mean_field.flint_forms import ball_matrix, flint_matrix
from exactformer.studies.mean_field.lyapunov import Below, eigenvalues_below
from exactformer.studies.mean_field.no_dominant import NoDominant, leading_space
from exactformer.studies.mean_field.spectrum import Dominant, dominant
from exactformer.studies.mean_field.system import matrix_product, transpose

#: less than 2 - sqrt 2, the squared distance of an angle of 45 degrees, and less than that times 2/pi
LATE, LATE_UNIFORM = Fraction(29, 50), Fraction(37, 100)
#: bits of e^-x in a comparison, and of vectors that are proposed
BITS = 512
#: factors 1 + x that are tried to show a polynomial positive
MOST_FACTORS = 200


@lru_cache(maxsize=4096)
def spectrum(instance: MeanField) -> Dominant | NoDominant:
    """The dominant eigenvalue of M = V B'."""
    return dominant(value_matrix(instance))


def value_matrix(instance: MeanField) -> RationalRows:
    """M = V B'."""
    return matrix_product(instance.V, transpose(instance.B))


# the spectrum -------------------------------------------------------------------------------------------------
def converges(instance: MeanField) -> StatementVerdict:
    """Almost every solution at zero temperature converges: fails if one complex pair leads.

    M turns the plane of the pair for ever, and every solution with a part in that plane comes to turn like it. The
    plane is rational, M^2 p = t M p - n p with t^2 < 4n, or it is told by its enclosures.
    """
    found = spectrum(instance)
    if isinstance(found, Dominant) or found.kind == "real-defective":
        return holds(0.5 if isinstance(found, NoDominant) else 0.1)
    if not found.is_simple_pair:
        return undecided("the leading eigenvalues are not one simple pair", 0.9)
    if len(found.polynomials[0]) != 3:
        real, turn = (abs(float(x)) if k else float(x) for k, x in enumerate(found.roots[0]))
        return fails(approx_real=real, approx_imaginary=turn)
    n, t = found.polynomials[0][0], -found.polynomials[0][1]
    vector = next(v for v in transpose(leading_space(found)) if any(v))
    return fails(vector=_simple(vector), trace=t, determinant=n)


@dataclass(frozen=True)
class LeadingPair:
    """All but 2 eigenvalues lie below a bound a, the form is > 0 `above`, and (1 + x)^N f(a + s x) > 0, f(M) = 0."""

    below: Below
    above: RationalRow
    polynomial: RationalRow
    scale: Fraction
    exponent: int


def leading_pair(found: NoDominant) -> LeadingPair:
    """The proof that one pair of eigenvalues leads that is not real, for any degree.

    The bound is so near to the real part of the pair that its angle to the right is at least 60 degrees, which keeps
    the exponent N small (Poincare, Polya); all other factors of f(a + s x) have positive coefficients as they are.
    """
    low, high = found.gap_ends()
    turn = abs(Fraction(float(found.roots[0][1])))
    depth = min((high - low) / 2, turn / 2)
    bound = simplest_between(high - depth, high - depth / 2)
    below = eigenvalues_below(found.matrix, found.pair_balls, 2, bound)
    rows = [[x.mid() for x in row] for row in found.pair_balls(BITS).tolist()]
    columns = [tuple(Fraction(round(dyadic(x) * 2**20)) for x in column) for column in zip(*rows, strict=True)]
    above = max(columns, key=lambda v: dot(v, [dot(row, v) for row in below.form]) / (dot(v, v) or 1))
    chi = flint_matrix(found.matrix).charpoly()
    scale = simplest_between(turn * Fraction(9, 10), turn * Fraction(11, 10))
    return LeadingPair(
        below, _simple(above), tuple(fraction(c) for c in chi.coeffs()), scale, _exponent(chi, bound, scale)
    )


def _exponent(f: fmpq_poly, bound: Fraction, scale: Fraction) -> int:
    """The least N such that (1 + x)^N f(bound + scale x) has positive coefficients."""
    p = f(fmpq_poly([rational(bound), rational(scale)]))
    for n in range(MOST_FACTORS):
        if all(c > 0 for c in p.coeffs()):
            return n
        p *= fmpq_poly([1, 1])
    raise Undecided(f"{MOST_FACTORS} factors 1 + x do not show that no real eigenvalue leads")


def converges_exponentially(instance: MeanField) -> StatementVerdict:
    """Almost every solution at zero temperature that converges does so exponentially fast: fails for a Jordan block.

    With N = M - lambda, N^2 p = 0 and N p != 0, e^(sM) p = e^(lambda s)(p + s N p): its direction tends to that of N p
    like 1/s, and s grows at most like t.
    """
    found = spectrum(instance)
    if isinstance(found, Dominant) or found.kind == "complex":
        return holds(0.5 if isinstance(found, NoDominant) else 0.1)
    if len(found.polynomials[0]) != 2 or found.vector is None:
        return undecided("the defective eigenvalue is irrational", 0.9)
    return fails(vector=_simple(found.vector), eigenvalue=-found.polynomials[0][0])


def rest_below(instance: MeanField) -> Below | None:
    """The proof that all eigenvalues but the leading ones have smaller real parts; None where there are no others."""
    found = spectrum(instance)
    if isinstance(found, Dominant):
        raise Undecided("expected leading eigenvalues that are complex or defective")
    count = found.multiplicity * (len(found.polynomials[0]) - 1)
    if count == instance.dim:
        return None
    low, high = found.gap_ends()
    onto = leading_space(found)
    return eigenvalues_below(found.matrix, lambda bits: ball_matrix(onto), count, simplest_between(low, high))


def independent_columns(rows: RationalRows) -> list[RationalRow]:
    """Columns of a matrix that span its image, as vectors of small integers."""
    columns = transpose(rows)
    return [_simple(columns[j]) for j in pivot_columns(rows)]


# mass on the kernel -------------------------------------------------------------------------------------------
def all_tend_to_limit_space(instance: MeanField) -> StatementVerdict:
    """Every token tends to E at zero temperature: fails for a token in ker Pi, which is invariant and meets E in 0."""
    found = _dominant(instance)
    for i, token in enumerate(instance.tokens):
        if all(dot(row, token) == 0 for part in found.coefficients for row in part):
            return fails(token=i)
    return holds(0.5)


def _dominant(instance: MeanField) -> Dominant:
    found = spectrum(instance)
    if isinstance(found, NoDominant):
        raise Undecided("expected a real semisimple dominant eigenvalue")
    return found


# cones --------------------------------------------------------------------------------------------------------
def reaches_the_limit(instance: MeanField) -> StatementVerdict:
    """For large beta the tokens come as near to S(E) as one likes: fails if a cone keeps them away at every beta.

    If V = v I with v > 0, every half-space <h, x> >= 0 that contains all tokens is invariant, since m_beta(x) is a
    convex combination of tokens. If two such half-spaces exclude e and -e, E spanned by e, no token comes near them.
    """
    found = _dominant(instance)
    e = _limit_direction(found)
    normals = [_excluding(instance.tokens, point) for point in (e, tuple(-x for x in e))]
    if any(h is None for h in normals):
        return undecided("a point of S(E) lies in the closed cone of the tokens: cones do not decide", 0.3)
    return fails(direction=e, excludes=normals[0], excludes_opposite=normals[1])


def _limit_direction(found: Dominant) -> RationalRow:
    """A rational e that spans E."""
    return _simple(next(v for v in transpose(found.coefficients[0]) if any(v)))


def _excluding(tokens: RationalRows, e: RationalRow) -> RationalRow | None:
    """h with <h, y> > 0 for all tokens and <h, e> < 0."""
    rows = np.array([primitive(row) for row in (*tokens, [-x for x in e])], dtype=object)
    found = alternative(rows)
    return tuple(map(Fraction, found.v)) if isinstance(found, PositiveDirection) else None


# symmetry -----------------------------------------------------------------------------------------------------
@lru_cache(maxsize=4096)
def values_spectrum(instance: MeanField) -> Dominant | NoDominant:
    """The dominant eigenvalue of V."""
    return dominant(instance.V)


def ends_at_the_values(instance: MeanField) -> StatementVerdict:
    """At every beta all tokens come near the dominant eigenspace of V in the end: fails for symmetric tokens.

    If an orthogonal R commutes with V and B and permutes the tokens, it does so at all times, and a token with R x = x
    keeps that for ever. If R = -1 on the dominant eigenspace of V, such a token stays orthogonal to it.
    """
    found = values_spectrum(instance)
    if isinstance(found, NoDominant):
        raise Undecided("expected V with a real semisimple dominant eigenvalue")
    for R in _reflections(instance.dim):
        fixed = _symmetric(instance, R)
        turned = all(R[i] == -1 or not any(part[i]) for part in found.coefficients for i in range(instance.dim))
        if turned and fixed is not None:
            return fails(reflection=[Fraction(r) for r in R], token=fixed)
    return holds(0.5 if any(_symmetric(instance, R) is not None for R in _reflections(instance.dim)) else 0.1)


def _reflections(dim: int) -> Iterator[tuple[int, ...]]:
    """The diagonals of all matrices diag(+-1, .., +-1) but +-I."""
    return (signs for signs in choices((1, -1), repeat=dim) if len(set(signs)) == 2)


def _symmetric(instance: MeanField, R: tuple[int, ...]) -> int | None:
    """A token with R x = x, if R commutes with V and B and permutes the tokens."""
    for rows in (instance.V, instance.B):
        if any(x and R[i] != R[j] for i, row in enumerate(rows) for j, x in enumerate(row)):
            return None
    images = [tuple(r * x for r, x in zip(R, token, strict=True)) for token in instance.tokens]
    if sorted(images) != sorted(instance.tokens):
        return None
    return next((i for i, image in enumerate(images) if image == instance.tokens[i]), None)


# laws with a density ------------------------------------------------------------------------------------------
def gap_is_the_rate(instance: MeanField) -> StatementVerdict:
    """W_2 <= C e^(-gs) for the uniform law on the circle, g the gap of V, B = I: fails once a = e^(-gs) is small.

    Points with tan(angle to ker Pi) <= a are less than 45 degrees away from ker Pi at time s: they have the mass
    (2/pi) atan a >= (2/pi)(a - a^3/3), and each is at a squared distance of at least 2 - sqrt 2 from S(E).
    """
    C = instance.constant or Fraction(1)
    a = min(Fraction(1, 2), simplest_between(0, LATE_UNIFORM * Fraction(3, 4) / (C * C)))
    return fails(decay=a) if LATE_UNIFORM * (1 - a * a / 3) > C * C * a else holds()


def exponential_near_the_kernel(instance: MeanField) -> StatementVerdict:
    """W_2 <= C e^(-cs) for the law with mass 1/(1 + log(1/r)) at tan(angle to ker Pi) <= r <= 1: fails at late times.

    The mass 1/(1 + gs) is still less than 45 degrees away from ker Pi at time s, g the gap of V, B = I.
    """
    C, c = instance.constant or Fraction(1), instance.rate or Fraction(1)
    gap = gap_above(instance.V)
    for power in range(-8, 200):
        s = Fraction(2) ** power
        if C * C * (1 + gap * s) * fraction(exp_minus(rational(2 * c * s), BITS)[1]) < LATE:
            return fails(time=s, gap=gap)
    return undecided("no power of two up to 2^200 is late enough")


def gap_above(V: RationalRows) -> Fraction:
    """A rational >= the difference of the eigenvalues of a symmetric 2-by-2 matrix.

    >>> gap_above(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1, 2))))
    Fraction(1, 2)
    """
    square = (V[0][0] - V[1][1]) ** 2 + 4 * V[0][1] ** 2
    guess = Fraction(float(square) ** 0.5).limit_denominator(1000)
    while guess * guess < square or not guess:
        guess += Fraction(1, 1000)
    return guess


def _simple(v: RationalRow) -> RationalRow:
    return tuple(map(Fraction, primitive(v)))
