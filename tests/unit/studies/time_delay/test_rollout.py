"""Tests of `exactformer.studies.time_delay.rollout`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.studies.time_delay.approx_rollout import float_rows
from exactformer.studies.time_delay.approx_training import with_units
from exactformer.studies.time_delay.network import ExactFunctions, contain
from exactformer.studies.time_delay.rollout import exact_rollout

F = Fraction


def test_rollouts_are_in_the_units_of_the_series() -> None:
    """y+ = y_m + 2 y_(m-1) - 1 for y = (z - 3)/5: from z = 3, 8 on, y = 0, 1, 0, 1."""
    network = with_units(contain(np.array([[[2.0]], [[0.0]]]), np.array([-1.0])), np.array([3.0]), np.array([5.0]))
    start = [(F(100),), (F(3),), (F(8),)]
    assert exact_rollout(network, start, 4) == [(F(3),), (F(8),), (F(3),), (F(8),)]
    assert float_rows(network, np.array([[100.0], [3.0], [8.0]]), 4).tolist() == [[3], [8], [3], [8]]
    with pytest.raises(InvalidInput, match="at least 2 rows to start from, got 1"):
        exact_rollout(network, start[:1], 4)
    assert ExactFunctions().activation(np.array([F(-1), F(0), F(2)]), "relu").tolist() == [0, 0, 2]
