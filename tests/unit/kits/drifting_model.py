"""A model of time series whose rollout drifts by known amounts."""

from __future__ import annotations

from typing import Any

import numpy as np


class Drifting:
    """From the mean m of its two rows it predicts m (1 + s/9)^k + c k/20, s the first number of the start."""

    parameters, history = 5, 2

    def __init__(self) -> None:
        self.asked: list[tuple[Any, int, Any]] = []

    def one_step_errors(self, rows: Any) -> Any:
        return (np.diff(rows, axis=0) * np.array([1.0, -2.0, 0.5]))[1:]

    def rollout(self, starts: Any, steps: int, inputs: Any = None) -> Any:
        self.asked.append((starts, steps, inputs))
        out = np.array([[self.row(start, k) for start in starts] for k in range(1, steps + 1)])
        if inputs is not None:
            out[:, :, : inputs.shape[2]] = inputs
        return out

    def row(self, start: Any, k: int) -> list[float]:
        speed = 1 + abs(float(start[0, 0])) / 9
        return [float(m) * speed**k + c * k / 20 for c, m in enumerate(start.mean(axis=0))]
