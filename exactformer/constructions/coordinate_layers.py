"""Feed-forward layers that act on one coordinate alone, and the tents among them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer

Rational = Fraction | int

#: a matrix of at most so many entries is written out: that saves the two ones of a rank-one form
_WRITTEN_OUT = 4096


def units_on(
    e: Sequence[int], eta: Rational, slopes: Sequence[Rational], biases: Sequence[Rational], weights: Sequence[Rational]
) -> FeedForward:
    """x -> eta*x + e * sum weights[k] relu(slopes[k] <e, x> + biases[k]), e a unit vector."""
    if len(slopes) * len(e) <= _WRITTEN_OUT:
        rows = [[slope * c for c in e] for slope in slopes]
        return FeedForward(eta, Dense(rows), biases, Dense([[weight * c for weight in weights] for c in e]))
    return FeedForward(eta, Outer(slopes, e), biases, Outer(e, weights))


def flatten(row: Sequence[int], e: Sequence[int], alpha: Rational, kappa: Rational) -> FeedForward:
    """x -> e * relu(alpha <row, x> + kappa): everything onto the axis."""
    return FeedForward(0, Dense([[alpha * c for c in row]]), [kappa], Dense([[c] for c in e]))


def tent(e: Sequence[int], left: Rational, right: Rational) -> FeedForward:
    """z -> left*z up to 1/2, then falling with slope -right, on the axis e: one unit, four numbers.

    >>> fold = tent((1,), 2, 2)
    >>> [fold.apply([Fraction(z, 4)])[0] for z in (0, 1, 2, 3, 4)] == [0, Fraction(1, 2), 1, Fraction(1, 2), 0]
    True
    """
    return units_on(e, left, [1], [Fraction(-1, 2)], [-(left + right)])
