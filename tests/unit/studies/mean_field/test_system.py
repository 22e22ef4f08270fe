"""Tests of `exactformer.studies.mean_field.system`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.studies.mean_field.system import System


# systems and floats -----------------------------------------------------------------------------------
def test_a_system_with_queries_and_keys_of_another_dimension() -> None:
    """B = Q'K and M = V B', with h = 3 rows in Q and K and matrices that are not symmetric."""
    system = System([[1, 2], [0, 3]], [[1, 0], [2, 1], [0, 1]], [[0, 1], [1, 0], [1, 2]])
    Q, K = np.array(system.Q, dtype=float), np.array(system.K, dtype=float)
    B = Q.T @ K
    assert np.array(system.B, dtype=float).tolist() == B.tolist()
    assert np.array(system.M, dtype=float).tolist() == (np.array([[1, 2], [0, 3]]) @ B.T).tolist()
    V, floats = system.floats()
    assert (V.tolist(), floats.tolist()) == ([[1, 2], [0, 3]], B.tolist())
    assert (system.dim, list(system.json())) == (2, ["exactformer", "version", "V", "Q", "K"])
    x, y = np.array([1.0, 2.0]), np.array([-3.0, 5.0])
    assert (Q @ x) @ (K @ y) == (B.T @ x) @ y


@pytest.mark.parametrize(
    ("V", "Q", "K", "words"),
    [
        ([[1, 2]], [[1, 0]], [[1, 0]], "V: expected a square matrix"),
        ([[1, 0], [0, 1]], [[1, 0, 0]], [[1, 0]], "Q: expected rows of 2 numbers"),
        ([[1, 0], [0, 1]], [[1, 0]], [[1, 0, 0]], "K: expected rows of 2 numbers"),
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 0]], "as many rows in both"),
        ([[1]], [[1]], [[1]], "dimension d >= 2"),
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 0], [1, 0]], r"singular one: B'x = 0 at x = \(-?1, -?1\)"),
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]], [["sqrt(2)", 0], [0, 1]], "K: expected rational"),
    ],
)
def test_systems_that_are_none(V: Any, Q: Any, K: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        System(V, Q, K)
