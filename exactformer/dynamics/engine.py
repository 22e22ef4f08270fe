"""The engine: follower sets of every layer, exact, at the speed of float64.

Scores are float64 with a certified bound; only near ties are settled in integers. The state itself is lazy: the
history of follower sets determines it, and big integers are made when a near tie, or the caller, asks for them.
Leaders and locked positions (a lemma below) are finished for ever, so their rows are not scored again.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array, matmul
from exactformer.arithmetic.state import State
from exactformer.dynamics.float_filter import UNIT, Shadow, candidates
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.integer_step import advance, maximisers, weighted_sums
from exactformer.dynamics.locking import Locks
from exactformer.dynamics.score_form import ScoreForm, is_integral


class Engine:
    """The pure-attention dynamics of weighted positions, layer by layer on demand.

    Positions whose follower set is known to stay for ever are locked, and not scored again (see `locking`).
    """

    def __init__(self, state: State, form: ScoreForm, share: Fraction, weights: Array) -> None:
        self.initial, self.form, self.share, self.weights = state, form, share, weights
        self.history: list[FollowerSets] = []
        self._locks = Locks(weights)
        self._shadow = Shadow.of(state.array, state.denominator, form)
        self._newest = Replay(state)
        # scores that overflow go to the exact path, and field elements set flags of their own: no warning is meant
        self.noisy = self._shadow.largest_error(form) == math.inf or not is_integral(state.array)

    @property
    def active(self) -> Array:
        """The positions that are not locked."""
        return self._locks.active

    @property
    def frozen(self) -> bool:
        """Whether every position is locked: the last follower sets of the history hold for ever."""
        return not len(self._locks.active)

    @property
    def static(self) -> Array:
        """Which positions are known never to move again."""
        return self._locks.static

    @property
    def leads_from(self) -> Array:
        """For every position the first layer with C_p = {p}, NEVER until then."""
        return self._locks.layers_of(self._locks.leads)

    @property
    def locked_from(self) -> Array:
        """For every position the first layer at which C_p is known to stay for ever, NEVER until then."""
        return self._locks.layers_of(self._locks.locks)

    @property
    def all_lead(self) -> bool:
        """Whether every position led at layer 0, so that none ever moves."""
        return self.frozen and len(self._locks.leads[0][1]) == len(self.weights)

    def follows(self, layer: int) -> FollowerSets:
        """The follower sets of a layer."""
        if layer < len(self.history):
            return self.history[layer]
        with np.errstate(all="ignore") if self.noisy else nullcontext():
            while len(self.history) <= layer and not self.frozen:
                self._next_layer()
        return self.history[min(layer, len(self.history) - 1)]

    def state(self, layer: int) -> State:
        """The exact state of a layer, from the newest one known (or from the beginning)."""
        return (self._newest if layer >= self._newest.layer else Replay(self.initial)).to(layer, self)

    # one layer -------------------------------------------------------------------------------------
    def _next_layer(self) -> None:
        layer, rows = len(self.history), self.active
        if layer:
            self._shadow = self._moved_shadow(layer)
        sets = self._maximisers(layer, rows)
        if layer:
            sets = self.history[-1].replaced(rows, sets)
        self.history.append(sets)
        self._locks.update(layer, sets, lambda: self.state(layer).array, lambda some: self._exposed(layer, some))

    def _moved_shadow(self, layer: int) -> Shadow:
        """The shadow of a layer, from that of the layer before; exact scores stay exact while they can."""
        shadow, sets = self._shadow, self.history[-1]
        if shadow.exact:
            state = self.state(layer)
            return Shadow.of(state.array, state.denominator, self.form)
        members = 1 if sets.single else int(sets.lengths.max())
        return shadow.moved(self._approx_means(sets), float(self.share), members)

    def _approx_means(self, sets: FollowerSets) -> Array:
        values = self._shadow.values
        if sets.single:
            return values[sets.members]
        weights = self.weights[sets.members].astype(np.float64)
        sums = np.add.reduceat(values[sets.members] * weights[:, None], sets.offsets[:-1])
        return np.asarray(sums / np.add.reduceat(weights, sets.offsets[:-1])[:, None])

    def _maximisers(self, layer: int, rows: Array) -> FollowerSets:
        """C_i for the given rows: filtered in floats, near ties settled in integers."""
        shadow = self._shadow
        values = shadow.values if len(rows) == len(shadow.values) else shadow.values[rows]
        sets, near = candidates(shadow, self.form, values, shadow.error)
        if shadow.exact or not len(near):
            return sets
        array = self.state(layer).array
        settled = maximisers(self.form, array[rows[near]], array, sets.take(near))
        return sets.replaced(near, settled)

    def _exposed(self, layer: int, sets: FollowerSets) -> list[bool]:
        """Whether F lies in argmax_j <A c, z_j>, c the weighted mean of F, for every set F."""
        array = self.state(layer).array
        centres, totals = weighted_sums(sets, array, self.weights)
        if self._shadow.exact:
            scores = matmul(self.form.left(centres), array.T)
            best = scores.max(axis=1)
            return [bool((scores[g, sets[g]] == best[g]).all()) for g in range(len(sets))]
        weighted = self._shadow.values[sets.members] * self.weights[sets.members][:, None]
        values = np.add.reduceat(weighted, sets.offsets[:-1]) / totals[:, None]
        error = self._shadow.error + UNIT * self._shadow.size * (8 + 2 * int(sets.lengths.max()))
        possible, _ = candidates(self._shadow, self.form, values, error)
        best = maximisers(self.form, centres, array, possible)
        return [bool(np.isin(sets[g], best[g]).all()) for g in range(len(sets))]


class Replay:
    """The exact state of one layer, moved on from layer to layer by the follower sets of an engine."""

    def __init__(self, initial: State) -> None:
        self.layer, self.state = 0, initial

    def to(self, layer: int, engine: Engine) -> State:
        """The exact state of a layer at or after the present one; once frozen, in one step of any length."""
        with np.errstate(all="ignore") if engine.noisy else nullcontext():
            while self.layer < layer:
                sets = engine.follows(self.layer)
                last = engine.frozen and self.layer >= len(engine.history) - 1
                times = layer - self.layer if last else 1
                if not engine.all_lead:
                    self.state = advance(self.state, sets, engine.weights, engine.share, times)
                self.layer += times
        return self.state
