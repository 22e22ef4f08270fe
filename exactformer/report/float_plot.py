"""Floats against exact arithmetic: the same tokens after both orbits, and how they part layer by layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.dynamics.orbit import Orbit
from exactformer.evaluate.float_orbit import ApproxOrbit
from exactformer.evaluate.floats import Backend
from exactformer.report.canvas import draw_on_log_scale, frame_points, heading, new_figure, quiet, scatter
from exactformer.report.orbit_frames import OrbitFrames, Plane, Sets, orbit_frames
from exactformer.report.orbit_plot import draw_layer
from exactformer.report.palette import COLOURS, NEUTRAL, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Departure:
    """Both orbits: the exact one, the float one, the largest distance and the tokens with wrong sets per layer."""

    exact: OrbitFrames
    floats: OrbitFrames
    distances: list[float]
    wrong: list[int]


def departure_of(orbit: Orbit, *, axes: tuple[int, ...] | None = None) -> Departure:
    """The float64 orbit beside an exact one, both for the same layers."""
    approx = ApproxOrbit(orbit.instance, Backend.of())
    plane = Plane.of(orbit.tokens(0).floats(), axes)
    points: list[Array] = []
    sets: list[Sets] = []
    distances: list[float] = []
    wrong: list[int] = []
    leads_from: dict[int, int] = {}
    for k in range(orbit.layers + 1):
        follows = approx.follows()
        for i in approx.leaders:
            leads_from.setdefault(i, k)
        points.append(approx.points @ plane.matrix)
        sets.append(follows)
        distances.append(approx.deviation(orbit.tokens(k)))
        wrong.append(sum(a != b for a, b in zip(follows, orbit.follows(k), strict=True)))
        approx.advance()
    layers = list(range(orbit.layers + 1))
    return Departure(
        orbit_frames(orbit, axes=axes), OrbitFrames(layers, points, sets, leads_from, plane.words), distances, wrong
    )


def draw_departure(departure: Departure, *, title: str = "") -> Figure:
    """Three panels: where exact arithmetic ends, where float64 ends, and their distance in every layer."""
    figure = new_figure(9.6, 3.3)
    left, middle, right = figure.subplots(1, 3)
    last = len(departure.exact) - 1
    draw_layer(left, departure.exact, last)
    left.set_title(f"exact, layer {last}", fontsize=9)
    draw_layer(middle, departure.floats, last)
    _mark_strays(middle, departure, last)
    middle.set_title(f"float64, layer {last}", fontsize=9)
    _draw_distances(right, departure)
    if title or departure.exact.words:
        figure.suptitle(heading(title, departure.exact.words), fontsize=10)
    return figure


def _mark_strays(ax: Axes, departure: Departure, at: int) -> None:
    """An arrow from every token that floats misplace to where it really is."""
    exact, floats = departure.exact.points[at], departure.floats.points[at]
    extent = max(float(np.ptp(exact, axis=0).max()), 1e-12)
    strays = np.flatnonzero(np.abs(exact - floats).max(axis=1) > 1e-3 * extent)
    frame_points(ax, [departure.exact.points[0], floats, exact])
    scatter(ax, exact[strays], Style("circle", (NEUTRAL,)), 30, alpha=0.9)
    for i in strays[:60].tolist():
        _arrow(ax, floats[i], exact[i])


def _arrow(ax: Axes, start: Array, stop: Array) -> None:
    ax.annotate("", stop, start, arrowprops={"arrowstyle": "->", "color": COLOURS[4], "linewidth": 1.0}, zorder=5)


def _draw_distances(ax: Axes, departure: Departure) -> None:
    layers = np.arange(len(departure.distances))
    (shown,) = draw_on_log_scale(ax, [departure.distances])
    ax.plot(layers, shown, color=COLOURS[0], linewidth=1.2, marker="o", markersize=2.5, label="largest error")
    wrong = np.array(departure.wrong) > 0
    if wrong.any():
        ax.plot(layers[wrong], shown[wrong], "X", color=COLOURS[4], markersize=5, label="wrong follower sets")
    ax.set_xlabel("layer", fontsize=8)
    ax.legend(fontsize=7, frameon=False)
    ax.set_title("distance of float64 from exact", fontsize=9)
    quiet(ax)
