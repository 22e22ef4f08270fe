"""Tests of `exactformer.studies.time_delay.approx_dmd`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exactformer.studies.time_delay import systems
from exactformer.studies.time_delay.approx_dmd import TOLERANCES, best_dmd, fit_dmd
from exactformer.studies.time_delay.approx_rollout import NetworkModel, rollout_score, window_rows
from exactformer.studies.time_delay.network import contain


def test_dmd_finds_the_recurrence_a_series_has() -> None:
    rng = np.random.default_rng(4)
    A, b = rng.normal(size=(2, 2, 2)) / 4, np.array([0.5, -0.25])
    rows = [rng.normal(size=2), rng.normal(size=2)]
    for _ in range(12):
        rows.append(rows[-1] + A[0] @ rows[-2] + A[1] @ rows[-1] + b)
    found, intercept = fit_dmd(np.array(rows), 2, 1e-12)
    assert found == pytest.approx(A, abs=1e-7)
    assert intercept == pytest.approx(b, abs=1e-7)


def test_dmd_is_ridge_regression_without_the_smallest_directions() -> None:
    rows = np.random.default_rng(5).normal(size=(40, 2))
    inputs, increments = window_rows(rows, 2)
    H = np.column_stack([inputs.reshape(len(inputs), -1), np.ones(len(inputs))])
    for ridge in (0.0, 3.0):
        C = np.linalg.solve(H.T @ H + ridge * np.eye(5), H.T @ increments)
        A, b = fit_dmd(rows, 2, 1e-12, ridge)
        assert b == pytest.approx(C[4])
        for j in range(2):
            assert A[j] == pytest.approx(C[2 * j : 2 * j + 2].T)
    U, S, Vt = np.linalg.svd(H, full_matrices=False)
    between = (S[1] + S[2]) / 2 / S[0]
    C = Vt[:2].T @ np.diag(1 / S[:2]) @ U[:, :2].T @ increments
    assert fit_dmd(rows, 2, between)[1] == pytest.approx(C[4])


def test_the_best_tolerance_is_the_one_with_the_least_score() -> None:
    rows = systems.approx_two_tones(120) + np.random.default_rng(1).normal(size=(120, 1)) / 50
    scores = []

    def score(model: NetworkModel, validation: Any) -> float:
        assert validation.tolist() == rows[80:].tolist()
        scores.append(-abs(len(scores) - 5))
        return -scores[-1]

    chosen = best_dmd(rows[:80], rows[80:], 6, score=score)
    assert len(scores) == len(TOLERANCES)
    assert chosen[0].tolist() == fit_dmd(rows[:80], 6, TOLERANCES[5])[0].tolist()
    best = best_dmd(rows[:80], rows[80:], 6)
    told = [rollout_score(NetworkModel(contain(*fit_dmd(rows[:80], 6, t))), rows[80:]) for t in TOLERANCES]
    assert rollout_score(NetworkModel(contain(*best)), rows[80:]) == min(told)
