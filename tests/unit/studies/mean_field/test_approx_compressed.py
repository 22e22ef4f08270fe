"""Tests of `exactformer.studies.mean_field.approx_compressed`."""

from __future__ import annotations

import numpy as np

from exactformer.studies.mean_field.approx_compressed import _tail


def test_the_last_coefficients_of_a_cell_are_those_of_the_highest_degree_in_some_axis() -> None:
    coefficients = np.array([[[9.0], [-2.0], [3.0], [1.0]], [[8.0], [0.5], [0.25], [-1.0]]])
    assert _tail(coefficients, 2).tolist() == [3, 1]
    assert _tail(np.array([[[9.0, 1.0], [5.0, 2.0], [-1.0, 0.5]]]), 3).tolist() == [1]
