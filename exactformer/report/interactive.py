"""Orbits and blocks as stages of a page: an interactive picture with the exact numbers of every frame beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import Exact
from exactformer.display.html import ROWS, Markup, html, join, json_content, short
from exactformer.dynamics.orbit import Orbit
from exactformer.report.block_frames import BlockFrames, telling_blocks, token_styles
from exactformer.report.block_plot import moment
from exactformer.report.graph_plot import a_norms, by_norm
from exactformer.report.orbit_frames import Plane, orbit_frames, ranks_of
from exactformer.report.palette import Style, follower_style, leader_style
from exactformer.report.svg import Scene, axes, draw_frame

#: frames of a stage; tokens beyond which fewer frames are shown
FRAMES, MANY = 60, 500
#: coordinates shown of a point that moves
COORDINATES = 3
#: follower graphs of more tokens cannot be read
GRAPH_TOKENS = 200


@dataclass(frozen=True)
class InteractivePicture:
    """A scene, and a table with one row per token or sequence whose cells change with the frame."""

    scene: Scene
    columns: list[str]
    heads: list[str]
    cells: list[list[str]]
    legend: list[tuple[Style, str]]


def orbit_stage(orbit: Orbit) -> InteractivePicture:
    """The orbit of tokens, layer by layer."""
    layers = frames_of(orbit.layers, FRAMES if len(orbit.instance) <= MANY else FRAMES // 4)
    drawn = orbit_frames(orbit, layers=layers)
    count = len(drawn.points[0])
    scene = Scene(
        [f"layer {k}" for k in layers],
        drawn.points,
        [[drawn.style(i, at) for i in range(count)] for at in range(len(layers))],
        [drawn.polytope(at) for at in range(len(layers))],
        [f"token {i}" for i in range(count)],
        drawn.words,
    )
    cells = [_orbit_cells(orbit, k, min(count, ROWS)) for k in layers]
    legend = [
        (leader_style(rank), f"leader {i}; its followers share the colour")
        for i, rank in list(drawn.ranks.items())[:12]
    ]
    tie = next((style for style in sorted(scene.sheet, key=lambda s: s.name) if len(style.colours) > 1), None)
    legend += [] if tie is None else [(tie, "a cut disc follows several (a tie)")]
    legend += [(follower_style([None]), "follows no leader yet")]
    return InteractivePicture(
        scene, ["token", "place", "follows", "leads"], [str(i) for i in range(count)], cells, legend
    )


def _orbit_cells(orbit: Orbit, layer: int, count: int) -> list[str]:
    state, follows, leaders = orbit.tokens(layer), orbit.follows(layer), set(orbit.leaders_at(layer))
    rows = ([_point(state[i]), _members(follows[i]), "leader" if i in leaders else ""] for i in range(count))
    return [text for row in rows for text in row]


def _members(follows: Sequence[int]) -> str:
    shown = ", ".join(map(str, follows[:8]))
    return f"{shown}, .. ({len(follows)})" if len(follows) > 8 else shown


def frames_of(last: int, most: int) -> list[int]:
    """The layers 0..last, or so many of them, evenly spread."""
    if last < most:
        return list(range(last + 1))
    return sorted({round(k) for k in np.linspace(0, last, most)})


def block_stage(drawn: BlockFrames) -> InteractivePicture:
    """Sequences on their way through the blocks."""
    sizes = [len(points) for points in drawn.points[0]]
    heads = [_head(drawn, j) for j in range(len(sizes))]
    titles = [f"{heads[j]}, token {i}" for j, size in enumerate(sizes) for i in range(size)]
    frames = telling_blocks(drawn, FRAMES)
    scene = Scene(
        [moment(k) for k in frames],
        [np.vstack(drawn.points[k]) for k in frames],
        [token_styles(drawn, k) for k in frames],
        [np.empty((0, 2))] * len(frames),
        titles,
        drawn.words,
        fixed=False,
    )
    cells = [[_set(state) for state in drawn.states[k]] for k in frames]
    legend = [(drawn.class_style(group), group) for group in drawn.classes if group in drawn.groups]
    shared = next((s for s in sorted(scene.sheet, key=lambda s: s.name) if len(s.colours) > 1), None)
    legend += [] if shared is None else [(shared, "a point of several labels")]
    return InteractivePicture(scene, ["sequence", "set of tokens"], heads, cells, legend)


def _head(drawn: BlockFrames, j: int) -> str:
    """The name of sequence j, with its label where that is something else."""
    name = f"sequence {drawn.names[j]}"
    return name if drawn.groups[j] == name else f"{drawn.names[j]} ({drawn.groups[j]})"


def _point(row: Sequence[Exact]) -> str:
    """A point in a cell that changes with the frame: numbers short, coordinates cut."""
    more = [f".. {len(row)}"] if len(row) > COORDINATES else []
    return f"({', '.join([*map(short, row[:COORDINATES]), *more])})"


def _set(state: State) -> str:
    distinct = list(dict.fromkeys(state.rows()))
    shown = ", ".join(map(_point, distinct[:2]))
    return f"{{{shown}, .. {len(distinct)} points}}" if len(distinct) > 2 else f"{{{shown}}}"


def points_stage(lists: dict[str, list[tuple[Fraction, ...]]]) -> InteractivePicture:
    """Named lists of exact points in one picture."""
    states = [State.of(rows) for rows in lists.values()]
    plane = Plane.of(np.vstack([state.floats() for state in states]))
    styles = [follower_style([k]) for k, state in enumerate(states) for _ in range(len(state))]
    titles = [f"{name} {i}" for name, rows in lists.items() for i in range(len(rows))]
    points = np.vstack([plane(state) for state in states])
    scene = Scene([""], [points], [styles], [np.empty((0, 2))], titles, plane.words)
    return InteractivePicture(scene, [], [], [], [(follower_style([k]), name) for k, name in enumerate(lists)])


def draw_stage(stage: InteractivePicture) -> Markup:
    """The HTML of a stage: picture, slider, table of exact numbers, legend, and four frames for paper."""
    scene, last = stage.scene, len(stage.scene.names) - 1
    ruled = html('<g class="axes">{axes}</g>', axes=axes(scene, 0))
    picture = html(
        '{frame}<p class="soft range">{range}</p>', frame=draw_frame(scene, 0, under=ruled), range=scene.range(0)
    )
    if not last:
        return html('<div class="graph">{picture}{legend}</div>', picture=picture, legend=_legend(stage))
    return html(
        '{words}<div class="stage wide"><div>{picture}<div class="controls"><button type="button">Play</button>'
        '<input type="range" min="0" max="{last}" value="0" aria-label="layer"><output>{first}</output></div>'
        '<noscript><p class="soft">The slider needs JavaScript; the pictures and tables below do not.</p></noscript>'
        '{legend}</div><div>{table}</div><script type="application/json">{content}</script></div>{strip}',
        words=html('<p class="soft">{words}</p>', words=scene.words) if scene.words else "",
        picture=picture,
        last=last,
        first=scene.names[0],
        legend=_legend(stage),
        table=_table(stage),
        content=json_content(scene.json() | {"cells": stage.cells}),
        strip=_strip(stage),
    )


def _table(stage: InteractivePicture) -> Markup:
    width = len(stage.columns) - 1
    rows = []
    for r in range(len(stage.cells[0]) // width):
        changing = stage.cells[0][r * width : (r + 1) * width]
        cells = join(html('<td class="number" data-cell>{text}</td>', text=text) for text in changing)
        rows.append(html("<tr><td>{head}</td>{cells}</tr>", head=stage.heads[r], cells=cells))
    left = len(stage.heads) - len(rows)
    return html(
        '<div class="scroll"><table class="now"><tr>{head}</tr>{rows}</table></div>{more}',
        head=join(html("<th>{column}</th>", column=column) for column in stage.columns),
        rows=join(rows),
        more=html('<p class="soft">{left} more tokens are drawn, not listed.</p>', left=left) if left else "",
    )


def _legend(stage: InteractivePicture) -> Markup:
    items = join(
        html(
            '<span><svg viewBox="-12 -12 24 24"><use href="#{style}"/></svg> {text}</span>', style=style.name, text=text
        )
        for style, text in stage.legend
        if style in stage.scene.sheet
    )
    return html('<p class="legend">{items}</p>', items=items) if items else items


def _strip(stage: InteractivePicture) -> Markup:
    scene = stage.scene
    figures = (
        html("<figure>{frame}<figcaption>{name}</figcaption></figure>", frame=draw_frame(scene, k), name=scene.names[k])
        for k in frames_of(len(scene.names) - 1, 4)
    )
    return html('<div class="row">{figures}</div>', figures=join(figures))


def graph_picture(orbit: Orbit, layer: int) -> Scene:
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
