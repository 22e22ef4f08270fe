"""Limits proved for all layers at once: locks, then closed forms from change to change for whatever is not locked.

The timeline of an instance is followed from one change of the follower sets to the next, however many layers apart.
This halts exactly when the follower sets stabilise; a budget of changes ends it otherwise, undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from exactformer.arithmetic.integers import Array, count
from exactformer.arithmetic.power_sum import Point, PowerSum, written
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.state import PointsLike
from exactformer.arithmetic.text import NumberLike
from exactformer.display.frames import DataFrame, frame
from exactformer.display.html import table as html_table
from exactformer.display.progress import teller
from exactformer.display.verbs import Certified, Drawn
from exactformer.dynamics.closed_form import ClosedForm
from exactformer.dynamics.engine_input import EngineInput
from exactformer.dynamics.follow_order import Cycle, follow_order, leader_shares
from exactformer.dynamics.locking import NEVER
from exactformer.dynamics.orbit import Orbit, Progress
from exactformer.dynamics.polytope import Polytope, polytope
from exactformer.dynamics.stabilisation import case_of
from exactformer.dynamics.stages import Stages, sets_of_members
from exactformer.dynamics.timeline import Timeline
from exactformer.errors import Undecided
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.model.tokens import Tokens

#: changes of follower sets after which `limit` gives up
CHANGE_BUDGET = 2000


@short_repr
@dataclass(frozen=True)
class Unsettled:
    """What is known at the end of the budget: the last changes of sets, and the next one, or a ring."""

    engine_input: EngineInput
    layers: int
    changes: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]]
    next_change: int | None
    ring: Cycle | None

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        text = f"the follower sets are not proved constant by layer {self.layers}"
        if self.changes:
            layer, token, old, new = self.changes[-1]
            text += f"; at layer {layer} token {token} still went from following {list(old)} to {list(new)}"
        if self.ring is not None:
            ring = [int(self.engine_input.positions.first[p]) for p in self.ring.positions]
            return f"{text}; tokens {ring} follow one another in a ring, for which there is no closed form here"
        if self.next_change is not None:
            text += f"; they will change at layer {self.next_change}"
        return f"{text}. {case_of(self.engine_input)}. A larger budget (`budget`) continues"

    def json(self) -> JsonObject:
        """The same as data."""
        keys = ("layer", "token", "followed", "follows")
        return {
            "undecided": str(self),
            "layers": self.layers,
            "changes": [dict(zip(keys, (k, i, list(old), list(new)), strict=True)) for k, i, old, new in self.changes],
        }


def limit(
    tokens: Tokens | PointsLike,
    *,
    A: PointsLike | None = None,
    alpha: NumberLike | None = None,
    budget: int = CHANGE_BUDGET,
    unchecked: bool = False,
    decimals: bool = False,
    progress: Progress | bool | None = None,
) -> Limit:
    """The limit of every token, proved for all layers.

    Tokens, or rows of numbers with A (the identity unless given) and alpha (1 unless given).

    Raises Undecided where the follower sets change more than `budget` times, and InvalidInput unless A is
    symmetric positive definite (`unchecked=True` takes any square A). `decimals=True` reads the float 0.1 as 1/10;
    `progress=True` says on standard error how far the work is.

    Proof: mathematics/dynamics#lemma-a; when the search is proved to end: mathematics/stabilisation#theorem.

    >>> found = limit(Tokens([["7/5", "1/5"], [1, 1], [0, 0]]))
    >>> found.points[2], found.kinds[2], found.proved_from_layer, found.leaders
    ((Fraction(6, 5), Fraction(3, 5)), 'projection', 1, (0, 1))
    """
    instance = Tokens.of(tokens, A, alpha, decimals=decimals)
    tell = teller(progress, lambda layer: f"layer {layer:,}")
    found = prove_limit(EngineInput(instance, unchecked=unchecked), budget, tell)
    if isinstance(found, Unsettled):
        raise Undecided(str(found))
    return found


def prove_limit(
    engine_input: EngineInput, budget: int = CHANGE_BUDGET, progress: Progress | None = None
) -> Limit | Unsettled:
    """The limit, or what still changes after `budget` changes of the follower sets.

    Where tokens follow one another in a ring there are no closed forms, and the budget counts layers.
    """
    budget = count(budget, "budget")
    timeline = Timeline(engine_input)
    while timeline.constant_from is None or timeline.stages is None:
        changes = len(timeline.changes) + (timeline.stages is not None)  # a stage that ends is a change to come
        if changes > budget or (timeline.ring is not None and timeline.reached >= budget):
            break
        if not timeline.step():
            break  # a ring, which no further layer dissolves
        if progress is not None:
            progress(timeline.reached)
    if timeline.stages is not None and timeline.constant_from is not None:
        return Limit(engine_input, timeline, timeline.stages, timeline.constant_from)
    coming = timeline.stages.next_change if timeline.stages is not None else None
    known = None if coming is None else timeline.origin + coming
    return Unsettled(engine_input, timeline.reached, _changes(engine_input, timeline), known, timeline.ring)


def _changes(
    engine_input: EngineInput, timeline: Timeline, most: int = 20
) -> list[tuple[int, int, tuple[int, ...], tuple[int, ...]]]:
    """The last changes of follower sets: (layer, token, followed before, follows now)."""
    found: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = []
    at, first = engine_input.positions.tokens_at, engine_input.positions.first
    for layer in reversed(timeline.changes):
        old, new = timeline.follows(layer - 1), timeline.follows(layer)
        for p in range(len(new)):
            if len(found) < most and (len(old[p]) != len(new[p]) or (old[p] != new[p]).any()):
                found.append((layer, int(first[p]), at(old[p]), at(new[p])))
        if len(found) >= most:
            break
    return sorted(found)


@dataclass(repr=False)
class Limit(Certified, Drawn):
    """Where every token ends, with the proof: from layer `proved_from_layer` on the follower sets never change."""

    engine_input: EngineInput
    timeline: Timeline
    stages: Stages
    proved_from_layer: int
    _orbit: Orbit | None = None

    @cached_property
    def _of_position(self) -> list[Point]:
        return [tuple(map(written, form.limit)) for form in self.stages.now.forms]

    @property
    def points(self) -> list[Point]:
        """The limit of every token: plain numbers, or sums of powers where those would be too long to write."""
        return [self._of_position[p] for p in self.engine_input.positions.index.tolist()]

    @property
    def forms(self) -> list[ClosedForm]:
        """The closed form of every token: forms[i].at(k) is token i at layer `timeline.origin` + k, from
        `proved_from_layer` on."""
        return [self.stages.now.forms[p] for p in self.engine_input.positions.index.tolist()]

    @cached_property
    def polytope(self) -> Polytope:
        """The polytope K of the clustering theorem, with the place of the limit of every position on it."""
        leading = [p for p, start in enumerate(self.timeline.leads_from.tolist()) if start != NEVER]
        vertices = {p: self._of_position[p] for p in leading}
        sets = self.stages.now.sets
        order = follow_order(sets_of_members(sets))
        shares = leader_shares(() if isinstance(order, Cycle) else order, sets, self.stages.weights)
        return polytope(self.engine_input.tokens.A, vertices, self._of_position, shares)

    @property
    def kinds(self) -> list[str]:
        """For every token "vertex" (it ends at a leading position) or "projection" (of the origin onto a face of K)."""
        return [self.polytope.places[p].kind for p in self.engine_input.positions.index.tolist()]

    def settled_from(self, layer: int) -> Stages:
        """The stages from a layer on, with every pair settled by its closed forms, locked or not: for certificates."""
        stages = Stages.of(self.engine_input.tokens.A, self.timeline.engine, layer, use_locks=False)
        if isinstance(stages, Cycle):
            raise Undecided("tokens that follow one another in a ring have no closed forms")
        while stages.advance():
            pass
        return stages

    @property
    def leaders(self) -> tuple[int, ...]:
        """The tokens with C_i = {i} at some layer: of all layers, since the sets stay."""
        return self.orbit.leaders

    @property
    def orbit(self) -> Orbit:
        """The orbit up to the layer from which the proof holds."""
        if self._orbit is None:
            self._orbit = Orbit(self.engine_input, self.timeline, self.proved_from_layer)
        return self._orbit

    @property
    def hypotheses_violated(self) -> tuple[str, ...]:
        """The hypotheses of the clustering theorem that the instance does not satisfy."""
        return self.orbit.hypotheses_violated

    @cached_property
    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """The classes of tokens with equal limits, in the order of their first tokens."""
        known: dict[Point, list[int]] = {}
        for token, point in enumerate(self.points):
            known.setdefault(point, []).append(token)
        return tuple(map(tuple, known.values()))

    def at(self, layer: int) -> list[Point]:
        """All tokens at any layer: exact numbers, or exact sums of powers where those would be too long to write.

        >>> found = limit(Tokens([[1], ["1/2"]]))
        >>> found.at(2)[1], str(found.at(10**9)[1][0])
        ((Fraction(7, 8),), '1 - 1/2*(1/2)^1000000000')
        """
        layer = count(layer, "layer")
        k = layer - self.timeline.origin
        if k < 0:
            return list(self.orbit.tokens(layer).rows())
        rows = [form.at(k) for form in self.stages.stage_at(k).forms]
        return [rows[p] for p in self.engine_input.positions.index.tolist()]

    def json(self) -> JsonObject:
        """The limits, their kinds, the leaders, and from which layer on it is proved; numbers as exact scalars."""
        return {
            "limits": [[x.json() if isinstance(x, PowerSum) else x for x in row] for row in self.points],
            "kinds": self.kinds,
            "leaders": self.leaders,
            "proved_from_layer": self.proved_from_layer,
            "hypotheses_violated": self.hypotheses_violated,
        }

    def to_pandas(self) -> DataFrame:
        """A frame with the columns token, x1..xd (the limit, exact), kind, leader."""
        leaders = set(self.leaders)
        columns = ["token", *(f"x{k + 1}" for k in range(len(self.points[0]))), "kind", "leader"]
        rows = enumerate(zip(self.points, self.kinds, strict=True))
        return frame(columns, [(i, *point, kind, i in leaders) for i, (point, kind) in rows])

    def to_numpy(self) -> Array:
        """The limits as an n by d array of exact numbers (dtype object); `.astype(float)` rounds them."""
        found = np.empty((len(self.points), self.engine_input.tokens.dim), dtype=object)
        found[:] = self.points
        return found

    def certify(self, path: PathLike) -> Path:
        """Writes a certificate of the claim `limit`; Declined for algebraic numbers, InvalidInput for a matrix
        that is not symmetric positive definite: the claim has no meaning there."""
        from exactformer.dynamics.limit_claim import certify_limit

        certify_limit(self, path)
        return Path(path)

    def __repr__(self) -> str:
        start = self.proved_from_layer
        return (
            f"Limit({len(self.points)} tokens, follower sets constant from layer {start}, leaders {list(self.leaders)})"
        )

    def _repr_html_(self) -> str:
        rows = enumerate(zip(self.points, self.kinds, strict=True))
        leaders = set(self.leaders)
        return html_table(
            ["token", "limit", "kind", ""],
            ([i, point, kind, "leader" if i in leaders else ""] for i, (point, kind) in rows),
        )
