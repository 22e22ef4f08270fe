"""The follower graph as an order: everyone after those it follows; and what follows from it for limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.dynamics.follower_sets import FollowerSets


@dataclass(frozen=True)
class Cycle:
    """Positions that follow one another in a ring, which only a matrix that is not positive definite allows."""

    positions: tuple[int, ...]


def follow_order(sets: FollowerSets) -> list[int] | Cycle:
    """The positions in an order in which everyone comes after those it follows (self-loops aside), or a ring.

    >>> follow_order(FollowerSets.of_singles(np.array([1, 2, 2])))
    [2, 1, 0]
    >>> follow_order(FollowerSets.of_singles(np.array([1, 2, 0])))
    Cycle(positions=(0, 1, 2))
    """
    order: list[int] = []
    state = np.zeros(len(sets), dtype=np.int8)  # 1 while on the path, 2 when placed
    for root in range(len(sets)):
        if state[root]:
            continue
        state[root] = 1
        path = [(root, iter(sets[root].tolist()))]
        while path:
            here, members = path[-1]
            j = next(members, None)
            if j is None:
                order.append(here)
                state[here] = 2
                path.pop()
            elif j != here and state[j] == 1:
                walk = [i for i, _ in path]
                return Cycle(tuple(walk[walk.index(j) :]))
            elif not state[j]:
                state[j] = 1
                path.append((j, iter(sets[j].tolist())))
    return order


def leader_shares(
    order: Sequence[int], sets: Sequence[Sequence[int]], weights: Sequence[int]
) -> list[dict[int, Fraction]]:
    """For every position the share of each leading position in its limit, if the sets stay.

    >>> leader_shares([0, 1, 2], [[0], [1], [0, 1, 2]], [1, 1, 1])[2]
    {0: Fraction(1, 2), 1: Fraction(1, 2)}
    """
    shares: list[dict[int, Fraction]] = [{i: Fraction(1)} for i in range(len(sets))]
    for i in order:
        others = [j for j in sets[i] if j != i]
        total = sum(weights[j] for j in others)
        if others:
            shares[i] = _mixture([(Fraction(weights[j], total), shares[j]) for j in others])
    return shares


def _mixture(parts: list[tuple[Fraction, dict[int, Fraction]]]) -> dict[int, Fraction]:
    result: dict[int, Fraction] = {}
    for factor, shares in parts:
        for leader, share in shares.items():
            result[leader] = result.get(leader, Fraction(0)) + factor * share
    return result
