"""`ef.plot`: one door to every picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactformer.arithmetic.short_text import MOST, show
from exactformer.conjectures.hunt import Finding
from exactformer.constructions.built import Built
from exactformer.dynamics.limits import Limit
from exactformer.dynamics.orbit import Orbit, simulate
from exactformer.errors import InvalidInput
from exactformer.model.dataset import Dataset
from exactformer.model.json_lines import PathLike
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Transformer
from exactformer.report.animation import WRITERS, save_animation
from exactformer.report.block_plot import draw_blocks
from exactformer.report.canvas import save
from exactformer.report.dial_plot import dial_of, draw_dial
from exactformer.report.film import film_of
from exactformer.report.float_plot import departure_of, draw_departure
from exactformer.report.graph_plot import draw_graph
from exactformer.report.growth_plot import draw_growth, orbit_bits, transformer_bits
from exactformer.report.orbit_plot import draw_orbit
from exactformer.report.passage import Choice, passage_of
from exactformer.report.temperature_plot import draw_temperatures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ORBIT_KINDS = ("orbit", "graph", "bits", "float")
BLOCK_KINDS = ("blocks", "bits", "temperatures")
DATA_KINDS = ("dial",)


def plot(
    thing: Any,
    kind: str | None = None,
    *,
    layers: int = 12,
    layer: int | None = None,
    axes: tuple[int, int] | None = None,
    title: str = "",
    path: PathLike | None = None,
    sequences: Iterable[int | str] | None = None,
    classes: Iterable[object] | None = None,
    blocks: Iterable[int] | None = None,
) -> Figure:
    """The picture (a matplotlib figure) of tokens, an orbit, a construction or a finding; saved, if a path is given.

    Tokens, limits and orbits: kind "orbit" (layer by layer), "graph" (followers of `layer`), "bits", "float" (float64
    against exact). Constructions: "blocks" (a sample of sequences across the labels, or the `sequences`, `classes` and
    `blocks` chosen), "bits", for softmax leaders "temperatures" (one sequence at three of them). Data sets: "dial"
    (numbers against bits of method compact). Findings: the layers of their witness. `axes` chooses two coordinates of
    more. A path ending in .gif or .mp4 saves the orbit as an animation.
    """
    if isinstance(thing, Finding):
        return plot_finding(thing, axes=axes, title=title, path=path)
    thing = thing.system.tokens if isinstance(thing, Limit) else thing
    if isinstance(thing, (Orbit, Tokens)):
        orbit = thing if isinstance(thing, Orbit) else simulate(thing, layers=layers, unchecked=True)
        figure = _orbit_figure(orbit, _kind(kind, ORBIT_KINDS), layer, axes, title)
        if path is not None and Path(path).suffix.lower() in WRITERS:
            save_animation(film_of(orbit, axes=axes), path, title=title)
            return figure
    elif isinstance(thing, Built):
        figure = _built_figure(thing, _kind(kind, BLOCK_KINDS), axes, title, Choice(sequences, classes, blocks))
    elif isinstance(thing, Dataset):
        _kind(kind, DATA_KINDS)
        figure = draw_dial(dial_of(thing), title=title)
    elif isinstance(thing, Transformer):
        figure = draw_growth(transformer_bits(thing), across="block", title=title)
    else:
        expected = "Tokens, a limit, an orbit, a construction, a data set, a finding or a transformer"
        raise InvalidInput(f"plot: expected {expected}, got {thing!r:.60}")
    if path is not None:
        save(figure, path)
    return figure


def plot_finding(
    finding: Finding, *, axes: tuple[int, int] | None = None, title: str = "", path: PathLike | None = None
) -> Figure:
    """The counterexample at the layers of its witness, under a title that says what is refuted."""
    if not isinstance(finding.small, Tokens):
        raise InvalidInput(f"plot: counterexamples among tokens have a picture, got {finding.small!r:.60}")
    witness = finding.verdict.witness
    last = int(witness.get("layers", witness.get("layer", 0)))
    film = film_of(simulate(finding.small, layers=last + 1, unchecked=True), axes=axes)
    frames = sorted({0, max(last - 1, 0), last, last + 1})
    token = witness.get("token")
    figure = draw_orbit(film, frames, title=title or refuted_title(finding.statement.in_words, witness), ringed=token)
    if path is not None:
        save(figure, path)
    return figure


def refuted_title(words: str, witness: Mapping[str, object]) -> str:
    """Refuted: the statement; and its witness."""
    shown = ", ".join(f"{key} {show(value, most=MOST)}" for key, value in witness.items())
    return f"refuted: {words} Witness: {shown}" if shown else f"refuted: {words}"


def _kind(kind: str | None, kinds: tuple[str, ...]) -> str:
    if kind is not None and kind not in kinds:
        raise InvalidInput(f"kind: expected one of {', '.join(kinds)} here, got {kind!r}")
    return kind or kinds[0]


def _orbit_figure(orbit: Orbit, kind: str, layer: int | None, axes: tuple[int, int] | None, title: str) -> Figure:
    if kind == "orbit":
        return draw_orbit(film_of(orbit, axes=axes), None if layer is None else [layer], title=title)
    if kind == "graph":
        return draw_graph(orbit, layer, title=title)
    if kind == "bits":
        return draw_growth(orbit_bits(orbit), across="layer", title=title)
    return draw_departure(departure_of(orbit, axes=axes), title=title)


def _built_figure(built: Built, kind: str, axes: tuple[int, int] | None, title: str, choice: Choice) -> Figure:
    if kind == "bits":
        return draw_growth(transformer_bits(built.transformer), across="block", title=title)
    if kind == "temperatures":
        return draw_temperatures(built, title=title)
    passage = passage_of(built.transformer, built.data, built.targets.state, axes=axes, choice=choice)
    return draw_blocks(passage, built.stages, title=title, blocks=choice.blocks)
