"""What each block of a transformer does to sequences, in the plane: one colour and shape per label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.report.block_frames import BlockFrames, coinciding, several, telling_blocks
from exactformer.report.canvas import frame_points, legend_below, panels, plain_label, scatter, set_heading, token_size
from exactformer.report.palette import INK, follower_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: the most blocks a picture shows, the most points that say how many sequences they are, the most names in a legend
BLOCKS, COUNTED, NAMED = 8, 14, 20
#: stages of constructions whose names are too short for a picture
STAGES = {
    "place": "send some sequences to their targets",
    "separate": "tell the sequences apart",
    "select leaders, collapse": "select leaders, collapse onto them",
    "interpolate": "send the leaders to their targets",
    "scramble": "spread the sequences out",
    "spread": "spread the tokens out",
    "pool": "average every sequence",
    "write": "write the labels as digits",
    "read": "read one digit",
    "compare": "compare with a stored sequence",
    "label": "add one digit of the label",
    "name": "send every label to its target",
}
#: the width of a letter and the height of a line, as parts of a panel
LETTER, LINE = 0.022, 0.05


def draw_blocks(
    drawn: BlockFrames, stages: Sequence[str] = (), *, title: str = "", blocks: Iterable[int] | None = None
) -> Figure:
    """A panel for the input and after every telling block (or those chosen); targets as crosses in the last panel."""
    last = len(drawn)
    chosen = telling_blocks(drawn, BLOCKS) if blocks is None else [0, *_moments(blocks, last)]
    figure, axes = panels(len(chosen), size=_size(drawn, len(chosen)))
    counted = False
    for ax, k in zip(axes, chosen, strict=True):
        counted |= draw_block_frames(ax, drawn, k)
        if last:
            ax.set_title(moment(k), fontsize=9, pad=16 if stages else 6)
        if k and len(stages) == last:
            ax.text(
                0.5, 1.02, STAGES.get(stages[k - 1], stages[k - 1]), transform=ax.transAxes, ha="center", fontsize=7
            )
    _legend(figure, drawn, targets=bool(drawn.goals) and chosen[-1] == last, counted=counted)
    set_heading(figure, title, drawn.words)
    return figure


def _size(drawn: BlockFrames, count: int) -> float:
    """The side of a panel: a single one leaves room for the legend below it."""
    entries = min(len(set(drawn.groups)), NAMED) + 2
    return 3.0 if count > 1 else 2.8 + 0.1 * entries


def moment(k: int) -> str:
    """The name of moment k: the input, or after block k - 1 (blocks are numbered from 0)."""
    return f"after block {k - 1}" if k else "input"


def _moments(blocks: Iterable[int], last: int) -> list[int]:
    wanted = several(blocks, "blocks")
    if not wanted or not all(isinstance(k, (int, np.integer)) and 0 <= k < last for k in wanted):
        raise InvalidInput(f"blocks: expected blocks from 0..{last - 1}, got {wanted}")
    return sorted({int(k) + 1 for k in wanted})


def draw_block_frames(ax: Axes, drawn: BlockFrames, k: int) -> bool:
    """The sequences at moment k, each token where it is; whether some point says how many sequences it is."""
    last = k == len(drawn)
    goals = drawn.goals if last else []
    frame_points(ax, [*drawn.points[k], *(points for _, points in goals)], equal=False)
    _quiet_line(ax, [*drawn.points[k], *(points for _, points in goals)])
    places = coinciding(drawn, k)
    size = token_size(sum(map(len, drawn.points[k])))
    groups: dict[tuple[str, ...], list[Array]] = {}
    for place, members in places:
        groups.setdefault(tuple(dict.fromkeys(drawn.groups[j] for j in members)), []).append(place)
    for labels, points in groups.items():
        scatter(ax, np.array(points), follower_style(map(drawn.classes.index, labels)), size)
    if last:
        ax.margins(0.2)
        ax.autoscale(True)
        _draw_goals(ax, drawn)
    if len(places) > COUNTED:
        return False
    apart = 0.06 * np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)
    noted = [
        (place, len(members))
        for place, members in places
        if len(members) > 1 and sum(bool((np.abs(place - other) < apart).all()) for other, _ in places) == 1
    ]
    for place, times in noted:
        _note(ax, place, f"\N{MULTIPLICATION SIGN}{times}", below=True)
    return bool(noted)


def _quiet_line(ax: Axes, clouds: list[Array]) -> None:
    """No numbers at an axis along which nothing differs."""
    extent = np.ptp(np.vstack(clouds), axis=0)
    if not extent[1]:
        ax.set_yticks([])
    if not extent[0]:
        ax.set_xticks([])


def _draw_goals(ax: Axes, drawn: BlockFrames) -> None:
    for label, points in drawn.goals:
        ax.scatter(*points.T, s=90, marker="x", c=INK, linewidths=0.8, zorder=2)
        if label and len(drawn.goals) <= COUNTED and _has_room(ax, drawn, label, points[0]):
            _note(ax, points[0], label)


def _has_room(ax: Axes, drawn: BlockFrames, label: str, place: Array) -> bool:
    """Whether no other target stands where the label would be written: the legend has the label anyway."""
    extent = np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)
    reach = np.array([LETTER * min(len(label), 14), LINE])
    others = (np.abs(points[0] - place) / extent for other, points in drawn.goals if other != label)
    return not any((gap < reach).all() for gap in others)


def _note(ax: Axes, place: Array, text: str, *, below: bool = False) -> None:
    """A small word above a point, or below it."""
    up = -7 if below else 7
    aside = -5 if len(text) > 3 else 0  # a long word stands to the left
    ax.annotate(
        plain_label(text if len(text) <= 14 else f"{text[:12]}.."),
        place,
        textcoords="offset points",
        xytext=(aside, up),
        ha="right" if aside else "center",
        va="top" if below else "bottom",
        fontsize=6.5,
        color=INK,
        zorder=6,
    )


def _legend(figure: Figure, drawn: BlockFrames, *, targets: bool, counted: bool) -> None:
    """One entry per label (or sequence) shown, a cross for targets, and what the numbers at points mean, if any."""
    from matplotlib.lines import Line2D

    from exactformer.report.palette import MARKERS

    shown = [group for group in drawn.classes if group in drawn.groups]
    handles = []
    for group in shown[:NAMED]:
        style = drawn.class_style(group)
        look = {"marker": MARKERS[style.shape], "markerfacecolor": style.colours[0], "markeredgecolor": INK}
        handles.append(
            Line2D([], [], linestyle="", markersize=6, markeredgewidth=0.5, label=plain_label(group), **look)
        )
    if len(shown) > NAMED:
        handles.append(Line2D([], [], linestyle="", label=f"and {len(shown) - NAMED} more"))
    if targets:
        handles.append(Line2D([], [], linestyle="", marker="x", markersize=7, color=INK, label="target"))
    if counted:
        handles.append(Line2D([], [], linestyle="", label="\N{MULTIPLICATION SIGN}n: n sequences"))
    legend_below(figure, handles, fontsize=7)
