"""Different measures get different means: an increasing piecewise-linear g(s) = s + sum w_k relu(s - c_k).

*Why at most N-1 hinges suffice.* For two measures with equal means, D(c) = integral of relu(s - c) against
their difference is piecewise linear with kinks at tokens only, zero beyond the largest token and not zero
everywhere (its second derivative is the difference of the measures). So D(c) != 0 for some token value c:
a hinge there tells the two apart, and adds at least one class to the partition of the N measures. Once the
vectors (mean, means of the hinges) are pairwise different, all but finitely many directions of weights
keep their combinations different.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import SAFE, Array, largest, multiply, segment_sums, wide
from exactformer.constructions.empirical_measures import Indices, Supports

#: thresholds compared before the one that splits most is taken
_CANDIDATES = 8


@dataclass(frozen=True)
class Hinges:
    """g(s) = s + sum weights[k] * relu(s - values[ranks[k]]): thresholds are tokens, in increasing order."""

    ranks: tuple[int, ...]
    weights: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ranks)

    def apply(self, values: Array) -> Array:
        """g at the increasing values, in the same integer scale.

        >>> Hinges((1,), (2,)).apply(np.array([0, 1, 5])).tolist()
        [0, 1, 13]
        """
        if not self.ranks:
            return values
        top = 1 + sum(self.weights)
        fits = values.dtype == np.int64 and largest(values) + top * (int(values[-1]) - int(values[0])) < SAFE
        kind = np.int64 if fits else object
        gains = np.zeros(len(values), dtype=kind)
        gains[list(self.ranks)] = np.array(self.weights, dtype=kind)
        values = values.astype(kind)
        steps = (1 + np.cumsum(gains[:-1])) * np.diff(values)
        return np.concatenate([values[:1], values[0] + np.cumsum(steps)])


def value_sums(measures: Supports, values: Array) -> tuple[Array, Array]:
    """For every measure the pair (sum of the values, number of tokens), with multiplicity: its mean is the quotient."""
    totals = segment_sums(multiply(values[measures.ranks], measures.counts), measures.starts)
    return wide(totals), wide(segment_sums(measures.counts, measures.starts))


def separating_hinges(measures: Supports, values: Array, rng: np.random.Generator) -> Hinges:
    """At most N-1 hinges after which the N different measures have N different means; often none.

    >>> two = Supports(np.array([0, 2, 4]), np.array([0, 3, 1, 2]), np.ones(4, dtype=np.int64))
    >>> separating_hinges(two, np.array([0, 1, 2, 3]), np.random.default_rng(0))
    Hinges(ranks=(1,), weights=(1,))
    """
    ranks = tuple(sorted(_splitting_ranks(measures, values, rng)))
    largest_weight = 1
    while True:
        weights = tuple(int(w) for w in rng.integers(1, largest_weight, size=len(ranks), endpoint=True))
        hinges = Hinges(ranks, weights)
        means = quotients(*value_sums(measures, hinges.apply(values)))
        if len(set(means)) == len(measures):
            return hinges
        largest_weight = min(2 * largest_weight, SAFE)


def _splitting_ranks(measures: Supports, values: Array, rng: np.random.Generator) -> list[int]:
    """Thresholds whose hinge means, together with the mean, tell all measures apart; each adds a class."""
    tails = _Tails(measures, values)
    alike = np.arange(len(measures))
    classes = _refine(np.zeros(len(measures), dtype=np.int64), *value_sums(measures, values))
    chosen: list[int] = []
    while True:
        ids, classes, sizes = np.unique(classes, return_inverse=True, return_counts=True)
        if len(ids) == len(classes):
            return chosen
        unresolved = sizes[classes] > 1
        alike, classes = alike[unresolved], classes[unresolved]
        first, second = alike[classes == np.argmax(sizes)][:2]
        candidates = tails.splitting(first, second)
        if len(candidates) > _CANDIDATES:
            candidates = rng.choice(candidates, _CANDIDATES, replace=False)
        refined = [_refine(classes, tails.at(alike, c), tails.count[alike]) for c in candidates]
        best = max(range(len(refined)), key=lambda i: int(refined[i].max()))
        chosen.append(int(candidates[best]))
        classes = refined[best]


class _Tails:
    """Sums of relu(s - c) over a measure in O(log) each, from cumulative sums over the sorted entries."""

    def __init__(self, measures: Supports, values: Array) -> None:
        self.measures, self.values = measures, values
        self.width = len(values)
        self.keys = measures.owner * self.width + measures.ranks
        weighted = multiply(values[measures.ranks], measures.counts)
        if weighted.dtype != object and largest(weighted) * len(weighted) >= SAFE:
            weighted = wide(weighted)
        self.sums = np.concatenate([[0], np.cumsum(weighted)])
        self.counts = np.concatenate([[0], np.cumsum(measures.counts)])
        self.count = wide(self.counts[measures.starts[1:]] - self.counts[measures.starts[:-1]])

    def at(self, sequences: Indices, rank: int | Indices) -> Array:
        """sum of relu(s - values[rank]) over each of the sequences; `rank` may be an array of the same length."""
        position = np.searchsorted(self.keys, sequences * self.width + rank, side="right")
        end = self.measures.starts[sequences + 1]
        above = wide(self.sums[end] - self.sums[position])
        return np.asarray(above - wide(self.counts[end] - self.counts[position]) * wide(np.asarray(self.values[rank])))

    def splitting(self, i: int, j: int) -> Indices:
        """The tokens c of measures i and j at which the means of relu(s - c) differ; nonempty if the measures do."""
        starts, ranks = self.measures.starts, self.measures.ranks
        kinks = np.union1d(ranks[starts[i] : starts[i + 1]], ranks[starts[j] : starts[j + 1]])
        left = self.at(np.full(len(kinks), i), kinks) * self.count[j]
        right = self.at(np.full(len(kinks), j), kinks) * self.count[i]
        return np.asarray(kinks[left != right])


def _refine(classes: Indices, totals: Array, counts: Array) -> Indices:
    """The classes split by the value of totals/counts, numbered 0, 1, 2, .. in order of appearance."""
    seen: dict[tuple[int, tuple[int, int]], int] = {}
    keys = zip(classes.tolist(), quotients(totals, counts), strict=True)
    return np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int64)


def quotients(totals: Array, counts: Array) -> list[tuple[int, int]]:
    """The quotients totals/counts in lowest terms."""
    divisors = np.gcd(totals, counts)
    return list(zip((totals // divisors).tolist(), (counts // divisors).tolist(), strict=True))
