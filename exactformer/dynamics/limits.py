"""Limits proved for all layers at once: locks, then closed forms for whatever is not locked.

The engine runs until every position is locked. While some are not, and the follower sets stood still for a layer,
the sets are assumed constant, all positions are solved in closed form, and the assumption is proved for all k, or
refuted: then the sets will change, and the next attempt waits until they have. This halts exactly when the follower
sets stabilise; a budget of layers ends it otherwise, undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from exactformer.arithmetic.text import Exact
from exactformer.dynamics.closed_form import ClosedForm, PowerSum
from exactformer.dynamics.constant_sets import Changes, Cycle, Table, table
from exactformer.dynamics.engine import Engine
from exactformer.dynamics.locking import NEVER
from exactformer.dynamics.orbit import Orbit, Progress, count
from exactformer.dynamics.polytope import Polytope, polytope
from exactformer.dynamics.prepared_instance import System
from exactformer.errors import Undecided
from exactformer.model.html import table as html_table
from exactformer.model.tokens import Tokens

#: layers after which `limit` gives up
LAYER_BUDGET = 2000


@dataclass(frozen=True)
class Unsettled:
    """What is known at the end of the budget: the last changes of sets, and what a last attempt says changes next."""

    system: System
    layers: int
    changes: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]]
    obstacle: Changes | Cycle | None

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        text = f"the follower sets are not proved constant within {self.layers} layers"
        first = self.system.positions.first
        if self.changes:
            layer, token, old, new = self.changes[-1]
            text += f"; at layer {layer} token {token} still went from following {list(old)} to {list(new)}"
        if isinstance(self.obstacle, Changes):
            i, l = first[self.obstacle.position], first[self.obstacle.competitor]
            text += f"; they will change: token {l} enters or leaves the set of token {i}"
        if isinstance(self.obstacle, Cycle):
            ring = [int(first[p]) for p in self.obstacle.positions]
            return f"{text}; tokens {ring} follow one another in a ring, for which there is no closed form here"
        return f"{text}. A larger budget (--budget) continues"

    def json(self) -> dict[str, Any]:
        """The same as data."""
        keys = ("layer", "token", "followed", "follows")
        return {
            "undecided": str(self),
            "layers": self.layers,
            "changes": [dict(zip(keys, (k, i, list(old), list(new)), strict=True)) for k, i, old, new in self.changes],
        }


def limit(tokens: Tokens | Any, *, budget: int = LAYER_BUDGET, unchecked: bool = False) -> Limit:
    """The limit of every token, proved for all layers.

    Raises Undecided where the proof does not close within `budget` layers, and InvalidInput unless A is
    symmetric positive definite (`unchecked=True` takes any square A).

    >>> found = limit(Tokens([["7/5", "1/5"], [1, 1], [0, 0]]))
    >>> found.points[2], found.kinds[2], found.proved_from_layer, found.leaders
    ((Fraction(6, 5), Fraction(3, 5)), 'projection', 1, (0, 1))
    """
    found = prove(System(tokens, unchecked=unchecked), budget)
    if isinstance(found, Unsettled):
        raise Undecided(str(found))
    return found


def prove(system: System, budget: int = LAYER_BUDGET, progress: Progress | None = None) -> Limit | Unsettled:
    """The limit, or what still changes after `budget` layers."""
    budget = count(budget, "budget")
    engine = system.engine()
    stretch, tried, obstacle = 0, NEVER, None
    for layer in range(budget + 1):
        sets = engine.follows(layer)
        if layer and sets != engine.history[layer - 1]:
            stretch = layer
        if (engine.frozen or stretch < layer or layer == budget) and tried != stretch:
            tried = stretch
            found = _closed(system, engine, stretch)
            if isinstance(found, Limit):
                return found
            obstacle = found
        if engine.frozen:
            break  # only a ring, which no further layer dissolves
        if progress is not None:
            progress(layer)
    return Unsettled(system, layer, _changes(system, engine), obstacle if tried == stretch else None)


def _closed(system: System, engine: Engine, layer: int) -> Limit | Changes | Cycle:
    """The limit, if the follower sets of the layer stay for ever; otherwise what changes."""
    rows = engine.state(layer).rows()
    closed = table(system.tokens.A, engine.follows(layer), rows, system.positions.weights, system.share)
    if isinstance(closed, Cycle):
        return closed
    change = closed.prove(engine.active)
    return Limit(system, engine, layer, closed) if change is None else change


def _changes(system: System, engine: Engine, most: int = 20) -> list[tuple[int, int, tuple[int, ...], tuple[int, ...]]]:
    """The last changes of follower sets: (layer, token, followed before, follows now)."""
    found: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = []
    at, first = system.positions.tokens_at, system.positions.first
    for layer in range(len(engine.history) - 1, 0, -1):
        old, new = engine.history[layer - 1], engine.history[layer]
        for p in range(len(new) if old != new else 0):
            if len(found) < most and (len(old[p]) != len(new[p]) or (old[p] != new[p]).any()):
                found.append((layer, int(first[p]), at(old[p]), at(new[p])))
        if len(found) >= most:
            break
    return sorted(found)


@dataclass(repr=False)
class Limit:
    """Where every token ends, with the proof: from layer `proved_from_layer` on the follower sets never change."""

    system: System
    engine: Engine
    proved_from_layer: int
    table: Table
    _orbit: Orbit | None = None

    @cached_property
    def _of_position(self) -> list[tuple[Exact, ...]]:
        return [form.limit for form in self.table.forms]

    @property
    def points(self) -> list[tuple[Exact, ...]]:
        """The limit of every token."""
        return [self._of_position[p] for p in self.system.positions.index.tolist()]

    @property
    def forms(self) -> list[ClosedForm]:
        """The closed form of every token: forms[i].at(k) is token i at layer `proved_from_layer` + k."""
        return [self.table.forms[p] for p in self.system.positions.index.tolist()]

    @cached_property
    def polytope(self) -> Polytope:
        """The polytope K of the clustering theorem, with the place of the limit of every position on it."""
        leading = [p for p, start in enumerate(self.engine.leads_from.tolist()) if start != NEVER]
        vertices = {p: self._of_position[p] for p in leading}
        return polytope(self.system.tokens.A, vertices, self._of_position, self.table.shares)

    @property
    def kinds(self) -> list[str]:
        """For every token "vertex" (it ends at a leading position) or "projection" (of the origin onto a face of K)."""
        return [self.polytope.places[p].kind for p in self.system.positions.index.tolist()]

    @property
    def leaders(self) -> tuple[int, ...]:
        """The tokens with C_i = {i} at some layer: of all layers, since the sets stay."""
        return self.orbit.leaders

    @property
    def orbit(self) -> Orbit:
        """The orbit up to the layer from which the proof holds."""
        if self._orbit is None:
            self._orbit = Orbit(self.system, self.engine, self.proved_from_layer)
        return self._orbit

    @property
    def hypotheses_violated(self) -> tuple[str, ...]:
        """The hypotheses of the clustering theorem that the instance does not satisfy."""
        return self.orbit.hypotheses_violated

    @cached_property
    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """The classes of tokens with equal limits, in the order of their first tokens."""
        known: dict[tuple[Exact, ...], list[int]] = {}
        for token, point in enumerate(self.points):
            known.setdefault(point, []).append(token)
        return tuple(map(tuple, known.values()))

    def at(self, layer: int) -> list[tuple[Exact | PowerSum, ...]]:
        """All tokens at any layer: exact numbers, or exact sums of powers where those would be too long to write.

        >>> found = limit(Tokens([[1], ["1/2"]]))
        >>> found.at(2)[1], str(found.at(10**9)[1][0])
        ((Fraction(7, 8),), '1 - 1/2*(1/2)^1000000000')
        """
        layer = count(layer, "layer")
        if layer < self.proved_from_layer:
            return list(self.orbit.tokens(layer).rows())
        rows = [form.at(layer - self.proved_from_layer) for form in self.table.forms]
        return [rows[p] for p in self.system.positions.index.tolist()]

    def certify(self, path: Any) -> None:
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
