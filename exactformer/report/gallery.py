"""Four configurations that show what the clustering theorem allows, one row of layers each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactformer.dynamics.orbit import simulate
from exactformer.model.tokens import Tokens
from exactformer.report.canvas import new_figure
from exactformer.report.orbit_frames import orbit_frames
from exactformer.report.orbit_plot import draw_layer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAYERS = (0, 1, 3, 12)


def configurations() -> dict[str, Tokens]:
    """The instances by name.

    >>> list(configurations())
    ['triangle', 'emerging leader', 'square', 'clusters without a leader']
    """
    triangle = [["3/2", "-1"], ["-7/5", "-1"], ["1/10", "3/2"], ["4/5", "1/5"], ["2/5", "-3/5"], ["-4/5", "-1/5"]]
    triangle += [["-1/5", "-4/5"], ["-1/2", "3/5"], ["1/5", "3/4"], ["3/5", "3/5"]]
    emerging = [["1", "1/3"], ["-1/12", "1/12"], ["-1", "-1"], ["0", "1/4"]]
    emerging += [["-3/10", "-7/10"], ["-3/5", "-9/10"], ["4/5", "1/10"], ["3/5", "3/20"]]
    square = [["1", "1"], ["1", "-1"], ["-1", "1"], ["-1", "-1"], ["1/2", "0"], ["0", "-1/2"]]
    square += [["-1/3", "1/3"], ["1/3", "-1/4"], ["-2/5", "-2/5"], ["-1/4", "0"]]
    without = [["2", "1"], ["2", "-1"], ["-2", "0"], ["1", "0"], ["1/2", "0"], ["3/2", "0"]]
    without += [["-1", "1/2"], ["-1/2", "-3/4"], ["1/4", "1"]]
    names = ("triangle", "emerging leader", "square", "clusters without a leader")
    rows = (triangle, emerging, square, without)
    return {name: Tokens(tokens, alpha="1/2") for name, tokens in zip(names, rows, strict=True)}


def draw_gallery() -> Figure:
    """The layers 0, 1, 3 and 12 of all configurations in one figure."""
    figure = new_figure(10.4, 10.0)
    grid = figure.subplots(4, len(LAYERS))
    for row, (name, tokens) in zip(grid, configurations().items(), strict=True):
        drawn = orbit_frames(simulate(tokens, layers=LAYERS[-1]))
        for ax, layer in zip(row, LAYERS, strict=True):
            draw_layer(ax, drawn, layer)
            ax.set_title(f"layer {layer}", fontsize=8)
        row[0].set_ylabel(name, fontsize=9)
    return figure
