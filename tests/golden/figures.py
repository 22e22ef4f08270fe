"""What pictures of a fixed set show, in numbers and words: python tests/golden/figures.py --record

Of every panel titles, labels, limits, texts, curves, points and legends are kept in figures.json; bytes are matplotlib's
own, and how large letters and markers are is left alone.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
from inputs import SHAPE, network
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

import exactformer as ef
from exactformer.evaluate.domain_decision import Decision
from exactformer.evaluate.hardmax_limit import hardmax_limit
from exactformer.instances.named_families import sample
from exactformer.languages import literature
from exactformer.languages.named import language
from exactformer.report.animation import glide
from exactformer.report.automaton_plot import draw_automaton
from exactformer.report.compact_plot import dial_of, draw_dial
from exactformer.report.curve_plot import draw_curves
from exactformer.report.delay_plot import plot_rollout, plot_study
from exactformer.report.float_plot import departure_of, draw_departure
from exactformer.report.gallery import draw_gallery
from exactformer.report.geometry_plot import draw_attention, draw_moves
from exactformer.report.graph_plot import draw_graph
from exactformer.report.growth_plot import draw_growth, orbit_bits
from exactformer.report.hardmax_plot import plot_hardmax_limit
from exactformer.report.heads_plot import draw_heads
from exactformer.report.margin_plot import plot_margins
from exactformer.report.meanfield_plot import draw_distances, draw_laplace, draw_laws, draw_tokens
from exactformer.report.orbit_frames import orbit_frames
from exactformer.report.orbit_plot import draw_orbit
from exactformer.report.sentiment_plots import plot_accuracy, plot_planes, plot_words
from exactformer.report.training_plot import plot_training
from exactformer.studies.mean_field.approx_run import Run, Simulation
from exactformer.studies.time_delay.series import Series
from exactformer.training.runs import Training

KEPT = Path(__file__).parent / "figures.json"
Facts = dict[str, object]

FIVE = ef.Tokens([[3, 0], [1, 2], [-2, 1], [1, 1], ["1/2", -1]])
ORBIT = ef.simulate(FIVE, layers=6)
TIED = ef.Tokens([[1, 0], [0, 1], [-1, 0], [0, -1], ["1/4", "1/4"]])
SMALL = ef.Architecture(**SHAPE, classes=3, norm="none", activation="relu")
DATA = ef.Dataset.of([[[0, 1], [2, 3]], [[0, 1]], [[4, 4], [1, 0]], [[2, 2]]], labels=["cat", "dog", "cat", "owl"])


def simulation() -> Simulation:
    """Two temperatures and the cold run, three tokens on the circle."""
    t = np.linspace(0, 20, 41)
    angles = np.array([0.1, 2.0, 4.0]) + t[:, None] / 7
    shown = np.stack([np.cos(angles), np.sin(angles)], axis=2)
    curves = {beta: np.exp(-t / 2) + 0.01 / beta * np.exp(t / 2) for beta in (10.0, 100.0)}
    runs = tuple(Run(beta, t, w2, w2, shown) for beta, w2 in curves.items())
    return Simulation(runs, Run(None, t, np.exp(-t), np.exp(-t), shown), None)


def moves() -> dict[str, tuple[np.ndarray, np.ndarray]]:  # type: ignore[type-arg]
    """Four points, of which one stays."""
    before = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [2.0, 2.0]])
    return {"a map": (before, before + np.array([[0, 0], [1, 0], [0, 1], [1, 1]]))}


def training() -> Training:
    """Two weights of the norm, two starts, of figures that are given."""
    return ef.train(sample("random-classes", n=4, d=1, seed=1), eps=["1e-1", "1e-2"], epochs=3)


def adds() -> Decision:
    """A network on pairs of numbers modulo 3, right on some."""
    return network(SMALL).decide(ef.Domain.sum_modulo(3))


def limit_of_betas() -> Figure:
    """The same network against the inverse temperature."""
    net, domain = network(SMALL), ef.Domain.sum_modulo(3)
    limit = hardmax_limit(net, domain)
    return plot_hardmax_limit(limit, [limit.at(net, Fraction(beta)) for beta in (1, 4, 64)])


def accuracy_rows() -> list[dict[str, object]]:
    """Rows of the table of accuracies, one with nothing published."""
    return [
        {"dim": d, "test": 0.1 * d, "without_attention": {"test": 0.2}, "published_best": best, "published_final": 0.4}
        for d, best in ((2, 0.5), (4, None))
    ]


def glided() -> Figure:
    """The orbit between its layers."""
    return draw_orbit(glide(orbit_frames(ef.simulate(FIVE, layers=2)), 2))


DRAWN: dict[str, Callable[[], Figure]] = {
    "orbit": lambda: draw_orbit(orbit_frames(ORBIT), title="five tokens"),
    "orbit with ties": lambda: draw_orbit(orbit_frames(ef.simulate(TIED, layers=3))),
    "graph": lambda: draw_graph(ORBIT, 2),
    "growth": lambda: draw_growth(orbit_bits(ORBIT), across="layer", title="bits"),
    "departure": lambda: draw_departure(departure_of(ORBIT), title="floats"),
    "attention": lambda: draw_attention({"one": FIVE, "ties": TIED}),
    "moves": lambda: draw_moves(moves()),
    "blocks": lambda: ef.plot(ef.construct(DATA)),
    "dial": lambda: draw_dial(dial_of(DATA), title="dial"),
    "data": lambda: ef.plot(DATA, "data"),
    "gallery": draw_gallery,
    "automaton": lambda: draw_automaton(language("(ab)*"), title="(ab)*"),
    "study": lambda: plot_study("s", np.arange(24.0).reshape(12, 2), {"m": np.ones((12, 2))}),
    "distances": lambda: draw_distances(simulation()),
    "laws": lambda: draw_laws(simulation()),
    "tokens": lambda: draw_tokens(simulation()),
    "laplace": lambda: draw_laplace(np.diag([2.0, 1.0]), betas=(10.0, 20.0, 40.0, 80.0)),
    "glide": glided,
    "one layer": lambda: ef.plot(ef.simulate(TIED, layers=3), layer=2, title="second"),
    "cube": lambda: draw_orbit(orbit_frames(ef.simulate(sample("symmetric-faces", n=9, d=3, seed=1), layers=3))),
    "axes": lambda: ef.plot(ef.simulate(sample("integer-grid", n=9, d=3, seed=1), layers=3), axes=(2, 0)),
    "heads": lambda: draw_heads(ef.languages.attend(literature.parity(), "0110"), title="parity"),
    "brackets": lambda: draw_heads(ef.languages.attend(literature.dyck_1(), "(())()")),
    "margins": lambda: plot_margins(adds()),
    "margins of words": lambda: plot_margins(
        network(SMALL).decide(ef.Domain.of_words("w", 2, 2, lambda n: np.arange(2**n) % 2, 2))
    ),
    "hardmax": limit_of_betas,
    "temperatures": lambda: ef.plot(ef.construct(DATA, method="leaders", attention="softmax"), "temperatures"),
    "training": lambda: plot_training(training()),
    "accuracy": lambda: plot_accuracy(accuracy_rows()),
    "leader words": lambda: plot_words([["great", 5], ["dull", 3]], [("poor", 7), ("left", None)]),
    "planes": lambda: plot_planes([ef.sentiment.load().explain("A wonderful film with a boring end.")]),
    "rollout": lambda: plot_rollout(Series.of(np.arange(12).reshape(6, 2)), np.arange(8.0).reshape(4, 2) + 12, None),
    "deep blocks": lambda: ef.plot(ef.construct(DATA, method="paper"), blocks=[1], title="one block"),
    "some sequences": lambda: ef.plot(ef.construct(DATA, method="deep", width=2), sequences=[1], classes=["cat"]),
    "curves": lambda: draw_curves(
        {"a": ([1, 2, 4], [1.0, 4.0, 2.0]), "b": ([1, 4], [2.0, 8.0])},
        bounds={k: ([1, 4], [1.0, 9.0]) for k in "cdef"},
        across="n",
        up="W",
        title="t",
    ),
}


def figure_facts(figure: Figure) -> Facts:
    """What a figure shows."""
    figure.draw_without_rendering()
    return {
        "heading": figure.get_suptitle(),
        "size": figure.get_size_inches().tolist(),
        "words": [text_facts(text) for text in figure.texts],
        "legends": [legend_facts(legend) for legend in figure.legends],
        "panels": [panel_facts(ax) for ax in figure.axes],
    }


def text_facts(text: Text) -> list[object]:
    """The words, the place and the look of a text."""
    look = [text.get_fontsize(), to_hex(text.get_color()), text.get_ha(), text.get_va(), text.get_rotation()]
    return [text.get_text(), *map(float, text.get_position()), *look]


def legend_facts(legend: Legend | None) -> list[object]:
    """The words of a legend, their size, its columns and its frame."""
    if legend is None:
        return []
    words = [text.get_text() for text in legend.get_texts()]
    return [*words, *(t.get_fontsize() for t in legend.get_texts()[:1]), legend._ncols, legend.get_frame_on()]


def colours(values: np.ndarray) -> list[str]:  # type: ignore[type-arg]
    """The different colours of a collection."""
    return sorted({to_hex(colour, keep_alpha=True) for colour in values})


def panel_facts(ax: Axes) -> Facts:
    """What a panel shows; points by their number and their mean."""
    return {
        "words": [text_facts(text) for text in (ax.title, ax.xaxis.label, ax.yaxis.label)],
        "axis": [
            ax.axison,
            ax.get_xscale(),
            ax.get_yscale(),
            str(ax.get_aspect()),
            *map(float, ax.get_position().bounds),
        ],
        "limits": [*ax.get_xlim(), *ax.get_ylim()],
        "spines": [name for name, spine in ax.spines.items() if spine.get_visible()],
        "ticks": [
            [[float(t.get_loc()), t.label1.get_text(), t.label1.get_fontsize()] for t in axis.get_major_ticks()]
            for axis in (ax.xaxis, ax.yaxis)
        ],
        "texts": [text_facts(text) for text in ax.texts],
        "curves": [
            [
                *(str(line.get_label()), to_hex(line.get_color()), str(line.get_marker()), str(line.get_linestyle())),
                *(line.get_linewidth(), line.get_markersize(), str(line.get_markerfacecolor()), line.get_zorder()),
                *summary(np.asarray(line.get_xydata(), dtype=float)),
            ]
            for line in ax.lines
        ],
        "points": [
            [
                *colours(part.get_facecolor()),
                *(colours(part.get_edgecolor()), np.unique(part.get_linewidth()).tolist(), part.get_zorder()),
                np.unique(np.round(part.get_sizes(), 6)).tolist() if hasattr(part, "get_sizes") else None,
                *summary(np.asarray(part.get_offsets())),
                *(summary(path.vertices) for path in part.get_paths()[:3]),
            ]
            for part in ax.collections
        ],
        "shapes": [
            [
                *(type(part).__name__, to_hex(part.get_facecolor()), to_hex(part.get_edgecolor()), part.get_zorder()),
                *(part.get_linewidth(), str(part.get_linestyle()), part.get_alpha(), *part.get_extents().bounds),
            ]
            for part in ax.patches
        ],
        "images": [[*part.get_array().shape, float(np.mean(part.get_array())), *part.get_clim()] for part in ax.images],
        "legend": legend_facts(ax.get_legend()),
    }


def summary(points: np.ndarray) -> list[float]:  # type: ignore[type-arg]
    """How many points, their mean and their spread."""
    finite = points[np.isfinite(points).all(axis=-1)] if points.size else points
    return [len(points), *(np.r_[finite.mean(axis=0), finite.std(axis=0)].tolist() if len(finite) else [])]


def agree(left: object, right: object) -> bool:
    """Whether two facts are the same, numbers up to rounding."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(agree(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(agree, left, right))
    if isinstance(left, float | int) and isinstance(right, float | int):
        return math.isclose(left, right, rel_tol=1e-3, abs_tol=1e-6)
    return left == right


if __name__ == "__main__" and "--record" in sys.argv:
    found = {name: figure_facts(draw()) for name, draw in DRAWN.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(facts)}" for name, facts in found.items())
    KEPT.write_text(f"{{\n{lines}\n}}\n", "utf-8")
