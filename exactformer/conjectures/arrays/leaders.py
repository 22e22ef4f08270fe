"""Statements about leaders, limits and the last change on thousands of instances at once, by their fates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.conjectures.arrays.fates import NEVER, ArrayFates, fates, left_behind
from exactformer.conjectures.arrays.proved import Prove, Proved, nearest_ties
from exactformer.dynamics.array_orbit import ArrayOrbit
from exactformer.model.token_arrays import TokenArrays


def _by_fate(
    true: Callable[[ArrayFates], Array],
    nearness: Callable[[ArrayFates], Array],
    witness: Callable[[ArrayFates, int], dict[str, int]] | None = None,
    near: Callable[[ArrayOrbit], Array] | None = None,
    *,
    leaders_only: bool = False,
) -> Prove:
    """What proves a conclusion that is decided by the fate alone; with a witness, what refutes it, too."""

    def prove(given: TokenArrays) -> Proved:
        end = fates(given, near, leaders_only=leaders_only)
        holds = true(end)
        found = np.flatnonzero(end.settled & ~holds).tolist() if witness is not None else []
        return Proved(end.settled & holds, nearness(end), {k: witness(end, k) for k in found} if witness else {})

    return prove


def _last_leader(end: ArrayFates, k: int) -> dict[str, int]:
    """The leader that emerges last, of several the last one."""
    layers = end.leads_from[:, k].tolist()
    return {"token": max((layer, i) for i, layer in enumerate(layers))[1], "layers": max(layers)}


#: every leader is one at layer 0
leads_at_once = _by_fate(lambda end: end.late <= 0, lambda end: end.near, _last_leader, left_behind, leaders_only=True)
#: every leader is one at layer n
leads_within_n = _by_fate(
    lambda end: end.late <= len(end.leads_from),
    lambda end: 0.6 * end.near + 0.4 * end.late / (len(end.leads_from) + 1),
    _last_leader,
    left_behind,
    leaders_only=True,
)
#: the follower sets do not change after layer n
constant_after_n = _by_fate(
    lambda end: end.after_n == NEVER,
    lambda end: end.change / (len(end.leads_from) + 1),
    lambda end, k: {"layers": int(end.after_n[k])},
)
#: every limit is the position of a leader: whoever follows one leader in the end tends to it
tends_to_leader = _by_fate(
    lambda end: end.stray == NEVER, lambda end: end.near, lambda end, k: {"token": int(end.stray[k])}, nearest_ties
)
#: no token that starts in the interior of the hull ever leads, since nobody leads late
interior_never_leads = _by_fate(lambda end: end.late <= 0, lambda end: end.near, leaders_only=True)
#: there are at most as many leaders as vertices, since all leaders lead at once, exposed by A z_i
leaders_are_few = _by_fate(
    lambda end: end.late <= 0,
    lambda end: (end.leads_from == 0).sum(axis=0) / len(end.leads_from) / 2,
    leaders_only=True,
)
#: the follower sets become constant
graph_stabilises = _by_fate(
    lambda end: end.settled,
    lambda end: np.where(end.self_tie == NEVER, 0.0, (end.self_tie + 1) / (end.self_tie + 5)),
)


def theorem(patience: int) -> Prove:
    """What proves the clustering theorem of locked instances, for A symmetric positive definite.

    A leader is a vertex, exposed by A z_i. Resting tokens other than leaders are means of several points, so that the
    resting ones span no more than the leaders do. The limit of any token is such a c: a resting token, or the mean of
    resting ones, that maximises <A c, .> with a positive maximum, at itself. So A c exposes a face on which it is
    constant, c is in it, and is its A-projection of the origin; c is on the boundary, since A c != 0. The nearness
    is that of ties if every token follows one leader by layer `patience`, as the judge of single instances has it.
    """
    return _by_fate(
        lambda end: end.settled,
        lambda end: np.where((end.stray == NEVER) & (end.locked <= patience), end.near, 0.9),
        near=nearest_ties,
    )


def compared(*, lost: bool) -> Prove:
    """What proves that every leader for alpha is one for 2 alpha (`lost`), or the other way round."""

    def prove(given: TokenArrays) -> Proved:
        slow = fates(given, left_behind, leaders_only=True)
        fast = fates(replace(given, up=2 * given.up), leaders_only=True)
        these, those = (slow, fast) if lost else (fast, slow)
        kept = ((these.leads_from == NEVER) | (those.leads_from != NEVER)).all(axis=0)
        return Proved(slow.settled & fast.settled & kept, slow.near)

    return prove


def some_leader(given: TokenArrays) -> Proved:
    """Some token leads at layer 0."""
    orbit, result = ArrayOrbit(given), Proved.nothing(len(given))
    count = orbit.layer.leads.sum(axis=0)
    result.settle(orbit.index[count > 0], 1 / (1 + count[count > 0]))
    return result


def some_leader_by_layer_n(given: TokenArrays) -> Proved:
    """Some token leads at one of the layers 0..n."""
    orbit, result, n = ArrayOrbit(given), Proved.nothing(len(given)), given.size
    for k in range(n + 1):
        count = orbit.layer.leads.sum(axis=0)
        found = orbit.layer.alive & (count > 0)
        result.settle(orbit.index[found], (k + 1) / (n + 2) if k else 0.5 / (1 + count[found]))
        orbit.keep(orbit.layer.alive & ~found)
        if k < n and len(orbit.index):
            orbit.step()
    return result
