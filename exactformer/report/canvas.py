"""What the pictures share: figures without a display, markers with slices, and saving."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.display.plain_text import visible
from exactformer.errors import InvalidInput
from exactformer.io.json_lines import PathLike, as_path, write_atomically
from exactformer.report.palette import INK, MARKERS, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

FORMATS = (".png", ".pdf", ".svg")


#: the axes of the user in which the next picture is drawn
_PLACE: ContextVar[Axes | None] = ContextVar("_PLACE", default=None)


@contextmanager
def drawing_in(ax: Axes | None) -> Iterator[None]:
    """Pictures made inside are drawn in these axes; those of several panels in a subfigure in their place."""
    if ax is not None and not hasattr(ax, "get_subplotspec"):
        raise InvalidInput(f"ax: expected axes of matplotlib, got {ax!r:.60}; plt.subplots() makes a figure and axes")
    token = _PLACE.set(ax)
    try:
        yield
    finally:
        _PLACE.reset(token)


class OneAxes:
    """The axes of the user in the role of a figure with one panel."""

    def __init__(self, ax: Axes) -> None:
        self.ax = ax

    def suptitle(self, text: str, **options: object) -> None:
        """The title goes above the axes."""
        self.ax.set_title(text, **options)

    def legend(self, *, handles: Sequence[Any], fontsize: float, **_: object) -> None:
        """The legend goes below the axes."""
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14)}
        self.ax.legend(handles=handles, fontsize=fontsize, frameon=False, ncols=2, **below)

    def subplots(self) -> Axes:
        """The axes themselves."""
        return self.ax

    def colorbar(self, *args: object, **options: object) -> Any:
        """Beside the axes."""
        return self.ax.figure.colorbar(*args, **options)

    @property
    def bbox(self) -> Any:
        """The box of the axes."""
        return self.ax.bbox

    @property
    def dpi(self) -> float:
        """Dots per inch."""
        return float(self.ax.figure.dpi)


def one_panel(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure with one panel; in the axes of the user, where there are some."""
    place = _PLACE.get()
    figure: Any = new_figure(width, height) if place is None else OneAxes(place)
    return figure, figure.subplots()


def _in_place_of(ax: Axes) -> Any:
    """A subfigure where the axes are, which are not drawn any more."""
    ax.set_axis_off()
    spec = ax.get_subplotspec()
    if spec is None:
        raise InvalidInput("ax: expected axes of a grid (plt.subplots) for a picture of several panels, got free ones")
    return ax.figure.add_subfigure(spec)


def new_figure(width: float, height: float) -> Figure:
    """An empty figure that belongs to no window; in the place of the user's axes, where there are some."""
    if (place := _PLACE.get()) is not None:
        return _in_place_of(place)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(width, height), dpi=150, layout=ConstrainedLayoutEngine(h_pad=0.07))
    FigureCanvasAgg(figure)
    figure._repr_png_ = partial(_png, figure)  # notebooks show it without pyplot
    return figure


def _png(figure: Figure) -> bytes:
    return _drawn(figure, "png")


def _drawn(figure: Figure, form: str) -> bytes:
    """The picture, its layout computed once: `savefig` alone would draw everything a second time for it."""
    buffer, layout = io.BytesIO(), figure.get_layout_engine()
    if layout is not None:
        layout.execute(figure)
        figure.set_layout_engine("none")
    figure.savefig(buffer, format=form)
    figure.set_layout_engine(layout)
    return buffer.getvalue()


def panels(count: int, *, columns: int = 4, size: float = 3.0) -> tuple[Figure, list[Axes]]:
    """A figure with `count` panels in rows of at most `columns`."""
    if count == 1:
        figure, ax = one_panel(max(size, 4.5), size)
        return figure, [ax]
    columns = min(columns, count)
    rows = -(-count // columns)
    figure = new_figure(max(size * columns, 4.5), size * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for spare in axes[count:]:
        spare.set_visible(False)
    return figure, axes[:count]


def save(figure: Figure, path: PathLike) -> None:
    """Writes a figure as PNG, PDF or SVG, by the ending of the path."""
    if Path(as_path(path)).suffix.lower() not in FORMATS:
        raise InvalidInput(f"{path}: expected a picture ending in {', '.join(FORMATS)}, got {Path(path).suffix!r}")
    write_atomically(path, _drawn(figure, Path(path).suffix[1:].lower()))


def plain_label(text: str) -> str:
    """A text that a picture shows as it is: a dollar starts no formula, and a legend does not drop it.

    >>> plain_label("$x$"), plain_label("_a")
    ('\\\\$x\\\\$', ' _a')
    """
    shown = visible(text).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def heading(*texts: str) -> str:
    """The texts that are not empty, in one line."""
    return plain_label(" \N{EM DASH} ".join(text for text in texts if text))


def _width(figure: Figure) -> float:
    """The width of a figure, or of a part of one, in inches."""
    return float(figure.bbox.width / figure.dpi)


def set_heading(figure: Figure, *texts: str) -> None:
    """Writes the texts that are not empty above a figure, in lines that fit its width."""
    lines = wrap(heading(*texts), int(13.5 * _width(figure)))
    if lines:
        figure.suptitle("\n".join(lines), fontsize=10)


def legend_below(figure: Figure, handles: Sequence[Any], fontsize: float = 6.5) -> None:
    """One legend under all panels, in as many columns as the width of the figure allows."""
    longest = max(len(str(handle.get_label())) for handle in handles)
    columns = int(_width(figure) / (0.0085 * fontsize * longest + 0.42))
    columns = max(1, min(len(handles), columns))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=fontsize, frameon=False)


def count_on_log_scale(axis: Axis) -> None:
    """Whole numbers at the ticks of a logarithmic axis: all digits up to a factor of 4; 1, 2, 5 up to 300; then 1."""
    from matplotlib.ticker import LogLocator, NullLocator

    low, high = sorted(axis.get_data_interval())
    digits = range(1, 10) if high < 4 * low else (1, 2, 5) if high < 300 * low else (1,)
    axis.set_major_locator(LogLocator(subs=tuple(digits), numticks=12))
    axis.set_major_formatter("{x:,.0f}")
    axis.set_minor_locator(NullLocator())


def draw_on_log_scale(ax: Axes, curves: Sequence[Sequence[float]]) -> list[Array]:
    """A logarithmic axis for curves that may be exactly 0: zeros stand on a line of their own below, which says so.

    Returns the heights to draw. Where every value is 0 the axis has no numbers.
    """
    positive = [value for curve in curves for value in curve if value > 0]
    if not positive:
        ax.set_ylim(-1, 1)
        ax.set_yticks([0], ["exactly 0"])
        return [np.zeros(len(curve)) for curve in curves]
    floor = 10.0 ** (np.floor(np.log10(min(positive))) - 1)
    ax.set_yscale("log")
    if len(positive) < sum(map(len, curves)):
        ax.set_ylim(0.5 * floor, 2 * max(positive))
        ax.axhline(floor, color="#888888", linewidth=0.5, linestyle=":")
        _name_floor(ax, floor)
    return [np.array([value if value > 0 else floor for value in curve]) for curve in curves]


def _name_floor(ax: Axes, floor: float) -> None:
    """The line of the zeros is called "exactly 0" on the axis: the power of ten at its height would be false there."""
    from matplotlib.ticker import FuncFormatter, LogFormatterSciNotation, NullFormatter

    powers = LogFormatterSciNotation()
    powers.set_axis(ax.yaxis)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, at: "exactly 0" if y < 2 * floor else str(powers(y, at))))
    ax.yaxis.set_minor_formatter(NullFormatter())


def token_size(count: int) -> float:
    """The area of a marker, in square points, for so many tokens."""
    return float(np.clip(2600 / (count + 12), 6, 64))


def scatter(ax: Axes, points: Array, style: Style, size: float, **options: object) -> None:
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


def frame_points(ax: Axes, clouds: Sequence[Array], *, equal: bool = True) -> None:
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
    ax.tick_params(which="minor", labelsize=6.5)
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set_fontsize(6.5)
    for side in ax.spines.values():
        side.set_linewidth(0.5)
        side.set_color("#888888")
