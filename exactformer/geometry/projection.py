"""Projections onto hulls and faces in the norm of A, each with the weights that prove it.

x = sum_j w_j p_j (w >= 0, sum 1) is the point of conv(p_1..p_n) nearest to q in the norm of A exactly when
<A (x - q), p_j - x> >= 0 for all j; for q = 0 that reads <A x, p_j> >= |x|_A^2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.geometry.active_set import nearest_point, smallest, violated
from exactformer.geometry.alternative import Dependency, alternative
from exactformer.geometry.linear_algebra import positive_definite
from exactformer.geometry.points import (
    Element,
    Points,
    Vector,
    Weights,
    combine,
    exact_arrays,
    quotient,
    scalars,
    shared,
)
from exactformer.geometry.propose import Floats, propose_nearest
from exactformer.geometry.separation import verify_combination

#: from this dimension on a proposal costs less than the steps of the exact method it saves (benchmarks/geometry.py)
PROPOSE_FROM = 20


@dataclass(frozen=True)
class Projection:
    """The point of conv{p_j : j in onto} nearest to `origin` in the norm of A, and weights that combine to it."""

    point: Vector
    weights: Weights
    origin: Vector
    onto: tuple[int, ...]
    method: str = field(compare=False)

    @exact_arrays
    def verify(self, points: Points, A: Points | None = None) -> None:
        """Raises InvalidInput unless the weights combine to the point and no p_j is nearer in its direction."""
        verify_combination(self.point, self.weights, points)
        if not {j for j, _ in self.weights} <= set(self.onto):
            raise InvalidInput(f"projection: expected weights on the points {self.onto} only, got {self.weights}")
        (mine, everyone), _ = shared([self.origin, self.point], points, names=("projection", "points"))
        towards = _matrix(A, everyone.shape[1]) @ (mine[1] - mine[0])
        level = mine[1] @ towards
        for j in self.onto:
            if everyone[j] @ towards < level:
                raise InvalidInput(f"projection: expected <A (x - q), p - x> >= 0, got a negative value at point {j}")


def _matrix(A: Points | None, dim: int) -> Array:
    """A times its denominator; the identity if A is None."""
    if A is None:
        return np.eye(dim, dtype=int).astype(object)
    (numerators,), _ = shared(A, names=("A",))
    if numerators.shape != (dim, dim):
        raise InvalidInput(f"A: expected a {dim}-by-{dim} matrix, one row per coordinate, got shape {numerators.shape}")
    return numerators


@exact_arrays
def project(
    points: Points,
    A: Points | None = None,
    *,
    origin: Sequence[Element] | None = None,
    onto: Sequence[int] | None = None,
) -> Projection:
    """The point of conv(points), or of the hull of the points `onto`, nearest to the origin in the norm of A.

    `origin` is any point (0 if None) and A symmetric positive definite (the identity if None).

    >>> project([[1, 2], [2, -1], [9, 9]]).point
    (Fraction(3, 2), Fraction(1, 2))
    >>> project([[1, 2], [2, -1]], [[1, 0], [0, 100]]).weights
    ((0, Fraction(302, 901)), (1, Fraction(599, 901)))
    """
    rows, q, chosen, denominator = _located(points, origin, onto)
    form = _positive_definite_matrix(A, rows.shape[1])
    weights, method = _nearest(rows[list(chosen)] - q, form)
    placed = tuple((chosen[j], w) for j, w in weights)
    return Projection(combine(placed, rows, denominator), placed, scalars(q, denominator), chosen, method)


def _located(
    points: Points, origin: Sequence[Element] | None, onto: Sequence[int] | None
) -> tuple[Array, Array, tuple[int, ...], int]:
    """(points, origin, chosen indices, denominator), the first two as numerators over the last."""
    (rows,), _ = shared(points)
    target = (0,) * rows.shape[1] if origin is None else tuple(origin)
    (rows, q), denominator = shared(points, [target], names=("points", "origin"))
    chosen = tuple(range(len(rows))) if onto is None else tuple(onto)
    if not chosen or any(not 0 <= j < len(rows) for j in chosen):
        raise InvalidInput(f"onto: expected at least one index below {len(rows)}, got {list(chosen)}")
    return rows, q[0], chosen, denominator


def _positive_definite_matrix(A: Points | None, dim: int) -> Array:
    form = _matrix(A, dim)
    answer = positive_definite(A) if A is not None else True
    if not answer:
        raise InvalidInput(f"A: expected a symmetric positive definite matrix for a projection; {answer}")
    return form


def _nearest(points: Array, A: Array) -> tuple[Weights, str]:
    """Weights of the nearest point: a single point if one will do, else a proposed support made exact."""
    images = points @ A
    best = smallest(points, images)
    if violated(points, images, [best], [Fraction(1)]) is None:
        return ((best, Fraction(1)),), "free"
    floats = _approx_coordinates(points, A) if points.shape[1] >= PROPOSE_FROM else None
    proposed = None if floats is None else propose_nearest(floats)
    if floats is None or proposed is None:
        return nearest_point(points, A, [best]), "active set"
    if np.abs(proposed @ floats).max() < 1e-6 * np.abs(floats).max():
        # the origin seems to lie in the hull, where an interior solver names no support but a linear program does
        inside = alternative(points)
        if isinstance(inside, Dependency):
            return inside.weights, inside.method
    support = [int(j) for j in np.argsort(-proposed) if proposed[j] > 1e-6 * proposed.max()]
    return nearest_point(points, A, support), "proposal"


def _approx_coordinates(points: Array, A: Array) -> Floats | None:
    """Coordinates in which the norm of A is Euclidean, in floats; None where floats cannot hold them."""
    try:
        return np.asarray(_approx_scaled(points) @ np.linalg.cholesky(_approx_scaled(A)))
    except (np.linalg.LinAlgError, OverflowError):
        return None


def _approx_scaled(X: Array) -> Floats:
    """X over its largest entry, in floats."""
    size = max(abs(x) for x in X.flat) or 1
    # the quotient of two ints is correctly rounded however long they are, and that of algebraic numbers is exact
    plain_floats = type(size) is not int and 0 < float(size) < math.inf
    entries = [float(x) / float(size) if plain_floats else float(x / size) for x in X.flat]
    return np.array(entries, dtype=float).reshape(X.shape)


@dataclass(frozen=True)
class Face:
    """The face of conv(points) exposed by a normal: <normal, p_j> = offset on it, and less elsewhere."""

    normal: Vector
    offset: Element
    indices: tuple[int, ...]

    @exact_arrays
    def verify(self, points: Points) -> None:
        """Raises InvalidInput unless exactly the stated points reach the offset and none exceeds it."""
        if exposed_face(points, self.normal) != self:
            raise InvalidInput(f"face: expected exactly the points {self.indices} at the largest value {self.offset}")


@exact_arrays
def exposed_face(points: Points, normal: Sequence[Element]) -> Face:
    """The face {j : <normal, p_j> maximal} of conv(points).

    >>> exposed_face([[1, 1], [1, -1], [0, 0]], [1, 0]).indices
    (0, 1)
    """
    (rows, direction), denominator = shared(points, [tuple(normal)], names=("points", "normal"))
    values = rows @ direction[0]
    largest = max(values)
    indices = tuple(j for j, value in enumerate(values) if value == largest)
    return Face(tuple(normal), quotient(largest, denominator**2), indices)
