"""What each block of a transformer does to sequences, in the plane: one colour and shape per label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.report.canvas import frame, panels, plain, scatter, set_heading, token_size
from exactformer.report.palette import INK, follower_style
from exactformer.report.passage import Passage, coinciding, telling_blocks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: the most blocks a picture shows, the most points that say how many sequences they are, the most names in a legend
BLOCKS, COUNTED, NAMED = 8, 14, 20


def draw_blocks(
    passage: Passage, stages: Sequence[str] = (), *, title: str = "", blocks: Iterable[int] | None = None
) -> Figure:
    """A panel for the input and after every telling block (or those chosen); targets as crosses in the last panel."""
    last = len(passage)
    chosen = telling_blocks(passage, BLOCKS) if blocks is None else [0, *_moments(blocks, last)]
    figure, axes = panels(len(chosen))
    for ax, k in zip(axes, chosen, strict=True):
        draw_passage(ax, passage, k)
        ax.set_title(moment(k), fontsize=9, pad=16 if stages else 6)
        if k and len(stages) == last:
            ax.text(0.5, 1.02, stages[k - 1], transform=ax.transAxes, ha="center", fontsize=7)
    _legend(figure, passage, targets=chosen[-1] == last)
    set_heading(figure, title, passage.words)
    return figure


def moment(k: int) -> str:
    """The name of moment k: the input, or after block k - 1 (blocks are numbered from 0)."""
    return f"after block {k - 1}" if k else "input"


def _moments(blocks: Iterable[int], last: int) -> list[int]:
    wanted = sorted({int(block) + 1 for block in blocks})
    if not wanted or not 1 <= wanted[0] <= wanted[-1] <= last:
        raise InvalidInput(f"blocks: expected blocks from 0..{last - 1}, got {[k - 1 for k in wanted]}")
    return wanted


def draw_passage(ax: Axes, passage: Passage, k: int) -> None:
    """The sequences at moment k, each token where it is; a point of several sequences says how many they are."""
    last = k == len(passage)
    goals = passage.goals if last else []
    frame(ax, [*passage.points[k], *(points for _, points in goals)], equal=False)
    _quiet_line(ax, [*passage.points[k], *(points for _, points in goals)])
    places = coinciding(passage, k)
    size = token_size(sum(map(len, passage.points[k])))
    groups: dict[tuple[str, ...], list[Array]] = {}
    for place, members in places:
        groups.setdefault(tuple(dict.fromkeys(passage.groups[j] for j in members)), []).append(place)
    for labels, points in groups.items():
        scatter(ax, np.array(points), follower_style(map(passage.classes.index, labels)), size)
    if last:
        ax.margins(0.2)
        ax.autoscale(True)
        _draw_goals(ax, passage)
    if len(places) <= COUNTED:
        apart = 0.06 * np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)
        for place, members in places:
            near = sum(bool((np.abs(place - other) < apart).all()) for other, _ in places)
            if len(members) > 1 and near == 1:
                _note(ax, place, f"\N{MULTIPLICATION SIGN}{len(members)}", below=True)


def _quiet_line(ax: Axes, clouds: list[Array]) -> None:
    """No numbers at an axis along which nothing differs."""
    extent = np.ptp(np.vstack(clouds), axis=0)
    if not extent[1]:
        ax.set_yticks([])
    if not extent[0]:
        ax.set_xticks([])


def _draw_goals(ax: Axes, passage: Passage) -> None:
    for label, points in passage.goals:
        ax.scatter(*points.T, s=90, marker="x", c=INK, linewidths=0.8, zorder=2)
        if label and len(passage.goals) <= COUNTED:
            _note(ax, points[0], label)


def _note(ax: Axes, place: Array, text: str, *, below: bool = False) -> None:
    """A small word above a point, or below it."""
    up = -7 if below else 7
    aside = -5 if len(text) > 3 else 0  # a long word stands to the left
    ax.annotate(
        plain(text if len(text) <= 14 else f"{text[:12]}.."),
        place,
        textcoords="offset points",
        xytext=(aside, up),
        ha="right" if aside else "center",
        va="top" if below else "bottom",
        fontsize=6.5,
        color=INK,
        zorder=6,
    )


def _legend(figure: Figure, passage: Passage, *, targets: bool) -> None:
    """One entry per label (or sequence) shown, a cross for targets, and what the numbers at points mean."""
    from matplotlib.lines import Line2D

    from exactformer.report.palette import MARKERS

    shown = [group for group in passage.classes if group in passage.groups][:NAMED]
    handles = []
    for group in shown:
        style = passage.class_style(group)
        look = {"marker": MARKERS[style.shape], "markerfacecolor": style.colours[0], "markeredgecolor": INK}
        handles.append(Line2D([], [], linestyle="", markersize=6, markeredgewidth=0.5, label=plain(group), **look))
    if targets:
        handles.append(Line2D([], [], linestyle="", marker="x", markersize=7, color=INK, label="target"))
    handles.append(Line2D([], [], linestyle="", label="\N{MULTIPLICATION SIGN}n: n sequences"))
    longest = max(len(handle.get_label()) for handle in handles)
    columns = max(1, min(len(handles), int(18 * figure.get_figwidth()) // (longest + 6)))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=7, frameon=False)
