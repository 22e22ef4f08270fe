"""The flow of the tokens on the sphere, in floats: Euler and Runge-Kutta steps, and zero temperature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.evaluate.floats import Backend
from exactformer.io.untyped import ApiArray
from exactformer.studies.mean_field.approx_compressed import CompressedField
from exactformer.studies.mean_field.approx_softmax import Sources, approx_dense, approx_truncated, on_host

FlowMethod = Literal["dense", "truncated", "compressed"]
Scheme = Literal["euler", "rk4"]
#: relative size at which a Taylor series ends, and |s M| up to which one is summed
NEGLIGIBLE, LONGEST = 1e-17, 2.0


@dataclass(frozen=True)
class Flow:
    """xdot = P_x V m_beta(x) for every token x, m_beta the softmax mean of all of them.

    >>> flow = Flow(np.diag([1.0, 0.5]), np.eye(2), 10.0, Backend.of())
    >>> flow.step(np.array([[0.6, 0.8], [0.8, 0.6]]), 0.1).round(4).tolist()
    [[0.6259, 0.7799], [0.8095, 0.5871]]
    """

    V: Array
    B: Array
    beta: float
    backend: Backend
    method: FlowMethod = "dense"
    scheme: Scheme = "rk4"

    def means(self, x: object) -> ApiArray:
        """m_beta at every token; `compressed` is done on the host, whatever the backend."""
        xp, B = self.backend.xp, self.backend.array(self.B)
        if self.method == "compressed":
            return self.backend.array(CompressedField(on_host(x), self.B, self.beta)())
        field = approx_dense if self.method == "dense" else approx_truncated
        return field(Sources.of(xp, x), self.beta * xp.matmul(x, B))

    def velocity(self, x: object) -> ApiArray:
        """P_x V m_beta(x)."""
        xp = self.backend.xp
        pulled = xp.matmul(self.means(x), xp.matrix_transpose(self.backend.array(self.V)))
        return pulled - xp.sum(pulled * x, axis=1, keepdims=True) * x

    def step(self, x: object, h: float) -> ApiArray:
        """The tokens after time h: one step of the scheme, brought back to the sphere."""
        k1 = self.velocity(x)
        if self.scheme == "euler":
            return self._normed(x + h * k1)
        k2 = self.velocity(self._normed(x + h / 2 * k1))
        k3 = self.velocity(self._normed(x + h / 2 * k2))
        k4 = self.velocity(self._normed(x + h * k3))
        return self._normed(x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))

    def _normed(self, x: ApiArray) -> ApiArray:
        xp = self.backend.xp
        return x / xp.sqrt(xp.sum(x * x, axis=1, keepdims=True))


@dataclass(frozen=True)
class ZeroTemperatureFlow:
    """x(t) = e^{sM}x_0/|.| with ds/dt = 1/|B'x|, M = V B': the direction is exact, only the clock s is integrated.

    Where |B'x| does not depend on x, as for B = I, the clock is exact as well, however long the step.

    >>> flow = ZeroTemperatureFlow(np.diag([1.0, 0.5]), np.eye(2))
    >>> x = flow.step(np.array([[0.6, 0.8]]), 4.0)[0]
    >>> bool(abs(x[1] / x[0] - 4 / 3 * np.exp(-2)) < 1e-15)
    True
    """

    V: Array
    B: Array

    def step(self, x: Array, h: float) -> Array:
        """The tokens after time h; the clock by a Runge-Kutta step."""
        k1 = self._pace(x)
        k2 = self._pace(self._moved(x, h / 2 * k1))
        k3 = self._pace(self._moved(x, h / 2 * k2))
        k4 = self._pace(self._moved(x, h * k3))
        return self._moved(x, h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))

    def _pace(self, x: Array) -> Array:
        return np.asarray(1 / np.sqrt(((x @ self.B) ** 2).sum(axis=1, keepdims=True)))

    def _moved(self, x: Array, s: Array) -> Array:
        """e^{sM}x/|.| by Taylor's series, in parts short enough for it."""
        M = self.V @ self.B.T
        M = M - np.trace(M) / len(M) * np.eye(len(M))  # a multiple of the identity does not turn anything
        parts = max(1, int(np.ceil(float(np.abs(s).max()) * float(np.linalg.norm(M, 2)) / LONGEST)))
        for _ in range(parts):
            total = term = x
            order = 1
            while float(np.abs(term).max()) > NEGLIGIBLE:
                term = (s / (parts * order)) * (term @ M.T)
                total, order = total + term, order + 1
            x = total / np.sqrt((total**2).sum(axis=1, keepdims=True))
        return x
