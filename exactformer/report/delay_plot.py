"""Pictures of time-delayed models: rollouts with their enclosures, phase portraits, and the comparison of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.io.json_lines import PathLike
from exactformer.report.canvas import new_figure, plain_label, quiet, save
from exactformer.report.palette import COLOURS, INK
from exactformer.studies.time_delay.enclosure import RowBox
from exactformer.studies.time_delay.series import Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: rows of the series shown before the rollout begins, and coordinates shown
BEFORE, SHOWN = 60, 4
#: characters beside a panel
ASIDE = 20


def plot_rollout(
    series: Series, floats: Array, enclosures: Sequence[RowBox] | None, *, path: PathLike | None = None
) -> Figure:
    """The last rows of a series and the next ones, one panel per coordinate; enclosures as a band, widths below."""
    d = min(series.dim, SHOWN)
    extra = int(enclosures is not None)
    figure = new_figure(7.2, 1.7 * (d + extra) + 0.6)
    axes = figure.subplots(d + extra, 1, sharex=True, squeeze=False)[:, 0]
    known = series.floats()[-BEFORE:]
    past, ahead = np.arange(-len(known) + 1, 1), np.arange(1, len(floats) + 1)
    for i, ax in enumerate(axes[:d]):
        ax.plot(past, known[:, i], color=INK, linewidth=0.9, label="series")
        ax.plot(ahead, floats[:, i], color=COLOURS[0], linewidth=1.2, label="float64 rollout")
        if enclosures is not None:
            low, high = (np.array([float(getattr(e, end)[i]) for e in enclosures]) for end in ("low", "high"))
            ax.fill_between(ahead, low, high, color=COLOURS[1], alpha=0.35, linewidth=0, label="enclosure")
        ax.set_ylabel(_upright(series.names[i] if series.names else f"z{i + 1}"), fontsize=8)
        quiet(ax)
    above = {"loc": "lower left", "bbox_to_anchor": (0, 1.0)}
    axes[0].legend(fontsize=7, frameon=False, ncols=3, **above)
    if enclosures is not None:
        axes[d].semilogy(ahead, [max(float(e.radius), 1e-300) for e in enclosures], color=COLOURS[1], linewidth=1.2)
        axes[d].set_ylabel("radius", fontsize=8)
        quiet(axes[d])
    axes[-1].set_xlabel("steps", fontsize=8)
    if path is not None:
        save(figure, path)
    return figure


def _upright(name: str) -> str:
    """A name for the side of a low panel: in lines that the panel is as high as, cut after the second."""
    return "\n".join(map(plain_label, wrap(name, ASIDE, max_lines=2, placeholder=" .."))) or plain_label(name)


def plot_study(title: str, truth: Array, rollouts: Mapping[str, Array], *, path: PathLike | None = None) -> Figure:
    """Truth and rollouts (time, d) of several models: the first coordinate over time, and a phase portrait."""
    count = len(rollouts)
    figure = new_figure(8.4, 1.55 * count + 0.9)
    axes = figure.subplots(count, 2, squeeze=False, width_ratios=[3, 1])
    second = 1 if truth.shape[1] > 1 else 0
    delay = 0 if second else 8
    for (left, right), (name, rolled) in zip(axes, rollouts.items(), strict=True):
        left.plot(truth[:, 0], color=INK, linewidth=0.8, label="truth")
        left.plot(rolled[:, 0], color=COLOURS[0], linewidth=0.9, label=name)
        left.set_ylabel(_upright(name), fontsize=8)
        left.set_ylim(truth[:, 0].min() - 1, truth[:, 0].max() + 1)
        for rows, colour, width in ((truth, INK, 0.4), (rolled, COLOURS[0], 0.6)):
            shown = np.clip(rows, truth.min() - 1, truth.max() + 1)
            right.plot(shown[: len(shown) - delay, 0], shown[delay:, second], color=colour, linewidth=width)
        for ax in (left, right):
            quiet(ax)
    axes[-1][0].set_xlabel("steps", fontsize=8)
    axes[-1][1].set_xlabel("z1 against z2" if second else f"z1 against z1, {delay} steps later", fontsize=7)
    figure.suptitle(plain_label(title), fontsize=10)
    if path is not None:
        save(figure, path)
    return figure
