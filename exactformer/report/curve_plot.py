"""Curves on logarithmic scales, with lines they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from exactformer.report.canvas import one_panel, plain_label, quiet
from exactformer.report.palette import COLOURS, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: x and y of a curve
Curve = tuple[Sequence[float], Sequence[float]]


def draw_curves(
    curves: Mapping[str, Curve], *, bounds: Mapping[str, Curve] | None = None, across: str, up: str, title: str = "",
    log_x: bool = True,
) -> Figure:  # fmt: skip
    """A figure of one panel of curves."""
    figure, ax = one_panel(6.4, 4.2)
    add_curves(ax, curves, bounds=bounds, across=across, up=up, log_x=log_x)
    ax.legend(fontsize=6.5, frameon=False)
    ax.set_title(plain_label(title), fontsize=9)
    return figure


def add_curves(
    ax: Axes, curves: Mapping[str, Curve], *, bounds: Mapping[str, Curve] | None = None, across: str, up: str,
    log_x: bool = True,
) -> None:  # fmt: skip
    """Curves with their names, with markers where they have few points; bounds in ink, dashed; y logarithmic."""
    for k, (name, (x, y)) in enumerate(curves.items()):
        marker = "os^DvPX*"[k % 8] if len(x) <= 60 else None
        colour = COLOURS[k % len(COLOURS)]
        ax.plot(x, y, color=colour, marker=marker, markersize=3.5, linewidth=1.1, label=plain_label(name))
    for k, (name, (x, y)) in enumerate((bounds or {}).items()):
        style = ("--", ":", "-.")[k % 3]
        ax.plot(x, y, color=INK, linewidth=0.9, linestyle=style, label=plain_label(name))
    ax.set_yscale("log")
    if log_x:
        ax.set_xscale("log")
    ax.set_xlabel(plain_label(across), fontsize=8)
    ax.set_ylabel(plain_label(up), fontsize=8)
    quiet(ax)
