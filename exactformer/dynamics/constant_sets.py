"""Stage B: follower sets that are constant for ever, proved from the closed forms they imply."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.text import Exact
from exactformer.dynamics.closed_form import ClosedForm, combination, constant, inner, solve
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.positivity import Fails, positive_from
from exactformer.model.matrix import Row


@dataclass(frozen=True)
class Changes:
    """The sets do not stay: position `competitor` enters or leaves the set of `position`, `after` layers from now at
    the latest (None: some day)."""

    position: int
    competitor: int
    after: int | None


@dataclass(frozen=True)
class Cycle:
    """Positions that follow one another in a ring, which only a matrix that is not positive definite allows."""

    positions: tuple[int, ...]


@dataclass
class Table:
    """The closed forms of all positions from a layer on, valid while the follower sets stay as they are there."""

    A: tuple[Row, ...]
    sets: FollowerSets
    forms: list[ClosedForm]
    #: the share of every leading position in the limit of each position
    shares: list[dict[int, Fraction]]
    proved: dict[int, int] = field(default_factory=dict)

    def prove(self, positions: Array) -> Changes | None:
        """None if C_i stays for ever for each of the given positions; otherwise the first that does not."""
        for i in positions.tolist():
            k0 = self.from_layer(i)
            if isinstance(k0, Changes):
                return k0
        return None

    def from_layer(self, i: int) -> int | Changes:
        """k0 of the proof that C_i stays: the largest over all competitors, which serves each of them."""
        if i not in self.proved:
            largest = 1
            members = set(self.sets[i].tolist())
            first = self.forms[min(members)]
            for l, form in enumerate(self.forms):
                if l == min(members):
                    continue
                gap = inner(self.A, self.forms[i], combination(((1, first), (-1, form)), first.dim))
                if l in members:
                    if gap:
                        return Changes(i, l, None)
                    continue
                k0 = positive_from(gap)
                if isinstance(k0, Fails):
                    return Changes(i, l, k0.at)
                largest = max(largest, k0)
            self.proved[i] = largest
        return self.proved[i]


def table(
    A: tuple[Row, ...], sets: FollowerSets, rows: list[tuple[Exact, ...]], weights: Array, share: Fraction
) -> Table | Cycle:
    """The closed forms that constant follower sets imply, position by position along the follower graph."""
    order = follow_order(sets)
    if isinstance(order, Cycle):
        return order
    forms: list[ClosedForm] = [constant(row) for row in rows]
    shares: list[dict[int, Fraction]] = [{i: Fraction(1)} for i in range(len(rows))]
    for i in order:
        members = sets[i].tolist()
        if members == [i]:
            continue
        total = int(weights[members].sum())
        own = int(weights[i]) if i in members else 0
        others = [(Fraction(int(weights[j]), total), j) for j in members if j != i]
        eigenvalue = 1 - share + share * Fraction(own, total)
        forms[i] = solve(rows[i], eigenvalue, [(share * w, forms[j]) for w, j in others])
        shares[i] = _mixture([(w * Fraction(total, total - own), shares[j]) for w, j in others])
    return Table(A, sets, forms, shares)


def _mixture(parts: list[tuple[Fraction, dict[int, Fraction]]]) -> dict[int, Fraction]:
    result: dict[int, Fraction] = {}
    for factor, shares in parts:
        for leader, share in shares.items():
            result[leader] = result.get(leader, Fraction(0)) + factor * share
    return result


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
