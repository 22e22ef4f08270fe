"""Automata drawn: states on a circle in breadth-first order, moves as arrows with their letters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import cos, hypot, inf, pi, sin
from typing import TYPE_CHECKING

from exactformer.languages.automaton import Automaton
from exactformer.report.canvas import one_panel
from exactformer.report.palette import COLOURS, INK, NEUTRAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: the radius of a state, and of the circle that they stand on per state
STATE, SPACE = 0.3, 0.34
#: letters of one arrow that are written out
LETTERS = 6
#: how far arrows may be bent, least first: alone, and where there is one in the other direction
BENDS, BENDS_OF_TWO = (0.0, 0.15, -0.15, 0.3, -0.3), (0.18, 0.3, 0.45, 0.6)
#: where on an arrow its letters may stand, best first
ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
_Place = tuple[float, float]


def draw_automaton(automaton: Automaton, *, states: Sequence[int] = (), title: str = "") -> Figure:
    """The automaton; `states` (those of a run) are marked. Accepting states have two rings, the start an arrow.

    Moves to a state from which nothing is accepted are grey and have no letters.
    """
    n = len(automaton)
    radius = max(1.1, SPACE * n)
    sinks = {q for q, row in enumerate(automaton.next) if set(row) == {q} and q not in automaton.accepting}
    places = _on_a_circle(n, radius, last=sinks)
    labels: list[_Place] = []
    side = min(12.0, 1.6 * (radius + 1))
    figure, ax = one_panel(side, side)
    for q in range(n):
        for r, letters in automaton.moves(q).items():
            shown = () if r in sinks else letters
            label = ",".join(shown[:LETTERS]) + (",.." if len(shown) > LETTERS else "")
            if q == r:
                _draw_loop(ax, places[q], label)
            else:
                path = (
                    _free_path(q, r, places, back=q in automaton.next[r]) if label else _path(places[q], places[r], 0)
                )
                _draw_move(ax, path, label, places, labels)
    for q, place in enumerate(places):
        _draw_state(ax, place, str(q), accepting=q in automaton.accepting, marked=q in states)
    x, y = places[automaton.start]
    ax.annotate("", (x - STATE, y), (x - STATE - 0.6, y), arrowprops={"arrowstyle": "-|>", "color": INK})
    ax.set_xlim(-radius - 1.4, radius + 1.4)
    ax.set_ylim(-radius - 1.4, radius + 1.4)
    ax.set_aspect("equal")
    ax.axis("off")
    ax.set_title(title)
    return figure


def _draw_state(ax: Axes, place: _Place, name: str, *, accepting: bool, marked: bool) -> None:
    from matplotlib.patches import Circle

    ax.add_patch(Circle(place, STATE, facecolor=COLOURS[1] if marked else "white", edgecolor=INK, zorder=2))
    if accepting:
        ax.add_patch(Circle(place, STATE - 0.06, facecolor="none", edgecolor=INK, zorder=3))
    ax.text(*place, name, ha="center", va="center", zorder=4, fontsize=9)


def _draw_loop(ax: Axes, place: _Place, label: str) -> None:
    """A loop points away from the middle."""
    size = (place[0] ** 2 + place[1] ** 2) ** 0.5
    away = (place[0] / size, place[1] / size) if size > 1e-6 else (0.0, 1.0)
    side = (-away[1], away[0])
    start, end = (
        (place[0] + STATE * (0.7 * away[0] + s * side[0]), place[1] + STATE * (0.7 * away[1] + s * side[1]))
        for s in (-0.7, 0.7)
    )
    ax.annotate("", end, start, arrowprops={**_style(label), "connectionstyle": "arc3,rad=1.6"}, zorder=1)
    ax.text(place[0] + 0.85 * away[0], place[1] + 0.85 * away[1], label, ha="center", va="center", fontsize=9)


def _draw_move(ax: Axes, path: _Path, label: str, places: Sequence[_Place], labels: list[_Place]) -> None:
    """An arrow along a path; its letters stand where no state and no earlier label of `labels` is."""
    style = {**_style(label), "connectionstyle": f"arc3,rad={path.bend}"}
    ax.annotate("", path.end, path.start, arrowprops=style, zorder=1)
    if not label:
        return
    taken = [*places, *labels]
    points = [path.at(t) for t in ALONG]
    at = next((p for p in points if _distance(p, taken) > STATE + 0.1), points[0])
    labels.append(at)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
    ax.text(*at, label, ha="center", va="center", fontsize=9, bbox=box, zorder=5)


def _style(label: str) -> dict[str, object]:
    return {"arrowstyle": "-|>", "color": INK if label else NEUTRAL, "lw": 0.8}


@dataclass(frozen=True, slots=True)
class _Path:
    """(1-t)² a + 2t(1-t) c + t² b: what Matplotlib draws as `arc3`, c off the middle by `bend` times |b - a|."""

    start: _Place
    end: _Place
    bend: float

    def at(self, t: float) -> _Place:
        (ax, ay), (bx, by) = self.start, self.end
        cx, cy = (ax + bx) / 2 + self.bend * (by - ay), (ay + by) / 2 - self.bend * (bx - ax)
        u, v, w = (1 - t) ** 2, 2 * t * (1 - t), t * t
        return u * ax + v * cx + w * bx, u * ay + v * cy + w * by


def _on_a_circle(n: int, radius: float, *, last: Collection[int]) -> list[_Place]:
    """Breadth-first order from the left, states of `last` after the others, so that neighbours stand side by side."""
    if n == 1:
        return [(0.0, 0.0)]
    order = sorted(range(n), key=lambda q: (q in last, q))
    turn = {q: 2 * pi * k / n for k, q in enumerate(order)}
    return [(-radius * cos(turn[q]), radius * sin(turn[q])) for q in range(n)]


def _path(one: _Place, two: _Place, bend: float) -> _Path:
    """From the rim of one state to the rim of another."""
    dx, dy = two[0] - one[0], two[1] - one[1]
    x, y = STATE * dx / hypot(dx, dy), STATE * dy / hypot(dx, dy)
    return _Path((one[0] + x, one[1] + y), (two[0] - x, two[1] - y), bend)


def _free_path(q: int, r: int, places: Sequence[_Place], *, back: bool) -> _Path:
    """The least bent path that meets no third state; bent where there is a move in the other direction."""
    paths = [_path(places[q], places[r], bend) for bend in (BENDS_OF_TWO if back else BENDS)]
    others = [place for s, place in enumerate(places) if s not in (q, r)]
    free = (p for p in paths if all(_distance(p.at(t / 10), others) > STATE + 0.05 for t in range(1, 10)))
    return next(free, paths[0])


def _distance(point: _Place, others: Sequence[_Place]) -> float:
    return min((hypot(point[0] - x, point[1] - y) for x, y in others), default=inf)
