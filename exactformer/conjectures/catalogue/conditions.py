"""Hypotheses on tokens and A, as exact tests that statements share."""

from __future__ import annotations

from functools import lru_cache

from exactformer.arithmetic.rational import RationalRows
from exactformer.conjectures.arrays import conditions as of_arrays
from exactformer.conjectures.statement import Hypothesis
from exactformer.dynamics.plain_orbit import integer_rows, rational_matrix
from exactformer.geometry.linear_algebra import positive_definite, positive_semidefinite
from exactformer.model.tokens import Tokens


@lru_cache(maxsize=4096)
def definiteness(A: RationalRows) -> int:
    """1 for a positive definite A + A', 0 for a positive semidefinite singular one, -1 otherwise."""
    rows = integer_rows(A)
    part = [[rows[i][j] + rows[j][i] for j in range(len(A))] for i in range(len(A))]
    if positive_definite(part):
        return 1
    return 0 if positive_semidefinite(part) else -1


@lru_cache(maxsize=4096)
def is_symmetric(A: RationalRows) -> bool:
    """A = A'."""
    return all(A[i][j] == A[j][i] for i in range(len(A)) for j in range(i))


@lru_cache(maxsize=4096)
def is_spd(A: RationalRows) -> bool:
    """A = A', positive definite."""
    return is_symmetric(A) and definiteness(A) == 1


def _matrix(tokens: Tokens) -> RationalRows:
    return rational_matrix(tokens.A)


def _rows(tokens: Tokens) -> list[list[int]]:
    rows: list[list[int]] = tokens.state.array.tolist()
    return rows


def are_nonzero(tokens: Tokens) -> bool:
    """No token is the origin."""
    return all(map(any, _rows(tokens)))


def are_distinct(tokens: Tokens) -> bool:
    """No two tokens are equal."""
    return len(set(map(tuple, _rows(tokens)))) == len(tokens)


SPD = Hypothesis(
    "A is symmetric positive definite",
    lambda z: is_spd(_matrix(z)),
    lambda z: of_arrays.symmetric(z) & (of_arrays.signs(z) == 1),
)
NOT_SYMMETRIC = Hypothesis(
    "A is not symmetric", lambda z: not is_symmetric(_matrix(z)), lambda z: ~of_arrays.symmetric(z)
)
SYMMETRIC = Hypothesis("A is symmetric", lambda z: is_symmetric(_matrix(z)), of_arrays.symmetric)
DEFINITE_PART = Hypothesis(
    "A + A' is positive definite", lambda z: definiteness(_matrix(z)) == 1, lambda z: of_arrays.signs(z) == 1
)
INDEFINITE = Hypothesis(
    "A is not positive semidefinite", lambda z: definiteness(_matrix(z)) == -1, lambda z: of_arrays.signs(z) == -1
)
SINGULAR = Hypothesis(
    "A is positive semidefinite and singular",
    lambda z: definiteness(_matrix(z)) == 0,
    lambda z: of_arrays.signs(z) == 0,
)
NONZERO = Hypothesis("tokens are nonzero", are_nonzero, of_arrays.nonzero)
ONE_ZERO = Hypothesis("one token is zero", lambda z: not are_nonzero(z), lambda z: ~of_arrays.nonzero(z))
DISTINCT = Hypothesis("tokens are distinct", are_distinct, of_arrays.without_equal_points)
REPEATED = Hypothesis(
    "tokens are not all distinct", lambda z: not are_distinct(z), lambda z: ~of_arrays.without_equal_points(z)
)
AT_LEAST_ONE = Hypothesis("alpha >= 1", lambda z: z.alpha >= 1, lambda z: z.up >= z.down)

#: the hypotheses of the clustering theorem
CLUSTERING = (SPD, NONZERO, DISTINCT)
