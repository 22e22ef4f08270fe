"""Orbits: the exact states, follower sets and leaders of layers 0..K."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.integers import Array, count
from exactformer.arithmetic.state import PointsLike, State
from exactformer.arithmetic.text import NumberLike
from exactformer.display.frames import DataFrame, frame
from exactformer.display.html import table
from exactformer.display.progress import teller
from exactformer.display.verbs import Certified, Drawn
from exactformer.dynamics.engine import Replay
from exactformer.dynamics.engine_input import EngineInput
from exactformer.dynamics.locking import NEVER
from exactformer.dynamics.positions import Positions
from exactformer.dynamics.timeline import Timeline
from exactformer.errors import InvalidInput, deprecated
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.model.tokens import Tokens

if TYPE_CHECKING:
    import networkx as nx

#: a function that is told the layer reached
Progress = Callable[[int], object]


def simulate(
    tokens: Tokens | PointsLike,
    *,
    layers: int,
    A: PointsLike | None = None,
    alpha: NumberLike | None = None,
    unchecked: bool = False,
    decimals: bool = False,
    progress: Progress | bool | None = None,
) -> Orbit:
    """The orbit z_i <- z_i + a * mean_{j in C_i} (z_j - z_i), C_i = argmax_j <A z_i, z_j>, for `layers` layers.

    Raises InvalidInput unless A is symmetric positive definite; `unchecked=True` takes any square A, and the
    orbit says which hypotheses of the clustering theorem fail. `decimals=True` reads the float 0.1 as 1/10;
    `progress=True` says on standard error how far the work is.

    >>> orbit = simulate(Tokens([["7/5", "1/5"], [1, 1], [0, 0]]), layers=2)
    >>> orbit.leaders, orbit.follows(0)[2], orbit.tokens(2)[2]
    ((0, 1), (0, 1, 2), (Fraction(4, 5), Fraction(2, 5)))
    """
    layers = count(layers, "layers")
    engine_input = EngineInput(Tokens.of(tokens, A, alpha, decimals=decimals), unchecked=unchecked)
    timeline = Timeline(engine_input)
    timeline.reach(layers, teller(progress, lambda layer: f"layer {layer:,} of {layers:,}"))
    return Orbit(engine_input, timeline, layers)


class Orbit(Certified, Drawn):
    """Layers 0..`layers` of an instance; everything is exact and made when it is asked for."""

    def __init__(self, engine_input: EngineInput, timeline: Timeline, layers: int) -> None:
        self.engine_input, self.timeline, self.layers = engine_input, timeline, layers
        self._view = Replay(timeline.engine.initial)

    @property
    def instance(self) -> Tokens:
        """The tokens of layer 0, A and alpha."""
        return self.engine_input.tokens

    @property
    def hypotheses_violated(self) -> tuple[str, ...]:
        """The hypotheses of the clustering theorem that the instance does not satisfy."""
        return tuple(v.hypothesis for v in self.engine_input.violations)

    def tokens(self, layer: int) -> State:
        """The tokens of a layer."""
        self._verify(layer)
        if self.timeline.in_stages(layer):
            return self.engine_input.of_tokens(self.timeline.state(layer))
        if layer < self._view.layer:
            self._view = Replay(self.timeline.engine.initial)
        return self.engine_input.of_tokens(self._view.to(layer, self.timeline.engine))

    def __len__(self) -> int:
        return self.layers + 1

    def __getitem__(self, layer: int) -> State:
        """The tokens of a layer; -1 is the last one."""
        layer = index(layer)
        if not -len(self) <= layer < len(self):
            raise IndexError(f"layer {layer} of an orbit with layers 0..{self.layers}")
        return self.tokens(layer % len(self))

    def __iter__(self) -> Iterator[State]:
        return (self.tokens(layer) for layer in range(len(self)))

    def to_numpy(self) -> Array:
        """All layers as an array (layer, token, coordinate) of exact numbers; `.astype(float)` rounds them."""
        return np.stack([state.to_numpy() for state in self])

    @property
    def final(self) -> State:
        """The tokens of the last layer."""
        return self.engine_input.of_tokens(self.timeline.state(self.layers))

    def follows(self, layer: int) -> list[tuple[int, ...]]:
        """C_0, C_1, .. of a layer, each in increasing order, equal tokens listed one by one."""
        self._verify(layer)
        sets, positions = self.timeline.follows(layer), self.engine_input.positions
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
        self.timeline.reach(self.layers)
        start = self.timeline.leads_from[self.engine_input.positions.index]
        alone = self.engine_input.positions.weights[self.engine_input.positions.index] == 1
        known = np.flatnonzero(alone & (start != NEVER) & (start <= self.layers))
        return dict(zip(known.tolist(), start[known].tolist(), strict=True))

    def equal_tokens(self, layer: int) -> tuple[tuple[int, ...], ...]:
        """The classes of equal tokens of a layer, in the order of their first tokens."""
        if not self.engine_input.violations:
            self._verify(layer)
            return self.engine_input.positions.classes
        return Positions.of(self.tokens(layer)).classes

    def positions(self, layer: int) -> tuple[tuple[int, ...], ...]:
        """The older name of `equal_tokens`."""
        deprecated("Orbit.positions", "Orbit.equal_tokens")
        return self.equal_tokens(layer)

    @cached_property
    def graph_changes(self) -> tuple[int, ...]:
        """The layers 1..`layers` whose follower sets differ from those of the layer before."""
        self.timeline.reach(self.layers)
        return tuple(k for k in self.timeline.changes if k <= self.layers)

    @property
    def constant_from(self) -> int | None:
        """The layer from which the follower sets are proved to stay for ever, if that is known by the last layer."""
        self.timeline.reach(self.layers)
        return self.timeline.constant_from

    def graph(self, layer: int) -> nx.DiGraph[int]:
        """The follower graph of a layer: an edge i -> j for every j in C_i."""
        from exactformer.dynamics.graph import follower_graph

        return follower_graph(self, layer)

    def json(self) -> JsonObject:
        """Every layer as plain data, the answer of `exactformer simulate --json`; numbers as exact scalars."""
        layers = [
            {
                "layer": k,
                "tokens": self.tokens(k).rows(),
                "follows": self.follows(k),
                "leaders": self.leaders_at(k),
                "positions": self.equal_tokens(k),
            }
            for k in range(self.layers + 1)
        ]
        return {"layers": layers, "hypotheses_violated": self.hypotheses_violated}

    def to_pandas(self) -> DataFrame:
        """A frame with the columns layer, token, x1..xd, follows, leader; one row per layer and token, exact."""
        columns = ["layer", "token", *(f"x{k + 1}" for k in range(self.instance.dim)), "follows", "leader"]
        return frame(columns, [row for k in range(len(self)) for row in self._rows(k)])

    def _rows(self, layer: int) -> Iterator[tuple[object, ...]]:
        leaders = set(self.leaders_at(layer))
        for i, (row, sets) in enumerate(zip(self.tokens(layer).rows(), self.follows(layer), strict=True)):
            yield (layer, i, *row, sets, i in leaders)

    def certify(self, path: PathLike) -> Path:
        """Writes a certificate of the claim `orbit`; raises Declined where a number is not rational."""
        from exactformer.dynamics.orbit_claim import write_orbit

        instance = self.instance
        layers = ((self.tokens(k).rows(), self.follows(k), self.leaders_at(k)) for k in range(self.layers + 1))
        write_orbit(path, instance.A, instance.alpha, instance.state.rows(), layers, self.layers)
        return Path(path)

    def _verify(self, layer: int) -> None:
        if not 0 <= layer <= self.layers:
            raise InvalidInput(f"layer: expected 0..{self.layers}, got {layer}; simulate more layers")

    def __repr__(self) -> str:
        return f"Orbit({len(self.instance)} tokens, {self.layers} layers, leaders {list(self.leaders)})"

    def _repr_html_(self) -> str:
        sets, final, leaders = self.follows(self.layers), self.final, set(self.leaders)
        rows = ([i, final[i], list(sets[i]), "leader" if i in leaders else ""] for i in range(len(final)))
        return table(["token", f"layer {self.layers}", "follows", ""], rows)
