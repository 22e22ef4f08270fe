"""Locks: positions whose follower set is known to stay for ever, so that their rows are never scored again.

A position is *static* if it never moves again: a leader, or a position that is the mean of its own set and keeps it.
A locked position obeys z(k) = c + r^k (z - c) from its layer on, c the mean of its set, which stays where it is.

**Lemma.** Let F = C_i, c its weighted mean, and suppose that

1. every j in F is static, or locked with C_j in F, or i itself;
2. the moves of F cancel: the weighted sum of z_j - mean(C_j) over F is 0;
3. F lies in argmax <A c, .> (true by itself if F is one static position).

Then C_i = F at every later layer, and z_i(k) = c + r^k (z_i - c).

*Proof.* While i keeps F, every moving member of F goes a part of the way to the mean of a subset of F, so F stays in
its present hull, on which <A z_i, .> and <A c, .> are constant; by 2 its mean stays c, since all members approach their
means at the same rate r. So z_i moves to x = s z_i + (1-s) c with s > 0, on which all of F scores the same. A token y
outside F has <A z_i, y> below the maximum now, and keeps below it, because it moves to an average of itself, with
positive weight, and of points that score at most the maximum; under A c it never exceeds F, by 3. So x prefers F.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from exactformer.arithmetic.integers import Array, multiply, segment_sums
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.integer_step import means

#: layer of something that has not happened
NEVER = -1


class Locks:
    """Which positions are static, locked, leading, and since when; `active` lists those that are not locked."""

    def __init__(self, weights: Array) -> None:
        n = len(weights)
        self.weights = weights
        self.active = np.arange(n)
        self.static = np.zeros(n, dtype=bool)
        self.leads: list[tuple[int, Array]] = []
        self.locks: list[tuple[int, Array]] = []

    def layers_of(self, events: list[tuple[int, Array]]) -> Array:
        """For every position the layer of its event, NEVER where there is none."""
        layers = np.full(len(self.static), NEVER)
        for layer, rows in events:
            layers[rows] = layer
        return layers

    def update(
        self, layer: int, sets: FollowerSets, exact: Callable[[], Array], exposed: Callable[[FollowerSets], list[bool]]
    ) -> None:
        """Locks what the follower sets of a layer allow.

        `exact` gives the numerators of the layer; `exposed` tells of each set F whether it lies in argmax <A c, .>.
        """
        rows = self.active
        first = sets.first[rows] if layer else sets.first
        loops = first == rows
        single = None if sets.single else sets.lengths[rows] == 1
        leading = rows[loops if single is None else loops & single]
        self.leads.append((layer, leading))
        self.static[leading] = True
        if single is None:
            locked = self.static[first]
        else:
            locked = single & self.static[first]
            tied = np.flatnonzero(~single)
            locked[tied] = self._tied(rows[tied], rows[locked], sets, exact, exposed)
        self.locks.append((layer, rows[locked]))
        self.active = rows[~locked]

    def _tied(
        self,
        tied: Array,
        fresh: Array,
        sets: FollowerSets,
        exact: Callable[[], Array],
        exposed: Callable[[FollowerSets], list[bool]],
    ) -> Array:
        """Which of the tied positions the lemma locks; `fresh` are the positions locked in this layer already."""
        locked = np.zeros(len(tied), dtype=bool)
        settled = np.ones(len(self.static), dtype=bool)
        settled[self.active] = False
        settled[fresh] = True
        own = sets.take(tied)
        returns = own.members == np.repeat(tied, own.lengths)
        loops = np.logical_or.reduceat(returns, own.offsets[:-1])
        possible = settled.copy()
        possible[tied[loops]] = True
        hopeful = np.flatnonzero(np.logical_and.reduceat(possible[own.members] | returns, own.offsets[:-1]))
        if not len(hopeful):
            return locked
        tied, own = tied[hopeful], own.take(hopeful)
        balanced = np.ones(len(tied), dtype=bool)
        if not self.static[own.members].all():
            balanced, rests = self._moves(tied, own, sets, exact())
            self._fix(tied[balanced & rests & loops[hopeful]], settled, sets)
        now = self.static[tied]
        waiting = [not now[k] and balanced[k] and self._closed(i, settled, sets) for k, i in enumerate(tied.tolist())]
        for rows, is_exposed in _alike(own, np.array(waiting), exposed):
            now[rows] = is_exposed
        locked[hopeful] = now
        return locked

    def _moves(self, tied: Array, own: FollowerSets, sets: FollowerSets, array: Array) -> tuple[Array, Array]:
        """For every tied position whether the moves z_j - mean(C_j) over its set cancel, and whether its own is 0."""
        target, common = means(sets, array, self.weights)
        moves = multiply(array, common) - target
        sums = segment_sums(multiply(moves[own.members], self.weights[own.members][:, None]), own.offsets)
        return _zero_rows(sums), _zero_rows(moves[tied])

    def _fix(self, resting: Array, settled: Array, sets: FollowerSets) -> None:
        """Marks as static, of the positions that are the mean of their own set, those that stay so: all at once.

        They stand still together, each keeps its set by the lemma as long as the others do, and condition 3 is
        free since c = z_i. What falls out is a position with a member that may still change.
        """
        before = self.static.copy()
        self.static[resting] = True
        while len(falls := [i for i in resting.tolist() if not self._closed(i, settled, sets)]):
            self.static[falls] = before[falls]
            resting = resting[~np.isin(resting, falls)]

    def _closed(self, i: int, settled: Array, sets: FollowerSets) -> bool:
        """Whether every member of C_i is static, or i, or locked with its own set in C_i."""
        members = sets[i]
        moving = [j for j in members[~self.static[members]].tolist() if j != i]
        return all(settled[j] and np.isin(sets[j], members).all() for j in moving)


def _zero_rows(array: Array) -> Array:
    return np.asarray(np.asarray(array == 0, dtype=bool).all(axis=1))


def _alike(
    own: FollowerSets, chosen: Array, exposed: Callable[[FollowerSets], list[bool]]
) -> list[tuple[list[int], bool]]:
    """For the chosen rows, grouped by equal sets: (rows, whether their set is exposed by its mean)."""
    groups: dict[bytes, list[int]] = {}
    for i in np.flatnonzero(chosen).tolist():
        groups.setdefault(own[i].tobytes(), []).append(i)
    if not groups:
        return []
    different = own.take(np.array([rows[0] for rows in groups.values()]))
    return list(zip(groups.values(), exposed(different), strict=True))
