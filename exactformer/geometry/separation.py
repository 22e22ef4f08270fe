"""Strict separation of two finite sets: a hyperplane between their hulls, or a point in both with its weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.geometry.alternative import Dependency, alternative
from exactformer.geometry.points import (
    Element,
    Points,
    Vector,
    Weights,
    column,
    combine,
    exact_arrays,
    primitive,
    quotient,
    scalars,
    shared,
)
from exactformer.geometry.simplest import simplest_offset


@dataclass(frozen=True)
class Hyperplane:
    """<normal, p> > offset > <normal, s> for every p on the left and s on the right."""

    normal: Vector
    offset: Element
    method: str = field(compare=False)

    def __bool__(self) -> bool:
        return True

    def verify(self, left: Points, right: Points) -> None:
        """Raises InvalidInput unless the hyperplane separates the two sets strictly."""
        (above, below), denominator = shared(left, right, names=("left", "right"))
        verify_separation(self.normal, self.offset * denominator, above, below)


@exact_arrays
def verify_separation(normal: Vector, level: Element, above: Array, below: Array) -> None:
    """Raises InvalidInput unless <normal, p> > level > <normal, s> for all rows p above and s below."""
    if len(normal) != above.shape[1]:
        raise InvalidInput(f"hyperplane: expected a normal of dimension {above.shape[1]}, got {len(normal)}")
    for i, value in enumerate(above @ column(normal)):
        if not value > level:
            raise InvalidInput(f"hyperplane: expected point {i} strictly above, got it on or below")
    for i, value in enumerate(below @ column(normal)):
        if not value < level:
            raise InvalidInput(f"hyperplane: expected point {i} strictly below, got it on or above")


@dataclass(frozen=True)
class CommonPoint:
    """point = sum_i u_i p_i = sum_j w_j s_j, with positive weights u, w of sum 1 each: the hulls meet."""

    point: Vector
    left: Weights
    right: Weights
    method: str = field(compare=False)

    def __bool__(self) -> bool:
        return False

    def verify(self, left: Points, right: Points) -> None:
        """Raises InvalidInput unless the point is the stated convex combination of either set."""
        verify_combination(self.point, self.left, left, "left")
        verify_combination(self.point, self.right, right, "right")


@exact_arrays
def verify_combination(point: Vector, weights: Weights, points: Points, name: str = "points") -> None:
    """Raises InvalidInput unless the weights are positive, of sum 1, on distinct points, and combine to the point."""
    (numerators,), denominator = shared(points, names=(name,))
    indices = [j for j, _ in weights]
    if len(set(indices)) != len(indices) or any(not 0 <= j < len(numerators) for j in indices):
        raise InvalidInput(f"weights of {name}: expected distinct indices below {len(numerators)}, got {indices}")
    total = sum((w for _, w in weights), start=Fraction(0))
    if total != 1 or any(w <= 0 for _, w in weights):
        raise InvalidInput(f"weights of {name}: expected positive weights of sum 1, got the sum {total}")
    got = combine(weights, numerators, denominator)
    if len(got) != len(point) or any(x != y for x, y in zip(got, point, strict=True)):
        raise InvalidInput(f"weights of {name}: expected the combination {point}, got {got}")


@exact_arrays
def separate(left: Points, right: Points, hints: Iterable[Sequence[Element]] = ()) -> Hyperplane | CommonPoint:
    """A hyperplane strictly between conv(left) and conv(right), or a point of both: exactly one exists.

    The normal is a short primitive integer vector, and the offset the simplest rational it allows.
    `hints` are normals worth trying first. A point set may have any number of equal points.

    >>> separate([[2, 0]], [[0, 0], [1, 1], [1, -1]])
    Hyperplane(normal=(1, 0), offset=Fraction(3, 2), method='free')
    >>> separate([[0, 0], [2, 2]], [[0, 2], [2, 0]]).point
    (Fraction(1, 1), Fraction(1, 1))
    """
    (above, below), denominator = shared(left, right, names=("left", "right"))
    if len(above) == 1:
        answer = alternative(above - below, hints)
        if isinstance(answer, Dependency):
            return CommonPoint(scalars(above[0], denominator), ((0, Fraction(1)),), answer.weights, answer.method)
        return Hyperplane(answer.v, offset_between(answer.v, above, below, denominator), answer.method)
    return _separate_sets(above, below, denominator, hints)


def _separate_sets(
    above: Array, below: Array, denominator: int, hints: Iterable[Sequence[Element]]
) -> Hyperplane | CommonPoint:
    """Gordan's alternative for the rows (p, -1) and (-s, 1), whose positive directions are (normal, offset)."""
    origin = above[0]
    # a common translation and a last column as large as the others keep the float proposal well scaled
    size = max((abs(x) for group in (above, below) for x in (group - origin).flat), default=1) or 1
    rows = np.vstack([_extended(above - origin, -size), _extended(origin - below, size)])
    answer = alternative(rows, [_midway(column(hint), above - origin, below - origin, size) for hint in hints])
    if isinstance(answer, Dependency):
        n = len(above)
        mine = _unit_sum([(j, w) for j, w in answer.weights if j < n])
        theirs = _unit_sum([(j - n, w) for j, w in answer.weights if j >= n])
        return CommonPoint(combine(mine, above, denominator), mine, theirs, answer.method)
    normal = primitive(answer.v[:-1])
    return Hyperplane(normal, offset_between(normal, above, below, denominator), answer.method)


def _midway(normal: Array, above: Array, below: Array, size: Element) -> tuple[Element, ...]:
    """The hyperplane of a normal in the middle between the nearest points of both sets, as (normal, offset)."""
    return (*(2 * size * normal), min(above @ normal) + max(below @ normal))


def _extended(points: Array, last: Element) -> Array:
    return np.hstack([points, column([last] * len(points)).reshape(-1, 1)])


def _unit_sum(pairs: list[tuple[int, Element]]) -> Weights:
    total = sum((w for _, w in pairs), start=Fraction(0))
    return tuple((j, quotient(w, total)) for j, w in pairs)


def offset_between(normal: Vector, above: Array, below: Array, denominator: int) -> Element:
    """The simplest number strictly between <normal, s> for all s below and <normal, p> for all p above."""
    high = min(above @ column(normal))
    low = max(below @ column(normal)) if len(below) else None
    return simplest_offset(None if low is None else quotient(low, denominator), quotient(high, denominator))
