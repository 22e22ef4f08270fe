"""Scenes as SVG: frames of styled points, drawn without a plotting library, so that a page can move them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.display.html import Markup, html, join
from exactformer.io.json_lines import JsonObject
from exactformer.report.palette import Style

SIZE, ROOM = 560.0, 40.0
#: about so many ticks on an axis
TICKS = 5
NOTHING = Markup()


@dataclass(frozen=True)
class Scene:
    """Frames of the same n points: places in the plane, a style for each, an outline; `fixed`: one scale for all.

    `edges` are the arrows of a graph, which is a scene of one frame; its x has no meaning, so it has no axes.
    """

    names: list[str]
    points: list[Array]
    styles: list[list[Style]]
    outlines: list[Array]
    titles: list[str]
    words: str = ""
    fixed: bool = True
    edges: Sequence[tuple[int, int]] = ()

    @property
    def sheet(self) -> set[Style]:
        """The styles of all frames."""
        return {style for row in self.styles for style in row}

    def box(self, frame: int) -> tuple[Array, Array]:
        """The least and largest coordinates shown in a frame."""
        clouds = np.vstack(self.points if self.fixed else [self.points[frame]])
        return clouds.min(axis=0), clouds.max(axis=0)

    def places(self, points: Array, frame: int) -> Array:
        """Points in the coordinates of the picture, y downwards, one decimal."""
        low, high = self.box(frame)
        extent = np.where(high > low, high - low, 1.0)
        scale = (SIZE - 2 * ROOM) / (np.full(2, extent.max()) if self.fixed else extent)
        shift = (SIZE - scale * (high - low)) / 2
        return np.asarray(np.round((points - low) * scale * [1, -1] + shift * [1, -1] + [0, SIZE], 1))

    def outline(self, frame: int) -> str:
        """The path of the outline of a frame."""
        corners = self.outlines[frame]
        if not len(corners):
            return ""
        return "M" + "L".join(f"{x:g},{y:g}" for x, y in self.places(corners, frame).tolist()) + "Z"

    def range(self, frame: int) -> str:
        """What the frame shows, in words."""
        (left, bottom), (right, top) = self.box(frame)
        return f"x from {left:.4g} to {right:.4g}, y from {bottom:.4g} to {top:.4g}"

    def ticks(self, frame: int) -> list[list[tuple[float, str]]]:
        """Round numbers on both axes: where they stand in the picture, and as text."""
        marks = [_round_numbers(low, high) for low, high in zip(*self.box(frame), strict=True)]
        return [
            [(float(self.places(np.array([[x, x]]), frame)[0, axis]), f"{x:.10g}") for x in numbers]
            for axis, numbers in enumerate(marks)
        ]

    def json(self) -> JsonObject:
        """What the page's script needs to move the points from frame to frame."""
        frames = range(len(self.names))
        return {
            "names": self.names,
            "places": [self.places(self.points[k], k).ravel().tolist() for k in frames],
            "styles": [[style.name for style in self.styles[k]] for k in frames],
            "outlines": [self.outline(k) for k in frames],
            "ranges": [self.range(k) for k in frames],
            "axes": [] if self.fixed else [axes(self, k) for k in frames],  # with one scale they never change
        }


def _round_numbers(low: float, high: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten from low to high, about `TICKS` of them; none beyond floats.

    >>> _round_numbers(-1.0, 1.5), _round_numbers(2.0, 2.0)
    ([-1.0, -0.5, 0.0, 0.5, 1.0, 1.5], [2.0])
    """
    raw = float(high - low) / TICKS
    if low == high:
        return [float(low)]
    if not 0 < raw < math.inf:
        return []
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def axes(scene: Scene, frame: int) -> Markup:
    """Thin lines through the ticks of a frame, and their numbers at the left and below."""
    across, up = scene.ticks(frame)
    vertical = (
        html(
            '<line x1="{x:g}" x2="{x:g}" y2="{end:g}"/><text x="{x:g}" y="{y:g}" text-anchor="middle">{text}</text>',
            x=x,
            end=SIZE,
            y=SIZE - 8,
            text=text,
        )
        for x, text in across
    )
    horizontal = (
        html(
            '<line x2="{end:g}" y1="{y:g}" y2="{y:g}"/><text x="4" y="{above:g}">{text}</text>',
            y=y,
            end=SIZE,
            above=y - 4,
            text=text,
        )
        for y, text in up
    )
    return join([*vertical, *horizontal])


def symbols(sheet: set[Style]) -> Markup:
    """The definitions of all styles of a page, to be placed there once."""
    ordered = sorted(sheet, key=lambda style: style.name)
    drawn = join(html('<g id="{name}">{drawn}</g>', name=style.name, drawn=_symbol(style)) for style in ordered)
    return html('<svg class="symbols" width="0" height="0" aria-hidden="true"><defs>{drawn}</defs></svg>', drawn=drawn)


def draw_frame(scene: Scene, frame: int, *, label: str = "", under: Markup = NOTHING, over: Markup = NOTHING) -> Markup:
    """One frame as SVG, with something under the points and something over them."""
    places = scene.places(scene.points[frame], frame).tolist()
    order = sorted(range(len(places)), key=lambda i: scene.styles[frame][i].shape == "star")
    return html(
        '<svg class="picture" viewBox="0 0 {size:g} {size:g}" role="img" aria-label="{label}">'
        '<rect class="paper" width="{size:g}" height="{size:g}"/>{under}'
        '<path class="outline" d="{outline}"/>{tokens}{over}</svg>',
        size=SIZE,
        label=label or f"{scene.names[frame]}: {scene.range(frame)}",
        under=under,
        outline=scene.outline(frame),
        tokens=join(_use(i, scene.styles[frame][i].name, places[i], scene.titles[i]) for i in order),
        over=over,
    )


def _use(i: int, style: str, place: list[float], title: str) -> Markup:
    return html(
        '<use data-token="{i}" href="#{style}" x="{x:g}" y="{y:g}"><title>{title}</title></use>',
        i=i,
        style=style,
        x=place[0],
        y=place[1],
        title=title,
    )


#: an arrow's tip
_TIP = html(
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="15" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0,0L8,4L0,8Z"/></marker></defs>'
)


def svg_graph(scene: Scene, *, label: str) -> Markup:
    """The one frame of a graph as SVG, with an arrow for every edge, and the points' numbers."""
    at = scene.places(scene.points[0], 0).tolist()
    lines = join(_line(at[i], at[j]) for i, j in scene.edges)
    names = join(html('<text x="{x:g}" y="{y:g}">{i}</text>', x=x + 9, y=y - 7, i=i) for i, (x, y) in enumerate(at))
    under = html('{tip}<g class="edges">{lines}</g>', tip=_TIP, lines=lines)
    return draw_frame(scene, 0, label=label, under=under, over=html('<g class="names">{names}</g>', names=names))


def _line(start: list[float], stop: list[float]) -> Markup:
    (x1, y1), (x2, y2) = start, stop
    return html('<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>', x1=x1, y1=y1, x2=x2, y2=y2)


def _symbol(style: Style) -> Markup:
    count = len(style.colours)
    paths = [_outline(style.shape)] if count == 1 else [_slice(k, count) for k in range(count)]
    return join(
        html(
            '<path d="{path}" fill="{fill}" stroke="#222" stroke-width="0.9" stroke-linejoin="round"/>',
            path=path,
            fill=fill,
        )
        for path, fill in zip(paths, style.colours, strict=True)
    )


def _slice(k: int, count: int, radius: float = 7.5) -> str:
    ends = [math.pi / 2 + 2 * math.pi * (k + step) / count for step in (0, 1)]
    (x0, y0), (x1, y1) = ((radius * math.cos(t), -radius * math.sin(t)) for t in ends)
    return f"M0,0L{x0:.2f},{y0:.2f}A{radius:g},{radius:g} 0 0 0 {x1:.2f},{y1:.2f}Z"


def _outline(shape: str) -> str:
    """The path of a marker around the origin."""
    if shape == "circle":
        return "M-6.5,0A6.5,6.5 0 1 0 6.5,0A6.5,6.5 0 1 0 -6.5,0Z"
    corners: dict[str, list[tuple[float, float]]] = {
        "square": [(-6, -6), (6, -6), (6, 6), (-6, 6)],
        "triangle": [(0, -8), (7.5, 6), (-7.5, 6)],
        "down": [(0, 8), (7.5, -6), (-7.5, -6)],
        "diamond": [(0, -8.5), (7, 0), (0, 8.5), (-7, 0)],
        "plus": [(-2.5, -7), (2.5, -7), (2.5, -2.5), (7, -2.5), (7, 2.5), (2.5, 2.5),
                 (2.5, 7), (-2.5, 7), (-2.5, 2.5), (-7, 2.5), (-7, -2.5), (-2.5, -2.5)],
        "star": [((11, 4.6)[k % 2] * math.sin(k * math.pi / 5), -(11, 4.6)[k % 2] * math.cos(k * math.pi / 5))
                 for k in range(10)],
    }  # fmt: skip
    turned = [((x - y) * 0.75, (x + y) * 0.75) for x, y in corners["plus"]]
    points = corners.get(shape, turned)
    return "M" + "L".join(f"{x:.2f},{y:.2f}" for x, y in points) + "Z"
