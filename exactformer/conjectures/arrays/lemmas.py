"""The lemmas of the clustering theorem on thousands of instances at once.

Each check says for which columns a lemma is proved at a layer or a step. Scores are within reach/2 of the true ones,
and sets are exact, so an inequality counts only where it holds with that margin. What the sets alone imply is not
computed again: C_i is the exact set of maximisers, so that Lemma 1 is what it is made by; a leader does not move, so
that Lemma 4 says that it leads at the next layer again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.conjectures.arrays.proved import Prove, Proved, nearest_ties
from exactformer.dynamics.array_orbit import ArrayLayer, ArrayOrbit
from exactformer.model.token_arrays import TokenArrays


def distinct(orbit: ArrayOrbit) -> Array:
    """Lemma 0: no two tokens can be equal."""
    now = orbit.layer
    result = now.alive
    for j in range(1, len(now.error)):
        apart = np.abs(now.values[:, :j] - now.values[:, j : j + 1]).max(axis=0)
        apart = apart > (now.error[:j] + now.error[j]) * (1 + 1e-9)
        result = result & apart.all(axis=0)
    return result


def not_empty(orbit: ArrayOrbit) -> Array:
    """Lemma 1: no set of maximisers is empty."""
    return np.asarray((orbit.layer.count > 0).all(axis=0))


def norms_grow(now: ArrayLayer, orbit: ArrayOrbit) -> Array:
    """Lemma 2: a token grows, or it is the mean of its set."""
    after = orbit.layer
    return np.asarray((now.rests | (after.norms - now.norms > now.reach + after.reach)).all(axis=0))


def combinations(now: ArrayLayer, orbit: ArrayOrbit) -> Array:
    """Lemma 3: the new tokens are the convex combinations of the old ones that the update gives, modulo 2^64."""
    return orbit.is_update_of(now)


def leaders_stay(now: ArrayLayer, orbit: ArrayOrbit) -> Array:
    """Lemma 4: who leads leads at the next layer."""
    return np.asarray((~now.leads | orbit.layer.leads).all(axis=0))


def longest_leads(orbit: ArrayOrbit) -> Array:
    """Lemma 5: a token of largest norm leads at layer 0, where norms are exact."""
    norms = orbit.layer.norms
    return np.asarray((orbit.layer.leads | (norms < norms.max(axis=0))).all(axis=0))


def followed_are_longer(orbit: ArrayOrbit) -> Array:
    """Lemma 6: a member of C_i other than i is longer than i."""
    now = orbit.layer
    itself = np.eye(len(now.error), dtype=bool)[..., None]
    longer = now.norms[None] - now.norms[:, None] > now.reach[None] + now.reach[:, None]
    return np.asarray((~now.sets | longer | itself).all(axis=(0, 1)))


def fixed_are_projections(now: ArrayLayer, orbit: ArrayOrbit) -> Array:
    """Lemma 7: who does not lead moves, or is in its own set, all of which ties."""
    after, itself = orbit.layer, np.einsum("iik->ik", now.sets)
    moves = (np.abs(after.values - now.values) > (now.error + after.error) * (1 + 1e-9)).any(axis=0)
    return np.asarray((itself | moves).all(axis=0))


#: lemmas about one layer, and about a layer and the next one
OF_A_LAYER: dict[int, Callable[[ArrayOrbit], Array]] = {
    0: distinct,
    1: not_empty,
    5: longest_leads,
    6: followed_are_longer,
}
OF_A_STEP: dict[int, Callable[[ArrayLayer, ArrayOrbit], Array]] = {
    2: norms_grow,
    3: combinations,
    4: leaders_stay,
    7: fixed_are_projections,
}

#: layers at which locks are looked for, so that ties need no proof later: at more of them they would cost more
LOCKING = 4


def _alive(orbit: ArrayOrbit) -> Array:
    """What is not given up: nothing else is asked of this layer."""
    return orbit.layer.alive


def _alive_after(now: ArrayLayer, orbit: ArrayOrbit) -> Array:
    """What is not given up: nothing else is asked of this step."""
    return orbit.layer.alive


def lemma_proved(number: int, last: int) -> Prove:
    """What proves a lemma at the layers 0..last."""
    of_layer, of_step = OF_A_LAYER.get(number, _alive), OF_A_STEP.get(number, _alive_after)

    def prove(given: TokenArrays) -> Proved:
        orbit, result = ArrayOrbit(given), Proved.nothing(len(given))
        result.nearness[orbit.index] = nearest_ties(orbit)
        orbit.keep(of_layer(orbit))
        for layer in range(last):
            if layer < LOCKING:
                orbit.lock()
            now = orbit.layer
            orbit.step()
            holds = orbit.layer.alive & of_layer(orbit) & of_step(now, orbit)
            # where everybody rests, every later layer is this one
            constant = holds & now.rests.all(axis=0)
            result.true[orbit.index[constant]] = True
            orbit.keep(holds & ~constant)
        result.true[orbit.index] = True
        return result

    return prove
