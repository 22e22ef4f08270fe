"""TD-DMD in floats: z+ = z_m + sum_j A_j z_j + b by truncated least squares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.time_delay.approx_rollout import NetworkModel, rollout_score, window_rows
from exactformer.studies.time_delay.network import contain

#: relative sizes below which singular values are dropped; the validation rollout chooses
TOLERANCES = (1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)


def fit_dmd(train: Array, m: int, tolerance: float, ridge: float = 0.0) -> tuple[Array, Array]:
    """(A, b): the coefficients (m, d, d) and the intercept (d,) of least squares on the windows of a stretch."""
    inputs, increments = window_rows(train, m)
    H = np.column_stack([inputs.reshape(len(inputs), -1), np.ones(len(inputs))])
    U, S, Vt = np.linalg.svd(H, full_matrices=False)
    kept = tolerance * S[0] < S
    C = (Vt[kept].T * (S[kept] / (S[kept] ** 2 + ridge))) @ (U[:, kept].T @ increments)
    d = train.shape[1]
    return C[:-1].reshape(m, d, d).transpose(0, 2, 1).copy(), C[-1].copy()


def best_dmd(
    train: Array, validation: Array, m: int, *, score: Callable[..., float] = rollout_score
) -> tuple[Array, Array]:
    """The TD-DMD whose tolerance does best on the validation rollout."""
    candidates = [fit_dmd(train, m, tolerance) for tolerance in TOLERANCES]
    return min(candidates, key=lambda c: score(NetworkModel(contain(*c)), validation))
