"""Regularised training on pooled means, in floats: minimise E/eps + |Theta|^2 by L-BFGS for decreasing eps.

With uniform attention and rho = 0 a block pair computes y = eta*x + W relu(U x + b), x = V m, of the mean m of a
sequence, so softmax and Hausdorff distance disappear: E = mean |y_j - target_j|^2. Divided by eps the objective
stays of one size, which L-BFGS needs. Nothing here is trusted: what it finds is read as exact numbers afterwards.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactformer.io.untyped import Untyped

Floats = NDArray[np.float64]

#: (eps, iteration, E, |Theta|^2) of every step, for the history
Record = tuple[float, int, float, float]


class Layout(ABC):
    """Arrays that are one vector, each under its name, for floats and for torch tensors alike."""

    @property
    @abstractmethod
    def sizes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The arrays in the order in which they are one vector."""

    def split(self, theta: Any) -> dict[str, Any]:
        """The arrays of a vector."""
        parts, start = {}, 0
        for name, shape in self.sizes:
            size = math.prod(shape)
            parts[name] = theta[start : start + size].reshape(shape)
            start += size
        return parts

    def join(self, parts: dict[str, Floats]) -> Floats:
        """The vector of arrays."""
        return np.concatenate([parts[name].reshape(-1) for name, _ in self.sizes])


@dataclass(frozen=True)
class Shape(Layout):
    """Dimension d and width p: V d-by-d, eta, U p-by-d, b, W d-by-p."""

    dim: int
    width: int

    @property
    def sizes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The arrays in the order in which they are one vector."""
        d, p = self.dim, self.width
        return [("V", (d, d)), ("eta", (1,)), ("U", (p, d)), ("b", (p,)), ("W", (d, p))]

    def random(self, rng: np.random.Generator) -> Floats:
        """A random start: V the identity, eta 1/2, units of the usual size."""
        d, p = self.dim, self.width
        parts = {
            "V": np.eye(d),
            "eta": np.array([0.5]),
            "U": rng.normal(size=(p, d)) / math.sqrt(d),
            "b": 0.3 * rng.normal(size=p),
            "W": rng.normal(size=(d, p)) / math.sqrt(p),
        }
        return self.join(parts)


def approx_loss(shape: Shape, theta: Floats, means: Floats, targets: Floats) -> tuple[float, Floats]:
    """E and its gradient."""
    P = shape.split(theta)
    x = means @ P["V"].T
    before = x @ P["U"].T + P["b"]
    hidden = np.maximum(before, 0)
    errors = P["eta"] * x + hidden @ P["W"].T - targets
    back = 2 * errors / len(means)
    into = (back @ P["W"]) * (before > 0)
    onto = P["eta"] * back + into @ P["U"]
    gradient = {
        "V": onto.T @ means,
        "eta": np.array([(back * x).sum()]),
        "U": into.T @ x,
        "b": into.sum(axis=0),
        "W": back.T @ hidden,
    }
    return float((errors**2).sum() / len(means)), shape.join(gradient)


def approx_minimise(
    shape: Shape,
    start: Floats,
    eps: float,
    means: Floats,
    targets: Floats,
    *,
    epochs: int,
    tell: Callable[[Record], None] | None = None,
) -> Floats:
    """A stationary point of E/eps + |Theta|^2 near the start, as far as `epochs` steps of L-BFGS go."""
    from scipy.optimize import minimize

    steps = 0

    def objective(theta: Floats) -> tuple[float, Floats]:
        loss, gradient = approx_loss(shape, theta, means, targets)
        return loss / eps + float(theta @ theta), gradient / eps + 2 * theta

    def step(theta: Floats) -> None:
        nonlocal steps
        steps += 1
        if tell is not None:
            tell((eps, steps, approx_loss(shape, theta, means, targets)[0], float(theta @ theta)))

    options = {"maxiter": epochs, "maxfun": 4 * epochs, "maxcor": 30, "ftol": 1e-15, "gtol": 1e-12}
    found: Untyped = minimize(objective, start, jac=True, method="L-BFGS-B", callback=step, options=options)
    return np.asarray(found.x, dtype=np.float64)


def without_residual(shape: Shape, theta: Floats, means: Floats, targets: Floats) -> Floats:
    """Theta with the least correction of W that removes the residual, as far as the hidden vectors allow."""
    parts = {name: value.copy() for name, value in shape.split(theta).items()}
    x = means @ parts["V"].T
    hidden = np.maximum(x @ parts["U"].T + parts["b"], 0)
    for _ in range(3):
        residual = targets - parts["eta"] * x - hidden @ parts["W"].T
        parts["W"] += np.linalg.lstsq(hidden, residual, rcond=1e-13)[0].T
    return shape.join(parts)


def named_arrays(shape: Shape, theta: Floats) -> dict[str, Floats]:
    """The arrays under the names of a network file: pooling, then the feed-forward layer."""
    parts = shape.split(theta)
    return {"block0.V": parts["V"], **{f"block1.{name}": parts[name] for name in ("eta", "U", "b", "W")}}
