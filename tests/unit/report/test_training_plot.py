"""Tests of `exactformer.report.training_plot`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import exactformer as ef
from exactformer.instances.named_families import sample
from exactformer.model.norms import Enclosure
from exactformer.report.palette import COLOURS
from exactformer.report.training_plot import plot_experiment_epochs, plot_experiment_eps, plot_training
from exactformer.training.experiment import ALONE, CHAIN, Experiment, PapersRun


def points_of_curves(ax: Any) -> dict[str, list[tuple[float, float]]]:
    return {line.get_label(): [tuple(xy) for xy in line.get_xydata().tolist()] for line in ax.lines}


def test_one_eps_has_a_line_around_it_and_both_starts_their_marks(tmp_path: Path) -> None:
    found = ef.train(sample("random-classes", n=4, d=1, seed=1), eps=["1/8"], epochs=3)
    left, right = plot_training(found, path=tmp_path / "p.png").axes
    drawn = points_of_curves(right)
    (line,) = [xy for name, xy in drawn.items() if name.startswith("guarantee")]
    assert [x for x, _ in line] == [1 / 16, 1 / 4]
    looks = {line.get_label(): line for line in right.lines}
    for k, start in enumerate(dict.fromkeys(run.start for run in found.runs)):
        full, open_ = looks[f"loss E, {start} start"], looks[f"objective, {start} start"]
        assert full.get_marker() == open_.get_marker() == "os"[k]
        assert (full.get_markerfacecolor(), open_.get_markerfacecolor()) == (COLOURS[k], "none")
    assert [line.get_color() for line in left.lines] == list(COLOURS[: len(found.runs)])
    assert (right.get_xlabel(), right.get_ylabel()) == ("eps", "at the end")
    assert (tmp_path / "p.png").exists()


def curves(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    """The named lines of a panel."""
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines}


def points(ax: Any) -> dict[str, list[tuple[float, float]]]:
    return {name: list(zip(*xy, strict=True)) for name, xy in curves(ax).items()}


def test_training_ends_where_its_figures_say() -> None:
    from exactformer.instances.named_families import sample

    training = ef.train(sample("random-classes", n=4, d=1, seed=1), eps=["1e-1", "1e-2"], epochs=20)
    left, right = plot_training(training).axes
    for run in training.runs:
        steps, losses = curves(left)[f"eps = {float(run.eps):g}, {run.start}"]
        assert steps == [step + 1 for _, step, _, _ in run.history]
        assert losses == [max(loss, 1e-18) for _, _, loss, _ in run.history]
    drawn = points(right)
    for start in {run.start for run in training.runs}:
        own = [run for run in training.runs if run.start == start]
        ends = [(float(run.eps), float(run.figures.loss)) for run in own]
        assert drawn[f"loss E, {start} start"] == ends
        ends = [(float(run.eps), float(run.figures.objective)) for run in own]
        assert drawn[f"objective, {start} start"] == ends
    norm2 = float(training.interpolant.norm2)
    assert drawn[f"guarantee, interpolant = {norm2:.4g} eps"] == [(x, x * norm2) for x in (0.01, 0.1)]


def test_ticks_and_legends_hide_nothing() -> None:
    """Few epochs: the ticks of the logarithmic axis are whole numbers apart from one another; legends are outside."""
    training = ef.train(sample("random-classes", n=4, d=1, seed=1), eps=["1e-1", "1e-2", "1e-3"], epochs=20)
    figure = plot_training(training)
    figure.draw_without_rendering()
    left, right = figure.axes
    shown = [text for text in left.get_xticklabels(which="both") if text.get_text()]
    boxes = [text.get_window_extent() for text in shown]
    assert len(shown) > 2
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
    for ax in (left, right):
        assert ax.get_legend().get_window_extent().y1 < ax.get_window_extent().y0


def as_published() -> Experiment:
    """The experiment in short, without PyTorch: every run of it is one of ours, at the eps of its weight decay."""
    data, decays = sample("random-classes", n=4, d=1, seed=1), (*(decay for decay, _ in CHAIN), ALONE[0])
    ours = ef.train(data, eps=[decay / 2 for decay in decays], epochs=3, start="random")
    low, high = (Enclosure(Fraction(x), Fraction(x)) for x in (0, 10**6))
    kept = [replace(run, guarantee=bound) for run, bound in zip(ours.runs, (high, low, high, low), strict=True)]
    runs = tuple(PapersRun(decay, 3, run, 0.5) for decay, run in zip(decays, kept, strict=True))
    return Experiment(Enclosure(Fraction(9), Fraction(9)), Enclosure(Fraction(0), Fraction(0)), runs, ours)


def test_the_second_published_figure_has_the_published_losses_at_half_the_weight_decay(tmp_path: Path) -> None:
    found = as_published()
    (ax,) = plot_experiment_eps(found, path=tmp_path / "e.png").axes
    drawn, chain = points(ax), found.runs[:3]
    eps = [0.05, 0.005, 0.0005]
    assert drawn["published, read off"] == list(zip(eps, [3.3e-2, 1.3e-2, 5e-4], strict=True))
    losses = [float(one.run.figures.loss) for one in chain]
    assert drawn["their training, run again"] == list(zip(eps, losses, strict=True))
    objectives = [float(one.run.figures.objective) for one in chain]
    assert drawn["its objective E + eps|Theta|^2"] == list(zip(eps, objectives, strict=True))
    assert drawn["minimised on the means"] == list(
        zip(eps, [float(run.figures.loss) for run in found.ours.runs[:3]], strict=True)
    )
    assert drawn["guarantee, generating weights = 9 eps"] == [(e, pytest.approx(9 * e)) for e in sorted(eps)]
    norm2 = float(found.ours.interpolant.norm2)
    assert drawn[f"guarantee, our interpolant = {norm2:.4g} eps"] == [
        (e, pytest.approx(norm2 * e)) for e in sorted(eps)
    ]
    stuck = [one for one in chain if one.run.verdict == "not a global minimiser"]
    assert [one.weight_decay for one in stuck] == [Fraction(1, 100)]
    assert drawn["proved: no global minimiser"] == [(float(one.run.eps), float(one.run.figures.loss)) for one in stuck]
    assert (tmp_path / "e.png").exists()


def test_the_first_published_figure_has_the_guarantees_of_the_run_alone(tmp_path: Path) -> None:
    found = as_published()
    (ax,) = plot_experiment_epochs(found, path=tmp_path / "l.png").axes
    drawn, alone = curves(ax), found.runs[-1].run
    assert drawn["E, weight decay 0.0001"][0] == [step + 1 for _, step, _, _ in alone.history]
    norms = {"generating weights": 9, "ours": float(found.ours.interpolant.norm2)}
    for name, norm2 in norms.items():
        assert drawn[f"guarantee, {name}"][1] == [pytest.approx(norm2 * float(alone.eps))] * 2
    assert (tmp_path / "l.png").exists()


def test_published_figures_are_drawn_without_a_file_too() -> None:
    found = as_published()
    assert "E, weight decay 0.0001" in curves(plot_experiment_epochs(found).axes[0])
    assert "published, read off" in curves(plot_experiment_eps(found).axes[0])
