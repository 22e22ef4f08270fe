"""Pictures of the sentiment study: accuracy by dimension, leader words, reviews in the plane before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from exactformer.io.json_lines import JsonObject
from exactformer.report.canvas import frame_points, new_figure, one_panel, panels, quiet, scatter, token_size
from exactformer.report.palette import COLOURS, INK
from exactformer.report.review_plane import decision_line, plane_stage
from exactformer.studies.sentiment.explanation import Explanation

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_accuracy(rows: Sequence[JsonObject]) -> Figure:
    """Test accuracy over the dimension: ours, ours without attention, the published best and last."""
    figure, ax = one_panel(5.4, 3.6)
    dims = [row["dim"] for row in rows]
    lines = [
        ("exactformer, hardmax training", [row["test"] for row in rows], "o-"),
        ("exactformer, trained without attention", [row["without_attention"]["test"] for row in rows], "s--"),
        ("published, best of 101 epochs on the test part", [row["published_best"] for row in rows], "^-"),
        ("published, last epoch", [row["published_final"] for row in rows], "v:"),
    ]
    for (label, values, style), colour in zip(lines, COLOURS, strict=False):
        known = [(d, x) for d, x in zip(dims, values, strict=True) if x is not None]
        if known:
            ax.plot(*zip(*known, strict=True), style, color=colour, label=label, markersize=5, linewidth=1.2)
    ax.set_xscale("log", base=2)
    ax.set_xticks(dims, [str(d) for d in dims])
    ax.set_xlabel("dimension", fontsize=8)
    ax.set_ylabel("test accuracy", fontsize=8)
    ax.legend(fontsize=6.5, frameon=False)
    quiet(ax)
    return figure


#: a word and how often it leads; None where the paper's figure cannot be read
_Count = tuple[str, int | None]


def plot_words(ours: Sequence[_Count], published: Sequence[_Count], *, title: str = "exactformer, d = 2") -> Figure:
    """The leader words of reviews decided right: ours with counts, the paper's as far as they can be read."""
    figure = new_figure(7.2, 3.8)
    left, right = figure.subplots(1, 2)
    for ax, words, listed in ((left, title, ours), (right, "the paper's figure, d = 2", published)):
        names, counts = [w for w, _ in listed][::-1], [c for _, c in listed][::-1]
        places = np.arange(len(names))
        ax.barh(places, [c or 0 for c in counts], color=COLOURS[0], height=0.7)
        for place, count in zip(places, counts, strict=True):
            if count is None:
                ax.text(0, place, " not read off", fontsize=6, va="center", color=INK)
        ax.set_yticks(places, names, fontsize=7, parse_math=False)
        ax.set_title(words, fontsize=8)
        quiet(ax)
        ax.tick_params(axis="y", labelsize=7)
    return figure


def plot_planes(explanations: Sequence[Explanation]) -> Figure:
    """Each review in the plane at layer 0 and at the last layer, with paths, decision line and the mean of words."""
    figure, axes = panels(2 * len(explanations), columns=2, size=3.2)
    for number, explanation in enumerate(explanations):
        scene = plane_stage(explanation).scene
        line = decision_line(explanation, np.vstack(scene.points))
        for ax, at in zip(axes[2 * number : 2 * number + 2], (0, len(scene.points) - 1), strict=True):
            for path in np.stack(scene.points[: at + 1], axis=1) if at else ():
                ax.plot(*path.T, color="#999999", linewidth=0.6, zorder=1)
            for point, style in zip(scene.points[at], scene.styles[at], strict=True):
                scatter(ax, point[None], style, token_size(len(scene.titles)))
            for i in explanation.leaders[:6]:
                x, y = scene.points[at][i]
                ax.annotate(
                    explanation.words[i].word, (x, y), (4, 4), textcoords="offset points", fontsize=7, parse_math=False
                )
            if len(line):
                ax.plot(*line.T, "--", color=INK, linewidth=0.7)
            frame_points(ax, scene.points)
            ax.set_title(f"{explanation.decision}, layer {at}", fontsize=8)
    return figure
