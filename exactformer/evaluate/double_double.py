"""Double-double arithmetic on arrays: a number is a pair (h, l) of float64 arrays with h = RN(h + l).

Every operation here errs by at most ERROR = 2^-102 = 16 u^2 of its result, also under cancellation. Sums: 2 u^2 and
3 u^2 + 13 u^3 (Joldes, Muller, Popescu, hal-01351529, proved in Coq by Muller and Rideau); products without FMA:
8 u^2 + O(u^3), u^2 for the dropped term, u^2 + u^2 + 2 u^2 for the mixed ones, 3 u^2 for adding them; reciprocals and
inverse roots below 12 u^2, one step of third order from float64. Operations assume that nothing overflows (else the
result is not finite) and that what underflows is below 2^-400 (the radii add that).
"""

from __future__ import annotations

import numpy as np
from flint import arb

from exactformer.evaluate.outward import Floats

Pair = tuple[Floats, Floats]
#: one number for all entries
PairOfFloats = tuple[float, float]

#: the relative error of one operation
ERROR = 2.0**-102
_SPLITTER = 134217729.0  # 2^27 + 1


def two_sum(a: Floats, b: Floats | float) -> Pair:
    """a + b exactly, as RN(a + b) and its error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def fast_two_sum(a: Floats, b: Floats) -> Pair:
    """a + b exactly where |a| >= |b| or a is 0."""
    s = a + b
    return s, b - (s - a)


def two_product(a: Floats, b: Floats | float) -> Pair:
    """a b exactly, as RN(a b) and its error (Dekker)."""
    p = a * b
    (ah, al), (bh, bl) = _split(a), _split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def _split(a: Floats | float) -> tuple[Floats | float, Floats | float]:
    t = _SPLITTER * a
    h = t - (t - a)
    return h, a - h


def add(x: Pair, y: Pair | PairOfFloats) -> Pair:
    """x + y, the accurate sum."""
    s, e = two_sum(x[0], y[0])
    t, f = two_sum(x[1], y[1])
    s, e = fast_two_sum(s, e + t)
    return fast_two_sum(s, e + f)


def add_float(x: Pair, b: Floats | float) -> Pair:
    """x + b for float64 numbers b."""
    s, e = two_sum(x[0], b)
    return fast_two_sum(s, e + x[1])


def multiply(x: Pair, y: Pair | PairOfFloats) -> Pair:
    """x y."""
    p, e = two_product(x[0], y[0])
    return fast_two_sum(p, e + (x[0] * y[1] + x[1] * y[0]))


def multiply_float(x: Pair, b: Floats | float) -> Pair:
    """x b for float64 numbers b."""
    p, e = two_product(x[0], b)
    return fast_two_sum(p, e + x[1] * b)


def negative(x: Pair) -> Pair:
    """-x."""
    return -x[0], -x[1]


def of_floats(a: Floats) -> Pair:
    """The float64 numbers as pairs."""
    return a, np.zeros_like(a)


def last_axis(x: Pair) -> Pair:
    """x with one more axis of length 1 at the end."""
    return x[0][..., None], x[1][..., None]


def where(mask: Floats | np.ndarray, x: Pair, otherwise: float) -> Pair:
    """x where the mask holds, else a float64 number."""
    return np.where(mask, x[0], otherwise), np.where(mask, x[1], 0.0)


def total(x: Pair) -> Pair:
    """The sums over the last axis by halving: at most log2(k) + 1 additions on every path."""
    h, l = x
    while h.shape[-1] > 1:
        k = h.shape[-1]
        m = k // 2
        s = add((h[..., :m], l[..., :m]), (h[..., m : 2 * m], l[..., m : 2 * m]))
        if k % 2:
            s = (np.concatenate([s[0], h[..., -1:]], -1), np.concatenate([s[1], l[..., -1:]], -1))
        h, l = s
    return h[..., 0], l[..., 0]


def largest(x: Pair) -> Pair:
    """The maxima over the last axis, compared by h, then by l."""
    h = x[0].max(-1)
    return h, np.where(x[0] == h[..., None], x[1], -np.inf).max(-1)


def inverse(x: Pair) -> Pair:
    """1 / x: y(1 + e + e^2) with y = fl(1 / h) and e = 1 - x y, |e| <= 2^-51; e^3 is left out."""
    y = 1.0 / x[0]
    e = add_float(negative(multiply_float(x, y)), 1.0)
    e = add_float(e, e[0] * e[0])
    return add_float(multiply_float(e, y), y)


def inverse_root(x: Pair) -> Pair:
    """x^(-1/2): y(1 + e/2 + 3e^2/8) with y = fl(h^(-1/2)) and e = 1 - x y^2, |e| <= 2^-50; e^3 is left out."""
    y = 1.0 / np.sqrt(x[0])
    e = add_float(negative(multiply(x, two_product(y, y))), 1.0)
    c = add_float((0.5 * e[0], 0.5 * e[1]), 0.375 * e[0] * e[0])
    return add_float(multiply_float(c, y), y)


def of_ball(x: arb) -> PairOfFloats:
    """The pair nearest to the midpoint of a ball; its error is at most u^2 of it and the radius of the ball.

    >>> of_ball(arb(3))
    (3.0, 0.0)
    """
    h = float(x.mid())
    return h, float((x - arb(h)).mid())
