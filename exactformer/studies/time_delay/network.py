"""The time-delayed transformer: one layer, one query from the newest token of a window z_1, .., z_m (z_m the newest).

    x_j = E_j z_j + p_j                    ("block": an encoding E_j per position; "additive": one E for all)
    a   = softmax_j <W_Q x_m, W_K x_j>     (one query: the cost is linear in m)
    u   = m sum_j a_j x_j  (block),  or  x_m + W_V sum_j a_j x_j  (additive)
    z+  = z_m + sum_j A_j z_j + L u + W_2 act(W_1 u + b_1) + b_2

A_j is a second head whose attention is uniform: the linear part. The same formula runs in floats, in exact
rationals (where attention is uniform and the units are relus) and in balls; only exp, max and act differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.rational import RationalRow
from exactformer.errors import InvalidInput, NotExact

#: the weights by name, in the order of files
NAMES = ("E", "p", "WQ", "WK", "WV", "L", "W1", "b1", "W2", "b2", "A")


class Functions(Protocol):
    """The functions that are not rational, for one kind of numbers."""

    def softmax(self, logits: Array) -> Array:
        """exp(l_j) / sum exp(l_i) along the last axis."""

    def activation(self, y: Array, kind: str) -> Array:
        """relu or gelu, entry by entry."""


@dataclass(frozen=True)
class DelayNetwork:
    """Weights of a time-delayed transformer on values (z - mean)/scale."""

    weights: Mapping[str, Array]
    encoding: str = "block"
    activation: str = "gelu"
    mean: tuple[float, ...] = ()
    scale: tuple[float, ...] = ()

    @property
    def window(self) -> int:
        """m."""
        return len(self.weights["p"])

    @property
    def dim(self) -> int:
        """d."""
        return int(self.weights["E"].shape[2])

    @cached_property
    def parameters(self) -> int:
        """How many numbers of the weights are not zero."""
        return sum(int(np.count_nonzero(array)) for array in self.weights.values())

    def with_weights(self, weights: Mapping[str, Array]) -> DelayNetwork:
        """The same network with other weights."""
        return replace(self, weights=dict(weights))

    def increment(self, window: Array, functions: Functions) -> Array:
        """z+ - z_m of windows (.., m, d), by the formula."""
        w = self.weights
        x = (w["E"] @ window[..., None])[..., 0] + w["p"]
        query, keys = x[..., -1, :] @ w["WQ"].T, x @ w["WK"].T
        a = functions.softmax((keys @ query[..., None])[..., 0])
        mixed = (a[..., None, :] @ x)[..., 0, :]
        u = mixed * self.window if self.encoding == "block" else x[..., -1, :] + mixed @ w["WV"].T
        hidden = functions.activation(u @ w["W1"].T + w["b1"], self.activation)
        linear = (w["A"] @ window[..., None])[..., 0].sum(axis=-2)
        return np.asarray(linear + u @ w["L"].T + hidden @ w["W2"].T + w["b2"])

    def exact(self) -> DelayNetwork:
        """The network with its weights as rationals, without hidden units that lead nowhere."""
        used = [k for k in range(self.weights["W2"].shape[1]) if np.any(self.weights["W2"][:, k] != 0)] or [0]
        idle = len(used) == 1 and not np.any(self.weights["W2"][:, used[0]] != 0)
        weights = {name: fractions(array) for name, array in self.weights.items()}
        weights |= {"W1": weights["W1"][used], "b1": weights["b1"][used], "W2": weights["W2"][:, used]}
        return replace(self, weights=weights, activation="relu" if idle else self.activation)


def fractions(array: Array) -> Array:
    """The exact values of an array, as Fractions."""
    values = [Fraction(x) for x in array.ravel().tolist()]
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result.reshape(array.shape)


class ExactFunctions:
    """Rational arithmetic: softmax of equal logits is uniform, relu is exact, anything else is refused."""

    def softmax(self, logits: Array) -> Array:
        """1/m where all logits of a window are equal."""
        if np.any(logits != logits[..., :1]):
            raise NotExact("softmax of different logits is not rational: ask for an enclosure (`bits`)")
        return np.full(logits.shape, Fraction(1, logits.shape[-1]), dtype=object)

    def activation(self, y: Array, kind: str) -> Array:
        """max(0, y)."""
        if kind != "relu":
            raise NotExact(f"{kind} is not rational: ask for an enclosure (`bits`)")
        return np.where(y > 0, y, y * 0)


class ApproxFunctions:
    """Floats."""

    def softmax(self, logits: Array) -> Array:
        """Shifted, so that nothing overflows."""
        with np.errstate(all="ignore"):
            powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
            return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

    def activation(self, y: Array, kind: str) -> Array:
        """relu, or gelu by erf."""
        if kind == "relu":
            return np.maximum(y, 0)
        from scipy.special import erf

        return np.asarray(y * (1 + erf(y / np.sqrt(2))) / 2)


def contain(coefficients: Array, intercept: Array) -> DelayNetwork:
    """The transformer that is TD-DMD, z+ = z_m + sum_j A_j z_j + b, for all windows, over the same numbers.

    Uniform attention (W_Q = 0), E_j = A_j, p_j = 0, and a pair of relus for each coordinate: relu(y) - relu(-y) = y.

    Proof: mathematics/delay#d1.
    """
    m, d, _ = coefficients.shape
    one = np.eye(d, dtype=np.int64).astype(coefficients.dtype)
    zero = one * 0
    kind = coefficients.dtype
    weights = {
        "E": coefficients, "p": np.zeros((m, d), dtype=kind), "WQ": zero, "WK": zero, "WV": zero, "L": zero,
        "W1": np.vstack([one, -one]), "b1": np.zeros(2 * d, dtype=kind), "W2": np.hstack([one, -one]),
        "b2": intercept, "A": coefficients * 0,
    }  # fmt: skip
    if kind.hasobject:
        weights = {name: fractions(array) for name, array in weights.items()}
    return DelayNetwork(weights, "block", "relu", (0.0,) * d, (1.0,) * d)


def verify_shapes(network: DelayNetwork) -> None:
    """Raises InvalidInput unless the shapes of all weights fit together."""
    w = network.weights
    if set(w) != set(NAMES):
        raise InvalidInput(f"network: expected the weights {', '.join(NAMES)}, got {', '.join(sorted(w))}")
    m, p = w["p"].shape if w["p"].ndim == 2 else (0, 0)
    d, h = len(w["b2"]), len(w["b1"])
    q = len(w["WQ"])
    positions = m if network.encoding == "block" else 1
    wanted: dict[str, tuple[int, ...]] = {
        "E": (positions, p, d), "p": (m, p), "WQ": (q, p), "WK": (q, p), "WV": (p, p), "L": (d, p),
        "W1": (h, p), "b1": (h,), "W2": (d, h), "b2": (d,), "A": (m, d, d),
    }  # fmt: skip
    for name, shape in wanted.items():
        if w[name].shape != shape or 0 in shape:
            raise InvalidInput(f"network, {name}: expected the shape {shape}, got {w[name].shape}")


def exact_rollout(network: DelayNetwork, start: list[RationalRow], steps: int) -> list[RationalRow]:
    """The next `steps` rows after `start`; raises NotExact where the network is not rational.

    >>> import numpy as np
    >>> from exactformer.studies.time_delay.network import contain
    >>> fibonacci = contain(np.array([[[1.0]], [[0.0]]]), np.array([0.0]))
    >>> exact_rollout(fibonacci, [(Fraction(1),), (Fraction(1),)], 4)
    [(Fraction(2, 1),), (Fraction(3, 1),), (Fraction(5, 1),), (Fraction(8, 1),)]
    """
    if len(start) < network.window:
        raise InvalidInput(f"expected at least {network.window} rows to start from, got {len(start)}")
    rational, functions = network.exact(), ExactFunctions()
    mean, scale = (fractions(np.array(values)) for values in (network.mean, network.scale))
    window = (np.array(start[-network.window :], dtype=object) - mean) / scale
    rows = []
    for _ in range(steps):
        new = window[-1] + rational.increment(window, functions)
        rows.append(tuple(Fraction(x) for x in new * scale + mean))
        window = np.vstack([window[1:], new[None]])
    return rows
