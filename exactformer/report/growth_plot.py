"""Bits of the exact numbers, layer by layer or block by block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from exactformer.dynamics.orbit import Orbit
from exactformer.model.transformer import Transformer
from exactformer.report.canvas import one_panel, plain_label, quiet
from exactformer.report.palette import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def orbit_bits(orbit: Orbit) -> list[int]:
    """Bits of the largest integer of the state, for layers 0..K."""
    return [orbit.tokens(k).reduced().bits for k in range(orbit.layers + 1)]


def transformer_bits(transformer: Transformer) -> list[int]:
    """Bits of the largest integer among the weights of every block."""
    return [block.bits for block in transformer]


def draw_growth(bits: Sequence[int], *, across: str, title: str = "") -> Figure:
    """Bits against layers or blocks, with the 53 bits of a float64 as a line."""
    from matplotlib.ticker import MaxNLocator

    figure, ax = one_panel(5.2, 3.2)
    marker = "o" if len(bits) <= 60 else None
    ax.plot(range(len(bits)), bits, color=COLOURS[0], marker=marker, markersize=3, linewidth=1.2)
    ax.axhline(53, color=COLOURS[4], linewidth=0.9, linestyle="--")
    ax.annotate("53 bits of a float64", (0, 53), xytext=(2, 3), textcoords="offset points", fontsize=7)
    ax.set_xlabel(across, fontsize=8)
    ax.set_ylabel("bits of the largest integer", fontsize=8)
    ax.set_ylim(0, 1.12 * max(53, *bits))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(10, integer=True))
    quiet(ax)
    ax.set_title(plain_label(title) or f"bits of the exact numbers, {across} by {across}", fontsize=9)
    return figure
