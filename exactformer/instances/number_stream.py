"""Random numbers of an instance by its index alone: thousands at once, in any order, the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from exactformer.arithmetic.integers import Array

_GAMMA, _FIRST, _SECOND = (np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
#: from one index to the next: _GAMMA * 2^20, which is room for a million numbers an instance
_STRIDE = np.uint64((0x9E3779B97F4A7C15 << 20) % 2**64)


class NumberStream:
    """For every index a sequence of random numbers: the k-th is SplitMix64 of the key, the index and k.

    An instance draws what it would draw alone, whichever others are drawn at the same time.

    >>> stream = NumberStream("lemma-3/0/7", np.arange(3))
    >>> stream.below(10).tolist() == NumberStream("lemma-3/0/7", np.array([1])).below(10).tolist() * 3
    False
    >>> [NumberStream("lemma-3/0/7", np.array([k])).below(10).tolist()[0] for k in range(3)] == (
    ...     NumberStream("lemma-3/0/7", np.arange(3)).below(10).tolist()
    ... )
    True
    """

    def __init__(self, name: str, index: Array) -> None:
        self._name, self._index, self._used = name, index, 0
        key = np.uint64(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))
        self._start = _mixed(key + index.astype(np.uint64) * _STRIDE)

    def __len__(self) -> int:
        return len(self._index)

    def part(self, name: str, chosen: Array | slice = slice(None)) -> NumberStream:
        """Other numbers, of a purpose with a name, for the chosen instances."""
        return NumberStream(f"{self._name}/{name}", self._index[chosen])

    def below(self, bound: Array | int, *shape: int) -> Array:
        """Integers 0..bound-1 for every index, the instance being the last axis."""
        count = int(np.prod(shape, dtype=np.int64))
        slots = np.arange(self._used, self._used + count, dtype=np.uint64)
        self._used += count
        numbers = _mixed(self._start + (slots * _GAMMA)[:, None]).reshape(*shape, -1)
        return (((numbers >> np.uint64(32)) * np.asarray(bound, dtype=np.uint64)) >> np.uint64(32)).astype(np.int64)

    def choice(self, values: Sequence[int], *shape: int) -> Array:
        """One of the values for every index."""
        return np.array(values, dtype=np.int64)[self.below(len(values), *shape)]


def _mixed(x: Array) -> Array:
    """SplitMix64's bijection of the 64-bit integers."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * _FIRST
        x = (x ^ (x >> np.uint64(27))) * _SECOND
        return np.asarray(x ^ (x >> np.uint64(31)))
