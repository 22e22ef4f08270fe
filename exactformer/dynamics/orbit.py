"""Orbits: the exact states, follower sets and leaders of layers 0..K."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.state import PointsLike, State
from exactformer.dynamics.course import Course
from exactformer.dynamics.engine import Replay
from exactformer.dynamics.locking import NEVER
from exactformer.dynamics.positions import Positions
from exactformer.dynamics.prepared_instance import System
from exactformer.errors import InvalidInput
from exactformer.model.html import table
from exactformer.model.json_lines import PathLike
from exactformer.model.tokens import Tokens

if TYPE_CHECKING:
    import networkx as nx

#: a function that is told the layer reached
Progress = Callable[[int], None]


def simulate(
    tokens: Tokens | PointsLike, *, layers: int, unchecked: bool = False, progress: Progress | None = None
) -> Orbit:
    """The orbit z_i <- z_i + a * mean_{j in C_i} (z_j - z_i), C_i = argmax_j <A z_i, z_j>, for `layers` layers.

    Raises InvalidInput unless A is symmetric positive definite; `unchecked=True` takes any square A, and the
    orbit says which hypotheses of the clustering theorem fail.

    >>> orbit = simulate(Tokens([["7/5", "1/5"], [1, 1], [0, 0]]), layers=2)
    >>> orbit.leaders, orbit.follows(0)[2], orbit.tokens(2)[2]
    ((0, 1), (0, 1, 2), (Fraction(4, 5), Fraction(2, 5)))
    """
    layers = count(layers, "layers")
    system = System(tokens, unchecked=unchecked)
    course = Course(system)
    course.reach(layers, progress)
    return Orbit(system, course, layers)


def count(value: object, name: str) -> int:
    """The value as an integer >= 0; InvalidInput for anything else, booleans and floats included."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 0:
        raise InvalidInput(f"{name}: expected an integer >= 0, got {value!r}")
    return int(value)


class Orbit:
    """Layers 0..`layers` of an instance; everything is exact and made when it is asked for."""

    def __init__(self, system: System, course: Course, layers: int) -> None:
        self.system, self.course, self.layers = system, course, layers
        self._view = Replay(course.engine.initial)

    @property
    def instance(self) -> Tokens:
        """The tokens of layer 0, A and alpha."""
        return self.system.tokens

    @property
    def hypotheses_violated(self) -> tuple[str, ...]:
        """The hypotheses of the clustering theorem that the instance does not satisfy."""
        return tuple(v.hypothesis for v in self.system.violations)

    def tokens(self, layer: int) -> State:
        """The tokens of a layer."""
        self._verify(layer)
        if self.course.in_stages(layer):
            return self.system.of_tokens(self.course.state(layer))
        if layer < self._view.layer:
            self._view = Replay(self.course.engine.initial)
        return self.system.of_tokens(self._view.to(layer, self.course.engine))

    @property
    def final(self) -> State:
        """The tokens of the last layer."""
        return self.system.of_tokens(self.course.state(self.layers))

    def follows(self, layer: int) -> list[tuple[int, ...]]:
        """C_0, C_1, .. of a layer, each in increasing order, equal tokens listed one by one."""
        self._verify(layer)
        sets, positions = self.course.follows(layer), self.system.positions
        if positions.distinct and sets.single:
            return [(j,) for j in sets.members.tolist()]
        of_position = [positions.tokens_at(sets[p]) for p in range(len(sets))]
        return [of_position[p] for p in positions.index.tolist()]

    @property
    def leaders(self) -> tuple[int, ...]:
        """The tokens with C_i = {i} at some layer 0..`layers`."""
        return self.leaders_at(self.layers)

    def leaders_at(self, layer: int) -> tuple[int, ...]:
        """The tokens with C_i = {i} at this layer or before."""
        self._verify(layer)
        return tuple(i for i, start in self.leads_from.items() if start <= layer)

    @cached_property
    def leads_from(self) -> dict[int, int]:
        """For every leader the first layer with C_i = {i}; a token equal to another one never leads literally."""
        self.course.reach(self.layers)
        start = self.course.leads_from[self.system.positions.index]
        alone = self.system.positions.weights[self.system.positions.index] == 1
        known = np.flatnonzero(alone & (start != NEVER) & (start <= self.layers))
        return dict(zip(known.tolist(), start[known].tolist(), strict=True))

    def positions(self, layer: int) -> tuple[tuple[int, ...], ...]:
        """The classes of equal tokens of a layer, in the order of their first tokens."""
        if not self.system.violations:
            self._verify(layer)
            return self.system.positions.classes
        return Positions.of(self.tokens(layer)).classes

    @cached_property
    def graph_changes(self) -> tuple[int, ...]:
        """The layers 1..`layers` whose follower sets differ from those of the layer before."""
        self.course.reach(self.layers)
        return tuple(k for k in self.course.changes if k <= self.layers)

    @property
    def constant_from(self) -> int | None:
        """The layer from which the follower sets are proved to stay for ever, if that is known by the last layer."""
        self.course.reach(self.layers)
        return self.course.constant_from

    def graph(self, layer: int) -> nx.DiGraph[int]:
        """The follower graph of a layer: an edge i -> j for every j in C_i."""
        from exactformer.dynamics.graph import follower_graph

        return follower_graph(self, layer)

    def certify(self, path: PathLike) -> None:
        """Writes a certificate of the claim `orbit`; raises Declined where a number is not rational."""
        from exactformer.certificates.orbit import write_orbit

        instance = self.instance
        layers = ((self.tokens(k).rows(), self.follows(k), self.leaders_at(k)) for k in range(self.layers + 1))
        write_orbit(path, instance.A, instance.alpha, instance.state.rows(), layers, self.layers)

    def _verify(self, layer: int) -> None:
        if not 0 <= layer <= self.layers:
            raise InvalidInput(f"layer: expected 0..{self.layers}, got {layer}; simulate more layers")

    def __repr__(self) -> str:
        return f"Orbit({len(self.instance)} tokens, {self.layers} layers, leaders {list(self.leaders)})"

    def _repr_html_(self) -> str:
        sets, final, leaders = self.follows(self.layers), self.final, set(self.leaders)
        rows = ([i, final[i], list(sets[i]), "leader" if i in leaders else ""] for i in range(len(final)))
        return table(["token", f"layer {self.layers}", "follows", ""], rows)
