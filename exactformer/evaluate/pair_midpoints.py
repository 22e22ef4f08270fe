"""Level B: midpoints in double-double, products from exact slices.

With u = 2^-53: a sum of pairs errs by 3.01 u^2 of its result, one with a float64 number by 2.01 u^2, a product by 8.1
u^2, a reciprocal or inverse root by 8 u^2 (`double_double`). A sum of k numbers by halving
passes ceil(log2 k) additions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from flint import arb, ctx, fmpq

from exactformer.evaluate import double_double as dd
from exactformer.evaluate.double_double import Pair
from exactformer.evaluate.exact_slices import SlicedMatrix, products
from exactformer.evaluate.function_tables import EXP_BELOW, EXP_PAIR, GELU_PAIR, activation_table, exp_pair
from exactformer.evaluate.midpoints import Ids, Midpoints, Normalised, Seen, Weighted
from exactformer.evaluate.outward import Floats, U, length, size, up
from exactformer.model.network import Network

#: u^2
UU = U * U


def _halvings(k: int) -> int:
    """ceil(log2 k)."""
    return (k - 1).bit_length()


class PairMidpoints(Midpoints[Pair]):
    """The steps of a network in double-double."""

    level = "double-double"

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        shape = network.architecture
        with ctx.workprec(200):
            self._epsilon = dd.of_ball(arb(fmpq(shape.epsilon.numerator, shape.epsilon.denominator)))
        self._sliced: dict[str, SlicedMatrix] = {}

    def each(self, x: Pair, function: Callable[[Floats], Floats]) -> Pair:
        return function(x[0]), function(x[1])

    def float64(self, x: Pair) -> Floats:
        return x[0]

    def exactly(self, x: Floats) -> Pair:
        return dd.of_floats(x)

    def descending(self, x: Pair) -> Ids:
        """By h, then by l, as |l| <= u|h|."""
        return np.lexsort((-x[1], -x[0]), axis=-1)

    def difference(self, x: Pair, y: Pair) -> tuple[Floats, float]:
        """(x_h - y_h) + (x_l - y_l): as |x_l| <= u|x_h|, it errs by 2.1 u of itself and by 2.1 u^2 (|x| + |y|)."""
        return (x[0] - y[0]) + (x[1] - y[1]), 4 * UU

    def total(self, rows: Sequence[Floats]) -> tuple[Pair, Floats]:
        """The first sum is exact, the second errs by 2.01 u^2."""
        found = dd.of_floats(rows[0])
        for row in rows[1:]:
            found = dd.add_float(found, row)
        return found, up(4 * UU * length(found[0]))

    def linear(self, x: Pair, name: str, bias: str) -> tuple[Pair, Floats]:
        if name not in self._sliced:
            self._sliced[name] = SlicedMatrix(self.norms.matrix(name), self.norms.spectral(name))
        matrix, shape = self._sliced[name], x[0].shape
        y, error = matrix.product((x[0].reshape(-1, shape[-1]), x[1].reshape(-1, shape[-1])))
        y = dd.add_float(y, self.array(bias))
        error = up(error + 4 * UU * length(y[0]))
        return self.each(y, lambda part: part.reshape(*shape[:-1], -1)), error.reshape(shape[:-1])

    def logits(self, x: Pair) -> tuple[Pair, Floats]:
        y, error = self.linear(x, *self.norms.head)
        return y, np.broadcast_to(error[..., None], y[0].shape)

    def added(self, x: Pair, y: Pair) -> tuple[Pair, Floats]:
        found = dd.add(x, y)
        return found, up(4 * UU * length(found[0]))

    def normalised(self, x: Pair) -> Normalised[Pair]:
        """With a = ceil(log2 d): the mean errs by (3.01 a + 9.2) u^2 sum|x| / d, the difference by 3.01 u^2 |c|.

        The variance errs by (3.01 a + 8.1 + 9.2 + 4.1) u^2 relatively, its inverse root by half of that and 8 u^2, the
        product by 8.1 u^2.
        """
        d = x[0].shape[-1]
        a = _halvings(d)
        inverse = _inverse(d)
        c = dd.add(x, dd.last_axis(dd.negative(dd.multiply(dd.total(x), inverse))))
        variance = dd.add(dd.multiply(dd.total(dd.multiply(c, c)), inverse), self._epsilon)
        z = dd.multiply(c, dd.last_axis(dd.inverse_root(variance)))
        centring, rounding = up((4 * a + 16) * UU * length(x[0])), up((2 * a + 32) * UU * math.sqrt(d))
        return Normalised(z, np.sqrt(variance[0]) * (1 - 2.0**-40), centring, rounding)

    def scaled(self, z: Pair, gain: Floats, bias: Floats) -> tuple[Pair, float]:
        """A product with a float64 number errs by 3.1 u^2, the sum by 2.01 u^2 of the result."""
        found = dd.add_float(dd.multiply_float(z, gain), bias)
        return found, up(6 * UU * (float(np.abs(gain).max()) * math.sqrt(z[0].shape[-1]) + size(bias)))

    def activated(self, u: Pair) -> tuple[Pair, Floats]:
        kind = self.network.architecture.activation
        if kind == "relu":
            return (np.maximum(u[0], 0.0), np.where(u[0] > 0, u[1], 0.0)), np.zeros(u[0].shape[:-1])
        return activation_table(kind).pair(u), up(GELU_PAIR * length(np.maximum(np.abs(u[0]), 1.0)))

    def scores(self, q: Pair, k: Pair, factors: Pair, seen: Seen) -> tuple[Pair, Floats]:
        """The error of the product times the factor, 9.2 u^2 |s| for the factor and 3.01 u^2 |t| for the shift."""
        s, error = products(q, self.each(k, lambda part: part.swapaxes(-1, -2)))
        s = dd.multiply(s, factors)
        top = dd.largest(dd.where(seen, s, -np.inf))
        t = dd.add(s, dd.last_axis(dd.negative(top)))
        error = up(error * factors[0] + 16 * UU * (np.abs(s[0]) + np.abs(t[0])))
        return dd.where(seen, t, 0.0), np.where(seen, error, 0.0)

    def softmax(self, t: Pair, seen: Seen) -> Weighted[Pair]:
        """Numerator and sum (>= 1) err by EXP_PAIR, (3.01 a + 17) u^2 and n EXP_BELOW for adding and dividing."""
        n = t[0].shape[-1]
        w = dd.where(seen, exp_pair(t), 0.0)
        p = dd.where(seen, dd.multiply(w, dd.last_axis(dd.inverse(dd.total(w)))), 0.0)
        lack = (4 * _halvings(n) + 24) * UU
        errors = up(p[0] * (2 * EXP_PAIR + lack + n * EXP_BELOW) + 2 * EXP_BELOW)
        return Weighted(p, np.where(seen, errors, 0.0), up(lack))

    def where(self, mask: Seen, x: Pair, y: Pair) -> Pair:
        return np.where(mask, x[0], y[0]), np.where(mask, x[1], y[1])

    def mixed(self, p: Pair, v: Pair) -> tuple[Pair, Floats]:
        found, error = products(p, v)
        return found, length(error)

    def mean(self, x: Pair) -> tuple[Pair, Floats]:
        n = x[0].shape[-2]
        found = dd.multiply(dd.total(self.each(x, lambda part: part.swapaxes(-1, -2))), _inverse(n))
        error = up((4 * _halvings(n) + 16) * UU * length(x[0]).sum(-1, keepdims=True) / n)
        return self.each(found, lambda part: part[..., None, :]), error


def _inverse(d: int) -> tuple[float, float]:
    """1 / d to a relative u^2."""
    with ctx.workprec(200):
        return dd.of_ball(1 / arb(d))
