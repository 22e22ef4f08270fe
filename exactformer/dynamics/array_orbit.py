"""The dynamics of thousands of instances of equal n and d at once, exact wherever it answers.

Every token is held twice: as a float f with |Z - f| <= e, e being its own, and as an integer N modulo 2^64 with
Z = N/D, D = q^k g for the denominator q of a, the layer k and a small multiple g of its own. Z is the token in units of
its denominator at layer 0: it is integral there, and |Z| <= S, the largest coordinate of layer 0, for ever, since
hulls are nested for every A.

*Layer 0.* Instances enter only if S^2 sum|A| < 2^52. Then every product and every partial sum of the scores
<A z_i, z_j> is an integer that float64 holds: scores, their differences and follower sets are exact, and e = 0.

*Later layers.* With u = 2^-53, the computed f' = f + a(g - f), g the mean of f over C_i, satisfies

    |Z' - f'| <= (1 - a) e + a mean(e_j) + u S (2 + 8a + (n + 1) [C_i has several members]):

rounding adds at most u S to the sum, 6a u S to a(g - f) and n u S to a mean of several. A token that is the mean of its
own C_i, as a leader is, stays what it is, f, e and all. A computed score is within

    E_ij = (1 + 1e-6) sum|A| S (gamma_{2d+3} S + e_i + e_j),   gamma_m = m u (1 + 1e-9),

of the true one: it takes 2d roundings, and three are left for comparisons. Tokens within reach_i, at least twice the
largest E_ij, of the best computed score are candidates; whoever is not one does not maximise, and a single candidate is
the maximiser. The true scores of two candidates differ by at most 2 reach_i, and that difference is an integer over
D_i D_j, where D = 1 for tokens that have not moved yet. An integer of absolute value below 2^64 that is 0 modulo 2^64
is 0: if 2 reach_i D_i D_j < 2^63 and the residues agree, it is a tie. That z_i is the mean of C_i is decided likewise.
In every other case nothing is decided: the instance is given up, and a judge of single instances has to be asked.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.dynamics.array_sums import at, diagonals, followed_places, follower_sums, image_points, score_products
from exactformer.model.token_arrays import LARGEST, TokenArrays

UNIT = 2.0**-53
REACH = 2.0000001
#: scores of layer 0 are smaller, so that they and their differences are exact in float64
EXACT = 2.0**52
#: a difference is known to be zero if its residue modulo 2^64 is, and its absolute value is smaller than this
DECIDABLE = 2.0**63


@dataclass
class _Instances:
    """What belongs to an instance whatever the layer; the last axis is the instance."""

    index: Array
    matrix: Array
    residues: Array
    mass: Array
    size: Array
    share: Array
    rest: Array
    pull: Array
    first: Array


@dataclass
class ArrayLayer:
    """A layer of m instances: floats within `error`, computed scores, and exact sets: sets[i, j] says j in C_i.

    `leads` says C_i = {i}, `rests` that the mean of C_i is known to be z_i, as it is for leaders; `still` that the
    token has rested at every layer before, so that it is what it was at layer 0; `locked` that C_i never changes again.
    What is not True in `alive` has been given up; the rest of its column means nothing.
    """

    values: Array
    error: Array
    residues: Array
    power: Array
    multiple: Array
    still: Array
    scores: Array
    reach: Array
    sets: Array
    count: Array
    leads: Array
    rests: Array
    locked: Array
    alive: Array

    @property
    def norms(self) -> Array:
        """The computed <A z_i, z_i>, each within reach/2 of the true one."""
        return diagonals(self.scores)


class ArrayOrbit:
    """The layers of many instances, one after another: `layer` is the present one, `index` says whose columns are left.

    >>> from exactformer.model.tokens import Tokens
    >>> orbit = ArrayOrbit(TokenArrays.of([Tokens([["7/5", "1/5"], [1, 1], [0, 0]])]))
    >>> orbit.step()
    >>> orbit.layer.sets[:, :, 0].astype(int).tolist(), orbit.layer.alive.tolist()
    ([[1, 0, 0], [0, 1, 0], [1, 1, 0]], [True])
    """

    def __init__(self, given: TokenArrays) -> None:
        size = np.abs(given.points).max(axis=(0, 1)).astype(np.float64)
        mass = np.abs(given.A).sum(axis=(0, 1)).astype(np.float64)
        index = np.flatnonzero(size * size * mass < EXACT)
        chosen = given if len(index) == len(given) else given.take(index)
        whole = chosen.up + chosen.down
        divisor = np.gcd(chosen.up, whole)
        pull, rest = chosen.up // divisor, chosen.down // divisor
        residues = chosen.points.astype(np.uint64)
        self.about = _Instances(
            index=index,
            matrix=chosen.A.astype(np.float64),
            residues=chosen.A.astype(np.uint64),
            mass=mass[index],
            size=size[index],
            share=pull / (pull + rest),
            rest=rest.astype(np.uint64),
            pull=pull.astype(np.uint64),
            first=residues,
        )
        none, self.time = np.zeros((given.size, len(index))), 0
        values, ones = chosen.points.astype(np.float64), np.ones(none.shape, dtype=np.int64)
        self.layer = self._scored(values, none, residues, np.ones(len(index)), ones, none == 0, None)

    @property
    def index(self) -> Array:
        """The numbers of the instances, in the arrays given, that the columns stand for."""
        return self.about.index

    def keep(self, chosen: Array) -> None:
        """Goes on with the columns of a mask only."""
        if chosen.all():
            return
        places = np.flatnonzero(chosen)
        for part in (self.about, self.layer):
            for field in fields(part):
                setattr(part, field.name, getattr(part, field.name).take(places, axis=-1))

    def step(self) -> None:
        """Goes on to the next layer of what is alive."""
        self.keep(self.layer.alive)
        now, about = self.layer, self.about
        several = now.count > 1
        tied, targets = np.flatnonzero(several.any(axis=0)), followed_places(now.sets)
        values, error = at(now.values, targets), at(now.error[None], targets)[0]
        residues, multiple = about.rest * now.residues + about.pull * at(now.residues, targets), now.multiple
        if len(tied):
            values[..., tied], error[:, tied] = _means(now, tied)
        i, k = np.nonzero(several | (multiple > 1) | (at(multiple[None], targets)[0] > 1))
        if len(k):
            multiple = multiple.copy()
            residues[:, i, k], multiple[i, k] = self._moved_residues(i, k)
        moved = np.where(now.rests, now.values, now.values + about.share * (values - now.values))
        rounding = UNIT * about.size * (2 + 8 * about.share + several * (len(several) + 1))
        error = (now.error + about.share * (error - now.error)) * (1 + 1e-9) + rounding
        error = np.where(now.rests, now.error, error)
        power = np.minimum(now.power * (about.rest + about.pull) * (1 + 1e-9), 1e100)
        self.time += 1
        self.layer = self._scored(moved, error, residues, power, multiple, now.still & now.rests, now)

    def _moved_residues(self, i: Array, k: Array) -> tuple[Array, Array]:
        """The residues of tokens i of instances k one layer later, and the multiples g_i of the power below them."""
        now, about = self.layer, self.about
        rests, count, own = now.rests[i, k], now.count[i, k].astype(np.int64), now.multiple[i, k]
        sets, others = now.sets[i, :, k].T & ~rests, now.multiple[:, k]
        new, weights = own, own / (count * others)
        short = np.flatnonzero((sets & (weights != np.floor(weights))).any(axis=0))
        if len(short):
            new = own.copy()
            new[short] = _multiples(sets[:, short], count[short], own[short], others[:, short])
            weights = new / (count * others)
        pulled = np.where(sets, weights, 0).astype(np.uint64)
        total = sum(pulled[j] * now.residues[:, j, k] for j in range(len(sets)))
        mine, rest, pull = now.residues[:, i, k], about.rest[k], about.pull[k]
        moved = rest * (new // own).astype(np.uint64) * mine + pull * total
        return np.where(rests, (rest + pull) * mine, moved), new

    def is_update_of(self, before: ArrayLayer) -> Array:
        """Whether (1 - a) z_i + a mean of C_i of the layer before, a convex combination, is this layer modulo 2^64."""
        about, now = self.about, self.layer
        count, common = before.count.astype(np.uint64), np.lcm.reduce(before.multiple, axis=0)
        shares = (common // before.multiple).astype(np.uint64) * before.residues
        combination = (
            about.rest * count * shares + about.pull * follower_sums(before.sets, shares)
        ) * now.multiple.astype(np.uint64)
        return np.asarray((combination == now.residues * count * common.astype(np.uint64)).all(axis=(0, 1)))

    def _scored(
        self,
        values: Array,
        error: Array,
        residues: Array,
        power: Array,
        multiple: Array,
        still: Array,
        before: ArrayLayer | None,
    ) -> ArrayLayer:
        """The layer with these tokens: its scores, and the follower sets wherever they are proved."""
        about = self.about
        scores = score_products(image_points(about.matrix, values), values)
        gamma = (2 * len(values) + 3) * UNIT * (1 + 1e-9)
        reach = np.zeros(error.shape)
        if self.time:
            bound = about.mass * about.size * (1 + 1e-6) * REACH
            reach = bound * (gamma * about.size + error + error.max(axis=0)) + 1e-290
        near = scores >= scores.max(axis=1, keepdims=True) - reach[:, None]
        locked = np.zeros(error.shape, dtype=bool) if before is None else before.locked
        if before is not None and locked.any():
            near = np.where(locked[:, None], before.sets, near)
        count = near.view(np.uint8).sum(axis=1, dtype=np.uint8)
        itself = diagonals(near)
        leads = itself & (count == 1)
        rests = leads if before is None else leads | (locked & before.rests)
        layer = ArrayLayer(
            values,
            error,
            residues,
            power,
            multiple,
            still,
            scores,
            reach,
            near,
            count,
            leads,
            rests,
            locked,
            still[0] >= 0,
        )
        i, k = np.nonzero((count > 1) & ~locked)
        if len(k) and self.time:
            layer.alive[k[~self._are_ties(layer, i, k)]] = False
        i, k = np.nonzero(itself & (count > 1) & ~locked & layer.alive)
        if len(k):
            layer.rests = rests.copy()
            layer.rests[i, k] |= self._are_means(layer, i, k)
        return layer

    def _are_means(self, layer: ArrayLayer, i: Array, k: Array) -> Array:
        """Which tokens i of instances k are proved to be the mean of their C_i, by the residues of |C_i| z_i."""
        sets, count, still = layer.sets[i, :, k].T, layer.count[i, k], layer.still[:, k]
        members = range(len(sets))
        mean = sum(sets[j] * layer.values[:, j, k] for j in members) / count
        error = sum(sets[j] * layer.error[j, k] for j in members) / count
        gap = np.abs(mean - layer.values[:, i, k]).max(axis=0) + error + layer.error[i, k]
        bound = count * (gap + 4 * (len(sets) + 1) * UNIT * self.about.size[k])
        at_first = layer.still[i, k] & (~sets | still).all(axis=0)
        later, common = self._over_one(layer, k)
        result = np.zeros(len(k), dtype=bool)
        whole = bound * layer.power[k] * common < DECIDABLE
        for points, rows in ((self.about.first[..., k], at_first), (later, whole)):
            total = sum(sets[j] * points[:, j] for j in members)
            own = points[:, i, np.arange(len(k))]
            result |= rows & (total == count.astype(np.uint64) * own).all(axis=0)
        return result

    def _over_one(self, layer: ArrayLayer, k: Array) -> tuple[Array, Array]:
        """The residues of instances k over the denominator q^layer g, and g, the common multiple."""
        multiple = layer.multiple[:, k]
        common = np.lcm.reduce(multiple, axis=0)
        return layer.residues[..., k] * (common // multiple).astype(np.uint64), common

    def _are_ties(self, layer: ArrayLayer, i: Array, k: Array) -> Array:
        """Whether all candidates of rows i of instances k are proved to tie."""
        near, still = layer.sets[i, :, k].T, layer.still[:, k]
        later, common = self._over_one(layer, k)
        own, power = layer.still[i, k], layer.power[k]
        point = np.where(own, self.about.first[:, i, k], layer.residues[:, i, k])
        left = image_points(self.about.residues[..., k], point)
        scale = np.where(own, 1.0, power * layer.multiple[i, k]) * 2 * layer.reach[i, k]
        one = near.argmax(axis=0)[None]
        resting = still & np.take_along_axis(still, one, axis=0)
        proved = ~near
        for points, pairs, factor in ((self.about.first[..., k], resting, 1.0), (later, ~resting, power * common)):
            scores = sum(x * y for x, y in zip(left, points, strict=True))
            same = scores == np.take_along_axis(scores, one, axis=0)
            proved |= pairs & same & (scale * factor < DECIDABLE)
        return np.asarray(proved.all(axis=0) & (common < LARGEST))

    def lock(self) -> None:
        """Finds the rows of this layer whose C_i never changes again.

        Let R be the largest set of tokens that rest and whose C_i are in R. They rest for ever with these C_i: hulls
        are nested, so that nobody exceeds the best score of a resting i, members of C_i keep it, and a token that has
        less never gets it, since it keeps the part 1 - a of what it has. A token that moves towards the mean c of
        C_i in R is locked if all members maximise <A c, .> as well: then they, and nobody else, maximise <A z_i, .>
        for all z_i on the way. For one member j this is so, since a resting j is in C_j.

        At layer 0, where everything is integral, members may also move, towards means c_j of parts of R, if c does not
        change at this layer, and so at no later one. Then the c_j score as much in row i as the members do on average,
        that is, at most, so that all C_j are in C_i, and all members keep the scores <A z_i, .> and <A c, .>. The token
        i itself may be such a member, if it rests.
        """
        layer = self.layer
        sets, count = layer.sets, layer.count
        resting = layer.rests & (layer.leads | (layer.norms > layer.reach))
        while True:
            inside = (~sets | resting[None]).all(axis=1)
            if not (resting & ~inside).any():
                break
            resting &= inside
        layer.locked = layer.locked | resting | (inside & (count == 1))
        self._lock_together(inside & ~layer.locked)
        if not self.time:
            itself = np.eye(len(count), dtype=bool)[..., None] & layer.rests[:, None]
            rows = (~sets | (inside & layer.locked)[None] | itself).all(axis=1) & ~layer.locked
            columns = np.flatnonzero(rows.any(axis=0))
            rows[:, columns] &= _steady(sets[..., columns], count[:, columns], layer.values[..., columns])
            self._lock_together(rows)

    def _lock_together(self, rows: Array) -> None:
        """Locks those of the rows whose members all maximise <A c, .>."""
        columns = np.flatnonzero(rows.any(axis=0) & self.layer.alive)
        if len(columns):
            self.layer.locked[:, columns] |= rows[:, columns] & self._maximise_together(columns)

    def _maximise_together(self, chosen: Array) -> Array:
        """For which rows the members of C_i are as at layer 0, and all maximise <A c, .>, which is positive there."""
        layer, about = self.layer, self.about
        sets, scores, still = layer.sets[..., chosen], layer.scores[..., chosen], layer.still[:, chosen]
        heights = sum(sets[:, l, None] * scores[None, l] for l in range(len(sets)))
        count = layer.count[:, chosen].astype(np.int64)
        exact = (~sets | still[None]).all(axis=1) & (count * about.mass[chosen] * about.size[chosen] ** 2 < EXACT)
        top = np.where(sets, heights, -np.inf).max(axis=1)
        margin = np.where(still[None], 0.0, (2 * count * layer.reach[:, chosen].max(axis=0))[:, None])
        below = np.where(sets, heights == top[:, None], heights + margin <= top[:, None])
        return np.asarray(exact & (top > 0) & below.all(axis=1))


def _means(layer: ArrayLayer, tied: Array) -> tuple[Array, Array]:
    """The means of the C_i of tied instances, and the means of the errors."""
    sets, count = layer.sets[:, :, tied], layer.count[:, tied]
    return follower_sums(sets, layer.values[..., tied]) / count, follower_sums(sets, layer.error[None][..., tied])[
        0
    ] / count


def _steady(sets: Array, count: Array, values: Array) -> Array:
    """For which rows of layer 0 the members z_j of C_i and the means of their C_j have the same mean."""
    count = count.astype(np.int64)
    common = np.lcm.reduce(count, axis=0)
    moves = follower_sums(sets, values) * (common // count) - values * common
    return np.asarray(~follower_sums(sets, moves).any(axis=0))


def _multiples(sets: Array, count: Array, own: Array, others: Array) -> Array:
    """The least multiples of the own g_i that every |C_i| g_j divides, j in C_i."""
    new = own
    for members, g in zip(sets, others, strict=True):
        new = np.lcm(new, np.where(members, count * g, 1))
    return new
