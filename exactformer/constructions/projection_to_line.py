"""One coordinate for all tokens: an integer direction u, small, that keeps apart what has to stay apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactformer.arithmetic.integers import SAFE, Array, matmul
from exactformer.arithmetic.state import State

#: rows on which a direction is tried before all of them are sorted
_SAMPLE = 4096
#: directions drawn before their entries may be twice as large
_DRAWS = 3

IntegerDirection = tuple[tuple[int, ...], int]


@dataclass(frozen=True)
class Line:
    """Points seen along u: u.x = values[rank[i]] / scale for point i, `values` strictly increasing.

    u >= 0 are integers with u[axis] = 1, so the unit vector e of `axis` has u.e = 1.
    """

    u: tuple[int, ...]
    axis: int
    values: Array
    scale: int
    rank: NDArray[np.int64]

    @property
    def e(self) -> tuple[int, ...]:
        """The unit vector of the axis."""
        return tuple(int(i == self.axis) for i in range(len(self.u)))

    def at(self, point: tuple[Fraction, ...]) -> Fraction:
        """u.x of a point x of Q^d."""
        return sum((c * x for c, x in zip(self.u, point, strict=True)), Fraction(0))


def directions(dim: int, rng: np.random.Generator) -> Iterator[IntegerDirection]:
    """Unit vectors, then random (u, axis) with u in [0, R]^d and u[axis] = 1, R doubling without end.

    Any finite set of conditions u.(x - y) != 0 with x != y holds for some u that is drawn: each excludes
    at most one value of an entry in which x and y differ.
    """
    for axis in range(dim):
        yield tuple(int(i == axis) for i in range(dim)), axis
    largest = 1
    while True:
        for _ in range(_DRAWS):
            axis = int(rng.integers(dim))
            u = [int(v) for v in rng.integers(0, min(largest, SAFE), size=dim, endpoint=True)]
            u[axis] = 1
            yield tuple(u), axis
        largest *= 2


def along(points: State, direction: IntegerDirection) -> Line:
    """The line of the points along a direction.

    >>> line = along(State.of([[0, 2], [1, 0], [2, 0]]), ((1, 1), 0))
    >>> line.values.tolist(), line.rank.tolist()
    ([1, 2], [1, 0, 1])
    """
    u, axis = direction
    values, rank = np.unique(matmul(points.array, np.array(u, dtype=np.int64)), return_inverse=True)
    return Line(u, axis, values, points.denominator, rank.reshape(-1))


def injective_line(points: State, rng: np.random.Generator) -> Line:
    """A line along which the given points, all different, have different coordinates.

    >>> line = injective_line(State.of([[0, 1], [0, 2], [1, 1]]), np.random.default_rng(0))
    >>> len(line.values), line.u[line.axis]
    (3, 1)
    """
    return along(points, next(injective_directions(points, rng)))


def injective_directions(points: State, rng: np.random.Generator) -> Iterator[IntegerDirection]:
    """Directions with growing entries along which the given points, all different, stay different."""
    sample = points.take(rng.choice(len(points), min(len(points), _SAMPLE), replace=False))
    for direction in directions(points.dim, rng):
        if all(len(along(part, direction).values) == len(part) for part in (sample, points)):
            yield direction
