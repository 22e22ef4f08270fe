"""Tests of `exactformer.geometry.propose`."""

from __future__ import annotations

from collections.abc import Iterator

import cvxpy as cp
import numpy as np
import pytest

from exactformer.geometry import propose
from exactformer.geometry.separation import separate


@pytest.fixture
def no_solver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    propose._has_solver.cache_clear()
    monkeypatch.setattr(cp, "installed_solvers", lambda: ["SCS"])
    yield
    propose._has_solver.cache_clear()


@pytest.mark.usefixtures("no_solver")
def test_a_missing_solver_warns_once_and_exact_arithmetic_decides_alone() -> None:
    left, right = [[0, 0, 1], [5, 1, 2], [1, 7, 3]], [[0, 0, 2], [3, 1, 9], [1, 1, 7]]
    with pytest.warns(
        RuntimeWarning, match=r"no solver HIGHS: answers stay exact but come slowly; pip install highspy"
    ):
        answer = separate(left, right)
    answer.verify(left, right)
    assert propose.propose_direction(np.eye(3)) is None
    with pytest.warns(RuntimeWarning, match="pip install clarabel"):
        assert propose.propose_nearest(np.eye(3)) is None


def test_the_solvers_are_there() -> None:
    assert propose.propose_direction(np.eye(3)) is not None
    assert propose.propose_nearest(np.eye(3)) is not None
