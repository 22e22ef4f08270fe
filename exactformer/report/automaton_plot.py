"""Automata drawn: states on a circle in breadth-first order, moves as arrows with their letters."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
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
_Place = tuple[float, float]


def draw_automaton(automaton: Automaton, *, states: Sequence[int] = (), title: str = "") -> Figure:
    """The automaton; `states` (those of a run) are marked. Accepting states have two rings, the start an arrow.

    Moves to a state from which nothing is accepted are grey and have no letters.
    """
    n = len(automaton)
    radius = max(1.1, SPACE * n)
    sinks = {q for q, row in enumerate(automaton.next) if set(row) == {q} and q not in automaton.accepting}
    places = (
        [(-radius * cos(2 * pi * q / n), radius * sin(2 * pi * q / n)) for q in range(n)] if n > 1 else [(0.0, 0.0)]
    )
    side = min(12.0, 1.6 * (radius + 1))
    figure, ax = one_panel(side, side)
    for q in range(n):
        for r, letters in automaton.moves(q).items():
            shown = () if r in sinks else letters
            label = ",".join(shown[:LETTERS]) + (",.." if len(shown) > LETTERS else "")
            _draw_move(ax, places[q], places[r], label, back=q in automaton.next[r])
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


def _draw_move(ax: Axes, one: _Place, two: _Place, label: str, *, back: bool) -> None:
    """An arrow, bent where there is one in the other direction; a loop points away from the middle."""
    style = {"arrowstyle": "-|>", "color": NEUTRAL if not label else INK, "lw": 0.8}
    if one == two:
        size = max((one[0] ** 2 + one[1] ** 2) ** 0.5, 1e-9)
        away = (one[0] / size, one[1] / size) if size > 1e-6 else (0.0, 1.0)
        side = (-away[1], away[0])
        start, end = (
            (one[0] + STATE * (0.7 * away[0] + s * side[0]), one[1] + STATE * (0.7 * away[1] + s * side[1]))
            for s in (-0.7, 0.7)
        )
        ax.annotate("", end, start, arrowprops={**style, "connectionstyle": "arc3,rad=1.6"}, zorder=1)
        ax.text(one[0] + 0.85 * away[0], one[1] + 0.85 * away[1], label, ha="center", va="center", fontsize=9)
        return
    dx, dy = two[0] - one[0], two[1] - one[1]
    length = (dx**2 + dy**2) ** 0.5
    bend = 0.18 if back else 0.0
    start = one[0] + STATE * dx / length, one[1] + STATE * dy / length
    end = two[0] - STATE * dx / length, two[1] - STATE * dy / length
    ax.annotate("", end, start, arrowprops={**style, "connectionstyle": f"arc3,rad={bend}"}, zorder=1)
    middle = (one[0] + two[0]) / 2 + bend * dy / 2, (one[1] + two[1]) / 2 - bend * dx / 2
    if not label:
        return
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
    ax.text(*middle, label, ha="center", va="center", fontsize=9, bbox=box, zorder=5)
