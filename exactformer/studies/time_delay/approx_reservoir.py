"""A reservoir as a baseline: random recurrent units, trained by ridge regression only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array

#: rows a reservoir listens to before it predicts
HISTORY = 60


@dataclass
class Reservoir:
    """z+ = z + C (r, half of r^2, z, 1), r <- tanh(A r + B z + b), A sparse of spectral radius 0.9."""

    A: Array
    B: Array
    b: Array
    C: Array
    history: int = HISTORY

    @property
    def parameters(self) -> int:
        """The trained numbers."""
        return int(self.C.size)

    def _features(self, r: Array, z: Array) -> Array:
        return np.concatenate([r, r[..., : r.shape[-1] // 2] ** 2, z, np.ones((*z.shape[:-1], 1))], axis=-1)

    def listen(self, r: Array, z: Array) -> Array:
        """The state after one more row."""
        return np.asarray(np.tanh(r @ self.A.T + z @ self.B.T + self.b))

    def one_step_errors(self, rows: Array) -> Array:
        """Predicted minus true increments after the first rows."""
        r, features = np.zeros(len(self.b)), []
        for z in rows[:-1]:
            r = self.listen(r, z)
            features.append(self._features(r, z))
        predicted = np.array(features)[self.history :] @ self.C
        return np.asarray(predicted - np.diff(rows, axis=0)[self.history :])

    def rollout(self, starts: Array, steps: int, inputs: Array | None = None) -> Array:
        """Autoregressive, after listening to the starts."""
        r = np.zeros((len(starts), len(self.b)))
        for k in range(starts.shape[1]):
            r = self.listen(r, starts[:, k])
        z, out = starts[:, -1], np.empty((steps, len(starts), starts.shape[2]))
        for k in range(steps):
            z = np.clip(z + self._features(r, z) @ self.C, -1e3, 1e3)
            if inputs is not None:
                z[:, : inputs.shape[2]] = inputs[k]
            out[k] = z
            r = self.listen(r, z)
        return out


def fit_reservoir(train: Array, *, units: int = 200, ridge: float = 1e-8, seed: int = 0) -> Reservoir:
    """A reservoir with random weights whose output is fitted to the train part."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(units, units)) * (rng.random((units, units)) < 0.05)
    A *= 0.9 / max(float(np.abs(np.linalg.eigvals(A)).max()), 1e-12)
    d = train.shape[1]
    history = min(HISTORY, len(train) // 4)
    made = Reservoir(
        A, 0.5 * rng.uniform(-1, 1, (units, d)), 0.3 * rng.uniform(-1, 1, units), np.zeros((0, d)), history
    )
    r, features = np.zeros(units), []
    for z in train[:-1]:
        r = made.listen(r, z)
        features.append(made._features(r, z))
    F, Y = np.array(features)[history:], np.diff(train, axis=0)[history:]
    made.C = np.linalg.solve(F.T @ F + ridge * len(F) * np.eye(F.shape[1]), F.T @ Y)
    return made
