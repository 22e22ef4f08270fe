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

from exactformer.arithmetic.integers import Array, matmul, multiply
from exactformer.arithmetic.state import State
from exactformer.dynamics.exact import advance, maximisers, weighted_sums
from exactformer.dynamics.filter import UNIT, Shadow, candidates
from exactformer.dynamics.form import Form, is_integral
from exactformer.dynamics.sets import FollowerSets

#: layer of something that has not happened
NEVER = -1


class Engine:
    """The pure-attention dynamics of weighted positions, layer by layer on demand.

    `static` marks the positions that never move again, `active` lists those whose C_p is not known to stay for ever.
    """

    def __init__(self, state: State, form: Form, share: Fraction, weights: Array) -> None:
        self.initial, self.form, self.share, self.weights = state, form, share, weights
        self.history: list[FollowerSets] = []
        self.active = np.arange(len(state))
        self.static = np.zeros(len(state), dtype=bool)
        self._leads: list[tuple[int, Array]] = []
        self._locks: list[tuple[int, Array]] = []
        self._shadow = Shadow.of(state.array, state.denominator, form)
        self._newest = Replay(state)
        # scores that overflow go to the exact path, and field elements set flags of their own: no warning is meant
        self.noisy = self._shadow.largest_error(form) == math.inf or not is_integral(state.array)

    @property
    def frozen(self) -> bool:
        """Whether every position is locked: the last follower sets of the history hold for ever."""
        return not len(self.active)

    @property
    def leads_from(self) -> Array:
        """For every position the first layer with C_p = {p}, NEVER until then."""
        return self._layers_of(self._leads)

    @property
    def locked_from(self) -> Array:
        """For every position the first layer at which C_p is known to stay for ever, NEVER until then."""
        return self._layers_of(self._locks)

    def _layers_of(self, events: list[tuple[int, Array]]) -> Array:
        layers = np.full(len(self.static), NEVER)
        for layer, rows in events:
            layers[rows] = layer
        return layers

    @property
    def all_lead(self) -> bool:
        """Whether every position led at layer 0, so that none ever moves."""
        return self.frozen and len(self._leads[0][1]) == len(self.static)

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
            sets = self.history[-1].replaced(rows, sets.lengths, sets.members)
        self.history.append(sets)
        self._lock(layer, sets)

    def _moved_shadow(self, layer: int) -> Shadow:
        """The shadow of a layer, from that of the layer before; exact scores stay exact while they can."""
        shadow, sets = self._shadow, self.history[-1]
        if shadow.exact:
            state = self.state(layer)
            return Shadow.of(state.array, state.denominator, self.form)
        return shadow.moved(self._approx_means(sets), float(self.share), int(sets.lengths.max()))

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
        return sets.replaced(near, settled.lengths, settled.members)

    # locking ---------------------------------------------------------------------------------------
    def _lock(self, layer: int, sets: FollowerSets) -> None:
        """Positions whose follower set is known to stay for ever leave the active rows.

        A leader stays one. A position whose C_i is one static position l keeps it: for x = s z_i + (1-s) l,
        0 < s <= 1, and every other y of the hull <A x, l - y> > 0, later tokens stay in the hull, and a token that
        is not at l keeps a positive share of its place.
        """
        rows = self.active
        first = sets.first[rows] if layer else sets.first
        loops = first == rows
        single = None if sets.single else sets.lengths[rows] == 1
        leading = rows[loops if single is None else loops & single]
        self._leads.append((layer, leading))
        self.static[leading] = True
        if single is None:
            locked = self.static[first]
        else:
            tied = rows[~single]
            self._fix(layer, tied, sets)
            locked = single & self.static[first]
            locked[~single] = self._tied_locks(layer, tied, sets)
        self._locks.append((layer, rows[locked]))
        self.active = rows[~locked]

    def _fix(self, layer: int, tied: Array, sets: FollowerSets) -> None:
        """Marks the tied positions that never move: the mean of C_i is z_i, and all its members are static or such.

        Together they stand still in this layer; a token outside C_i scores less now and keeps scoring less, because
        it moves to a proper average of itself and a point that scores at most the maximum.
        """
        own = sets.take(tied)
        loops = np.logical_or.reduceat(own.members == np.repeat(tied, own.lengths), own.offsets[:-1])
        tied, own = tied[loops], own.take(np.flatnonzero(loops))
        if not len(tied):
            return
        array = self.state(layer).array
        sums, totals = weighted_sums(own, array, self.weights)
        still = np.asarray(sums == multiply(array[tied], totals[:, None]), dtype=bool).all(axis=1)
        fixed = self.static.copy()
        fixed[tied[still]] = True
        while not (keep := fixed[own.members]).all():
            falls = still & ~np.logical_and.reduceat(keep, own.offsets[:-1])
            if not falls.any():
                break
            still &= ~falls
            fixed[tied[falls]] = False
        self.static = fixed

    def _tied_locks(self, layer: int, tied: Array, sets: FollowerSets) -> Array:
        """For every tied row with C_i = F: F is static, and F lies in argmax <A c, .>, c its weighted mean.

        Then C_i = F for ever: for x = s z_i + (1-s) c, l in F and y in the hull, <A x, l - y> >= 0 with equality only
        on the face exposed by A z_i, which no token enters that is not already in it.
        """
        own = sets.take(tied)
        locked = self.static[tied]
        waiting = ~locked & np.logical_and.reduceat(self.static[own.members], own.offsets[:-1])
        alike: dict[bytes, list[int]] = {}
        for i in np.flatnonzero(waiting).tolist():
            alike.setdefault(own[i].tobytes(), []).append(i)
        if alike:
            different = own.take(np.array([rows[0] for rows in alike.values()]))
            for rows, exposed in zip(alike.values(), self._exposed(layer, different), strict=True):
                locked[rows] = exposed
        return locked

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
