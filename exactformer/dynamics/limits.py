"""Limits proved for all layers at once: locks, then closed forms from change to change for whatever is not locked.

The course of an instance is followed from one change of the follower sets to the next, however many layers lie between.
This halts exactly when the follower sets stabilise; a budget of changes ends it otherwise, undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from exactformer.arithmetic.power_sum import Point, written
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.state import PointsLike
from exactformer.arithmetic.text import JsonObject
from exactformer.dynamics.closed_form import ClosedForm
from exactformer.dynamics.course import Course
from exactformer.dynamics.follow_order import Cycle, follow_order, leader_shares
from exactformer.dynamics.locking import NEVER
from exactformer.dynamics.orbit import Orbit, Progress, count
from exactformer.dynamics.polytope import Polytope, polytope
from exactformer.dynamics.prepared_instance import System
from exactformer.dynamics.stages import Stages, follower_sets
from exactformer.errors import Undecided
from exactformer.model.html import table as html_table
from exactformer.model.json_lines import PathLike
from exactformer.model.tokens import Tokens

#: changes of follower sets after which `limit` gives up
CHANGE_BUDGET = 2000


@short_repr
@dataclass(frozen=True)
class Unsettled:
    """What is known at the end of the budget: the last changes of sets, and the next one, or a ring."""

    system: System
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
            ring = [int(self.system.positions.first[p]) for p in self.ring.positions]
            return f"{text}; tokens {ring} follow one another in a ring, for which there is no closed form here"
        if self.next_change is not None:
            text += f"; they will change at layer {self.next_change}"
        return f"{text}. A larger budget (--budget) continues"

    def json(self) -> JsonObject:
        """The same as data."""
        keys = ("layer", "token", "followed", "follows")
        return {
            "undecided": str(self),
            "layers": self.layers,
            "changes": [dict(zip(keys, (k, i, list(old), list(new)), strict=True)) for k, i, old, new in self.changes],
        }


def limit(tokens: Tokens | PointsLike, *, budget: int = CHANGE_BUDGET, unchecked: bool = False) -> Limit:
    """The limit of every token, proved for all layers.

    Raises Undecided where the follower sets change more than `budget` times, and InvalidInput unless A is
    symmetric positive definite (`unchecked=True` takes any square A).

    >>> found = limit(Tokens([["7/5", "1/5"], [1, 1], [0, 0]]))
    >>> found.points[2], found.kinds[2], found.proved_from_layer, found.leaders
    ((Fraction(6, 5), Fraction(3, 5)), 'projection', 1, (0, 1))
    """
    found = prove(System(tokens, unchecked=unchecked), budget)
    if isinstance(found, Unsettled):
        raise Undecided(str(found))
    return found


def prove(system: System, budget: int = CHANGE_BUDGET, progress: Progress | None = None) -> Limit | Unsettled:
    """The limit, or what still changes after `budget` changes of the follower sets.

    Where tokens follow one another in a ring there are no closed forms, and the budget counts layers.
    """
    budget = count(budget, "budget")
    course = Course(system)
    while course.constant_from is None or course.stages is None:
        changes = len(course.changes) + (course.stages is not None)  # a stage that ends is a change to come
        if changes > budget or (course.ring is not None and course.reached >= budget):
            break
        if not course.step():
            break  # a ring, which no further layer dissolves
        if progress is not None:
            progress(course.reached)
    if course.stages is not None and course.constant_from is not None:
        return Limit(system, course, course.stages, course.constant_from)
    coming = course.stages.next_change if course.stages is not None else None
    known = None if coming is None else course.origin + coming
    return Unsettled(system, course.reached, _changes(system, course), known, course.ring)


def _changes(system: System, course: Course, most: int = 20) -> list[tuple[int, int, tuple[int, ...], tuple[int, ...]]]:
    """The last changes of follower sets: (layer, token, followed before, follows now)."""
    found: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = []
    at, first = system.positions.tokens_at, system.positions.first
    for layer in reversed(course.changes):
        old, new = course.follows(layer - 1), course.follows(layer)
        for p in range(len(new)):
            if len(found) < most and (len(old[p]) != len(new[p]) or (old[p] != new[p]).any()):
                found.append((layer, int(first[p]), at(old[p]), at(new[p])))
        if len(found) >= most:
            break
    return sorted(found)


@dataclass(repr=False)
class Limit:
    """Where every token ends, with the proof: from layer `proved_from_layer` on the follower sets never change."""

    system: System
    course: Course
    stages: Stages
    proved_from_layer: int
    _orbit: Orbit | None = None

    @cached_property
    def _of_position(self) -> list[Point]:
        return [tuple(map(written, form.limit)) for form in self.stages.now.forms]

    @property
    def points(self) -> list[Point]:
        """The limit of every token: plain numbers, or sums of powers where those would be too long to write."""
        return [self._of_position[p] for p in self.system.positions.index.tolist()]

    @property
    def forms(self) -> list[ClosedForm]:
        """The closed form of every token: forms[i].at(k) is token i at layer `course.origin` + k, from
        `proved_from_layer` on."""
        return [self.stages.now.forms[p] for p in self.system.positions.index.tolist()]

    @cached_property
    def polytope(self) -> Polytope:
        """The polytope K of the clustering theorem, with the place of the limit of every position on it."""
        leading = [p for p, start in enumerate(self.course.leads_from.tolist()) if start != NEVER]
        vertices = {p: self._of_position[p] for p in leading}
        sets = self.stages.now.sets
        order = follow_order(follower_sets(sets))
        shares = leader_shares(() if isinstance(order, Cycle) else order, sets, self.stages.weights)
        return polytope(self.system.tokens.A, vertices, self._of_position, shares)

    @property
    def kinds(self) -> list[str]:
        """For every token "vertex" (it ends at a leading position) or "projection" (of the origin onto a face of K)."""
        return [self.polytope.places[p].kind for p in self.system.positions.index.tolist()]

    def settled_from(self, layer: int) -> Stages:
        """The stages from a layer on, with every pair settled by its closed forms, locked or not: for certificates."""
        stages = Stages.of(self.system.tokens.A, self.course.engine, layer, use_locks=False)
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
            self._orbit = Orbit(self.system, self.course, self.proved_from_layer)
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
        k = layer - self.course.origin
        if k < 0:
            return list(self.orbit.tokens(layer).rows())
        rows = [form.at(k) for form in self.stages.stage_at(k).forms]
        return [rows[p] for p in self.system.positions.index.tolist()]

    def certify(self, path: PathLike) -> None:
        """Writes a certificate of the claim `limit`; Declined for algebraic numbers, InvalidInput for a matrix
        that is not symmetric positive definite: the claim has no meaning there."""
        from exactformer.dynamics.limit_to_certificate import certify_limit

        certify_limit(self, path)

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
