"""Films and passages as stages of a page: an interactive picture with the exact numbers of every frame beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from exactformer.arithmetic.state import State
from exactformer.dynamics.orbit import Orbit
from exactformer.model.html import ROWS, point
from exactformer.report.block_plot import Passage
from exactformer.report.film import Plane, film_of, ranks_of
from exactformer.report.graph_plot import a_norms, by_norm
from exactformer.report.palette import follower_style, leader_style
from exactformer.report.svg import Scene, draw_frame

#: frames of a stage; tokens beyond which fewer frames are shown
FRAMES, MANY = 60, 500
#: follower graphs of more tokens cannot be read
GRAPH_TOKENS = 200


@dataclass(frozen=True)
class Stage:
    """A scene, and a table with one row per token or sequence whose cells change with the frame."""

    scene: Scene
    columns: list[str]
    heads: list[str]
    cells: list[list[str]]
    legend: list[tuple[Any, str]]


def orbit_stage(orbit: Orbit) -> Stage:
    """The orbit of tokens, layer by layer."""
    layers = frames_of(orbit.layers, FRAMES if len(orbit.instance) <= MANY else FRAMES // 4)
    film = film_of(orbit, layers=layers)
    count = len(film.points[0])
    scene = Scene(
        [f"layer {k}" for k in layers],
        film.points,
        [[film.style(i, at) for i in range(count)] for at in range(len(layers))],
        [film.polytope(at) for at in range(len(layers))],
        [f"token {i}" for i in range(count)],
        film.words,
    )
    cells = [_orbit_cells(orbit, k, min(count, ROWS)) for k in layers]
    legend = [(leader_style(rank), f"leader {i} and its followers") for i, rank in list(film.ranks.items())[:12]]
    return Stage(scene, ["token", "exact place", "follows", "leads"], [str(i) for i in range(count)], cells, legend)


def _orbit_cells(orbit: Orbit, layer: int, count: int) -> list[str]:
    state, follows, leaders = orbit.tokens(layer), orbit.follows(layer), set(orbit.leaders_at(layer))
    rows = ([point(state[i]), _members(follows[i]), "leader" if i in leaders else ""] for i in range(count))
    return [text for row in rows for text in row]


def _members(follows: Any) -> str:
    shown = ", ".join(map(str, follows[:8]))
    return f"{shown}, .. ({len(follows)})" if len(follows) > 8 else shown


def frames_of(last: int, most: int) -> list[int]:
    """The layers 0..last, or so many of them, evenly spread."""
    if last < most:
        return list(range(last + 1))
    return sorted({round(k) for k in np.linspace(0, last, most)})


def passage_stage(passage: Passage) -> Stage:
    """Sequences on their way through the blocks."""
    sizes = [len(points) for points in passage.points[0]]
    styles = [passage.style(j) for j, size in enumerate(sizes) for _ in range(size)]
    titles = [f"{passage.names[j]}, token {i}" for j, size in enumerate(sizes) for i in range(size)]
    last = len(passage.points) - 1
    frames = frames_of(last, FRAMES)
    scene = Scene(
        ["input", *(f"after block {k}" for k in frames[1:])],
        [np.vstack(passage.points[k]) for k in frames],
        [styles] * len(frames),
        [np.empty((0, 2))] * len(frames),
        titles,
        passage.words,
        fixed=False,
    )
    cells = [[_set(state) for state in passage.states[k]] for k in frames]
    legend = [(passage.style(j), name) for j, name in enumerate(passage.names)]
    return Stage(scene, ["sequence", "set of tokens"], passage.names, cells, legend)


def _set(state: State) -> str:
    distinct = list(dict.fromkeys(state.rows()))
    shown = ", ".join(map(point, distinct[:4]))
    return f"{{{shown}, .. ({len(distinct)})}}" if len(distinct) > 4 else f"{{{shown}}}"


def points_stage(lists: dict[str, list[Any]]) -> Stage:
    """Named lists of exact points in one picture."""
    states = [State.of(rows) for rows in lists.values()]
    plane = Plane.of(np.vstack([state.floats() for state in states]))
    styles = [follower_style([k]) for k, state in enumerate(states) for _ in range(len(state))]
    titles = [f"{name} {i}" for name, rows in lists.items() for i in range(len(rows))]
    points = np.vstack([plane(state) for state in states])
    scene = Scene([""], [points], [styles], [np.empty((0, 2))], titles, plane.words)
    return Stage(scene, [], [], [], [(follower_style([k]), name) for k, name in enumerate(lists)])


def draw_stage(stage: Stage) -> str:
    """The HTML of a stage: picture, slider, table of exact numbers, legend, and four frames for paper."""
    scene, last = stage.scene, len(stage.scene.names) - 1
    if not last:
        below = f'<p class="soft">{escape(scene.range(0))}</p>{_legend(stage)}'
        return f'<div class="graph">{draw_frame(scene, 0)}{below}</div>'
    content = json.dumps(scene.json() | {"cells": stage.cells}).replace("</", "<\\/")
    words = f'<p class="soft">{escape(scene.words)}</p>' if scene.words else ""
    first = escape(scene.names[0])
    return (
        f'{words}<div class="stage wide"><div>{draw_frame(scene, 0)}'
        f'<p class="soft range">{escape(scene.range(0))}</p><div class="controls"><button type="button">Play</button>'
        f'<input type="range" min="0" max="{last}" value="0" aria-label="layer"><output>{first}</output></div>'
        f'<noscript><p class="soft">The slider needs JavaScript; the pictures and tables below do not.</p></noscript>'
        f'{_legend(stage)}</div><div>{_table(stage)}</div><script type="application/json">{content}</script></div>'
        f"{_strip(stage)}"
    )


def _table(stage: Stage) -> str:
    width = len(stage.columns) - 1
    head = "".join(f"<th>{escape(c)}</th>" for c in stage.columns)
    rows = []
    for r in range(len(stage.cells[0]) // width):
        changing = stage.cells[0][r * width : (r + 1) * width]
        cells = "".join(f'<td class="number" data-cell>{escape(text)}</td>' for text in changing)
        rows.append(f"<tr><td>{escape(stage.heads[r])}</td>{cells}</tr>")
    left = len(stage.heads) - len(rows)
    more = f'<p class="soft">{left} more tokens are drawn, not listed.</p>' if left else ""
    return f'<div class="scroll"><table class="now"><tr>{head}</tr>{"".join(rows)}</table></div>{more}'


def _legend(stage: Stage) -> str:
    items = [
        f'<span><svg viewBox="-12 -12 24 24"><use href="#{style.name}"/></svg> {escape(text)}</span>'
        for style, text in stage.legend
        if style in stage.scene.sheet
    ]
    return f'<p class="legend">{"".join(items)}</p>' if items else ""


def _strip(stage: Stage) -> str:
    scene = stage.scene
    figures = [
        f"<figure>{draw_frame(scene, k)}<figcaption>{escape(scene.names[k])}</figcaption></figure>"
        for k in frames_of(len(scene.names) - 1, 4)
    ]
    return f'<div class="row">{"".join(figures)}</div>'


def graph_scene(orbit: Orbit, layer: int) -> Scene:
    """The follower graph of a layer as a scene with arrows, laid out by the norm of A."""
    follows = orbit.follows(layer)
    places = by_norm(follows, a_norms(orbit, layer))
    ranks, leading = ranks_of(orbit.leads_from), set(orbit.leaders_at(layer))
    styles = [
        leader_style(ranks[i]) if i in leading else follower_style(map(ranks.get, members))
        for i, members in enumerate(follows)
    ]
    names = [f"token {i}" for i in range(len(follows))]
    edges = [(i, j) for i, members in enumerate(follows) for j in members if i != j]
    return Scene([f"layer {layer}"], [places], [styles], [np.empty((0, 2))], names, fixed=False, edges=edges)
