"""Where thousands of instances end, proved for all layers by locks: who leads from when, and the last change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.dynamics.array_orbit import ArrayLayer, ArrayOrbit
from exactformer.dynamics.array_sums import diagonals, followed_places, follower_sums
from exactformer.model.token_arrays import TokenArrays

#: layers that are run before an instance is left to closed forms
LAST = 240
NEVER = -1


@dataclass
class ArrayFates:
    """What is proved of instance k if `settled[k]`: every C_i is locked from layer `locked[k]` on.

    `leads_from[i, k]` is the first layer at which i leads, or -1; `change[k]` the last layer at which a set changed,
    and `after_n[k]` the first such layer after n, or -1; `stray[k]` the first token that tends to no leader, or -1;
    `self_tie[k]` the last layer at which a token that moves ties with itself and two others, or -1. `near` is what was
    asked for about layer 0.
    """

    settled: Array
    locked: Array
    leads_from: Array
    change: Array
    after_n: Array
    stray: Array
    self_tie: Array
    near: Array

    @property
    def late(self) -> Array:
        """The layer at which the last leader emerges."""
        return np.asarray(self.leads_from.max(axis=0))


def fates(
    given: TokenArrays, near: Callable[[ArrayOrbit], Array] | None = None, *, leaders_only: bool = False
) -> ArrayFates:
    """The fates of the instances, as far as locks show them within LAST layers; `near` measures layer 0.

    With `leaders_only`, an instance whose leaders span its hull is settled at once: nothing but `leads_from` is right.
    """
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
        near=np.zeros(m),
    )
    result.leads_from[:, orbit.index] = np.where(orbit.layer.leads, 0, NEVER)
    if near is not None:
        result.near[orbit.index] = near(orbit)
    while True:
        orbit.lock()
        orbit.keep(_note(result, orbit))
        if leaders_only and not orbit.time:
            spanned = leaders_span(given.points[..., orbit.index], orbit.layer.leads)
            result.settled[orbit.index[spanned]] = True
            orbit.keep(~spanned)
        if orbit.time == LAST or not len(orbit.index):
            return result
        before = orbit.layer
        orbit.step()
        changed = (orbit.layer.sets != before.sets).any(axis=(0, 1))
        if changed.any():
            _note_changes(result, orbit, np.flatnonzero(changed), orbit.layer.leads & ~before.leads)


def leaders_span(points: Array, leads: Array) -> Array:
    """Where every vertex of the hull is known to lead, in dimensions 1 and 2: then nobody else ever does.

    Hulls are nested, so that a token stays a convex combination of the leaders, which rest; <A z_i, .> has its maximum
    over all tokens at one of them, and i is not the only one to attain it. In the plane floats put the leaders in an
    order, and it is proved that all tokens are to the left of every side, or on it: then each leader is followed by
    the next vertex, and no vertex is left out. Coordinates are below 2^26, so that int64 holds the products.
    """
    n, count = len(leads), leads.sum(axis=0)
    result = (count > 1) | (n == 1)
    if len(points) != 2:
        return np.asarray(result & (len(points) == 1))
    centre = (points * leads).sum(axis=1) / np.maximum(count, 1)
    x, y = points - centre[:, None]
    order = np.where(leads, np.arctan2(y, x), np.inf).argsort(axis=0)
    order = np.where(np.arange(n)[:, None] < count, order, order[0])
    corners = np.take_along_axis(points, order[None], axis=1)
    sides = np.roll(corners, -1, axis=1) - corners
    for (u, v), (a, b) in zip(sides.transpose(1, 0, 2), corners.transpose(1, 0, 2), strict=True):
        result &= (u * (points[1] - b) >= v * (points[0] - a)).all(axis=0)
    return np.asarray(result)


def _note_changes(result: ArrayFates, orbit: ArrayOrbit, changed: Array, fresh: Array) -> None:
    """Takes down that sets of the present layer are others than before, and who leads for the first time."""
    columns, time = orbit.index[changed], orbit.time
    result.change[columns] = time
    if time > len(fresh):
        result.after_n[columns] = np.where(result.after_n[columns] == NEVER, time, result.after_n[columns])
    i, k = np.nonzero(fresh)
    result.leads_from[i, orbit.index[k]] = time


def _note(result: ArrayFates, orbit: ArrayOrbit) -> Array:
    """Takes down what the present layer shows, and says where it settles nothing."""
    layer, index, time = orbit.layer, orbit.index, orbit.time
    tied = diagonals(layer.sets) & (layer.count > 2) & ~layer.rests
    if tied.any():
        moves = _surely_move(layer)
        layer.alive &= (~tied | moves).all(axis=0)
        result.self_tie[index[tied.any(axis=0)]] = time
    locked = layer.locked.all(axis=0)
    done = np.flatnonzero(layer.alive & locked)
    result.settled[index[done]] = True
    result.locked[index[done]] = time
    # who follows several in the end tends to no vertex, and neither does who follows one that rests among several
    mixed = layer.count > 1
    done = done[np.flatnonzero(mixed[:, done].any(axis=0))]
    mixed = mixed[:, done]
    mixed |= (layer.sets[:, :, done] & mixed).any(axis=1)
    result.stray[index[done]] = mixed.argmax(axis=0)
    return np.asarray(layer.alive & ~locked)


def _surely_move(layer: ArrayLayer) -> Array:
    """Which tokens are surely not the mean of their C_i."""
    mean, error = (
        follower_sums(layer.sets, layer.values) / layer.count,
        follower_sums(layer.sets, layer.error[None])[0] / layer.count,
    )
    margin = 2 * (error + layer.error) + 1e-13 * np.abs(layer.values).max(axis=(0, 1))
    return np.asarray((np.abs(mean - layer.values) > margin).any(axis=0))


# how near to a late leader -------------------------------------------------------------------------------------
def left_behind(orbit: ArrayOrbit) -> Array:
    """`left_behind` of layer 0, where scores are exact, bit for bit: how well a token is placed to lead later."""
    layer = orbit.layer
    s, sets, (n, m) = layer.scores, layer.sets, layer.count.shape
    places = followed_places(sets)
    i, k = np.nonzero((layer.count == 1) & ~layer.leads & ~layer.leads.ravel()[places % (n * m)])
    j = places[i, k] // m
    towards, l = np.nonzero(sets[j, :, k] & (np.arange(n) != j[:, None]) & (s[i, :, k] < s[i, i, k][:, None]))
    i, j, k = i[towards], j[towards], k[towards]
    best = np.zeros(m)
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
