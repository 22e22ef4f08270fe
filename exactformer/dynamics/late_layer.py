"""A layer as it looks late in the dynamics, in the words of the page on stabilisation: a cluster and its targets.

Two leaders (p, l) and (-q, l) stand at both sides of a mirror, in which the first coordinate is 0. The tokens in the
mirror are the cluster G; the limit l it would have is the point of the mirror between the leaders. All other tokens
follow one leader each: they are the targets. Everything is an exact number.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from exactformer.arithmetic.rational import RationalRow
from exactformer.dynamics.plain_orbit import PlainLayer, PlainOrbit, rational_matrix
from exactformer.geometry.points import dot
from exactformer.model.tokens import Tokens


def difference(u: Sequence[Fraction], v: Sequence[Fraction]) -> RationalRow:
    """u - v."""
    return tuple(x - y for x, y in zip(u, v, strict=True))


def inner_product(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    """<u, v>."""
    return Fraction(dot(u, v))


def square(u: Sequence[Fraction]) -> Fraction:
    """|u|^2."""
    return inner_product(u, u)


def mean(rows: Sequence[Sequence[Fraction]]) -> RationalRow:
    """The mean of vectors."""
    return tuple(sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True))


class LateLayer:
    """A layer with its cluster: positions, sets, and what the page calls x (zeta), lambda, e, E, D and Z_D."""

    def __init__(self, layer: PlainLayer, limit: RationalRow) -> None:
        self.z = [layer.point(i) for i in range(len(layer.points))]
        self.follows, self.limit = layer.follows, limit
        self.cluster = [i for i, row in enumerate(self.z) if not row[0]]

    @cached_property
    def largest(self) -> int:
        """A token of largest norm in the cluster."""
        return max(self.cluster, key=lambda i: square(self.z[i]))

    def x(self, i: int) -> RationalRow:
        """z_i - l."""
        return difference(self.z[i], self.limit)

    def height(self, i: int) -> Fraction:
        """lambda_i = -<l, x_i>."""
        return -inner_product(self.limit, self.x(i))

    def gap(self, i: int) -> Fraction:
        """e_i = |l|^2 - |z_i|^2."""
        return square(self.limit) - square(self.z[i])

    def excess(self, i: int) -> Fraction:
        """E_i: the largest score of i less <z_i, l>."""
        return inner_product(self.z[i], difference(self.z[self.follows[i][0]], self.limit))

    def inside(self, i: int) -> list[int]:
        """C_i in the cluster."""
        return [j for j in self.follows[i] if not self.z[j][0]]

    def outside(self, i: int) -> list[int]:
        """D_i: the targets in C_i."""
        return [j for j in self.follows[i] if self.z[j][0]]

    def share(self, i: int) -> Fraction:
        """|D_i|/|C_i|."""
        return Fraction(len(self.outside(i)), len(self.follows[i]))

    def goal(self, i: int) -> RationalRow:
        """w_i: the mean of C_i."""
        return mean([self.z[j] for j in self.follows[i]])

    def target(self, i: int) -> RationalRow:
        """Z_D: the mean of D_i less l; 0 if D_i is empty."""
        found = self.outside(i)
        return difference(mean([self.z[j] for j in found]), self.limit) if found else (Fraction(0),) * len(self.limit)

    def ties_with_itself(self, i: int) -> bool:
        """C_i consists of i and targets."""
        return self.inside(i) == [i] and bool(self.outside(i))


def late_layers(tokens: Tokens) -> tuple[LateLayer, LateLayer] | None:
    """Layers 0 and 1 of an instance that looks like a late layer; None for any other.

    Asked for at both layers: A = I, |z_i| < |l| in the cluster, no leader in its sets, and targets in each of them
    whose distances from the mirror add up to 0, now and in the limit.

    >>> layers = late_layers(Tokens([[4, 1], [-4, 1], [2, "17/16"], [-2, "17/16"], [0, "1/2"]], alpha=3))
    >>> layers[0].cluster, layers[0].outside(4), layers[1].gap(4)
    ([4], [2, 3], Fraction(615, 4096))
    """
    orbit = PlainOrbit(tokens)
    first = orbit[0]
    rows = [first.point(i) for i in range(len(tokens))]
    limit = _limit(tokens, first, rows)
    if limit is None:
        return None
    leaders = first.leaders
    sides = [i for i, row in enumerate(rows) if row[0] and i not in leaders]
    if any(first.follows[i] not in [(leader,) for leader in leaders] for i in sides):
        return None
    layers = LateLayer(first, limit), LateLayer(orbit[1], limit)
    place = {i: rows[first.follows[i][0]][0] for i in sides}
    return layers if all(_is_late(layer, place) for layer in layers) else None


def _limit(tokens: Tokens, layer: PlainLayer, rows: list[RationalRow]) -> RationalRow | None:
    """l, if there are two leaders, at both sides of it, and tokens in the mirror."""
    A, leaders = rational_matrix(tokens.A), layer.leaders
    plain = all(x == (i == j) for i, row in enumerate(A) for j, x in enumerate(row))
    if not plain or len(leaders) != 2 or len(A) < 2 or all(row[0] for row in rows):
        return None
    one, other = (rows[i] for i in leaders)
    return (Fraction(0), *one[1:]) if one[1:] == other[1:] and one[0] * other[0] < 0 and any(one[1:]) else None


def _is_late(layer: LateLayer, place: dict[int, Fraction]) -> bool:
    """Whether the cluster lies below l, follows no leader, and is pulled along the mirror only."""
    for i in layer.cluster:
        outside = layer.outside(i)
        if layer.gap(i) <= 0 or not set(outside) <= place.keys():
            return False
        if sum(place[j] for j in outside) or sum(layer.z[j][0] for j in outside):
            return False
    return True
