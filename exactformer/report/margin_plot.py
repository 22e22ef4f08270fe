"""Pictures of a decided domain: by how much the right class leads, input by input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exactformer.evaluate.domain_decision import Decision
from exactformer.io.json_lines import PathLike
from exactformer.model.domain import DomainPart, Integers
from exactformer.report.canvas import one_panel, plain_label, quiet, save, set_heading
from exactformer.report.palette import COLOURS, INK, NEUTRAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: the most wrong and the most undecided inputs that are marked one by one
_MARKED = 5_000
WRONG = COLOURS[4]


def plot_margins(decision: Decision, *, path: PathLike | None = None) -> Figure:
    """The lead of the right class over the others: a map where two ids vary, else how it spreads, length by length.

    Inputs that are wrong or undecided are marked; their leads are not part of the map.
    """
    figure, ax = one_panel(5.4, 4.6)
    square = _square(decision.domain.parts)
    if square is not None:
        _map(figure, ax, decision, *square)
    else:
        _spread(ax, decision)
    quiet(ax)
    counts = f"{decision.inputs} inputs: {decision.right} right, {decision.wrong} wrong, {decision.undecided} undecided"
    set_heading(figure, decision.domain.name, counts)
    figure.supxlabel("proved in real arithmetic, not about what a device returns", fontsize=6.5, color="#666666")
    if path is not None:
        save(figure, path)
    return figure


def _square(parts: tuple[DomainPart, ...]) -> tuple[DomainPart, list[int]] | None:
    """The only part and the two of its ids that vary, if that is what the domain is."""
    if len(parts) != 1 or parts[0].ranges is None:
        return None
    varying = [i for i, (a, b) in enumerate(parts[0].ranges) if a < b]
    return (parts[0], varying) if len(varying) == 2 else None


def _map(figure: Figure, ax: Axes, decision: Decision, part: DomainPart, varying: list[int]) -> None:
    """Rows and columns are the two ids that vary; the colour is the lead of the right class."""
    from matplotlib.colors import ListedColormap

    (a, b), (c, d) = ((part.ranges or ())[i] for i in varying)
    leads = np.where(decision.is_right, decision.low, np.nan)[part.places].reshape(b - a + 1, d - c + 1)
    extent = (c - 0.5, d + 0.5, b + 0.5, a - 0.5)
    image = ax.imshow(leads, cmap="viridis", extent=extent, interpolation="nearest", aspect="auto")
    if np.isfinite(leads).any():
        bar = figure.colorbar(image, ax=ax, shrink=0.9)
        bar.set_label("lead of the right class", fontsize=7)
        bar.ax.tick_params(labelsize=6.5)
    for places, colour, _, name in _marked(decision):
        cells = np.isin(part.places, places).reshape(leads.shape)
        ax.imshow(np.where(cells, 1.0, np.nan), cmap=ListedColormap([colour]), extent=extent, aspect="auto")
        ax.plot([], [], "s", color=colour, markersize=5, label=name)
    ax.set_xlabel(f"id {varying[1]}", fontsize=7)
    ax.set_ylabel(f"id {varying[0]}", fontsize=7)
    if decision.wrong or decision.undecided:
        ax.legend(fontsize=6.5, loc="upper right", framealpha=0.9)


def _spread(ax: Axes, decision: Decision) -> None:
    """Per length: the range of the leads, half of them inside a thick bar, and the inputs that are not right."""
    lengths = np.zeros(decision.inputs)
    for part in decision.domain.parts:
        lengths[part.places] = n = part.ids.shape[1]
        leads = decision.low[part.places][decision.is_right[part.places]]
        if len(leads):
            low, first, middle, third, high = np.quantile(leads, [0, 0.25, 0.5, 0.75, 1])
            ax.plot([n, n], [low, high], color=COLOURS[0], linewidth=0.9)
            ax.plot([n, n], [first, third], color=COLOURS[0], linewidth=5, solid_capstyle="butt")
            ax.plot([n], [middle], "o", color="white", markeredgecolor=INK, markersize=3.5, markeredgewidth=0.6)
    for every, colour, marker, name in _marked(decision):
        places = every[:_MARKED]
        heights = np.where(decision.is_undecided[places], 0.0, -decision.low[places])
        ax.scatter(lengths[places], heights, s=12, c=colour, marker=marker, linewidths=0.8, label=name, zorder=3)
    if decision.wrong or decision.undecided:
        ax.axhline(0, color=INK, linewidth=0.5)
        ax.legend(fontsize=6.5, framealpha=0.9)
    ax.set_xticks(sorted({part.ids.shape[1] for part in decision.domain.parts})[:40])
    ax.set_xlabel("ids of the input", fontsize=7)
    ax.set_ylabel(plain_label("lead of the right class (below 0: that of a wrong one)"), fontsize=7)


def _marked(decision: Decision) -> list[tuple[Integers, str, str, str]]:
    """(places, colour, marker, name) of the inputs that are wrong and of those that are undecided."""
    undecided = np.flatnonzero(decision.is_undecided)
    kinds = ((decision.wrong_places(), WRONG, "x", "wrong"), (undecided, NEUTRAL, "s", "undecided"))
    return [kind for kind in kinds if len(kind[0])]
