"""Event-driven dynamics: while the follower sets stay, everything is a closed form; jump to the next change.

Time k counts layers from an origin. A *stage* is a stretch of layers with constant follower sets; a stage begins where
some set changes. Positions whose set, and those they follow, did not change keep their closed form: forms are functions
of k from the origin, not from the beginning of a stage. For every position i that is not locked and every competitor l
the gap <A z_i, z_j - z_l>, j in C_i, is an exponential sum whose first failure is found once, and again only when one
of the three forms is another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.power_sum import Point, sign_of
from exactformer.dynamics.closed_form import ClosedForm, constant, continued
from exactformer.dynamics.follow_order import Cycle, follow_order
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.positivity import Exponential, Fails, Positive, positive_from
from exactformer.dynamics.score_gap import Gaps
from exactformer.model.matrix import Row

if TYPE_CHECKING:
    from exactformer.dynamics.engine import Engine

Members = tuple[int, ...]


@dataclass(frozen=True)
class Ties:
    """The gap of a member of C_i vanishes up to the time `until` (None: for ever)."""

    until: int | None


@dataclass(frozen=True)
class Settled:
    """What is known of the pair (i, l) from the time `since` on."""

    since: int
    proof: Positive | Fails | Ties

    @property
    def end(self) -> int | None:
        """The first time at which the set of i is another, as far as l is concerned; None: never."""
        if isinstance(self.proof, Fails):
            return self.proof.at
        return None if isinstance(self.proof, Positive) else self.proof.until


@dataclass(frozen=True)
class Stage:
    """From `time` on the positions of `renewed` have new forms, in an order in which everyone comes after those it
    follows; `closed` holds what was settled about pairs whose forms end here."""

    time: int
    renewed: tuple[int, ...]
    sets: tuple[Members, ...]
    forms: tuple[ClosedForm, ...]
    closed: dict[tuple[int, int], Settled]


class Stages:
    """The stages of an instance from an origin on; `advance` adds the next one."""

    def __init__(self, A: tuple[Row, ...], weights: Iterable[int], share: Fraction) -> None:
        self.weights, self.share = [int(w) for w in weights], share
        self.gaps = Gaps(A)
        self.stages: list[Stage] = []
        self.leads_from: dict[int, int] = {}
        self.active: list[int] = []
        self.settled: dict[tuple[int, int], Settled] = {}
        self.ring: Cycle | None = None

    @classmethod
    def of(cls, A: tuple[Row, ...], engine: Engine, layer: int, *, use_locks: bool = True) -> Stages | Cycle:
        """The stages from a layer of the engine on, which becomes the origin.

        Positions that the engine knows to be locked are not settled again, unless `use_locks` is false.
        """
        sets = engine.follows(layer)
        members = [tuple(sets[i].tolist()) for i in range(len(sets))]
        among = engine.active.tolist() if use_locks else None
        return cls(A, engine.weights, engine.share).begin(members, engine.state(layer).rows(), among)

    def begin(
        self, sets: Sequence[Members], rows: Sequence[Point], among: Sequence[int] | None = None
    ) -> Stages | Cycle:
        """The first stage, with the follower sets and positions of the origin; only the positions `among` are settled,
        the others being known to keep their sets."""
        order = follow_order(sets_of_members(sets))
        if isinstance(order, Cycle):
            return order
        self._begin(0, order, list(sets), [constant(row) for row in rows], {})
        self.active = [i for i in (range(len(rows)) if among is None else among) if not self._locked(i)]
        self.leads_from = {i: 0 for i, members in enumerate(sets) if members == (i,)}
        self._settle(self.active, set(range(len(rows))))
        return self

    @property
    def now(self) -> Stage:
        """The last stage."""
        return self.stages[-1]

    def stage_at(self, k: int) -> Stage:
        """The stage of a time."""
        return self.stages[bisect_right([stage.time for stage in self.stages], k) - 1]

    @property
    def next_change(self) -> int | None:
        """The first time at which a follower set is another; None: the sets stay for ever, which is proved."""
        return min((s.end for s in self.settled.values() if s.end is not None), default=None)

    def advance(self) -> bool:
        """Adds the next stage; False if there is none, or (a ring) none with closed forms."""
        time = self.next_change
        if time is None or self.ring is not None:
            return False
        members = list(self.now.sets)
        changed = sorted({i for (i, _), s in self.settled.items() if s.end == time})
        for i in changed:
            members[i] = self._maximisers(i, time)
        order = follow_order(sets_of_members(members))
        if isinstance(order, Cycle):
            self.ring = order
            return False
        renewed = self._renewed(order, members, changed)
        self._follow(time, renewed, members, set(changed))
        return True

    # one change ------------------------------------------------------------------------------------
    def _follow(self, time: int, renewed: list[int], members: list[Members], changed: set[int]) -> None:
        """Begins a stage; pairs whose forms end are closed, and settled anew where the position is not locked."""
        ended = set(renewed)
        before = self.now.sets
        closed = {
            (i, l): s for (i, l), s in self.settled.items() if i in ended or l in ended or min(before[i]) in ended
        }
        for pair in closed:
            del self.settled[pair]
        self._begin(time, renewed, members, list(self.now.forms), closed)
        for i in changed:
            if members[i] == (i,):
                self.leads_from[i] = time
        self.active = [i for i in self.active if not self._locked(i)]
        for pair in [pair for pair in self.settled if pair[0] not in self.active]:
            del self.settled[pair]
        self._settle(self.active, ended)

    def _begin(
        self,
        time: int,
        renewed: list[int],
        members: list[Members],
        forms: list[ClosedForm],
        closed: dict[tuple[int, int], Settled],
    ) -> None:
        for i in renewed:
            forms[i] = self._form(i, time, members[i], forms)
        self.stages.append(Stage(time, tuple(renewed), tuple(members), tuple(forms), closed))

    def _form(self, i: int, time: int, members: Members, forms: list[ClosedForm]) -> ClosedForm:
        """The form of a position that follows `members` from a time on."""
        if members == (i,):
            return constant(forms[i].value(time))
        total = sum(self.weights[j] for j in members)
        own = self.weights[i] if i in members else 0
        eigenvalue = 1 - self.share + self.share * Fraction(own, total)
        forcing = [(self.share * Fraction(self.weights[j], total), forms[j]) for j in members if j != i]
        return continued(forms[i], time, eigenvalue, forcing)

    def _renewed(self, order: list[int], members: list[Members], changed: list[int]) -> list[int]:
        """The positions whose form is another: with another set, or following one with another form."""
        found = set(changed)
        for i in order:
            if any(j in found for j in members[i]):
                found.add(i)
        return [i for i in order if i in found]

    def _locked(self, i: int) -> bool:
        """Whether C_i is one leading position, which i follows for ever."""
        (j, *others) = self.now.sets[i]
        return not others and self.now.sets[j] == (j,)

    # pairs -----------------------------------------------------------------------------------------
    def _settle(self, positions: Iterable[int], ended: set[int]) -> None:
        """Settles the pairs of the positions in which a form is new."""
        now = self.now
        for i in positions:
            j = min(now.sets[i])
            new = i in ended or j in ended
            for l in range(len(now.forms)):
                if l != j and (new or l in ended):
                    self.settled[i, l] = Settled(now.time, self._proof(i, l))

    def gap(self, i: int, l: int, stage: int = -1) -> Exponential | None:
        """k -> <A z_i(k), z_j(k) - z_l(k)> in a stage (the last one), j the least of C_i; None where it vanishes."""
        at = self.stages[stage]
        return self.gaps.gap(at.forms[i], at.forms[min(at.sets[i])], at.forms[l])

    def _proof(self, i: int, l: int) -> Positive | Fails | Ties:
        u, gap = self.now.time, self.gap(i, l)
        if l not in self.now.sets[i]:
            if gap is None:
                raise AssertionError("a position outside the follower set scores as its members do")
            return positive_from(gap, u)
        if gap is None:
            return Ties(None)
        until = u + 1
        while gap.sign(until) == 0:
            until += 1
        return Ties(until)

    def _maximisers(self, i: int, k: int) -> Members:
        """C_i at a time, from the forms that hold until then."""
        scores = self.gaps.scores(self.now.forms[i], self.now.forms, k)
        best = [0]
        for l in range(1, len(scores)):
            order = sign_of(scores[l] - scores[best[0]])
            if order >= 0:
                best = [*best, l] if order == 0 else [l]
        return tuple(best)


def sets_of_members(members: Sequence[Members]) -> FollowerSets:
    """The sets as arrays."""
    flat = np.array([j for C in members for j in C], dtype=np.int64)
    return FollowerSets.of_lengths(flat, np.array([len(C) for C in members], dtype=np.int64))
