"""Where thousands of instances end, proved for all layers by locks: who leads from when, and the last change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.conjectures.arrays.proved import nearest_ties
from exactformer.dynamics.array_orbit import ArrayLayer, ArrayOrbit
from exactformer.dynamics.array_sums import diagonals, follower_sums
from exactformer.model.token_arrays import TokenArrays

#: layers that are run before an instance is left to closed forms
LAST = 120
NEVER = -1


@dataclass
class ArrayFates:
    """What is proved of instance k if `settled[k]`: every C_i is locked from layer `locked[k]` on.

    `leads_from[i, k]` is the first layer at which i leads, or -1; `change[k]` the last layer at which a set changed,
    and `after_n[k]` the first such layer after n, or -1; `stray[k]` the first token that tends to no leader, or -1;
    `self_tie[k]` the last layer at which a token that moves ties with itself and two others, or -1. `ties` and `behind`
    say how near layer 0 comes to another tie and to a late leader.
    """

    settled: Array
    locked: Array
    leads_from: Array
    change: Array
    after_n: Array
    stray: Array
    self_tie: Array
    ties: Array
    behind: Array

    @property
    def late(self) -> Array:
        """The layer at which the last leader emerges."""
        return np.asarray(self.leads_from.max(axis=0))


def fates(given: TokenArrays) -> ArrayFates:
    """The fates of the instances, as far as locks show them within LAST layers."""
    n, m = given.size, len(given)
    orbit, none = ArrayOrbit(given), np.zeros(m, dtype=np.int64)
    result = ArrayFates(
        settled=none > 0,
        locked=none.copy(),
        leads_from=np.full((n, m), NEVER),
        change=none.copy(),
        after_n=none + NEVER,
        stray=none + NEVER,
        self_tie=none + NEVER,
        ties=np.zeros(m),
        behind=np.zeros(m),
    )
    result.ties[orbit.index], result.behind[orbit.index] = nearest_ties(orbit), left_behind(orbit.layer)
    while True:
        orbit.lock()
        _note(result, orbit)
        orbit.keep(orbit.layer.alive & ~orbit.layer.locked.all(axis=0))
        if orbit.time == LAST or not len(orbit.index):
            return result
        before = orbit.layer.sets
        orbit.step()
        changed = (orbit.layer.sets != before).any(axis=(0, 1))
        columns = orbit.index[changed]
        result.change[columns] = orbit.time
        if orbit.time > n:
            result.after_n[columns] = np.where(result.after_n[columns] == NEVER, orbit.time, result.after_n[columns])


def _note(result: ArrayFates, orbit: ArrayOrbit) -> None:
    """Takes down what the present layer shows."""
    layer, index, time = orbit.layer, orbit.index, orbit.time
    known = result.leads_from[:, index]
    result.leads_from[:, index] = np.where(layer.leads & (known == NEVER), time, known)
    tied = diagonals(layer.sets) & (layer.count > 2) & ~layer.rests
    if tied.any():
        moves = _surely_move(layer)
        layer.alive &= (~tied | moves).all(axis=0)
        result.self_tie[index[tied.any(axis=0)]] = time
    done = layer.alive & layer.locked.all(axis=0)
    result.settled[index[done]] = True
    result.locked[index[done]] = time
    # who follows several in the end tends to no vertex, and neither does who follows one that rests among several
    mixed = (layer.count > 1)[:, done]
    mixed |= (layer.sets[:, :, done] & mixed).any(axis=1)
    result.stray[index[done]] = np.where(mixed.any(axis=0), mixed.argmax(axis=0), NEVER)


def _surely_move(layer: ArrayLayer) -> Array:
    """Which tokens are surely not the mean of their C_i."""
    mean, error = (
        follower_sums(layer.sets, layer.values) / layer.count,
        follower_sums(layer.sets, layer.error[None])[0] / layer.count,
    )
    margin = 2 * (error + layer.error) + 1e-13 * np.abs(layer.values).max(axis=(0, 1))
    return np.asarray((np.abs(mean - layer.values) > margin).any(axis=0))


# how near to a late leader -------------------------------------------------------------------------------------
def left_behind(layer: ArrayLayer) -> Array:
    """`left_behind` of layer 0, where scores are exact, bit for bit: how well a token is placed to lead later."""
    s, sets, n = layer.scores, layer.sets, len(layer.count)
    others = ~np.eye(n, dtype=bool)[..., None]
    towards = sets & (layer.count == 1)[:, None] & others
    preferred = s < layer.norms[:, None]
    best = np.zeros(s.shape[-1])
    for j in range(n):
        i, l, k = np.nonzero(towards[:, j, None] & (sets[j] & others[j])[None] & preferred)
        if len(k):
            np.maximum.at(best, k, _races(s[i, j, k], s[i, i, k], s[i, l, k], s[j, j, k], s[j, l, k]))
    return best


def _races(ij: Array, ii: Array, il: Array, jj: Array, jl: Array) -> Array:
    """Which comes first: i prefers itself to j (1), or l to itself (0); quotients of integers, correctly rounded."""
    ij, ii, il, jj, jl = (score.astype(np.int64) for score in (ij, ii, il, jj, jl))
    g, h = ij - ii, ii - il
    dg, dh = jj + il - 4 * ij + 2 * ii, 2 * ij - 2 * ii - jl + il
    result = 0.2 / (1 + _quotient(np.maximum(dg, 0), g + h))
    soon = np.flatnonzero(dg < 0)
    g, h, dg, dh = g[soon], h[soon], dg[soon], dh[soon]
    if len(soon) and max(np.abs(x).max() for x in (g, h, dg, dh)) >= 2**25:
        g, h, dg, dh = (x.astype(object) for x in (g, h, dg, dh))
    one, other = g * dh, h * dg
    late = 1 - _quotient(one, np.where(one + other == 0, 1, one + other))
    result[soon] = 0.2 + 0.8 * np.where(dh >= 0, 1.0, late)
    return result


def _quotient(x: Array, y: Array) -> Array:
    """x/y, correctly rounded: float64 divides integers below 2^53 so, Python all integers."""
    exact = x.dtype != object and max(np.abs(x).max(initial=0), np.abs(y).max(initial=0)) < 2**53
    return np.asarray(x / y if exact else x.astype(object) / y.astype(object), dtype=np.float64)
