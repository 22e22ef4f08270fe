"""Tests of `exactformer.geometry.alternative`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.geometry import alternative as gordan
from exactformer.geometry.alternative import Dependency, alternative

HALF, QUARTER, ONE = Fraction(1, 2), Fraction(1, 4), Fraction(1)


def integers(*rows: Any) -> np.ndarray:
    return np.array(rows, dtype=object)


def test_dependencies_without_a_solver_name_their_rows_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gordan, "propose_direction", lambda rows: None)
    rng, found = np.random.default_rng(3), 0
    for _ in range(60):
        n, dim = int(rng.integers(4, 14)), int(rng.integers(2, 5))
        rows = rng.integers(-4, 6, size=(n, dim)).astype(int).astype(object)
        answer = alternative(rows)
        if isinstance(answer, Dependency):
            indices = [j for j, _ in answer.weights]
            assert indices == sorted(set(indices))
            assert all(sum(w * rows[j, k] for j, w in answer.weights) == 0 for k in range(dim))
            found += answer.method == "simplex"
        else:
            assert all(sum(rows[j] * answer.v) > 0 for j in range(n))
    assert found > 5


def test_a_row_of_zeros_is_a_dependency_wherever_it_stands() -> None:
    for place in range(3):
        rows = integers([1, 2], [2, 1], [1, 1])
        rows[place] = 0
        assert alternative(rows).weights == ((place, ONE),)
