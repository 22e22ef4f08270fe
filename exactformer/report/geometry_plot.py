"""The geometry of attention in the plane: whom a token follows, and where the tokens that attract it must lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array
from exactformer.dynamics.orbit import simulate
from exactformer.model.tokens import Tokens
from exactformer.report.canvas import frame_points, panels, plain_label, scatter
from exactformer.report.palette import COLOURS, INK, NEUTRAL, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_attention(instances: Mapping[str, Tokens], token: int = 0) -> Figure:
    """A panel per instance: A z_i, the half-space <A z_i, z - z_i> >= 0, the line of the best score, and C_i."""
    figure, axes = panels(len(instances), columns=2, size=3.6)
    for ax, (title, tokens) in zip(axes, instances.items(), strict=True):
        orbit = simulate(tokens, layers=0, unchecked=True)
        points = np.array([[float_of(x) for x in row] for row in tokens.state.rows()])
        matrix = np.array([[float_of(x) for x in row] for row in tokens.A])
        _draw(ax, points, matrix, token, orbit.follows(0)[token])
        names = ", ".join(str(j + 1) for j in orbit.follows(0)[token])
        ax.set_title(plain_label(f"{title}: C_{token + 1} = {{{names}}}"), fontsize=9)
    return figure


def _draw(ax: Axes, points: Array, matrix: Array, token: int, followed: Sequence[int]) -> None:
    origin = np.zeros(2)
    frame_points(ax, [points, origin[None]])
    at, normal = points[token], matrix @ points[token]
    normal = normal / np.linalg.norm(normal)
    across, far = np.array([-normal[1], normal[0]]), 100.0
    corners = np.array([at - far * across, at + far * across])
    ax.fill(*np.vstack([corners, corners[::-1] + far * normal]).T, color=COLOURS[5], alpha=0.18, linewidth=0, zorder=0)
    ax.plot(*corners.T, color=COLOURS[0], linewidth=0.8, zorder=1)
    best = corners + normal * float((points[followed[0]] - at) @ normal)
    ax.plot(*best.T, color=INK, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1)
    ax.annotate("", at + normal, at, arrowprops={"arrowstyle": "->", "color": COLOURS[0], "linewidth": 1.2})
    for j in followed:
        ax.annotate("", points[j], at, arrowprops={"arrowstyle": "->", "color": COLOURS[4], "linewidth": 0.9})
    for j, point in enumerate(points):
        chosen = COLOURS[4] if j in followed else COLOURS[0] if j == token else NEUTRAL
        scatter(ax, point[None], Style("circle", (chosen,)), 60)
        offset = (-17, 5) if j == token else (6, 5)  # its arrows go to the other side
        ax.annotate(f"$z_{{{j + 1}}}$", point, offset, textcoords="offset points", fontsize=9)
    ax.plot(0, 0, marker="+", color=INK, markersize=5, markeredgewidth=0.7, zorder=1)


def draw_moves(moves: Mapping[str, tuple[Array, Array]]) -> Figure:
    """A panel per map of points (before, after): arrows to where tokens go, rings around those that stay."""
    figure, axes = panels(len(moves), columns=3, size=3.0)
    for ax, (title, (before, after)) in zip(axes, moves.items(), strict=True):
        frame_points(ax, [before, after, np.zeros((1, 2))])
        for start, end in zip(before, after, strict=True):
            if np.array_equal(start, end):
                ax.scatter(*start, s=150, facecolors="none", edgecolors=INK, linewidths=0.8, zorder=2)
            else:
                ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": COLOURS[0], "linewidth": 0.9})
        scatter(ax, before, Style("circle", (NEUTRAL,)), 40)
        scatter(ax, np.unique(after, axis=0), Style("circle", (COLOURS[4],)), 46)
        ax.plot(0, 0, marker="+", color=INK, markersize=5, markeredgewidth=0.7, zorder=1)
        ax.set_title(plain_label(title), fontsize=8)
    return figure
