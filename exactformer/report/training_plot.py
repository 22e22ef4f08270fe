"""Pictures of training: loss against epochs, and loss against eps with the guarantees eps|Theta*|^2."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from exactformer.io.json_lines import PathLike
from exactformer.model.norms import Enclosure
from exactformer.report.canvas import count_on_log_scale, new_figure, one_panel, plain_label, quiet, save
from exactformer.report.palette import COLOURS, INK
from exactformer.training.experiment import PUBLISHED, Experiment
from exactformer.training.runs import Training, TrainingRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: the smallest loss that a logarithmic axis shows
_FLOOR = 1e-18


def plot_training(training: Training, *, path: PathLike | None = None) -> Figure:
    """Two panels: the loss of every run step by step, and where the runs end, with the guarantee line."""
    figure = new_figure(9.0, 3.6)
    left, right = figure.subplots(1, 2)
    for k, run in enumerate(training.runs):
        _curve(left, run, f"eps = {float(run.eps):g}, {run.start}", COLOURS[k % len(COLOURS)])
    starts = dict.fromkeys(run.start for run in training.runs)
    for k, start in enumerate(starts):
        own = [run for run in training.runs if run.start == start]
        _ends(right, [(run.eps, run.figures.loss) for run in own], f"loss E, {start} start", COLOURS[k], "os"[k % 2])
        ended = [(run.eps, run.figures.objective) for run in own]
        _ends(right, ended, f"objective, {start} start", COLOURS[k], "os"[k % 2], filled=False)
    _line(right, [run.eps for run in training.runs], training.interpolant.norm2, "interpolant", INK)
    _finish(right)
    for ax in (left, right):
        _legend_below(ax)
    if path is not None:
        save(figure, path)
    return figure


def plot_experiment_epochs(experiment: Experiment, *, path: PathLike | None = None) -> Figure:
    """The first published figure: loss against epochs at the smallest weight decay, with both guarantee lines."""
    last = experiment.runs[-1]
    figure, ax = one_panel(5.6, 3.8)
    _curve(ax, last.run, f"E, weight decay {float(last.weight_decay):g}", COLOURS[0])
    eps = float(last.run.eps)
    bounds = (
        (experiment.generator_norm2, "generating weights", "--"),
        (experiment.ours.interpolant.norm2, "ours", "-"),
    )
    for norm2, name, style in bounds:
        ax.axhline(eps * float(norm2), color=INK, linestyle=style, linewidth=0.8, label=f"guarantee, {name}")
    ax.legend(fontsize=7, frameon=False)
    if path is not None:
        save(figure, path)
    return figure


def plot_experiment_eps(experiment: Experiment, *, path: PathLike | None = None) -> Figure:
    """The second published figure: loss against eps, with the guarantee lines of their interpolant and of ours."""
    figure, ax = one_panel(5.8, 4.0)
    chain = experiment.runs[:-1]
    ended = [(one.run.eps, one.run.figures.loss) for one in chain]
    _ends(ax, ended, "their training, run again", COLOURS[1], "s")
    objectives = [(one.run.eps, one.run.figures.objective) for one in chain]
    _ends(ax, objectives, "its objective E + eps|Theta|^2", COLOURS[1], "s", filled=False)
    read = [(decay / 2, loss) for decay, loss in PUBLISHED.items()]
    ax.plot([float(e) for e, _ in read], [y for _, y in read], "x", color=COLOURS[2], label="published, read off")
    ours = [(run.eps, run.figures.loss) for run in experiment.ours.runs[: len(chain)]]
    _ends(ax, ours, "minimised on the means", COLOURS[0], "o")
    eps = [one.run.eps for one in chain]
    _line(ax, eps, experiment.generator_norm2, "generating weights", "#888888")
    _line(ax, eps, experiment.ours.interpolant.norm2, "our interpolant", INK)
    stuck = [one for one in chain if one.run.verdict == "not a global minimiser"]
    places = [float(one.run.eps) for one in stuck], [float(one.run.figures.loss) for one in stuck]
    ax.plot(*places, "o", markersize=13, markerfacecolor="none", color=COLOURS[1], label="proved: no global minimiser")
    _finish(ax)
    ax.legend(fontsize=6.5, frameon=False)
    if path is not None:
        save(figure, path)
    return figure


def _curve(ax: Axes, run: TrainingRun, name: str, colour: str) -> None:
    steps = [step + 1 for _, step, _, _ in run.history]
    losses = [max(loss, _FLOOR) for _, _, loss, _ in run.history]
    ax.loglog(steps, losses, color=colour, linewidth=1.0, label=plain_label(name))
    count_on_log_scale(ax.xaxis)
    ax.set_xlabel("epochs", fontsize=8)
    ax.set_ylabel("loss E", fontsize=8)
    quiet(ax)


def _ends(
    ax: Axes, ended: Sequence[tuple[Fraction, Enclosure]], name: str, colour: str, marker: str, *, filled: bool = True
) -> None:
    x, y = ([float(pair[k]) for pair in ended] for k in (0, 1))
    fill = colour if filled else "none"
    ax.loglog(
        x, np.maximum(y, _FLOOR), marker, color=colour, markerfacecolor=fill, markersize=5, label=plain_label(name)
    )


def _line(ax: Axes, eps: Sequence[Fraction], norm2: Enclosure, name: str, colour: str) -> None:
    x = np.array(sorted({float(e) for e in eps}))
    x = x if len(x) > 1 else x * np.array([0.5, 2.0])
    label = plain_label(f"guarantee, {name} = {float(norm2):.4g} eps")
    ax.loglog(x, x * float(norm2), color=colour, linestyle="--", linewidth=0.9, label=label)


def _finish(ax: Axes) -> None:
    ax.set_xlabel("eps", fontsize=8)
    ax.set_ylabel("at the end", fontsize=8)
    quiet(ax)


def _legend_below(ax: Axes) -> None:
    """The legend under the axes, where it hides no curve."""
    ax.legend(fontsize=6.5, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
