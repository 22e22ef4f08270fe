"""Tokens of three dimensions in perspective: leaders as stars, their polytope, and where every token goes."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.dynamics.orbit import Orbit
from exactformer.errors import InvalidInput
from exactformer.report.canvas import new_figure, set_heading, token_size
from exactformer.report.orbit_frames import OrbitFrames, drawable
from exactformer.report.orbit_plot import draw_legend
from exactformer.report.palette import INK, MARKERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: with more leaders the edges of their polytope would hide the tokens
_EDGES = 24


def draw_space(orbit: Orbit, layer: int = 0, *, axes: tuple[int, ...] | None = None, title: str = "") -> Figure:
    """One layer in perspective, with the way from there to the last layer; `axes` chooses three coordinates of more."""
    chosen, dim = tuple(axes or (0, 1, 2)), orbit.instance.dim
    if len(set(chosen)) != 3 or len(chosen) != 3 or not all(0 <= k < dim for k in chosen):
        raise InvalidInput(f"axes: expected three different coordinates from 0..{dim - 1}, got {chosen}")
    shown = range(layer, orbit.layers + 1)
    points = [drawable(orbit.tokens(k).floats())[:, list(chosen)] for k in shown]
    frames = OrbitFrames(list(shown), points, [orbit.follows(k) for k in shown], orbit.leads_from)
    figure = new_figure(5.4, 5.0)
    ax: Any = figure.add_subplot(projection="3d")
    for path in np.stack(points, axis=1):
        ax.plot(*path.T, color="#999999", linewidth=0.6)
    edges = polytope_edges(points[0][frames.leaders(0)])
    for edge in edges:
        ax.plot(*edge.T, color=INK, linewidth=0.6, linestyle=(0, (4, 2)), alpha=0.7)
    size = token_size(len(points[0]))
    for i, place in enumerate(points[0]):
        style = frames.style(i, 0)
        area = 2.4 * size if style.shape == "star" else size
        ax.scatter(*place, s=area, marker=MARKERS[style.shape], c=style.colours[0], edgecolors=INK, linewidths=0.4)
    for k, name in zip(chosen, "xyz", strict=True):
        getattr(ax, f"set_{name}label")(f"coordinate {k}", fontsize=7)
    ax.tick_params(labelsize=6)
    draw_legend(figure, None, polytope=bool(edges))
    words = "" if dim == 3 else f"coordinates {', '.join(map(str, chosen))} of {dim}"
    set_heading(figure, title or f"layer {layer}, and the way to layer {orbit.layers}", words)
    return figure


def polytope_edges(leaders: Array) -> list[Array]:
    """The edges of the leaders' polytope (of the picture, rounded): pairs that are a corner when seen along their line.

    >>> len(polytope_edges(np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])))
    12
    """
    if len(leaders) > _EDGES:
        return []
    return [np.array(pair) for pair in combinations(leaders, 2) if _is_edge(*pair, leaders)]


def _is_edge(one: Array, two: Array, points: Array) -> bool:
    """Whether the line through two points supports the hull of all: seen along it, it is a corner."""
    _, lengths, axes = np.linalg.svd((two - one)[None])
    if not lengths[0]:
        return False
    seen = (points - one) @ axes[1:].T / float(np.abs(points - one).max())
    seen = seen[np.abs(seen).max(axis=1) > 1e-9]
    angles = np.sort(np.arctan2(seen[:, 1], seen[:, 0]))
    gaps = np.diff([*angles, *(angles[:1] + 2 * np.pi)])
    return not len(gaps) or bool(gaps.max() > np.pi + 1e-7)
