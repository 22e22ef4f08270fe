"""The empirical measures of sequences: which tokens occur, and in which proportion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactformer.arithmetic.integers import integer_array
from exactformer.arithmetic.state import State

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Supports:
    """For every sequence its distinct tokens in increasing rank, and their counts divided by their gcd.

    Sequence j owns the entries starts[j] .. starts[j+1]-1. Two sequences have the same empirical measure
    if and only if their ranks and counts agree, the same set of tokens if and only if their ranks agree.
    """

    starts: Indices
    ranks: Indices
    counts: Indices

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Indices:
        """How many distinct tokens every sequence has."""
        return np.diff(self.starts)

    @property
    def owner(self) -> Indices:
        """The sequence of every entry."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def key(self, j: int, *, with_counts: bool = True) -> bytes:
        """A text that is the same for sequences of the same measure (or set) only."""
        a, b = self.starts[j], self.starts[j + 1]
        return self.ranks[a:b].tobytes() + (self.counts[a:b].tobytes() if with_counts else b"")

    def all_different(self) -> bool:
        """Whether no two sequences have the same measure."""
        return len({self.key(j) for j in range(len(self))}) == len(self)

    def take(self, chosen: Indices, *, with_counts: bool) -> Supports:
        """The supports of the chosen sequences only; without counts every token counts once."""
        sizes = self.sizes[chosen]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.repeat(self.starts[chosen] - starts[:-1], sizes) + np.arange(starts[-1])
        counts = self.counts[entries] if with_counts else np.ones(len(entries), dtype=np.int64)
        return Supports(starts, self.ranks[entries], counts)

    def ranked(self, rank: Indices) -> Supports:
        """The supports after every token r is renamed rank[r]; tokens with the same new name become one."""
        return supports(rank[self.ranks], self.starts, self.counts)


def supports(rank: Indices, offsets: Indices, weights: Indices | None = None) -> Supports:
    """The distinct tokens of every sequence with their counts, from the rank (and weight) of every token.

    >>> s = supports(np.array([1, 0, 1, 0]), np.array([0, 4]))
    >>> s.ranks.tolist(), s.counts.tolist()
    ([0, 1], [1, 1])
    """
    width = int(rank.max()) + 1
    keys = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) * width + rank
    order = np.argsort(keys, kind="stable") if weights is not None else None
    keys = np.sort(keys) if order is None else keys[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    if weights is None or order is None:
        counts = np.diff(np.append(first, len(keys)))
    else:
        counts = np.add.reduceat(weights[order], first)
    keys = keys[first]
    starts = np.searchsorted(keys, np.arange(len(offsets)) * width)
    divisors = np.gcd.reduceat(counts, starts[:-1])
    return Supports(starts, keys % width, counts // np.repeat(divisors, np.diff(starts)))


def distinct_points(points: State, rng: np.random.Generator) -> tuple[State, Indices]:
    """(the distinct points, for every point the index of the distinct one it equals).

    Points are sorted by a random linear hash modulo 2^64; equal hashes of different points, which are
    noticed, only cost another draw.
    """
    rows = points.array
    if rows.dtype == object:
        index: dict[tuple[int, ...], int] = {}
        ids = np.array([index.setdefault(tuple(row), len(index)) for row in rows.tolist()], dtype=np.int64)
        return State(integer_array(list(index), (len(index), points.dim)), points.denominator), ids
    while True:
        factors = rng.integers(0, 2**64, size=points.dim, dtype=np.uint64) | np.uint64(1)
        hashes = (rows.astype(np.uint64) * factors).sum(axis=1, dtype=np.uint64)
        order = np.argsort(hashes, kind="stable")
        new = np.concatenate([[True], hashes[order[1:]] != hashes[order[:-1]]])
        repeated = np.flatnonzero(~new)
        if (rows[order[repeated]] == rows[order[repeated - 1]]).all():
            ids = np.empty(len(rows), dtype=np.int64)
            ids[order] = np.cumsum(new) - 1
            return points.take(order[new]), ids
