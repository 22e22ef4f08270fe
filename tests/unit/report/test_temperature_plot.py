"""Tests of `exactformer.report.temperature_plot`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.report.canvas import panels
from exactformer.report.temperature_plot import TemperatureDistances, _draw_departures, departures_of, draw_temperatures


def test_temperatures_of_a_chosen_sequence() -> None:
    data = ef.Dataset.of([[[0, 1], [2, 3]], [[0, 1]]], labels=list("ab"))
    found = ef.construct(data, method="leaders", attention="softmax", beta=2)
    figure = draw_temperatures(found, 1, title="mine")
    assert figure.get_suptitle().startswith("mine \N{EM DASH} sequence 1: exact at ")
    left, right = figure.axes
    assert len(left.lines) == 1, "the second sequence has one token"
    assert (left.get_yscale(), right.get_yscale()) == ("symlog", "linear"), "one token never departs from hardmax"
    assert [text.get_text() for text in right.get_yticklabels()] == ["exactly 0"]
    assert [line.get_label() for line in right.lines[:3]] == [rf"$\beta$ = {k}" for k in (2, 3, 6)]
    assert all(float(tick).is_integer() for tick in left.get_xticks())


def test_what_is_exact_stands_below_every_distance() -> None:
    (ax,) = panels(1)[1]
    rows = [[0.0, 3e-2, 5e-9, 0.0], [0.0, 2e-3, 4e-12, 0.0], [0.0, 1e-5, 0.0, 0.0]]
    _draw_departures(ax, [TemperatureDistances(Fraction(k, 2), row) for k, row in enumerate(rows, start=1)])
    level, *found = ax.lines
    assert [line.get_label() for line in found] == [rf"$\beta$ = {k}" for k in ("1/2", "1", "3/2")]
    for line, row in zip(found, rows, strict=True):
        assert np.allclose(line.get_ydata(), [d or 1e-13 for d in row], atol=0)
    assert np.allclose(level.get_ydata(), 1e-13, atol=0)
    assert ax.yaxis.get_major_formatter()(1e-13, 0) == "exactly 0", "not a power of ten"
    assert "-12" in ax.yaxis.get_major_formatter()(1e-12, 0)
    assert ax.get_yscale() == "log"


def curves(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    """The named lines of a panel."""
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines}


@pytest.mark.parametrize("far", [0, 1])
def test_distances_from_hardmax_at_three_temperatures(far: int) -> None:
    data = ef.Dataset.of([[[0, 1], [2, 3]], [[0, 1]], [[5, 7], [0, 1]]], labels=list("aba"))
    targets = {"a": [1000 * (far == 0), 1000 * (far == 1)], "b": [0, 0]}
    built = ef.construct(data, method="leaders", attention="softmax", label_targets=targets)
    departures, states = departures_of(built)
    left, right = draw_temperatures(built).axes
    floats = np.array([state.floats() for state in states])
    moved = [float(np.ptp(floats[1:, :, k])) for k in range(2)]
    axis = moved.index(max(moved))
    assert axis == far
    assert left.get_ylabel() == f"coordinate {axis} of the tokens"
    drawn = [list(line.get_ydata()) for line in left.lines]
    assert drawn == floats[:, :, axis].T.tolist()
    low = built.softmax.temperatures.low
    assert [found.beta for found in departures] == [low, low * Fraction(3, 2), low * 3]
    for found in departures:
        heights = curves(right)[rf"$\beta$ = {found.beta}"][1]
        assert [h for h, d in zip(heights, found.distances, strict=True) if d] == [d for d in found.distances if d]
        assert found.distances[0] == found.distances[-1] == 0
    assert departures[0].distances > departures[2].distances


def test_distances_are_bounds_not_rounding() -> None:
    """With scores of 10^8 enclosures of 512 bits are wide or have no ends: their middles once were drawn."""
    rng = np.random.default_rng(2)
    sequences = [rng.integers(-9, 10, size=(3, 2)) for _ in range(40)]
    built = ef.construct(sequences, list(range(40)), method="leaders", attention="softmax")
    departures, _ = departures_of(built)
    assert {d for found in departures for d in found.distances} == {0.0, 1e-280}
    assert "less" in draw_temperatures(built).axes[1].get_ylabel()
