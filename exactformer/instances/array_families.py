"""Token families in arrays: the structured sets of `generators`, drawn thousands at a time from a stream of numbers.

The sets are those of the same names in `generators`, as distributions; the numbers are others, and so are a few
details that an array would make slow (grids are drawn with replacement, spirals are rounded at every step, points of
a circle have the denominator 325). What is drawn for an index depends on nothing but the family, the name of the
stream and the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.instances import generators
from exactformer.instances.generators import TokenFamily
from exactformer.instances.number_stream import NumberStream
from exactformer.model.token_arrays import TokenArrays

#: tokens for which arrays are made; larger families are drawn one by one
MOST = 16
#: rational points of the circle of radius 325, up to signs and order, and rotations (cos, sin, denominator)
CIRCLE = np.array([(325, 0), (323, 36), (315, 80), (312, 91), (300, 125), (280, 165), (260, 195), (253, 204)])
TURNS = np.array([(3, 4, 5), (4, 3, 5), (5, 12, 13), (12, 5, 13), (8, 15, 17), (0, 1, 1), (7, 24, 25), (24, 7, 25)])


@dataclass
class PointArrays:
    """points[:, i, k] / denominators[k] for the tokens i that instance k has, according to `present`."""

    points: Array
    denominators: Array
    present: Array

    @classmethod
    def none(cls, d: int, count: int, m: int) -> PointArrays:
        """Room for so many tokens."""
        return cls(
            np.zeros((d, count, m), dtype=np.int64), np.ones(m, dtype=np.int64), np.zeros((count, m), dtype=bool)
        )

    def multiply(self, factor: Array, chosen: Array) -> None:
        """The same tokens over a multiple of the denominators."""
        self.points[..., chosen] *= factor
        self.denominators[chosen] *= factor


#: fills in about n tokens of dimension d for every instance
Fill = Callable[[NumberStream, Array, int, int], PointArrays]


def small_integers(stream: NumberStream, n: Array, d: int, room: int) -> PointArrays:
    """Integer coordinates up to a random bound of at most 12."""
    bound = stream.choice((1, 2, 2, 3, 3, 4, 5, 8, 12))
    points = stream.below(2 * bound + 1, d, room) - bound
    return PointArrays(points, np.ones(len(n), dtype=np.int64), np.arange(room)[:, None] < n)


def small_rationals(stream: NumberStream, n: Array, d: int, room: int) -> PointArrays:
    """Coordinates over one small denominator."""
    q = stream.choice((2, 3, 4, 5, 10, 12))
    bound = stream.choice((1, 2, 3)) * q
    return PointArrays(stream.below(2 * bound + 1, d, room) - bound, q, np.arange(room)[:, None] < n)


def grid(stream: NumberStream, n: Array, d: int, room: int) -> PointArrays:
    """Points of a centred or shifted box of integers or half integers, drawn with replacement."""
    side = stream.choice((2, 3, 4) if d < 3 else (2,))
    shift = stream.below(side + 1, d) * stream.choice((2, 2, 1), d)
    points = 2 * stream.below(side, d, room) - shift[:, None]
    return PointArrays(points, np.full(len(n), 2), np.arange(room)[:, None] < n)


def symmetric_set(stream: NumberStream, n: Array, d: int, room: int) -> PointArrays:
    """Images of one or two points under a group of reflections, and up to two more points."""
    seeds = small_integers(stream, n, d, 2).points
    turns, extra = stream.choice((0, 1, 1, 2)), stream.choice((0, 1, 1, 2))
    more = small_rationals(stream.part("more"), n, d, 2)
    result = PointArrays.none(d, room, len(n))
    everyone, first = np.arange(len(n)), np.maximum(n, 2)
    group = np.choose(turns, (2, 2**d, d * 2**d))
    for i in range(room - 2):
        seed, image = np.minimum(i // group, 1), i % group
        start = np.where(turns == 2, image >> d, 0)
        for c in range(d):
            negative = np.where(turns == 0, image, image >> c) & 1
            result.points[c, i] = seeds[(c + start) % d, seed, everyone] * (1 - 2 * negative)
        result.present[i] = i < first
    result.multiply(more.denominators, np.arange(len(n)))
    for i in range(2):
        result.points[:, room - 2 + i] = more.points[:, i]
        result.present[room - 2 + i] = i < extra
    return result


def circle_points(stream: NumberStream, n: Array, d: int, room: int) -> PointArrays:
    """Points of equal norm: in the plane rational points of a circle, otherwise signed permutations of one point."""
    signs, present = 1 - 2 * stream.below(2, d, room), np.arange(room)[:, None] < n
    if d == 2:
        pairs = CIRCLE[stream.below(len(CIRCLE), room)]
        swapped = stream.below(2, room)
        points = np.stack([np.take_along_axis(pairs, (k ^ swapped)[..., None], axis=2)[..., 0] for k in range(2)])
        return PointArrays(points * signs * (1 + stream.below(4)), np.full(len(n), 325), present)
    seed = small_integers(stream, n, d, 1).points
    order = stream.below(2**31, d, room).argsort(axis=0, kind="stable")
    points = np.take_along_axis(np.broadcast_to(seed, (d, room, len(n))), order, axis=0)
    return PointArrays(points * signs, np.ones(len(n), dtype=np.int64), present)


def spiral(stream: NumberStream, n: Array, d: int, room: int) -> PointArrays:
    """Points each of which is the one before, turned by a steady rational angle, stretched, and rounded to halves."""
    if d < 2:
        return small_integers(stream, n, d, room)
    t, grow = 1 + stream.below(6), 10 + stream.below(9)
    c, s, whole = (36 - t * t) * grow, 12 * t * grow, 10 * (36 + t * t)
    points = np.empty((d, room, len(n)), dtype=np.int64)
    points[:, 0] = 2 * (stream.below(9, d) - 4)
    for i in range(1, room):
        x, y, *rest = points[:, i - 1]
        turned = (c * x - s * y, s * x + c * y, *((36 + t * t) * grow * z for z in rest))
        points[:, i] = [(2 * z + whole) // (2 * whole) for z in turned]
    return PointArrays(points, np.full(len(n), 2), np.arange(room)[:, None] < n)


def mirror_pairs(stream: NumberStream, n: Array, d: int, room: int) -> PointArrays:
    """Pairs of mirror images, some of them near another pair, and one or two points in the mirror."""
    if d < 2:
        return small_rationals(stream, n, d, room)
    half = (room - 2) // 2
    unit = stream.choice((4, 5, 8, 10, 20, 50))
    near, which = stream.below(3, half), stream.below(2**20, half)
    fresh = np.concatenate([1 + stream.below(3, 1, half), stream.below(6, d - 1, half) - 2]) * unit
    nudge = stream.choice((-2, -1, 0, 0, 1, 2), d, half)
    pairs, everyone = np.empty_like(fresh), np.arange(len(n))
    for i in range(half):
        close = pairs[:, which[i] % max(i, 1), everyone] + nudge[:, i]
        pairs[:, i] = np.where((near[i] > 0) & (i > 0), close, fresh[:, i])
    result = PointArrays.none(d, room, len(n))
    for i in range(half):
        result.points[:, 2 * i] = result.points[:, 2 * i + 1] = 4 * pairs[:, i]
        result.points[0, 2 * i + 1] *= -1
        result.present[2 * i : 2 * i + 2] = i < np.maximum((n - 1) // 2, 1)
    result.points[1:, -2:] = (stream.below(13, d - 1, 2) - 4) * unit
    result.present[-2:] = np.arange(2)[:, None] < stream.choice((1, 1, 2))
    result.denominators = 4 * unit
    return result


SETS: tuple[Fill, ...] = (
    small_integers,
    small_integers,
    small_rationals,
    grid,
    symmetric_set,
    circle_points,
    spiral,
    mirror_pairs,
)


def point_set(stream: NumberStream, n: Array, d: int, room: int) -> PointArrays:
    """A random structured set of about n points, sometimes rotated, sometimes disturbed."""
    kind, chance = stream.below(len(SETS)), stream.below(8)
    result = PointArrays.none(d, room, len(n))
    for k, fill in enumerate(SETS):
        chosen = np.flatnonzero(kind == k)
        part = fill(stream.part(f"set {k}", chosen), n[chosen], d, room)
        result.points[..., chosen], result.denominators[chosen] = part.points, part.denominators
        result.present[:, chosen] = part.present
    if d > 1:
        _rotate(result, stream.part("rotated", chance == 0), np.flatnonzero(chance == 0))
    _disturb(result, stream.part("disturbed", chance == 1), np.flatnonzero(chance == 1), n[chance == 1])
    return result


def _rotate(given: PointArrays, stream: NumberStream, chosen: Array) -> None:
    """Turns the chosen instances by a rational rotation of the first two coordinates."""
    c, s, whole = TURNS[stream.below(len(TURNS))].T
    c, s = c * (1 - 2 * stream.below(2)), s * (1 - 2 * stream.below(2))
    x, y = given.points[0, :, chosen].T, given.points[1, :, chosen].T
    given.multiply(whole, chosen)
    given.points[0, :, chosen], given.points[1, :, chosen] = (c * x - s * y).T, (s * x + c * y).T


def _disturb(given: PointArrays, stream: NumberStream, chosen: Array, n: Array) -> None:
    """Moves a coordinate of a token of the chosen instances by a small amount: a tie becomes a near tie."""
    token, coordinate, unit = stream.below(n), stream.below(len(given.points)), given.denominators[chosen]
    given.multiply(stream.choice((7, 12, 100, 1000)), chosen)
    given.points[coordinate, token, chosen] += (1 - 2 * stream.below(2)) * unit


# matrices ------------------------------------------------------------------------------------------------------
def identity_mostly(stream: NumberStream, d: int) -> Array:
    """The identity three times out of four, else M'M + I for a random matrix M of small integers."""
    return np.where(stream.below(4) == 0, positive_definite(stream, d), np.eye(d, dtype=np.int64)[..., None])


def positive_definite(stream: NumberStream, d: int) -> Array:
    """M'M + I."""
    M = stream.below(4, d, d) - 1
    return np.asarray(np.einsum("kim,kjm->ijm", M, M) + np.eye(d, dtype=np.int64)[..., None])


def semidefinite(stream: NumberStream, d: int) -> Array:
    """The sum of v v' for d - 1 random integer vectors v."""
    v = stream.below(5, max(1, d - 1), d) - 2
    return np.asarray(np.einsum("kim,kjm->ijm", v, v))


def symmetric(stream: NumberStream, d: int) -> Array:
    """A random symmetric matrix of small integers."""
    upper = stream.below(7, d, d) - 3
    return np.array([[upper[min(i, j), max(i, j)] for j in range(d)] for i in range(d)])


def skewed(stream: NumberStream, d: int) -> Array:
    """A positive definite matrix plus a random antisymmetric one."""
    bound = stream.choice((1, 2, 4, 8))
    turn = stream.below(2 * bound + 1, d, d) - bound
    return np.asarray(positive_definite(stream, d) + turn - turn.transpose(1, 0, 2))


POINTS: dict[generators.PointSet, Fill] = {
    generators.point_set: point_set,
    generators.mirror_pairs: mirror_pairs,
}
MATRICES: dict[generators.MatrixOf, Callable[[NumberStream, int], Array]] = {
    generators.identity_mostly: identity_mostly,
    generators.positive_definite: positive_definite,
    generators.semidefinite: semidefinite,
    generators.symmetric: symmetric,
    generators.skewed: skewed,
}


# instances -----------------------------------------------------------------------------------------------------
def has_arrays(family: object) -> TypeGuard[TokenFamily]:
    """Whether the instances of a family can be drawn in arrays."""
    return (
        isinstance(family, TokenFamily)
        and family.points in POINTS
        and family.matrices in MATRICES
        and not family.repeats
        and max(family.sizes) + 2 <= MOST
    )


def drawn(family: TokenFamily, stream: NumberStream) -> Iterator[tuple[Array, TokenArrays]]:
    """The instances of the stream, in groups of equal n and d, each with its places in the stream."""
    dims, sizes = stream.choice(family.dims), stream.choice(family.sizes)
    which = stream.below(len(family.steps))
    up, down = (np.array([getattr(x, part) for x in family.steps]) for part in ("numerator", "denominator"))
    room = max(*family.sizes, 2) + 2
    for d in sorted(set(family.dims)):
        chosen = np.flatnonzero(dims == d)
        own = stream.part(f"dimension {d}", chosen)
        found = POINTS[family.points](own.part("points"), sizes[chosen], d, room)
        A = MATRICES[family.matrices](own.part("matrix"), d)
        spare = 1 + own.part("spare").below(9, d)
        for places, points in _grouped(found, spare, zero=family.zero):
            here = chosen[places]
            scale = np.ones(len(here), dtype=np.int64)
            step = which[here]
            yield here, TokenArrays(points, found.denominators[places], A[..., places], scale, up[step], down[step])


def _grouped(found: PointArrays, spare: Array, *, zero: bool) -> Iterator[tuple[Array, Array]]:
    """(places, points) of equal numbers of tokens: the nonzero ones, each once; the spare one where there is none."""
    points, present = found.points, found.present & found.points.any(axis=0)
    for j in range(1, len(present)):
        same = (points[:, :j] == points[:, j : j + 1]).all(axis=0) & present[:j]
        present[j] &= ~same.any(axis=0)
    empty = np.flatnonzero(~present.any(axis=0)) if not zero else ()
    if len(empty):
        points[:, 0, empty] = spare[:, empty]
        present[0, empty] = True
    rank = present.cumsum(axis=0)
    count = rank[-1]
    for n in sorted(set(count.tolist())):
        places = np.flatnonzero(count == n)
        result = np.zeros((len(points), n + zero, len(places)), dtype=np.int64)
        for i in range(len(present)):
            here = np.flatnonzero(present[i, places])
            result[:, rank[i, places[here]] - 1, here] = points[:, i, places[here]]
        yield places, result
