"""exp and both forms of GELU from tables made with balls: only +, - and * in float64, whatever libraries return.

Errors, with u = 2^-53, where Horner's scheme runs on |r| <= 2^-6 and a step errs by what its last operations do:

exp(t), t <= 0, with m = rint(-64 t), r = t + m / 64 (exact in float64), |r| <= 2^-7: two tables and a polynomial.
In float64, degree 9: the polynomial 1.1 u for its last sum, 0.1 u before, truncation 2^-91; two entries of tables and
two products 4 u: below 2^-50. In pairs, degree 13, the last seven steps in pairs: 4.2 u^2 and 2^-113 for the steps in
float64, tables and products 18 u^2: below 2^-101. Below -74: 0, an absolute error below 2^-106.

GELU around j / 32, |x| <= 12: sum c_k r^k. In float64, degree 8: 2.2 u max(1, |x|) and the truncation, below 2^-50; its
derivative below 2^-45. In pairs, the terms up to r^7 in pairs: 5 u^2 max(1, |x|), and 2^-103 for the others. Beyond 12:
max(x, 0), an error below 2^-104. The bounds of the coefficients that truncation needs, those of the slopes, and the
sums of all of these are checked by machine, by balls over the whole range: tests/laws/test_function_tables.py.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import factorial

import numpy as np
from flint import arb, ctx

from exactformer.evaluate import double_double as dd
from exactformer.evaluate.double_double import Pair
from exactformer.evaluate.outward import Floats

#: relative errors of exp in float64 and in pairs, and what it may be below -74
EXP_FLOAT64, EXP_PAIR, EXP_BELOW = 2.0**-50, 2.0**-101, 2.0**-106
#: errors of GELU in float64 and in pairs over max(1, |x|), and of its slope in float64
GELU_FLOAT64, GELU_PAIR, SLOPE_ERROR = 2.0**-50, 2.0**-100, 2.0**-44
#: bounds of |GELU'| and |GELU''|, both forms
STEEPEST, MOST_CURVED = 1.13, 0.9
#: where GELU's tables end, nodes per unit, and the degrees in pairs
REACH, NODES = 12, 32
DEGREES = {"gelu": 13, "gelu_tanh": 15}
_LOWEST, _BITS = -74.0, 220


@cache
def _exp_tables() -> tuple[Pair, Pair, list[tuple[float, float]]]:
    """exp(-a), exp(-b / 64) and 1 / k! as pairs."""
    with ctx.workprec(_BITS):
        whole = np.array([dd.of_ball(arb(-a).exp()) for a in range(76)]).T
        parts = np.array([dd.of_ball((arb(-b) / 64).exp()) for b in range(64)]).T
        terms = [dd.of_ball(1 / arb(factorial(k))) for k in range(14)]
    return (whole[0], whole[1]), (parts[0], parts[1]), terms


def exp_float64(t: Floats) -> Floats:
    """exp(t) for t <= 0; 0 below -74."""
    whole, parts, terms = _exp_tables()
    alive = t >= _LOWEST
    t = np.where(alive, t, 0.0)
    m = np.rint(t * -64.0)
    r = t + m / 64.0
    at = m.astype(np.int64)
    p = np.full_like(t, terms[9][0])
    for k in range(8, -1, -1):
        p = p * r + terms[k][0]
    return np.where(alive, p * (whole[0][at >> 6] * parts[0][at & 63]), 0.0)


def exp_pair(t: Pair) -> Pair:
    """exp(t) for pairs t <= 0; 0 below -74."""
    whole, parts, terms = _exp_tables()
    alive = t[0] >= _LOWEST
    t = dd.where(alive, t, 0.0)
    m = np.rint(t[0] * -64.0)
    r = dd.add_float(t, m / 64.0)
    at = m.astype(np.int64)
    p = np.full_like(m, terms[13][0])
    for k in range(12, 6, -1):
        p = p * r[0] + terms[k][0]
    found = dd.of_floats(p)
    for k in range(6, -1, -1):
        found = dd.add(dd.multiply(found, r), terms[k])
    table = dd.multiply((whole[0][at >> 6], whole[1][at >> 6]), (parts[0][at & 63], parts[1][at & 63]))
    return dd.where(alive, dd.multiply(found, table), 0.0)


class ActivationTable:
    """GELU of one form: the coefficients of Taylor's polynomials around j / 32, one row per degree."""

    def __init__(self, kind: str) -> None:
        self.degree = DEGREES[kind]
        nodes = range(-REACH * NODES, REACH * NODES + 1)
        with ctx.workprec(_BITS):
            pairs = [[dd.of_ball(c) for c in gelu_series(kind, arb(j) / NODES, self.degree)] for j in nodes]
        self.high, self.low = (np.ascontiguousarray(part.T) for part in np.moveaxis(np.array(pairs), -1, 0))

    def float64(self, x: Floats) -> Floats:
        """GELU(x)."""
        inside, r, at = _node(x)
        p = self.high[8][at]
        for k in range(7, -1, -1):
            p = p * r + self.high[k][at]
        return np.where(inside, p, np.maximum(x, 0.0))

    def slope(self, x: Floats) -> Floats:
        """GELU'(x)."""
        inside, r, at = _node(x)
        p = 8.0 * self.high[8][at]
        for k in range(7, 0, -1):
            p = p * r + k * self.high[k][at]
        return np.where(inside, p, np.where(x > 0, 1.0, 0.0))

    def pair(self, x: Pair) -> Pair:
        """GELU(x) for pairs."""
        inside, _, at = _node(x[0])
        r = dd.add_float(dd.where(inside, x, 0.0), -np.where(inside, np.rint(x[0] * NODES), 0.0) / NODES)
        p = self.high[self.degree][at]
        for k in range(self.degree - 1, 7, -1):
            p = p * r[0] + self.high[k][at]
        found = dd.of_floats(p)
        for k in range(7, -1, -1):
            found = dd.add(dd.multiply(found, r), (self.high[k][at], self.low[k][at]))
        low = np.where(x[0] > 0, x[1], 0.0)
        return np.where(inside, found[0], np.maximum(x[0], 0.0)), np.where(inside, found[1], low)


@cache
def activation_table(kind: str) -> ActivationTable:
    """The table of `gelu` or `gelu_tanh`, made once."""
    return ActivationTable(kind)


def _node(x: Floats) -> tuple[np.ndarray, Floats, np.ndarray]:
    """Which x the table covers, their distance from the nearest node, and the number of that node."""
    inside = np.abs(x) <= REACH
    y = np.where(inside, x, 0.0)
    m = np.rint(y * NODES)
    return inside, y - m / NODES, m.astype(np.int64) + REACH * NODES


def gelu_series(kind: str, x: arb, degree: int) -> list[arb]:
    """The coefficients of (x + r)^k up to the degree, of GELU around x; over a ball x, balls that hold them all."""
    return _erf_series(x, degree) if kind == "gelu" else _tanh_series(x, degree)


def _erf_series(x: arb, degree: int) -> list[arb]:
    """x Phi(x), with Phi^(k) = (-1)^(k-1) He_(k-1) phi."""
    phi = (-x * x / 2).exp() / (2 * arb.pi()).sqrt()
    hermite = [arb(1), x]
    for k in range(2, degree + 1):
        hermite.append(x * hermite[-1] - (k - 1) * hermite[-2])
    Phi = [((x / arb(2).sqrt()).erf() + 1) / 2]
    Phi += [(-1) ** (k - 1) * hermite[k - 1] * phi / factorial(k) for k in range(1, degree + 1)]
    return [x * Phi[0]] + [x * Phi[k] + Phi[k - 1] for k in range(1, degree + 1)]


def _tanh_series(x: arb, degree: int) -> list[arb]:
    """x / (1 + e^-w) for x > 0, x e^w / (1 + e^w) else, w = sqrt(8 / pi) (x + 0.044715 x^3): no large exponential."""
    right = bool(x.mid() > 0)
    c, cube = (arb(8) / arb.pi()).sqrt() * (-1 if right else 1), arb(44715) / 10**6
    w = [c * (x + cube * x * x * x), c * (1 + 3 * cube * x * x), c * 3 * cube * x, c * cube]
    e = [w[0].exp()]
    for k in range(1, degree + 1):  # e' = w' e
        e.append(sum((j * w[j] * e[k - j] for j in range(1, min(3, k) + 1)), arb(0)) / k)
    top = [x, arb(1)] + [arb(0)] * degree if right else [x * e[0]] + [x * b + a for a, b in pairwise(e)]
    found: list[arb] = []
    for k in range(degree + 1):  # (1 + e) found = top
        found.append((top[k] - sum((e[k - j] * found[j] for j in range(k)), arb(0))) / (1 + e[0]))
    return found
