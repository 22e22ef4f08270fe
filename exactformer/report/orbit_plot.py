"""Orbits in the plane, layer by layer: leaders as stars, followers in the colours of whom they follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from exactformer.errors import InvalidInput
from exactformer.io.untyped import Untyped
from exactformer.report.canvas import frame_points, legend_below, panels, quiet, scatter, set_heading, token_size
from exactformer.report.orbit_frames import OrbitFrames
from exactformer.report.palette import COLOURS, INK, NEUTRAL, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: trails of more tokens would hide the tokens
TRAILS = 400


def draw_orbit(
    drawn: OrbitFrames, frames: Sequence[int] | None = None, *, title: str = "", ringed: int | None = None
) -> Figure:
    """A panel per frame: tokens, trails so far, and the polytope of the leaders; one token may be ringed."""
    if drawn.is_line and frames is None:
        return draw_strip(drawn, title=title)
    chosen = telling_frames(drawn) if frames is None else list(frames)
    if not chosen or not all(0 <= k < len(drawn) for k in chosen):
        raise InvalidInput(f"frames: expected frames from 0..{len(drawn) - 1}, got {chosen}")
    figure, axes = panels(len(chosen))
    for ax, at in zip(axes, chosen, strict=True):
        draw_layer(ax, drawn, at)
        ax.set_title(f"layer {drawn.layers[at]}", fontsize=9)
        if ringed is not None:
            ax.scatter(*drawn.points[at][ringed], s=260, facecolors="none", edgecolors=INK, linewidths=1.1, zorder=5)
    draw_legend(figure, ringed)
    set_heading(figure, title, drawn.words)
    return figure


def draw_strip(shown: OrbitFrames, *, title: str = "") -> Figure:
    """Tokens of dimension 1 against layers: a line per token, in the colour of whom it follows."""
    figure, (ax,) = panels(1, size=4.2)
    places = np.stack([points[:, 0] for points in shown.points])
    ax.plot(shown.layers, places, color="#999999", linewidth=0.6, zorder=1)
    size = token_size(places.size // 3)
    for k, layer in enumerate(shown.layers):
        for i, place in enumerate(places[k]):
            scatter(ax, np.array([[layer, place]]), shown.style(i, k), size, zorder=4 if shown.leads(i, k) else 3)
    ax.set_xlabel("layer", fontsize=8)
    ax.set_ylabel("token", fontsize=8)
    ax.xaxis.set_major_locator(_whole_numbers())
    quiet(ax)
    draw_legend(figure, None, polytope=False)
    set_heading(figure, title, shown.words)
    return figure


def _whole_numbers() -> Untyped:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(12, integer=True)


def draw_legend(figure: Figure, ringed: int | None, *, polytope: bool = True) -> None:
    """What star, disc, cut disc and outline mean, once for the figure."""
    from matplotlib.lines import Line2D

    look: dict[str, object] = {"linestyle": "", "markeredgecolor": INK, "markeredgewidth": 0.5}
    blue, orange = COLOURS[:2]
    handles = [
        Line2D([], [], marker="*", markersize=9, markerfacecolor=blue, label="leader", **look),
        Line2D([], [], marker="o", markersize=6, markerfacecolor=blue, label="follower, colour of its leader", **look),
        Line2D(
            [], [], marker="o", markersize=6, markerfacecolor=blue, markerfacecoloralt=orange, fillstyle="left",
            label="follows several (a tie)", **look,
        ),
        Line2D([], [], marker="o", markersize=6, markerfacecolor=NEUTRAL, label="follows no leader yet", **look),
    ]  # fmt: skip
    if polytope:
        handles.append(Line2D([], [], color=INK, linewidth=0.7, linestyle=(0, (4, 2)), label="polytope of the leaders"))
    if ringed is not None:
        handles.append(
            Line2D(
                [], [], marker="o", markersize=9, markerfacecolor="none", label=f"the witness, token {ringed}", **look
            )
        )
    legend_below(figure, handles)


def telling_frames(drawn: OrbitFrames, count: int = 4) -> list[int]:
    """At most `count` frames that tell the story: the first, the last, and between them where most happens."""
    last = len(drawn) - 1
    if last < count:
        return list(range(last + 1))
    moved = [float(np.abs(drawn.points[k + 1] - drawn.points[k]).max()) for k in range(last)]
    share = np.cumsum(moved) / max(sum(moved), 1e-300)
    inner = [int(np.searchsorted(share, q)) + 1 for q in np.linspace(0, 1, count)[1:-1]]
    return sorted({0, last, *(min(k, last) for k in inner)})


def draw_layer(ax: Axes, drawn: OrbitFrames, at: int) -> None:
    """One frame of an orbit on an axis."""
    points = drawn.points[at]
    frame_points(ax, [drawn.points[0], points])
    if drawn.is_line:
        ax.set_yticks([])
    _draw_polytope(ax, drawn, at)
    _draw_trails(ax, drawn, at)
    groups: dict[Style, list[int]] = {}
    for i in range(len(points)):
        groups.setdefault(drawn.style(i, at), []).append(i)
    size = token_size(len(points))
    for style, members in sorted(groups.items(), key=lambda item: item[0].shape == "star"):
        scatter(ax, points[members], style, size, zorder=4 if style.shape == "star" else 3)
    ax.plot(0, 0, marker="+", color=INK, markersize=4, markeredgewidth=0.6, zorder=1)


def _draw_polytope(ax: Axes, drawn: OrbitFrames, at: int) -> None:
    corners = drawn.polytope(at)
    if len(corners):
        closed = np.vstack([corners, corners[:1]]) if len(corners) > 2 else corners
        ax.fill(*closed.T, color="#F1F1F1", zorder=0)
        ax.plot(*closed.T, color=INK, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1)


def _draw_trails(ax: Axes, drawn: OrbitFrames, at: int) -> None:
    if not at or len(drawn.points[0]) > TRAILS:
        return
    from matplotlib.collections import LineCollection

    paths = np.stack(drawn.points[: at + 1], axis=1)
    ax.add_collection(LineCollection(list(paths), colors="#999999", linewidths=0.6, zorder=2))
