"""Tests of `exactformer.report.delay_plot`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.report.delay_plot import plot_rollout, plot_study
from exactformer.studies.time_delay.enclosure import RowBox
from exactformer.studies.time_delay.series import Series


def test_axes_of_a_study_and_of_a_rollout() -> None:
    truth = np.array([[0.0, 1.0], [2.0, 3.0], [1.0, 0.0]])
    figure = plot_study("a study", truth, {"m": 100 * truth})
    left, right = figure.axes
    assert figure.get_suptitle() == "a study"
    assert left.get_ylim() == (-1, 3)
    assert right.lines[1].get_xydata().max() == 4, "what is far away is cut off"
    series = Series.of([[k, 0, 0, 0, 0] for k in range(100)])
    axes = plot_rollout(series, np.zeros((2, 5)), None).axes
    assert [ax.get_ylabel() for ax in axes] == ["z1", "z2", "z3", "z4"]
    assert list(axes[0].lines[0].get_ydata()) == list(range(40, 100))
    assert axes[-1].get_xlabel() == "steps"


def curves(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    """The named lines of a panel."""
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines}


@pytest.mark.parametrize("dim", [1, 3])
def test_rollouts_of_a_study_over_the_truth(dim: int) -> None:
    truth = np.random.default_rng(1).uniform(-1, 1, (30, dim))
    rolled = {"first": truth / 2, "second": truth / 3}
    axes = plot_study("a study", truth, rolled).axes
    for (name, rows), left, right in zip(rolled.items(), axes[::2], axes[1::2], strict=True):
        assert curves(left)["truth"][1] == truth[:, 0].tolist()
        assert curves(left)[name][1] == rows[:, 0].tolist()
        assert left.get_ylabel() == name
        for line, shown in zip(right.lines, (truth, rows), strict=True):
            wanted = (shown[:, 0], shown[:, 1]) if dim > 1 else (shown[:-8, 0], shown[8:, 0])
            assert [line.get_xdata().tolist(), line.get_ydata().tolist()] == [x.tolist() for x in wanted]
    assert axes[-1].get_xlabel() == ("z1 against z2" if dim > 1 else "z1 against z1, 8 steps later")


def test_a_rollout_goes_on_where_the_series_ends() -> None:
    series = Series.of([[k, -k] for k in range(5)], names=["up", "down"])
    floats = np.array([[5.0, -5.5], [6.0, -6.5]])
    boxes = [RowBox((Fraction(4), Fraction(-7)), (Fraction(6), Fraction(-4))) for _ in floats]
    axes = plot_rollout(series, floats, boxes).axes
    for i, ax in enumerate(axes[:2]):
        assert curves(ax)["series"] == ([-4, -3, -2, -1, 0], [float((1, -1)[i] * k) for k in range(5)])
        assert curves(ax)["float64 rollout"] == ([1, 2], floats[:, i].tolist())
        heights = ax.collections[0].get_paths()[0].vertices[:, 1]
        assert (heights.min(), heights.max()) == ((4, 6), (-7, -4))[i]
        assert ax.get_ylabel() == ("up", "down")[i]
    assert [list(line.get_ydata()) for line in axes[2].lines] == [[1.5, 1.5]]


def test_long_names_of_columns_do_not_run_into_each_other() -> None:
    names = ["temperature of the sea at noon", "a column with a very long name indeed", "v", "w"]
    figure = plot_rollout(Series.of(np.arange(80.0).reshape(20, 4), names), np.zeros((2, 4)), None)
    figure.draw_without_rendering()
    boxes = [ax.yaxis.label.get_window_extent() for ax in figure.axes]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
    assert figure.axes[0].get_ylabel() == "temperature of the\nsea at noon"
    assert figure.axes[1].get_ylabel() == "a column with a very\nlong name indeed"
