"""Tests of `exactformer.report.training_plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import exactformer as ef
from exactformer.instances.named_families import sample
from exactformer.report.palette import COLOURS
from exactformer.report.training_plot import plot_training


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
