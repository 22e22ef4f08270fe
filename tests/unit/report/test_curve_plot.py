"""Tests of `exactformer.report.curve_plot`."""

from __future__ import annotations

import pytest

from exactformer.report.curve_plot import draw_curves
from exactformer.report.palette import COLOURS, INK


@pytest.mark.parametrize("log_x", [True, False])
def test_curves_with_few_points_have_markers_and_bounds_are_dashed(log_x: bool) -> None:
    few, many = (list(range(1, 61)),) * 2, (list(range(1, 62)),) * 2
    bounds = {"_low": ([1], [2]), "high $": ([1], [3])}
    (ax,) = draw_curves({"few": few, "many": many}, bounds=bounds, across="x", up="y", title="t", log_x=log_x).axes
    short, long, low, high = ax.lines
    assert [line.get_marker() for line in ax.lines] == ["o", "None", "None", "None"]
    assert [short.get_color(), long.get_color(), low.get_color()] == [*COLOURS[:2], INK]
    assert [low.get_linestyle(), high.get_linestyle()] == ["--", ":"]
    assert [low.get_label(), high.get_label()] == [" _low", r"high \$"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log" if log_x else "linear", "log")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("x", "y", "t")
