"""A feed-forward layer that is a piecewise-linear curve of u.x: one hinge per node, all rows of U parallel to u."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array, wide
from exactformer.constructions.projection_to_line import Line
from exactformer.constructions.target_nodes import Nodes
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer

#: numbers of which a long curve has many: one object each
_ZERO, _ONE = Fraction(0), Fraction(1)


def curve(nodes: Nodes, line: Line) -> FeedForward:
    """x -> f(u.x) with f the piecewise-linear curve through the nodes, at most as many units as nodes.

    f(t) = y_1 + sum of (slope after t_i - slope before t_i) relu(t - t_i) over all nodes but the last, with
    slope 0 before the first: the constant y_1 is a unit with U = 0, b = 1, since the layer has no output
    bias. Units without effect (collinear nodes, y_1 = 0) are left out.
    """
    first = wide(nodes.points[nodes.targets[0]])
    jumps, scales = _slope_jumps(nodes)
    acting = [i for i in range(len(jumps)) if any(jumps[i])]
    constant = bool(any(first)) or not acting
    rows = [_rationals(jumps[i], scales[i]) for i in acting]
    thresholds = [Fraction(-p, q) for p, q in zip(nodes.numerators[acting], nodes.denominators[acting], strict=True)]
    if constant:
        rows.insert(0, tuple(Fraction(y, nodes.point_scale) for y in first))
        thresholds.insert(0, Fraction(1))
    slopes = (_ZERO,) * constant + (_ONE,) * len(acting)
    u = tuple(map(Fraction, line.u))
    return FeedForward(Fraction(0), Outer(slopes, u), tuple(thresholds), Dense(tuple(zip(*rows, strict=True))))


def _slope_jumps(nodes: Nodes) -> tuple[Array, list[int]]:
    """The change of slope at every node but the last: row i over scales[i]."""
    p, q = nodes.numerators, nodes.denominators
    rises = np.diff(wide(nodes.points[nodes.targets]), axis=0)
    # t_{i+1} - t_i = runs[i] / spans[i]
    runs, spans = p[1:] * q[:-1] - p[:-1] * q[1:], q[1:] * q[:-1]
    after = rises * spans[:, None]
    jumps = after.copy()
    jumps[1:] = after[1:] * runs[:-1, None] - after[:-1] * runs[1:, None]
    scales = runs * nodes.point_scale
    scales[1:] = scales[1:] * runs[:-1]
    return jumps, scales.tolist()


def _rationals(numerators: Iterable[int], denominator: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(v, denominator) if v else _ZERO for v in numerators)
