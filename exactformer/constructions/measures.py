"""The distinct measures (or sets) of a data set, with the target set each of them must be mapped to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactformer.arithmetic.integers import Array
from exactformer.constructions.coordinate import Line

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

    def key(self, j: int, *, with_counts: bool) -> bytes:
        """A text that is the same for sequences of the same measure (or set) only."""
        a, b = self.starts[j], self.starts[j + 1]
        return self.ranks[a:b].tobytes() + (self.counts[a:b].tobytes() if with_counts else b"")

    def take(self, chosen: Sequence[int], *, with_counts: bool) -> Supports:
        """The supports of the chosen sequences only; without counts every token counts once."""
        index = np.asarray(chosen, dtype=np.int64)
        sizes = self.sizes[index]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.repeat(self.starts[index] - starts[:-1], sizes) + np.arange(starts[-1])
        counts = self.counts[entries] if with_counts else np.ones(len(entries), dtype=np.int64)
        return Supports(starts, self.ranks[entries], counts)


def supports(rank: Indices, offsets: Indices) -> Supports:
    """The distinct tokens of every sequence with their counts, from the rank of every token.

    >>> s = supports(np.array([1, 0, 1, 0]), np.array([0, 4]))
    >>> s.ranks.tolist(), s.counts.tolist()
    ([0, 1], [1, 1])
    """
    width = int(rank.max()) + 1
    sequence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    keys, counts = np.unique(sequence * width + rank, return_counts=True)
    starts = np.searchsorted(keys, np.arange(len(offsets)) * width)
    divisors = np.gcd.reduceat(counts, starts[:-1])
    return Supports(starts, keys % width, counts // np.repeat(divisors, np.diff(starts)))


@dataclass(frozen=True)
class Problem:
    """What a method has to solve: different measures (or sets) on a line, each with its target set.

    `points` are the distinct target points over `point_scale`; `targets[j]` are indices into them, and
    `member[i]` is the measure of the i-th sequence of the data set.
    """

    line: Line
    measures: Supports
    points: Array
    point_scale: int
    targets: tuple[tuple[int, ...], ...]
    member: Indices

    @property
    def target_points(self) -> list[tuple[Fraction, ...]]:
        """The distinct target points as rational numbers."""
        return [tuple(Fraction(int(y), self.point_scale) for y in point) for point in self.points]

    @property
    def single(self) -> bool:
        """Whether every target set is one point (classification): then attention may collapse."""
        return all(len(t) == 1 for t in self.targets)

    @property
    def nodes_bound(self) -> int:
        """K: sum m + #{j : m^j < distinct tokens of j}; N where every target set is one point."""
        if self.single:
            return len(self.targets)
        sizes = np.array([len(t) for t in self.targets])
        return int(sizes.sum() + (sizes < self.measures.sizes).sum())
