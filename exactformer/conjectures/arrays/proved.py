"""Which of many instances are proved to satisfy a conclusion, and how near each came to failing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.dynamics.array_orbit import ArrayOrbit
from exactformer.model.token_arrays import TokenArrays


@dataclass
class Proved:
    """`true[k]`: the conclusion is proved of instance k, which came as near to failing as `nearness[k]`, to the bit of
    what the judge of single instances says. `false` has the witnesses of instances that refute it, those of the judge.
    Of the other instances nothing is said: they are judged one by one."""

    true: Array
    nearness: Array
    false: dict[int, dict[str, int]] = field(default_factory=dict)

    @classmethod
    def nothing(cls, count: int) -> Proved:
        """Nothing is proved."""
        return cls(np.zeros(count, dtype=bool), np.zeros(count))

    def settle(self, index: Array, nearness: Array | float) -> None:
        """Says that the conclusion is true of the instances of an index."""
        self.true[index] = True
        self.nearness[index] = nearness


#: what proves a conclusion for many instances of equal n and d
Prove = Callable[[TokenArrays], Proved]


def nearest_ties(orbit: ArrayOrbit) -> Array:
    """How near layer 0 of every column comes to another tie: `nearest_tie`, bit for bit, since scores are exact."""
    scores = orbit.layer.scores
    best = scores.max(axis=1)
    second = np.where(scores < best[:, None], scores, -np.inf).max(axis=1)
    with np.errstate(invalid="ignore"):
        gaps = np.where(np.isfinite(second), (best - second) / (np.abs(best) + np.abs(second)), 1.0)
    return np.asarray(1 / (1 + np.minimum(gaps.min(axis=0), 1.0)))
