"""Level A: midpoints in float64, in batches.

A dot product of length k errs by at most gamma_k |x|^T |w|, in any order of summation and with or without FMA, since
every term passes at most k roundings; division and square root are correctly rounded, exp and GELU come from tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from exactformer.evaluate.double_double import Pair
from exactformer.evaluate.function_tables import EXP_BELOW, EXP_FLOAT64, GELU_FLOAT64, activation_table, exp_float64
from exactformer.evaluate.midpoints import Ids, Midpoints, Normalised, Seen, Weighted
from exactformer.evaluate.outward import Floats, U, gamma, length, size, up
from exactformer.model.network import Network


class Float64Midpoints(Midpoints[Floats]):
    """The steps of a network in float64."""

    level = "float64"

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self._matrices: dict[str, Floats] = {}

    def each(self, x: Floats, function: Callable[[Floats], Floats]) -> Floats:
        return function(x)

    def float64(self, x: Floats) -> Floats:
        return x

    def exactly(self, x: Floats) -> Floats:
        return x

    def descending(self, x: Floats) -> Ids:
        return np.argsort(-x, axis=-1, kind="stable")

    def difference(self, x: Floats, y: Floats) -> tuple[Floats, float]:
        return x - y, 0.0

    def total(self, rows: Sequence[Floats]) -> tuple[Floats, Floats]:
        return sum(rows[1:], rows[0]), up(gamma(len(rows)) * np.sum([length(row) for row in rows], axis=0))

    def linear(self, x: Floats, name: str, bias: str) -> tuple[Floats, Floats]:
        """One more rounding for the bias: gamma_(k+1) (|x|^T |W| + |b|)."""
        if name not in self._matrices:
            self._matrices[name] = self.norms.matrix(name)
        W, b = self._matrices[name], self.array(bias)
        return x @ W + b, up(gamma(len(W) + 1) * (length(x) * self.norms.size(name) + size(b)))

    def logits(self, x: Floats) -> tuple[Floats, Floats]:
        y, _ = self.linear(x, *self.norms.head)
        lengths, b = self.norms.head_lengths(None), np.abs(self.array("head_bias"))
        return y, up(gamma(x.shape[-1] + 1) * (length(x)[..., None] * lengths + b))

    def added(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        total = x + y
        return total, up(U * length(total))

    def normalised(self, x: Floats) -> Normalised[Floats]:
        """The mean errs by gamma_d sum|x| / d, hence c by gamma_d |x| and the rounding of the difference.

        The variance is a sum of d + 1 nonnegative terms with gamma_(d+4), its root errs by half of that and u.
        """
        d = x.shape[-1]
        c = x - x.sum(-1, keepdims=True) / d
        s = np.sqrt(np.einsum("...i,...i->...", c, c) / d + float(self.network.architecture.epsilon))
        centring = up(gamma(d + 4) * length(x))
        return Normalised(c / s[..., None], s * (1 - gamma(d + 8)), centring, up(gamma(d + 8) * math.sqrt(d)))

    def scaled(self, z: Floats, gain: Floats, bias: Floats) -> tuple[Floats, float]:
        largest = float(np.abs(gain).max())
        return z * gain + bias, up(gamma(3) * (largest * math.sqrt(z.shape[-1]) + size(bias)))

    def activated(self, u: Floats) -> tuple[Floats, Floats]:
        kind = self.network.architecture.activation
        if kind == "relu":
            return np.maximum(u, 0.0), np.zeros(u.shape[:-1])
        return activation_table(kind).float64(u), up(GELU_FLOAT64 * length(np.maximum(np.abs(u), 1.0)))

    def scores(self, q: Floats, k: Floats, factors: Pair, seen: Seen) -> tuple[Floats, Floats]:
        """gamma_(d_k) for the sum, 2 more for the factor and the product; u for the shift."""
        factor = factors[0]
        s = (q @ k.swapaxes(-1, -2)) * factor
        t = s - np.where(seen, s, -np.inf).max(-1, keepdims=True)
        error = gamma(q.shape[-1] + 3) * factor * length(q)[..., :, None] * length(k)[..., None, :] + U * np.abs(t)
        return np.where(seen, t, 0.0), np.where(seen, up(error), 0.0)

    def softmax(self, t: Floats, seen: Seen) -> Weighted[Floats]:
        """Numerator and sum (>= 1) err by EXP_FLOAT64 each, gamma_n for adding, n EXP_BELOW, and u for dividing."""
        n = t.shape[-1]
        w = np.where(seen, exp_float64(t), 0.0)
        p = np.where(seen, w / w.sum(-1, keepdims=True), 0.0)
        errors = up(p * (3 * EXP_FLOAT64 + gamma(n + 2)) + 2 * EXP_BELOW)
        return Weighted(p, np.where(seen, errors, 0.0), up(gamma(n + 2)))

    def where(self, mask: Seen, x: Floats, y: Floats) -> Floats:
        return np.where(mask, x, y)

    def mixed(self, p: Floats, v: Floats) -> tuple[Floats, Floats]:
        return p @ v, up(gamma(v.shape[-2]) * (p @ length(v)[..., None])[..., 0])

    def mean(self, x: Floats) -> tuple[Floats, Floats]:
        n = x.shape[-2]
        return x.sum(-2, keepdims=True) / n, up(gamma(n + 1) * length(x).sum(-1, keepdims=True) / n)
