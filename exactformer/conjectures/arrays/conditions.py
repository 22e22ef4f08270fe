"""Hypotheses on tokens and A, as exact tests of many instances at once."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.geometry.linear_algebra import positive_definite, positive_semidefinite
from exactformer.model.token_arrays import TokenArrays

#: the largest entry of A + A' and the largest dimension for which the minors are summed in int64: 6 * (2^20)^3 < 2^63
_LARGEST, _DIMENSION = 2**20, 3


def symmetric(given: TokenArrays) -> Array:
    """A = A'."""
    return np.asarray((given.A.transpose(1, 0, 2) == given.A).all(axis=(0, 1)))


def signs(given: TokenArrays) -> Array:
    """1 for a positive definite A + A', 0 for a positive semidefinite singular one, -1 otherwise."""
    part = given.A + given.A.transpose(1, 0, 2)
    large = np.abs(part).max(axis=(0, 1)) > _LARGEST
    if given.dim > _DIMENSION or large.any():
        return np.array([_sign(part[:, :, k].tolist()) for k in range(len(given))])
    definite = semidefinite = np.ones(len(given), dtype=bool)
    for size in range(1, given.dim + 1):
        for chosen in combinations(range(given.dim), size):
            minor = _determinant(part[np.ix_(chosen, chosen)])
            semidefinite = semidefinite & (minor >= 0)
            if chosen == tuple(range(size)):
                definite = definite & (minor > 0)
    return np.where(definite, 1, np.where(semidefinite, 0, -1))


def _sign(rows: list[list[int]]) -> int:
    if positive_definite(rows):
        return 1
    return 0 if positive_semidefinite(rows) else -1


def _determinant(rows: Array) -> Array:
    """The determinants of small matrices, by the first row."""
    if len(rows) == 1:
        return np.asarray(rows[0, 0])
    others = [[k for k in range(len(rows)) if k != j] for j in range(len(rows))]
    terms = [(-1) ** j * rows[0, j] * _determinant(rows[1:][:, others[j]]) for j in range(len(rows))]
    return np.asarray(sum(terms))


def nonzero(given: TokenArrays) -> Array:
    """No token is the origin."""
    return np.asarray(given.points.any(axis=0).all(axis=0))


def without_equal_points(given: TokenArrays) -> Array:
    """No two tokens are equal."""
    result, points = np.ones(len(given), dtype=bool), given.points
    for j in range(1, given.size):
        result &= ~(points[:, :j] == points[:, j : j + 1]).all(axis=0).any(axis=0)
    return result
