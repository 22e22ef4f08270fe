"""Follower graphs, laid out by the norm of A: every edge between different tokens points upwards (lemma 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.dynamics.orbit import Orbit
from exactformer.report.canvas import one_panel, plain_label, quiet, scatter, token_size
from exactformer.report.orbit_frames import ranks_of
from exactformer.report.palette import INK, follower_style, leader_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: names of more tokens would hide the edges; more tokens are not pushed apart
NAMES, SPREAD = 40, 200
#: the least height of a picture, as a part of the largest norm
LEAST = 0.05
#: the part of a root's room that tokens side by side take up
SIDE_BY_SIDE = 0.9


def a_norms(orbit: Orbit, layer: int) -> Array:
    """|z_i|_A of a layer, rounded (for pictures)."""
    points = orbit.tokens(layer).floats()
    A = np.array([[float(v) for v in row] for row in orbit.instance.A])
    return np.asarray(np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", points, A, points), 0)))


def by_norm(follows: Sequence[Sequence[int]], norms: Array) -> Array:
    """Places of the follower graph: height is the norm, and a token stands below the middle of whom it follows.

    Whoever follows no higher token is a root; a root has room for all below it. Tokens that follow the same ones stand
    side by side, the highest outside, so that no edge to one of them runs through another.
    """
    order = np.argsort(-norms, kind="stable").tolist()
    rank = {i: k for k, i in enumerate(order)}
    above = {i: tuple(j for j in follows[i] if rank[j] < rank[i]) for i in order}
    siblings: dict[tuple[int, ...], list[int]] = {}
    root: dict[int, int] = {}
    for i in order:
        root[i] = root[above[i][0]] if above[i] else i
        if above[i]:
            siblings.setdefault(above[i], []).append(i)
    room, most = _room_of_roots(order, root), max(map(len, siblings.values()), default=1)
    across = np.zeros(len(norms))
    for i in order:
        if above[i]:
            beside = siblings[above[i]]
            spread = SIDE_BY_SIDE * room[root[i]][1] * np.sqrt(len(beside) / most) * (len(beside) > 1)
            slots = np.linspace(-spread / 2, spread / 2, len(beside))
            across[i] = np.mean(across[list(above[i])]) + slots[_slot(beside.index(i), len(beside))]
        else:
            across[i] = room[i][0]
    return pushed_apart(np.column_stack([across, norms]))


def _room_of_roots(order: Sequence[int], root: Mapping[int, int]) -> dict[int, tuple[float, float]]:
    """Centre and width of every root: half a unit, and its share of the rest by the tokens below it."""
    below = Counter(root[i] for i in order if root[i] != i)
    room, end = {}, 0.0
    for i in order:
        if root[i] == i:
            width = 0.5 + 0.5 * below[i] * sum(root[j] == j for j in order) / max(sum(below.values()), 1)
            room[i] = (end + width / 2, width)
            end += width
    return room


def _slot(k: int, count: int) -> int:
    """The place of the k-th highest of some tokens side by side: left end, right end, next to the left end, .."""
    return k // 2 if k % 2 == 0 else count - 1 - k // 2


def pushed_apart(places: Array, width: float = 0.055, height: float = 0.06, rounds: int = 200) -> Array:
    """The places pushed apart sideways until no two are nearer than width and height, as parts of the picture."""
    extent = np.maximum(np.ptp(places, axis=0), [0, LEAST * float(np.abs(places[:, 1]).max(initial=0))])
    scaled = places / np.where(extent > 0, extent, 1.0)
    for _ in range(rounds if len(places) <= SPREAD else 0):
        gaps = scaled[:, None, 0] - scaled[None, :, 0]
        order = np.arange(len(scaled))
        level = np.abs(scaled[:, None, 1] - scaled[None, :, 1]) < height
        near = level & (np.abs(gaps) < width) & (order[:, None] != order)
        if not near.any():
            break
        sides = np.where(gaps != 0, np.sign(gaps), np.sign(order[:, None] - order))
        scaled[:, 0] += (near * sides * (width * 1.01 - np.abs(gaps)) / 2).sum(axis=1)
    return np.column_stack([scaled[:, 0] * (extent[0] if extent[0] > 0 else 1.0), places[:, 1]])


def draw_graph(orbit: Orbit, layer: int | None = None, *, title: str = "") -> Figure:
    """The follower graph of a layer (the first one without any): i -> j for every j in C_i, self-loops as stars."""
    chosen = 0 if layer is None else layer
    follows, norms = orbit.follows(chosen), a_norms(orbit, chosen)
    places = by_norm(follows, norms)
    figure, ax = one_panel(6.4, 4.2)
    _draw_edges(ax, orbit, chosen, places)
    ranks = ranks_of(orbit.leads_from)
    leading = set(orbit.leaders_at(chosen))
    size = token_size(len(norms))
    for i, place in enumerate(places):
        style = leader_style(ranks[i]) if i in leading else follower_style(ranks.get(j) for j in follows[i])
        scatter(ax, place[None], style, size)
        if len(places) <= NAMES:
            ax.annotate(str(i), place, textcoords="offset points", xytext=(6, 4), fontsize=7, color=INK)
    ax.set_ylabel(r"$\|z_i\|_A$", fontsize=8)
    ax.set_xticks([])
    ax.margins(0.12)
    low, high = float(norms.min()), float(norms.max())
    reach = 0.62 * max(high - low, LEAST * high, 1e-9)
    ax.set_ylim((low + high) / 2 - reach, (low + high) / 2 + reach)
    ax.tick_params(left=True, labelleft=True)
    quiet(ax)
    ax.set_title(plain_label(title) or f"follower graph of layer {chosen}", fontsize=9)
    return figure


def _draw_edges(ax: Axes, orbit: Orbit, layer: int, places: Array) -> None:
    import networkx as nx

    graph = orbit.graph(layer)
    edges = [(i, j) for i, j in graph.edges if i != j]
    small = len(places) <= NAMES
    heads = {"arrowsize": 8} if small else {}
    nx.draw_networkx_edges(
        graph,
        dict(enumerate(places)),
        edgelist=edges,
        ax=ax,
        arrows=small,
        width=0.7 if small else 0.4,
        edge_color="#888888",
        alpha=1 if small else 0.5,
        node_size=60,
        **heads,
    )
