"""Positions: the distinct points at which tokens stand, with multiplicities.

Equal tokens see equal scores, so they move together for ever; the engine works on positions and counts each
one with its weight. For A symmetric positive definite distinct tokens stay distinct, so that the positions of
layer 0 are those of every layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State


@dataclass
class Positions:
    """Token i stands at position index[i]; position p holds weights[p] tokens, the first of them first[p]."""

    index: Array
    first: Array
    weights: Array

    @classmethod
    def of(cls, state: State) -> Positions:
        """The positions of a state, in the order of their first tokens.

        >>> Positions.of(State.of([[1, 0], [0, 1], [1, 0]])).classes
        ((0, 2), (1,))
        """
        n = len(state)
        if len(set(state.array[:, 0].tolist())) == n:
            everyone = np.arange(n)
            return cls(everyone, everyone, np.ones(n, dtype=np.int64))
        known: dict[tuple[object, ...], int] = {}
        index = np.array([known.setdefault(row, len(known)) for row in map(tuple, state.array.tolist())])
        first = np.empty(len(known), dtype=np.int64)
        first[index[::-1]] = np.arange(n)[::-1]
        return cls(index, first, np.bincount(index))

    def __len__(self) -> int:
        return len(self.first)

    @property
    def distinct(self) -> bool:
        """Whether no two tokens are equal."""
        return len(self.first) == len(self.index)

    @cached_property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """The tokens at every position, in increasing order."""
        tokens: list[list[int]] = [[] for _ in self.first]
        for token, position in enumerate(self.index.tolist()):
            tokens[position].append(token)
        return tuple(map(tuple, tokens))

    def tokens_at(self, positions: Array) -> tuple[int, ...]:
        """All tokens at the given positions, in increasing order."""
        if self.distinct:
            return tuple(sorted(positions.tolist()))
        return tuple(sorted(t for p in positions.tolist() for t in self.classes[p]))
