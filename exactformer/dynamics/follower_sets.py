"""The follower sets C_0, C_1, .. of one layer, stored as one flat array of members with offsets."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from exactformer.arithmetic.integers import Array

#: the follower sets as plain data: entry i is C_i, in increasing order
Follows = list[tuple[int, ...]]


class FollowerSets:
    """C_i = members[offsets[i] : offsets[i+1]], each in increasing order.

    >>> pair = FollowerSets(np.array([0, 2]), np.array([0, 2]))
    >>> sets = FollowerSets.of_singles(np.array([0, 0, 1])).replaced(np.array([2]), pair)
    >>> sets[1].tolist(), sets[2].tolist(), sets.ties.tolist()
    ([0], [0, 2], [2])
    """

    def __init__(self, members: Array, offsets: Array) -> None:
        self.members = members
        self.offsets = offsets
        #: whether every set has one member
        self.single = len(members) == len(offsets) - 1

    @classmethod
    def of_singles(cls, targets: Array) -> FollowerSets:
        """C_i = {targets[i]}."""
        return cls(targets, np.arange(len(targets) + 1))

    @classmethod
    def of_lengths(cls, members: Array, lengths: Array) -> FollowerSets:
        """The sets of the given lengths that stand one after another in `members`."""
        return cls(members, _offsets(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> Array:
        return self.members[self.offsets[i] : self.offsets[i + 1]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FollowerSets):
            return NotImplemented
        return np.array_equal(self.members, other.members) and np.array_equal(self.offsets, other.offsets)

    def __hash__(self) -> int:
        raise TypeError("follower sets hold arrays and are not hashable")

    @cached_property
    def lengths(self) -> Array:
        """|C_i|, in positions."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def first(self) -> Array:
        """The least member of every set."""
        return self.members if self.single else self.members[self.offsets[:-1]]

    @cached_property
    def ties(self) -> Array:
        """The rows with more than one member."""
        return np.empty(0, dtype=np.int64) if self.single else np.flatnonzero(self.lengths > 1)

    def take(self, rows: Array) -> FollowerSets:
        """The sets of the given rows."""
        if self.single:
            return FollowerSets.of_singles(self.members[rows])
        lengths = self.lengths[rows]
        return FollowerSets.of_lengths(self.members[_segments(self.offsets[rows], lengths)], lengths)

    def replaced(self, rows: Array, others: FollowerSets) -> FollowerSets:
        """The same sets, except for the given rows, whose sets are the others."""
        if self.single and others.single:
            targets = self.members.copy()
            targets[rows] = others.members
            return FollowerSets(targets, self.offsets)
        total = self.lengths.copy()
        total[rows] = others.lengths
        offsets = _offsets(total)
        result = np.empty(offsets[-1], dtype=np.int64)
        kept = np.ones(len(self), dtype=bool)
        kept[rows] = False
        same = np.flatnonzero(kept)
        result[_segments(offsets[same], total[same])] = self.members[_segments(self.offsets[same], total[same])]
        result[_segments(offsets[rows], others.lengths)] = others.members
        return FollowerSets(result, offsets)

    def where(self, kept: Array) -> FollowerSets:
        """The sets with only those members for which the flat mask `kept` is true (at least one in each set)."""
        return FollowerSets.of_lengths(self.members[kept], np.add.reduceat(kept.astype(np.int64), self.offsets[:-1]))


def _offsets(lengths: Array) -> Array:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _segments(starts: Array, lengths: Array) -> Array:
    """The indices starts[0], .., starts[0]+lengths[0]-1, starts[1], .. of all segments, one after another."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))
