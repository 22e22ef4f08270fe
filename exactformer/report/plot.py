"""`ef.plot`: one door to every picture."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactformer.arithmetic.short_text import MOST, show, spoken
from exactformer.certificates.certificate import Certificate
from exactformer.conjectures.hunt import Finding, HuntReport
from exactformer.constructions.built_transformer import Built
from exactformer.constructions.fitted_transformer import FittedTransformer
from exactformer.dynamics.limits import Limit
from exactformer.dynamics.orbit import Orbit, simulate
from exactformer.errors import InvalidInput
from exactformer.evaluate.domain_decision import Decision
from exactformer.io.json_lines import PathLike, as_path
from exactformer.languages.attend import Attended
from exactformer.languages.automaton import Automaton
from exactformer.languages.compiled import Compiled
from exactformer.loading import load
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Transformer
from exactformer.report.animation import WRITERS, save_animation
from exactformer.report.automaton_plot import draw_automaton
from exactformer.report.block_frames import Choice, block_frames
from exactformer.report.block_plot import draw_blocks
from exactformer.report.canvas import drawing_in, save
from exactformer.report.compact_plot import dial_of, draw_dial
from exactformer.report.float_plot import departure_of, draw_departure
from exactformer.report.graph_plot import draw_graph
from exactformer.report.growth_plot import draw_growth, orbit_bits, transformer_bits
from exactformer.report.heads_plot import draw_heads
from exactformer.report.margin_plot import plot_margins
from exactformer.report.meanfield_plot import draw_distances
from exactformer.report.orbit_frames import orbit_frames
from exactformer.report.orbit_plot import draw_orbit
from exactformer.report.space_plot import draw_space
from exactformer.report.temperature_plot import draw_temperatures
from exactformer.report.training_plot import plot_training
from exactformer.studies.mean_field.approx_run import Simulation
from exactformer.training.runs import Training

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ORBIT_KINDS = ("orbit", "graph", "bits", "float", "space")
BLOCK_KINDS = ("blocks", "bits", "temperatures")
DATA_KINDS = ("data", "dial")
#: endings by which a second argument is known to be a path
PICTURES = (".png", ".svg", ".pdf", *WRITERS)


def plot(
    thing: object,
    kind: str | None = None,
    *,
    layers: int = 12,
    layer: int | None = None,
    axes: tuple[int, ...] | None = None,
    title: str = "",
    path: PathLike | None = None,
    sequences: Iterable[int | str] | None = None,
    classes: Iterable[object] | None = None,
    blocks: Iterable[int] | None = None,
    ax: Axes | None = None,
) -> Figure:
    """The picture (a matplotlib figure) of tokens, an orbit, a construction, a finding or a file; saved, if asked for.

    Tokens (or rows of numbers), limits and orbits: kind "orbit" (layer by layer), "graph" (followers of `layer`),
    "bits", "float" (float64 against exact). Constructions, repaired networks and their certificates: "blocks" (a sample
    of sequences across the labels, or the `sequences`, `classes` and `blocks` chosen), "bits", for softmax leaders
    "temperatures" (one sequence at three of them). Data sets: "data" (the sequences in the plane), "dial" (numbers
    against bits of method compact: it builds several, which takes a while). Findings: the layers of their witness.
    Tokens of dimension three or more also have "space" (a layer in perspective). The decision of a network, a training,
    a simulation of the mean field, an automaton and the heads of a recogniser have one picture each.

    `axes` chooses coordinates. A path (also as the second argument) saves the picture; one that ends in .gif or .mp4
    saves the orbit as an animation. With `ax` the picture is drawn in these axes of matplotlib; one of several panels
    in their place.
    """
    if kind is not None and str(kind).lower().endswith(PICTURES):
        kind, path = None, kind
    path = None if path is None else as_path(path)
    with drawing_in(ax):
        figure = _figure(thing, kind, layers, layer, axes, title, path, Choice(sequences, classes, blocks))
    drawn = figure if ax is None else ax.figure.figure  # the root, also of a subfigure
    if path is not None and Path(path).suffix.lower() not in WRITERS:
        save(drawn, path)
    return drawn


def _figure(
    thing: object,
    kind: str | None,
    layers: int,
    layer: int | None,
    axes: tuple[int, ...] | None,
    title: str,
    path: PathLike | None,
    choice: Choice,
) -> Figure:
    if isinstance(thing, HuntReport):
        if thing.counterexample is None:
            raise InvalidInput(f"plot: expected a hunt with a counterexample, got {thing}")
        thing = thing.counterexample
    if isinstance(thing, Finding):
        return plot_finding(thing, axes=axes, title=title)
    thing = _drawable(load(thing) if isinstance(thing, (str, os.PathLike)) else thing)
    if isinstance(thing, (Orbit, Tokens)):
        orbit = thing if isinstance(thing, Orbit) else simulate(thing, layers=layers, unchecked=True)
        figure = _orbit_figure(orbit, _kind(kind, ORBIT_KINDS), layer, axes, title)
        if path is not None and Path(path).suffix.lower() in WRITERS:
            save_animation(orbit_frames(orbit, axes=axes), path, title=title)
        return figure
    if isinstance(thing, (FittedTransformer, Certificate)):
        return _blocks_figure(thing, _kind(kind, BLOCK_KINDS), axes, title, choice)
    if isinstance(thing, Dataset):
        return _data_figure(thing, _kind(kind, DATA_KINDS), axes, title, choice)
    if isinstance(thing, Transformer):
        return draw_growth(transformer_bits(thing), across="block", title=title)
    for kinds, draw in _DRAWN_ONE_WAY:
        if isinstance(thing, kinds):
            return draw(thing)
    expected = (
        "tokens, a limit, an orbit, a construction, a certificate, a data set, a finding, a transformer, a decision, "
        "a training, a simulation, an automaton or what heads attend to"
    )
    raise InvalidInput(f"plot: expected {expected}, got {thing!r:.60}")


#: results with one picture each
_DRAWN_ONE_WAY: tuple[tuple[type, Callable[[Any], Figure]], ...] = (
    (Decision, plot_margins),
    (Training, plot_training),
    (Simulation, draw_distances),
    (Automaton, draw_automaton),
    (Compiled, lambda compiled: draw_automaton(compiled.automaton)),
    (Attended, draw_heads),
)


def plot_finding(
    finding: Finding, *, axes: tuple[int, ...] | None = None, title: str = "", path: PathLike | None = None
) -> Figure:
    """The counterexample at the layers of its witness, under a title that says what is refuted."""
    if not isinstance(finding.small, Tokens):
        raise InvalidInput(f"plot: counterexamples among tokens have a picture, got {finding.small!r:.60}")
    witness = finding.verdict.witness
    last = int(witness.get("layers", witness.get("layer", 0)))
    drawn = orbit_frames(simulate(finding.small, layers=last + 1, unchecked=True), axes=axes)
    frames = sorted({0, max(last - 1, 0), last, last + 1})
    token = witness.get("token")
    figure = draw_orbit(drawn, frames, title=title or refuted_title(finding.statement.in_words, witness), ringed=token)
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


def _orbit_figure(orbit: Orbit, kind: str, layer: int | None, axes: tuple[int, ...] | None, title: str) -> Figure:
    if kind == "orbit":
        return draw_orbit(orbit_frames(orbit, axes=axes), None if layer is None else [layer], title=title)
    if kind == "graph":
        return draw_graph(orbit, layer, title=title)
    if kind == "bits":
        return draw_growth(orbit_bits(orbit), across="layer", title=title)
    if kind == "space":
        return draw_space(orbit, 0 if layer is None else layer, axes=axes, title=title)
    return draw_departure(departure_of(orbit, axes=axes), title=title)


def _drawable(thing: Any) -> Any:
    """Tokens for a limit, for a certificate about tokens, and for rows of numbers; everything else as it is."""
    if isinstance(thing, Limit):
        return thing.engine_input.tokens
    if isinstance(thing, Certificate) and thing.claim != "interpolation":
        return thing.tokens()
    rows = isinstance(thing, (list, tuple)) or hasattr(thing, "__array__")
    return Tokens(thing) if rows and not isinstance(thing, Tokens) else thing


def _blocks_figure(
    thing: FittedTransformer | Certificate, kind: str, axes: tuple[int, ...] | None, title: str, choice: Choice
) -> Figure:
    if kind == "bits":
        return draw_growth(transformer_bits(thing.transformer), across="block", title=title)
    if kind == "temperatures":
        if not isinstance(thing, Built):
            raise InvalidInput(f"kind: expected a construction for 'temperatures', got {thing!r:.60}")
        return draw_temperatures(thing, title=title)
    targets = thing.targets.state if isinstance(thing, FittedTransformer) else thing.dataset().targets_of
    drawn = block_frames(thing.transformer, thing.data, targets, axes=axes, choice=choice)
    stages = thing.stages if isinstance(thing, Built) else ()
    return draw_blocks(drawn, stages, title=title or _block_title(thing), blocks=choice.blocks)


def _block_title(thing: FittedTransformer | Certificate) -> str:
    """What a picture of blocks shows."""
    method = f", by method {thing.report.method}" if isinstance(thing, Built) else ""
    count = len(thing.transformer)
    return f"{spoken(len(thing.data), 'sequence')} through {spoken(count, 'block')} of a transformer{method}"


def _data_figure(data: Dataset, kind: str, axes: tuple[int, ...] | None, title: str, choice: Choice) -> Figure:
    if kind == "dial":
        return draw_dial(dial_of(data), title=title)
    none = data.tokens.take(slice(0, 0))
    targets = data.targets_of if data.targets is not None else lambda j: none
    drawn = block_frames(Transformer(data.dim, []), data, targets, axes=axes, choice=choice)
    what = f"{spoken(len(data), 'sequence')} of tokens in dimension {data.dim}"
    return draw_blocks(drawn, title=title or (what if data.labels is None else f"{what}, by label"))
