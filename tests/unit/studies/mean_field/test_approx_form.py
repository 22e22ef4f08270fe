"""Tests of `exactformer.studies.mean_field.approx_form`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from exactformer.studies.mean_field.approx_density import Density
from exactformer.studies.mean_field.approx_form import _fitted, hiding_directions
from exactformer.studies.mean_field.approx_run import Run
from exactformer.studies.mean_field.approx_transport import ApproxLimit


def test_equally_fast_directions_hide_nothing() -> None:
    """V = I beside E: along e1 a cluster is not unstable, and no reflection is told."""
    end = ApproxLimit(np.diag([0.0, 1.0]))
    for first, count in ((0.5, 0), (0.4, 0), (0.6, 1)):
        assert len(hiding_directions(np.diag([first, 0.5]), np.diag([0.2, 1.0]), end, Density("1", 2))) == count


def test_two_exponentials_are_fitted_where_the_curve_is_low() -> None:
    t = np.arange(8.0)
    w2 = np.array([0.9, 0.6, 0.5, 0.2, 0.3, 0.5, 0.6, 0.4])
    times, logs, values = _fitted(Run(math.e**2, t, w2, w2, np.zeros((8, 1, 2))))
    assert (times.tolist(), values.tolist()) == ([2, 3, 4, 5], [0.5, 0.2, 0.3, 0.5])
    assert logs == pytest.approx([2.0] * 4)


def test_a_curve_that_stays_low_is_fitted_to_its_end_and_one_that_stays_high_from_its_least_value() -> None:
    t = np.arange(4.0)
    low, high = np.array([0.9, 0.4, 0.3, 0.35]), np.array([0.9, 0.7, 0.6, 0.8])
    times, _, values = _fitted(Run(1.0, t, low, low, np.zeros((4, 1, 2))))
    assert (times.tolist(), values.tolist()) == ([1, 2, 3], [0.4, 0.3, 0.35])
    assert _fitted(Run(1.0, t, high, high, np.zeros((4, 1, 2))))[0].tolist() == []
