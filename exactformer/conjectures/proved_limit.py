"""Where an instance ends, proved for all layers: by locks alone where they suffice, else by closed forms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from exactformer.arithmetic.power_sum import Point, written
from exactformer.arithmetic.rational import RationalRow
from exactformer.dynamics.follow_order import Cycle
from exactformer.dynamics.limits import Limit, limit
from exactformer.dynamics.plain_orbit import PlainLayer, PlainOrbit
from exactformer.dynamics.stages import Stage, Stages
from exactformer.errors import Undecided
from exactformer.model.tokens import Tokens

#: layers run by definition before closed forms are tried
PATIENCE = 25
#: changes of follower sets after which the proof of a limit is given up, and the instance is undecided
FATE_CHANGE_BUDGET = 4000


@dataclass(frozen=True)
class Fate:
    """The first layer at which each leader leads, the limit of every token, and the layers at which C_i's changed.

    Proved for all layers: nobody else ever leads, and the follower sets change at no other layer. `self_tie` is the
    last layer at which a token that moves ties with itself and two others, infinite if one does so for ever.
    """

    leads_from: dict[int, int]
    limits: list[Point]
    changes: tuple[int, ...]
    self_tie: float | None = None


def fate(tokens: Tokens) -> Fate:
    """The fate of an instance with A symmetric positive definite; raises Undecided where the budget ends.

    >>> fate(Tokens([[3], [1]]))
    Fate(leads_from={0: 0}, limits=[(Fraction(3, 1),), (Fraction(3, 1),)], changes=(), self_tie=None)
    """
    orbit = PlainOrbit(tokens)
    last = locked_layer(orbit)
    if last is not None:
        return _locked(orbit, last)
    if len(set(orbit[0].points)) < len(tokens):
        return _of_limit(proved_limit(tokens))  # equal tokens are one position, which closed forms have to know
    return _in_stages(orbit, PATIENCE)


def locked_layer(orbit: PlainOrbit) -> int | None:
    """The first layer at which every C_i is a set of leaders that it then follows for ever; None if that takes long."""
    return next((k for k in range(PATIENCE + 1) if _is_locked(orbit[k])), None)


def _is_locked(layer: PlainLayer) -> bool:
    """Whether every C_i stays for ever by lemma A."""
    return all(_lock(layer, members) for members in set(layer.follows))


def _lock(layer: PlainLayer, members: tuple[int, ...]) -> bool:
    """Whether the set consists of leaders that all maximise <A c, .>, c their mean (true by itself for one)."""
    if not all(layer.follows[j] == (j,) for j in members):
        return False
    if len(members) == 1:
        return True
    heights = [sum(column) for column in zip(*[layer.scores[j] for j in members], strict=True)]
    return {heights[j] for j in members} == {max(heights)}


def proved_limit(tokens: Tokens) -> Limit:
    """The limit with its proof; raises Undecided where the budget ends."""
    return limit(tokens, budget=FATE_CHANGE_BUDGET)


def _locked(orbit: PlainOrbit, last: int) -> Fate:
    """A token that is locked tends to the mean of its leaders."""
    layer = orbit[last]
    limits: list[Point] = [_mean([layer.point(j) for j in members]) for members in layer.follows]
    return Fate(_leads(orbit, last), limits, _changes(orbit, last), _self_tie(orbit, last))


def _in_stages(orbit: PlainOrbit, last: int) -> Fate:
    """The fate of distinct tokens from the layer at which their sets last changed, from change to change."""
    early = _changes(orbit, last)
    origin = max(early, default=0)
    layer = orbit[origin]
    n = len(layer.points)
    unlocked = [i for i, members in enumerate(layer.follows) if not _lock(layer, members)]
    rows = [layer.point(i) for i in range(n)]
    stages = Stages(orbit.tokens.A, [1] * n, orbit.share).begin(layer.follows, rows, unlocked)
    if isinstance(stages, Cycle):
        raise Undecided("tokens follow one another in a ring")
    while stages.advance():
        if len(stages.stages) > FATE_CHANGE_BUDGET:
            raise Undecided(
                f"the follower sets changed {FATE_CHANGE_BUDGET} times, up to layer {origin + stages.now.time}"
            )
    leads = _leads(orbit, origin) | {i: origin + k for i, k in stages.leads_from.items() if k}
    limits: list[Point] = [tuple(map(written, form.limit)) for form in stages.now.forms]
    later = tuple(origin + stage.time for stage in stages.stages[1:])
    tied = [_end(stages, s) for s, stage in enumerate(stages.stages) if _ties_with_itself(stage)]
    return Fate(leads, limits, early + later, origin + max(tied) if tied else _self_tie(orbit, origin))


def _end(stages: Stages, s: int) -> float:
    """The last time of a stage."""
    return stages.stages[s + 1].time - 1 if s + 1 < len(stages.stages) else math.inf


def _ties_with_itself(stage: Stage) -> bool:
    """Whether a token that moves ties with itself and two others."""
    return any(i in C and len(C) >= 3 and len(stage.forms[i].terms) > 1 for i, C in enumerate(stage.sets))


def _self_tie(orbit: PlainOrbit, last: int) -> int | None:
    """The last layer 0..last at which a token that moves ties with itself and two others."""
    for k in range(last, -1, -1):
        layer = orbit[k]
        for i, C in enumerate(layer.follows):
            if len(C) >= 3 and i in C:
                total = map(sum, zip(*[layer.points[j] for j in C], strict=True))
                if list(total) != [len(C) * x for x in layer.points[i]]:
                    return k
    return None


def _leads(orbit: PlainOrbit, last: int) -> dict[int, int]:
    """The first layer at which each leader of a layer leads."""
    return {i: k for i in orbit[last].leaders if (k := orbit.first_lead(i, last)) is not None}


def _changes(orbit: PlainOrbit, last: int) -> tuple[int, ...]:
    return tuple(k for k in range(1, last + 1) if orbit[k].follows != orbit[k - 1].follows)


def _mean(points: list[RationalRow]) -> RationalRow:
    if len(points) == 1:
        return points[0]
    return tuple(sum(column, start=Fraction(0)) / len(points) for column in zip(*points, strict=True))


def _of_limit(found: Limit) -> Fate:
    return Fate(found.orbit.leads_from, found.points, found.orbit.graph_changes)
