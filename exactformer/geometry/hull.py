"""Convex hulls of finite sets: whether a point is a vertex, and whether it lies in the hull, with a certificate each.

A point p is a *vertex* with respect to a set S if it is a vertex of conv(S + {p}), that is, if p is not a convex
combination of the points of S other than p. Copies of p in S do not count: a duplicated corner of a square is a vertex.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.geometry.alternative import Dependency, alternative
from exactformer.geometry.points import Element, Points, Vector, Weights, exact_arrays, plain, scalars, shared
from exactformer.geometry.separation import (
    CommonPoint,
    Hyperplane,
    offset_between,
    separate,
    verify_combination,
    verify_separation,
)


@dataclass(frozen=True)
class Vertex:
    """<normal, point> > offset > <normal, s> for every s of the set other than the point."""

    point: Vector
    normal: Vector
    offset: Element
    method: str = field(compare=False)

    def __bool__(self) -> bool:
        return True

    def verify(self, points: Points) -> None:
        """Raises InvalidInput unless the hyperplane cuts the point, and nothing else of the set, off."""
        (mine, everyone), denominator = shared([self.point], points, names=("point", "points"))
        verify_separation(self.normal, self.offset * denominator, mine, everyone[_others(mine[0], everyone)])


@dataclass(frozen=True)
class InHull:
    """point = sum_j w_j s_j with positive weights w of sum 1."""

    point: Vector
    weights: Weights
    method: str = field(compare=False)

    def __bool__(self) -> bool:
        return True

    def verify(self, points: Points) -> None:
        """Raises InvalidInput unless the point is the stated convex combination."""
        verify_combination(self.point, self.weights, points)


@dataclass(frozen=True)
class NotInHull:
    """<normal, point> > offset > <normal, s> for every s of the set: the point is outside its hull."""

    point: Vector
    normal: Vector
    offset: Element
    method: str = field(compare=False)

    def __bool__(self) -> bool:
        return False

    def verify(self, points: Points) -> None:
        """Raises InvalidInput unless the hyperplane has the point above and all of the set below."""
        Hyperplane(self.normal, self.offset, self.method).verify([self.point], points)


@dataclass(frozen=True)
class NotVertex:
    """point = sum_j w_j s_j with positive weights w of sum 1 on points other than itself."""

    point: Vector
    weights: Weights
    method: str = field(compare=False)

    def __bool__(self) -> bool:
        return False

    def verify(self, points: Points) -> None:
        """Raises InvalidInput unless the point is the stated convex combination of other points."""
        verify_combination(self.point, self.weights, points)
        (mine, everyone), _ = shared([self.point], points, names=("point", "points"))
        others = set(_others(mine[0], everyone))
        if any(j not in others for j, _ in self.weights):
            raise InvalidInput("not a vertex: expected weights on points other than the point itself")


def _others(p: Array, points: Array) -> list[int]:
    """The indices of the points that differ from p."""
    return [j for j, s in enumerate(points) if any(x != y for x, y in zip(s, p, strict=True))]


@exact_arrays
def vertex(p: Sequence[Element], points: Points, hints: Iterable[Sequence[Element]] = ()) -> Vertex | NotVertex:
    """A hyperplane that cuts only p off conv(S + {p}), or p as a convex combination of the other points of S.

    `hints` are normals worth trying first, such as A p for a leader p.

    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> vertex([1, 1], square)
    Vertex(point=(Fraction(1, 1), Fraction(1, 1)), normal=(1, 1), offset=Fraction(1, 1), method='free')
    >>> vertex([1, 0], square).weights
    ((0, Fraction(1, 2)), (1, Fraction(1, 2)))
    """
    (mine, everyone), denominator = shared([p], points, names=("point", "points"))
    return _vertex(mine, everyone, denominator, _others(mine[0], everyone), [tuple(mine[0]), *hints])


def _vertex(
    p: Array, everyone: Array, denominator: int, others: Sequence[int], hints: Iterable[Sequence[Element]]
) -> Vertex | NotVertex:
    """The answer for p, decided among the points `others`, whose hull with p is that of everyone."""
    point = scalars(p[0], denominator)
    if not others:
        normal: Vector = (1,) + (0,) * (len(point) - 1)
        return Vertex(point, normal, offset_between(normal, p, everyone[:0], denominator), "alone")
    answer = alternative(p - everyone[others], hints)
    if isinstance(answer, Dependency):
        return NotVertex(point, tuple((others[j], w) for j, w in answer.weights), answer.method)
    below = everyone[_others(p[0], everyone)]
    return Vertex(point, answer.v, offset_between(answer.v, p, below, denominator), answer.method)


def in_hull(p: Sequence[Element], points: Points) -> InHull | NotInHull:
    """p as a convex combination of the points, or (false) a hyperplane with p strictly above and all points below.

    >>> in_hull([0], [[-1], [2]]).weights
    ((0, Fraction(2, 3)), (1, Fraction(1, 3)))
    >>> in_hull([3], [[-1], [2]])
    NotInHull(point=(Fraction(3, 1),), normal=(1,), offset=Fraction(5, 2), method='free')
    """
    answer = separate([p], points)
    if isinstance(answer, CommonPoint):
        return InHull(answer.point, answer.right, answer.method)
    return NotInHull(tuple(map(plain, p)), answer.normal, answer.offset, answer.method)


@dataclass(frozen=True)
class Vertices:
    """One answer per point of a set; `indices` are the first occurrences of the vertices of its hull."""

    indices: tuple[int, ...]
    answers: tuple[Vertex | NotVertex, ...]

    def verify(self, points: Points) -> None:
        """Raises InvalidInput unless every answer holds, there is one per point, and the indices say the same."""
        (everyone,), denominator = shared(points)
        rows = [scalars(row, denominator) for row in everyone]
        if tuple(answer.point for answer in self.answers) != tuple(rows):
            raise InvalidInput(f"vertices: expected one answer for each of the {len(rows)} points, in their order")
        for answer in self.answers:
            answer.verify(points)
        if self.indices != _first_vertices(self.answers):
            raise InvalidInput(f"vertices: expected the indices {_first_vertices(self.answers)}, got {self.indices}")


def _first_vertices(answers: Iterable[Vertex | NotVertex]) -> tuple[int, ...]:
    first: dict[Vector, int] = {}
    for i, answer in enumerate(answers):
        if answer:
            first.setdefault(answer.point, i)
    return tuple(first.values())


@exact_arrays
def vertices(points: Points) -> Vertices:
    """The vertices of conv S, each cut off by a hyperplane, and every other point as a convex combination.

    >>> vertices([[0, 0], [2, 0], [1, 0], [0, 2], [0, 0]]).indices
    (0, 1, 3)
    """
    (everyone,), denominator = shared(points)
    known: dict[Vector, Vertex | NotVertex] = {}
    answers: list[Vertex | NotVertex] = []
    # a point found not to be a vertex is not needed to span the hull: later questions leave it out
    candidates = list(range(len(everyone)))
    for p in everyone:
        point = scalars(p, denominator)
        if point not in known:
            others = [candidates[k] for k in _others(p, everyone[candidates])]
            known[point] = _vertex(p.reshape(1, -1), everyone, denominator, others, ())
            if not known[point]:
                candidates = others
        answers.append(known[point])
    return Vertices(_first_vertices(answers), tuple(answers))
