"""`ef.plot`: one door to every picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from exactformer.arithmetic.state import State
from exactformer.constructions.built import Built
from exactformer.dynamics.limits import Limit
from exactformer.dynamics.orbit import Orbit, simulate
from exactformer.errors import InvalidInput
from exactformer.model.json_lines import PathLike
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Transformer
from exactformer.report.animation import WRITERS, save_animation
from exactformer.report.block_plot import draw_blocks, passage_of
from exactformer.report.canvas import save
from exactformer.report.film import film_of
from exactformer.report.float_plot import departure_of, draw_departure
from exactformer.report.graph_plot import draw_graph
from exactformer.report.growth_plot import draw_growth, orbit_bits, transformer_bits
from exactformer.report.orbit_plot import draw_orbit

ORBIT_KINDS = ("orbit", "graph", "bits", "float")
BLOCK_KINDS = ("blocks", "bits")


def plot(
    thing: Any,
    kind: str | None = None,
    *,
    layers: int = 12,
    layer: int | None = None,
    axes: tuple[int, int] | None = None,
    title: str = "",
    path: PathLike | None = None,
) -> Any:
    """The picture (a matplotlib figure) of an instance, an orbit, or a construction; saved, if a path is given.

    Tokens, limits and orbits: kind "orbit" (layer by layer), "graph" (followers of `layer`), "bits", "float" (float64
    against exact). Constructions: "blocks", "bits". `axes` chooses two coordinates of more. A path ending in
    .gif or .mp4 saves the orbit as an animation.
    """
    thing = thing.system.tokens if isinstance(thing, Limit) else thing
    if isinstance(thing, (Orbit, Tokens)):
        orbit = thing if isinstance(thing, Orbit) else simulate(thing, layers=layers, unchecked=True)
        figure = _orbit_figure(orbit, _kind(kind, ORBIT_KINDS), layer, axes, title)
        if path is not None and Path(path).suffix.lower() in WRITERS:
            save_animation(film_of(orbit, axes=axes), path, title=title)
            return figure
    elif isinstance(thing, Built):
        figure = _built_figure(thing, _kind(kind, BLOCK_KINDS), axes, title)
    elif isinstance(thing, Transformer):
        figure = draw_growth(transformer_bits(thing), across="block", title=title)
    else:
        expected = "Tokens, a limit, an orbit, a construction or a transformer"
        raise InvalidInput(f"plot: expected {expected}, got {thing!r:.60}")
    if path is not None:
        save(figure, path)
    return figure


def _kind(kind: str | None, kinds: tuple[str, ...]) -> str:
    if kind is not None and kind not in kinds:
        raise InvalidInput(f"kind: expected one of {', '.join(kinds)} here, got {kind!r}")
    return kind or kinds[0]


def _orbit_figure(orbit: Orbit, kind: str, layer: int | None, axes: Any, title: str) -> Any:
    if kind == "orbit":
        return draw_orbit(film_of(orbit, axes=axes), None if layer is None else [layer], title=title)
    if kind == "graph":
        return draw_graph(orbit, layer, title=title)
    if kind == "bits":
        return draw_growth(orbit_bits(orbit), across="layer", title=title)
    return draw_departure(departure_of(orbit, axes=axes), title=title)


def _built_figure(built: Built, kind: str, axes: Any, title: str) -> Any:
    if kind == "bits":
        return draw_growth(transformer_bits(built.transformer), across="block", title=title)
    data = built.data
    names = data.labels or [f"sequence {j}" for j in range(len(data))]
    sequences: list[State] = [sequence.tokens for sequence in data]
    targets = [built.targets.state(j) for j in range(len(data))]
    passage = passage_of(built.transformer, sequences, targets, names, axes=axes)
    return draw_blocks(passage, built.stages, title=title)
