"""A picture of the hardmax limit: the share of right decisions against the inverse temperature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from exactformer.evaluate.hardmax_limit import AtTemperature, HardmaxLimit
from exactformer.io.json_lines import PathLike
from exactformer.report.canvas import one_panel, quiet, save, set_heading
from exactformer.report.palette import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_hardmax_limit(limit: HardmaxLimit, rows: Sequence[AtTemperature], *, path: PathLike | None = None) -> Figure:
    """Against beta: the shares that are right, that are as with hardmax, and that stay so for every larger beta."""
    figure, ax = one_panel(5.6, 3.8)
    ordered, inputs = sorted(rows, key=lambda row: row.beta), limit.hardmax.inputs
    betas = [float(row.beta) for row in ordered]
    right, same = [row.decision.right / inputs for row in ordered], [row.as_hardmax / inputs for row in ordered]
    ax.plot(betas, right, "o-", color=COLOURS[0], markersize=3.5, linewidth=1.1, label="right")
    ax.plot(betas, same, "s-", color=COLOURS[1], markersize=3.5, linewidth=1.1, label="as with hardmax")
    found = np.sort(limit.beta_0[np.isfinite(limit.beta_0)])
    if len(found):
        shares = np.arange(1, len(found) + 1) / inputs
        ax.step(found, shares, where="post", color=COLOURS[2], linewidth=1.1, label="as with hardmax from here on")
    share = limit.hardmax.right / inputs
    ax.axhline(share, color=COLOURS[0], linewidth=0.8, linestyle="--", label="right with hardmax")
    ax.set_xscale("log", base=2)
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("inverse temperature beta", fontsize=7)
    ax.set_ylabel("share of the inputs, proved", fontsize=7)
    ax.legend(fontsize=6.5, frameon=False, loc="best")
    quiet(ax)
    set_heading(figure, limit.hardmax.domain.name, f"{inputs} inputs")
    figure.supxlabel("in real arithmetic, not about what a device returns", fontsize=6.5, color="#666666")
    if path is not None:
        save(figure, path)
    return figure
