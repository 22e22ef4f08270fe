"""Tests of `exactformer.geometry.active_set`."""

from __future__ import annotations

import numpy as np

from exactformer.geometry.active_set import nearest_point


def test_points_that_a_projection_does_not_need_have_no_weight() -> None:
    identity = np.eye(2, dtype=int).astype(object)
    for points, support in (([[1, 0], [1, 1]], {0}), ([[1, 1], [1, 0], [1, -1]], {0, 1, 2}), ([[2, 1], [2, 0]], {1})):
        for start in ([], [0], [1], [0, 1]):
            weights = nearest_point(np.array(points, dtype=object), identity, start)
            assert all(w > 0 for _, w in weights)
            assert {j for j, _ in weights} <= support
