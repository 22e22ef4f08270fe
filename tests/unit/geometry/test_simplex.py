"""Tests of `exactformer.geometry.simplex`."""

from __future__ import annotations

import numpy as np

from exactformer.geometry.simplex import nonnegative_solution


def test_farkas_is_a_no() -> None:
    M, b = np.array([[1, 1], [1, 2]], dtype=object), np.array([1, 0], dtype=object)
    assert not nonnegative_solution(M, b)
    assert nonnegative_solution(M, np.array([1, 1], dtype=object))
