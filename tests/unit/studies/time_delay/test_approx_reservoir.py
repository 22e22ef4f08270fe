"""Tests of `exactformer.studies.time_delay.approx_reservoir`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from exactformer.studies.time_delay import systems
from exactformer.studies.time_delay.approx_reservoir import HISTORY, Reservoir, fit_reservoir


def test_a_reservoir_by_its_formula() -> None:
    rng = np.random.default_rng(2)
    A, B, b, C = rng.normal(size=(4, 4)) / 3, rng.normal(size=(4, 2)), rng.normal(size=4), rng.normal(size=(9, 2)) / 9
    model = Reservoir(A, B, b, C, history=3)
    rows = rng.normal(size=(7, 2))
    assert model.parameters == 18

    def heard(part: Any) -> Any:
        r = np.zeros(4)
        for z in part:
            r = np.tanh(A @ r + B @ z + b)
        return r

    def increment(r: Any, z: Any) -> Any:
        return C.T @ np.array([*r, *r[:2] ** 2, *z, 1.0])

    errors = [increment(heard(rows[: k + 1]), rows[k]) - (rows[k + 1] - rows[k]) for k in range(3, 6)]
    assert model.one_step_errors(rows) == pytest.approx(np.array(errors))
    told, given = list(rows[:4]), rng.normal(size=(3, 1, 1))
    for known in (None, given):
        told = list(rows[:4])
        for k in range(3):
            told.append(told[-1] + increment(heard(told), told[-1]))
            if known is not None:
                told[-1][0] = known[k, 0, 0]
        assert model.rollout(rows[None, :4], 3, known)[:, 0] == pytest.approx(np.array(told[4:]))
    loud = replace(model, C=C + 1e6)
    assert np.abs(loud.rollout(rows[None, :4], 2)).max() <= 1e3


def test_a_fitted_reservoir_is_ridge_regression_at_spectral_radius_nine_tenths() -> None:
    rows = systems.approx_two_tones(300)
    model = fit_reservoir(rows, units=30, ridge=1e-3, seed=1)
    assert np.abs(np.linalg.eigvals(model.A)).max() == pytest.approx(0.9)
    assert (model.history, HISTORY, fit_reservoir(rows[:100], units=10).history) == (60, 60, 25)
    assert np.abs(model.B).max() <= 0.5
    assert np.abs(model.b).max() <= 0.3
    r, features = np.zeros(30), []
    for z in rows[:-1]:
        r = model.listen(r, z)
        features.append([*r, *r[:15] ** 2, *z, 1.0])
    X, Y = np.array(features)[60:], np.diff(rows, axis=0)[60:]
    slope = X.T @ (X @ model.C - Y) + 1e-3 * len(X) * model.C
    assert np.abs(slope).max() < 1e-9
    assert (fit_reservoir(rows, units=30, seed=2).A != model.A).any()
    assert np.count_nonzero(model.A) < 0.15 * model.A.size  # one unit in twenty is heard, on average
