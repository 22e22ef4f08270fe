"""The decision on one review in exact arithmetic, and the weight of every word in it.

Words stand at positions with multiplicities. After K layers D = b + <v, mean of all words>, and D is linear in the
embeddings for fixed follower sets: transposing the layers gives weights u >= 0 of sum 1, D = b + sum_j u_j <v, e_j>.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.dynamics.engine import Engine, Replay
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.integer_step import weighted_sums
from exactformer.dynamics.locking import NEVER
from exactformer.dynamics.positions import Positions
from exactformer.dynamics.score_form import ScoreForm


class Ballot:
    """The words of a review as weighted positions, moved through `depth` layers; word w is at position `index[w]`."""

    def __init__(self, rows: State, counts: Sequence[int], form: ScoreForm, share: Fraction, depth: int) -> None:
        positions = Positions.of(rows)
        self.index, self.first, self.depth, self.form = positions.index, positions.first, depth, form
        self.counts = np.asarray(counts, dtype=np.int64)
        self.weights = self.counts
        if not positions.distinct:  # two words may have one embedding
            self.weights = np.bincount(self.index, self.counts).astype(np.int64)
            rows = rows.take(positions.first)
        self.total = int(self.counts.sum())
        self.engine = Engine(rows, form, share, self.weights)

    def follows(self, layer: int) -> FollowerSets:
        """The follower sets of the positions at a layer."""
        return self.engine.follows(layer)

    def mean(self, layer: int) -> tuple[list[int], int]:
        """(numerators, denominator) of the mean of all words at a layer."""
        return self._mean(self.engine.state(layer))

    def earlier_means(self) -> Iterator[tuple[list[int], int]]:
        """The means of all words at the layers below `depth`, each state made from the one before."""
        view = Replay(self.engine.initial)
        return (self._mean(view.to(layer, self.engine)) for layer in range(self.depth))

    def _mean(self, state: State) -> tuple[list[int], int]:
        rows = zip(self.weights.tolist(), state.array.tolist(), strict=True)
        sums = [0] * state.dim
        for weight, row in rows:
            for k, x in enumerate(row):
                sums[k] += weight * x
        return sums, state.denominator * self.total

    @cached_property
    def leads_from(self) -> list[int | None]:
        """For every position the first layer below `depth` with C_p = {p}; None where there is none."""
        if self.depth:
            self.engine.follows(self.depth - 1)
        starts = self.engine.leads_from.tolist()
        return [start if start != NEVER and start < self.depth else None for start in starts]

    @cached_property
    def shares(self) -> list[Fraction]:
        """The weight u_p of every position in the final mean: u >= 0, of sum 1."""
        numerators, denominator = self.weights.tolist(), self.total
        for layer in reversed(range(self.depth)):
            numerators, factor = _pulled(numerators, self.follows(layer), self.weights.tolist(), self.engine.share)
            denominator *= factor
        return [Fraction(x, denominator) for x in numerators]

    def word_share(self, word: int) -> Fraction:
        """The weight of one word: its part, by count, of the weight of its position."""
        position = int(self.index[word])
        return self.shares[position] * Fraction(int(self.counts[word]), int(self.weights[position]))

    def limit_mean(self) -> list[Fraction] | None:
        """The limit of the mean of all words for depth to infinity, if every position is locked by layer `depth`."""
        sets = self.follows(self.depth)
        if not self.engine.frozen or len(self.engine.history) - 1 > self.depth:
            return None
        state = self.engine.state(self.depth)
        sums, totals = weighted_sums(sets, state.array, self.weights)
        limits = [Fraction(0)] * state.dim
        for weight, total, row in zip(self.weights.tolist(), totals.tolist(), sums.tolist(), strict=True):
            for k, x in enumerate(row):
                limits[k] += Fraction(weight * x, total * state.denominator * self.total)
        return limits

    def locked_plainly(self) -> bool:
        """Whether at layer `depth` all members of every C_p lead, and maximise <A c, .> for their mean c."""
        sets, state = self.follows(self.depth), self.engine.state(self.depth)
        leading = [start != NEVER and start <= self.depth for start in self.engine.leads_from.tolist()]
        if not all(leading[j] for j in sets.members.tolist()):
            return False
        tied = sets.take(sets.ties)
        centres, _ = weighted_sums(tied, state.array, self.weights) if len(tied) else (np.empty((0, state.dim)), None)
        array = state.numerators
        for group, centre in enumerate(centres.tolist()):
            left = self.form.left(np.array([centre], dtype=object))[0]
            scores = (array * left).sum(axis=1).tolist()
            if any(scores[j] != max(scores) for j in tied[group].tolist()):
                return False
        return True


def _pulled(u: list[int], sets: FollowerSets, weights: list[int], share: Fraction) -> tuple[list[int], int]:
    """(u', q L): u'_j/(q L) = r u_j + a sum over i with j in C_i of u_i m_j/m(C_i), for a = p/q."""
    p, q = share.numerator, share.denominator
    groups = [(i, sets[i].tolist()) for i in sets.ties.tolist()]
    totals = {i: sum(weights[j] for j in members) for i, members in groups}
    common = math.lcm(*totals.values()) if totals else 1
    result = [(q - p) * common * x for x in u]
    for i, j in enumerate(sets.first.tolist()):
        if i not in totals:
            result[j] += p * common * u[i]
    for i, members in groups:
        for j in members:
            result[j] += p * (common // totals[i]) * u[i] * weights[j]
    return result, q * common


def on_grid(values: Array, bits: int) -> Array:
    """The nearest integers to 2^bits * values."""
    return np.rint(np.ldexp(values.astype(np.float64), bits)).astype(np.int64)
