"""What the pictures share: figures without a display, markers with slices, and saving."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.model.json_lines import PathLike, write_atomically
from exactformer.model.plain_text import visible
from exactformer.report.palette import INK, MARKERS, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".pdf", ".svg")


def new_figure(width: float, height: float) -> Figure:
    """An empty figure that belongs to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    figure._repr_png_ = partial(_png, figure)  # notebooks show it without pyplot
    return figure


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def panels(count: int, *, columns: int = 4, size: float = 3.0) -> tuple[Figure, list[Axes]]:
    """A figure with `count` panels in rows of at most `columns`."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure = new_figure(max(size * columns, 4.5), size * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for spare in axes[count:]:
        spare.set_visible(False)
    return figure, axes[:count]


def save(figure: Figure, path: PathLike) -> None:
    """Writes a figure as PNG, PDF or SVG, by the ending of the path."""
    if Path(path).suffix.lower() not in FORMATS:
        raise InvalidInput(f"{path}: expected a picture ending in {', '.join(FORMATS)}, got {Path(path).suffix!r}")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=Path(path).suffix[1:].lower())
    write_atomically(path, buffer.getvalue())


def plain(text: str) -> str:
    """A text that a picture shows as it is: a dollar starts no formula, and a legend does not drop it.

    >>> plain("$x$"), plain("_a")
    ('\\\\$x\\\\$', ' _a')
    """
    shown = visible(text).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def heading(*texts: str) -> str:
    """The texts that are not empty, in one line."""
    return plain(" \N{EM DASH} ".join(text for text in texts if text))


def set_heading(figure: Figure, *texts: str) -> None:
    """Writes the texts that are not empty above a figure, in lines that fit its width."""
    lines = wrap(heading(*texts), int(13.5 * figure.get_figwidth()))
    if lines:
        figure.suptitle("\n".join(lines), fontsize=10)


def token_size(count: int) -> float:
    """The area of a marker, in square points, for so many tokens."""
    return float(np.clip(2600 / (count + 12), 6, 64))


def scatter(ax: Axes, points: Array, style: Style, size: float, **options: Any) -> None:
    """Tokens of one style: a marker, or a disc of slices for a tie."""
    if not len(points):
        return
    edge = {"edgecolors": INK, "linewidths": 0.25 + 0.006 * size, "zorder": 3, **options}
    if len(style.colours) == 1:
        area = max(2.4 * size, 34.0) if style.shape == "star" else size
        ax.scatter(*points.T, s=area, marker=MARKERS[style.shape], c=style.colours[0], **edge)
        return
    for k, fill in enumerate(style.colours):
        wedge = _wedge(k, len(style.colours))
        reach = float(np.abs(wedge).max()) ** 2  # scatter scales a marker to its largest coordinate
        ax.scatter(*points.T, s=1.4 * size * reach, marker=wedge, c=fill, **edge)


def _wedge(k: int, count: int) -> Array:
    angles = np.linspace(k, k + 1, 24) * 2 * np.pi / count + np.pi / 2
    return np.vstack([[0, 0], np.column_stack([np.cos(angles), np.sin(angles)]), [0, 0]])


def frame(ax: Axes, clouds: Sequence[Array], *, equal: bool = True) -> None:
    """Limits that contain all the points with some room (one scale for both axes, if equal), and quiet axes."""
    points = np.vstack(clouds)
    low, high = points.min(axis=0), points.max(axis=0)
    extent = np.where(high > low, high - low, 0.5 * np.abs(high) + 1e-9)
    room = np.full(2, 0.09 * float(extent.max())) if equal else 0.1 * extent
    ax.set_xlim(low[0] - room[0], high[0] + room[0])
    ax.set_ylim(low[1] - room[1], high[1] + room[1])
    if equal:
        ax.set_aspect("equal", adjustable="box")
    quiet(ax)


def quiet(ax: Axes) -> None:
    """Thin axes and small numbers."""
    ax.tick_params(labelsize=6.5, length=2, width=0.5)
    for side in ax.spines.values():
        side.set_linewidth(0.5)
        side.set_color("#888888")
