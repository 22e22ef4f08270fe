"""The clustering theorem on an instance: the polytope K of the leaders, and the place of every limit on it.

Certificates are free. A leader l is a vertex, strictly exposed by A l. A limit c that is no vertex is the projection
of the origin, in the norm of A, onto the face that A c exposes, with the shares of the leaders as weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from exactformer.arithmetic.power_sum import Point
from exactformer.arithmetic.short_text import short_repr
from exactformer.geometry.linear_algebra import rank
from exactformer.geometry.points import dot
from exactformer.model.matrix import Row

VERTEX, PROJECTION, NEITHER = "vertex", "projection", "neither"


@short_repr
@dataclass(frozen=True)
class Place:
    """The limit c of a position on K: `normal` = A c exposes `face`, and c is the combination `weights` of vertices."""

    kind: str
    point: Point
    normal: Point
    face: tuple[int, ...]
    weights: tuple[tuple[int, Fraction], ...]


@short_repr
@dataclass(frozen=True)
class Clause:
    """A part of the theorem, whether it holds on the instance, and the positions that show it does not."""

    text: str
    holds: bool
    witness: tuple[int, ...] = ()


@short_repr
@dataclass(frozen=True)
class Polytope:
    """K = the hull of the leading positions; `vertices` maps each of them to its point, `places` has all positions."""

    A: tuple[Row, ...]
    vertices: Mapping[int, Point]
    places: Sequence[Place]

    @cached_property
    def theorem(self) -> tuple[Clause, ...]:
        """The four statements of the clustering theorem, each verified exactly on the instance.

        >>> K = polytope(((1, 0), (0, 1)), {0: (1, 0), 1: (0, 1)}, [(1, 0), (0, 1)], [{0: 1}, {1: 1}])
        >>> [statement.holds for statement in K.theorem]
        [True, True, True, True]
        """
        hidden = tuple(p for p in self.vertices if not self._is_exposed(p))
        stray = tuple(p for p, place in enumerate(self.places) if place.kind == NEITHER)
        inside = tuple(p for p, place in enumerate(self.places) if self._is_inside(place))
        return (
            Clause("there is a leading position", bool(self.vertices)),
            Clause("every leading position l is a vertex of K, exposed by A l", not hidden, hidden),
            Clause("every limit is a vertex or the projection of the origin onto a face", not stray, stray),
            Clause("no limit is interior to K", not inside, inside),
        )

    def _is_exposed(self, p: int) -> bool:
        normal = _image(self.A, self.vertices[p])
        height = dot(normal, self.vertices[p])
        return all(dot(normal, q) < height for other, q in self.vertices.items() if other != p)

    def _is_inside(self, place: Place) -> bool:
        """Whether the weights prove the point interior: positive on vertices that affinely span the whole space."""
        if any(x != 0 for x in place.normal) and place.kind != NEITHER:
            return False  # the normal supports K at the point
        support = [self.vertices[p] for p, _ in place.weights]
        edges = [tuple(x - y for x, y in zip(q, support[0], strict=True)) for q in support[1:]]
        return bool(edges) and rank(edges) == len(place.point)


def polytope(
    A: tuple[Row, ...],
    vertices: Mapping[int, Point],
    limits: Sequence[Point],
    shares: Sequence[Mapping[int, Fraction]],
) -> Polytope:
    """K for the leading positions `vertices`, and the place of every limit, verified from its shares.

    A limit with one share is that leader; with more, all positive, it is no vertex.
    """
    at_vertex = {p: Place(VERTEX, q, _image(A, q), (p,), ((p, Fraction(1)),)) for p, q in vertices.items()}
    places = []
    for point, share in zip(limits, shares, strict=True):
        only = next(iter(share)) if len(share) == 1 else None
        places.append(at_vertex[only] if only in at_vertex else _place(A, vertices, point, share))
    return Polytope(A, vertices, places)


def _place(A: tuple[Row, ...], vertices: Mapping[int, Point], point: Point, share: Mapping[int, Fraction]) -> Place:
    """The place of a limit that is no vertex."""
    normal = _image(A, point)
    heights = {p: dot(normal, q) for p, q in vertices.items()}
    top = max(heights.values(), default=None)
    face = tuple(p for p, height in heights.items() if height == top)
    projects = top == dot(normal, point) and all(p in face for p in share)
    return Place(PROJECTION if projects else NEITHER, point, normal, face, tuple(sorted(share.items())))


def _image(A: tuple[Row, ...], x: Point) -> Point:
    return tuple(dot(row, x) for row in A)
