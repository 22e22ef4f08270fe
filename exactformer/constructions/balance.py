"""Small norm, the same map: every unit and every state between two layers is rescaled by a power of two.

A unit w relu(u.x + b) is unchanged by (u, b) -> s(u, b), w -> w/s, and s^2 |(u, b)|^2 + |w|^2/s^2 is least where both
parts are equal: 2|(u, b)||w|; rounding s to a power of two costs a factor of at most 5/4. Between two layers the
state may be multiplied by v: the first layer's output by v, the second one's input by 1/v.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from exactformer.arithmetic.text import Exact
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Matrix, Outer, Scalar, Zero
from exactformer.model.norms import norm2, rational
from exactformer.model.transformer import Block, Transformer

#: sweeps over the states between layers
_SWEEPS = 3


@dataclass(frozen=True)
class _Layer:
    """Squared norms of a layer: `through` of eta, or rho and V; `scores` of Q and K; (|u|^2, b^2, |w|^2) of units."""

    through: float
    scores: float
    units: tuple[tuple[float, float, float], ...]

    def cost(self, before: int, after: int) -> float:
        """The squared norm with the input multiplied by 2^before and the output by 2^after."""
        total = self.through * 4.0 ** (after - before) + self.scores * 4.0**-before
        for u, b, w in self.units:
            total += 2 * math.sqrt((u * 4.0**-before + b) * (w * 4.0**after))
        return total


def balanced(transformer: Transformer) -> Transformer:
    """A transformer of the same map and shape with |Theta|^2 as small or smaller; all factors are powers of two.

    >>> wide = Transformer(1, [Block(FeedForward(0, [[1024]], [0], [["1/1024"]]))])
    >>> balanced(wide).blocks[0].feed_forward.U.rows, balanced(wide)([[3]]).rows() == wide([[3]]).rows()
    (((Fraction(1, 1),),), True)
    """
    layers = [x for block in transformer for x in (block.feed_forward, block.self_attention) if x is not None]
    exponents = _exponents([_measured(layer, transformer.dim) for layer in layers])
    around = zip(layers, pairwise(exponents), strict=True)
    scaled = iter([_scaled(layer, before, after, transformer.dim) for layer, (before, after) in around])
    blocks = []
    for block in transformer:
        ff: Any = None if block.feed_forward is None else next(scaled)
        sa: Any = None if block.self_attention is None else next(scaled)
        blocks.append(Block(ff, sa))
    found = Transformer(transformer.dim, blocks)
    return found if norm2(found).high < norm2(transformer).high else transformer


def _exponents(layers: Sequence[_Layer]) -> list[int]:
    """The exponents of the states before, between and after the layers, 0 at both ends, by descent one at a time."""
    chosen = [0] * (len(layers) + 1)
    for _ in range(_SWEEPS):
        for k in range(1, len(layers)):
            chosen[k] = _descend(layers[k - 1], layers[k], chosen[k - 1], chosen[k], chosen[k + 1])
    return chosen


def _descend(first: _Layer, second: _Layer, before: int, start: int, after: int) -> int:
    """The exponent between two layers at which their norm is least: it is convex in it."""

    def cost(k: int) -> float:
        return first.cost(before, k) + second.cost(k, after)

    for step in (1, -1):
        while cost(start + step) < cost(start) and abs(start) < 400:
            start += step
    return start


def _measured(layer: FeedForward | SelfAttention, dim: int) -> _Layer:
    if isinstance(layer, SelfAttention):
        through, scores = (
            math.fsum(_size(x) for m in ms for row in m.dense(dim, dim) for x in row)
            for ms in ((layer.V,), (layer.Q, layer.K))
        )
        return _Layer(_size(layer.rho) + through, scores, ())
    columns = list(zip(*layer.W.dense(dim, layer.width), strict=True))
    rows = layer.U.dense(layer.width, dim)
    parts = zip(rows, layer.b, columns, strict=True)
    units = tuple((math.fsum(map(_size, u)), _size(b), math.fsum(map(_size, w))) for u, b, w in parts)
    return _Layer(_size(layer.eta), 0.0, units)


def _size(number: Exact) -> float:
    """x^2 as a float, for choosing; huge and tiny numbers are cut off."""
    x = rational(number)
    if not x:
        return 0.0
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    return float(x) ** 2 if abs(exponent) < 400 else 4.0 ** max(-400, min(400, exponent))


def _scaled(layer: FeedForward | SelfAttention, before: int, after: int, dim: int) -> FeedForward | SelfAttention:
    """The layer on states multiplied by 2^before and 2^after, every unit balanced."""
    change = _power(after - before)
    if isinstance(layer, SelfAttention):
        inward = _power(-before)
        Q, K = (_times(m, inward) for m in (layer.Q, layer.K))
        return replace(layer, rho=layer.rho * change, V=_times(layer.V, change), Q=Q, K=K)
    factors = []
    for u, b, w in _measured(layer, dim).units:
        inner, outer = u * 4.0**-before + b, w * 4.0**after
        factors.append(_power(round(math.log2(outer / inner) / 4)) if inner and outer else Fraction(1))
    U = _times_rows(layer.U, [f * _power(-before) for f in factors])
    W = _times_columns(layer.W, [_power(after) / f for f in factors])
    return FeedForward(layer.eta * change, U, [b * f for b, f in zip(layer.b, factors, strict=True)], W)


def _power(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


def _times(m: Matrix, c: Fraction) -> Matrix:
    if isinstance(m, Outer):
        return Outer([c * x for x in m.column], m.row)
    if isinstance(m, Scalar):
        return Scalar(c * m.c)
    return m if isinstance(m, Zero) else Dense([[c * x for x in row] for row in m.dense(0, 0)])


def _times_rows(m: Matrix, factors: Sequence[Fraction]) -> Matrix:
    if isinstance(m, Outer):
        return Outer([f * x for f, x in zip(factors, m.column, strict=True)], m.row)
    if isinstance(m, Zero):
        return m
    rows = m.dense(len(factors), len(factors))
    return Dense([[f * x for x in row] for f, row in zip(factors, rows, strict=True)])


def _times_columns(m: Matrix, factors: Sequence[Fraction]) -> Matrix:
    if isinstance(m, Outer):
        return Outer(m.column, [f * x for f, x in zip(factors, m.row, strict=True)])
    if isinstance(m, Zero):
        return m
    rows = m.dense(len(factors), len(factors))
    return Dense([[f * x for f, x in zip(factors, row, strict=True)] for row in rows])
