"""One coordinate for all tokens: an integer direction u along which different tokens stay different."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactformer.arithmetic.integers import Array, matmul
from exactformer.arithmetic.state import State

#: rows on which a direction is tried before all of them are sorted
_SAMPLE = 4096


@dataclass(frozen=True)
class Line:
    """The tokens seen along u: u.x = values[rank[i]] / scale for token i, `values` strictly increasing.

    u >= 0 are integers with u[axis] = 1, so the unit vector e of `axis` has u.e = 1, and u.x = u.y
    holds for equal tokens only.
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


def injective_line(tokens: State, rng: np.random.Generator) -> Line:
    """A line along which different tokens have different coordinates.

    One coordinate alone is tried first, then random integers of [0, R]^d with R doubling: R ~ T^2 is
    enough for T distinct tokens with positive probability, since each of the T^2/2 pairs excludes one
    value of any entry in which it differs.

    >>> line = injective_line(State.of([[0, 1], [0, 2], [1, 1]]), np.random.default_rng(0))
    >>> len(line.values), line.u[line.axis]
    (3, 1)
    """
    rows = tokens.array
    sample = rows if len(rows) <= _SAMPLE else rows[rng.choice(len(rows), _SAMPLE, replace=False)]
    for u, axis in _directions(tokens.dim, rng):
        if _coordinates(sample, u) is None:
            continue
        found = _coordinates(rows, u)
        if found is not None:
            return Line(u, axis, found[0], tokens.denominator, found[1])
    raise AssertionError("unreachable: directions are drawn until one is injective")


def _directions(dim: int, rng: np.random.Generator) -> Iterator[tuple[tuple[int, ...], int]]:
    """Unit vectors, then random directions with growing entries and entry 1 at a random axis."""
    for axis in range(dim):
        yield tuple(int(i == axis) for i in range(dim)), axis
    largest = 1
    while True:
        axis = int(rng.integers(dim))
        u = [int(v) for v in rng.integers(0, min(largest, 2**62), size=dim, endpoint=True)]
        u[axis] = 1
        yield tuple(u), axis
        largest *= 2


def _coordinates(rows: Array, u: tuple[int, ...]) -> tuple[Array, NDArray[np.int64]] | None:
    """The distinct values of u.x in increasing order and the rank of each row; None if u.x = u.y for some x != y."""
    along = matmul(rows, np.array(u, dtype=np.int64))
    order = np.argsort(along, kind="stable")
    ordered = along[order]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    same = np.flatnonzero(~new)
    if len(u) > 1 and len(same) and (rows[order[same]] != rows[order[same - 1]]).any():
        return None
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.cumsum(new) - 1
    return ordered[new], rank
