"""Placement: tokens on the ray e*s are carried to their targets, w nodes per block, from the top down.

*Invariant.* Before a block every token stands at e*t for a node t not yet placed (or on a plateau between
two such nodes), or already at its target y with u.y below every threshold still to come. So no later unit
acts on a placed token, whether targets coincide with each other, with inputs, or with nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from exactformer.arithmetic.rational import RationalRow
from exactformer.constructions.projection_to_line import Line
from exactformer.constructions.target_nodes import Nodes
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer


def safe_base(line: Line, targets: Iterable[RationalRow]) -> int:
    """The least integer base >= 1 with base - 1 above u.y for every target y: tokens at e*s wait at s >= base."""
    return max(1, *(math.floor(line.at(y)) + 2 for y in targets))


def placement(nodes: Nodes, line: Line, width: int) -> list[FeedForward]:
    """Layers of at most `width` units that carry e*t_i to y_i for every node: ceil(K / width) of them.

    The top `width` nodes move first. Their displacement is the piecewise-linear function of u.x that
    is 0 up to the next lower node and y_i - e*t_i at node t_i; below the lowest node it is 0 up to t_1 - 1.
    """
    at = nodes.positions
    layers = []
    for top in range(len(nodes), 0, -width):
        low = max(0, top - width)
        foot = at[low - 1] if low else at[0] - 1
        layers.append(_move(nodes, line, at, low, top, foot))
    return layers


def _move(nodes: Nodes, line: Line, at: list[Fraction], low: int, top: int, foot: Fraction) -> FeedForward:
    """x -> x + displacement(u.x) through (foot, 0) and (t_i, displacement of node i), low <= i < top."""
    hinges = [foot, *at[low:top]]
    values: list[RationalRow] = [(Fraction(0),) * len(line.u)]
    values += [_displacement(nodes, line, at, i, cut=(i == low)) for i in range(low, top)]
    jumps: list[RationalRow] = []
    before: RationalRow = values[0]
    for i in range(len(hinges) - 1):
        run = hinges[i + 1] - hinges[i]
        after = tuple((b - a) / run for a, b in zip(values[i], values[i + 1], strict=True))
        jumps.append(tuple(a - b for a, b in zip(after, before, strict=True)))
        before = after
    return hinge_layer_of(line, hinges[:-1], jumps)


def _displacement(nodes: Nodes, line: Line, at: list[Fraction], i: int, *, cut: bool) -> RationalRow:
    """y_i - e*t_i; where a plateau [t_{i-1}, t_i] is cut below node i, the whole plateau falls onto its lower end."""
    if cut and i and nodes.targets[i - 1] == nodes.targets[i]:
        return tuple((at[i - 1] - at[i]) * c for c in line.e)
    return tuple(y - at[i] * c for y, c in zip(nodes.target(i), line.e, strict=True))


def hinge_layer_of(line: Line, thresholds: list[Fraction], jumps: list[RationalRow]) -> FeedForward:
    """x -> x + sum jumps[k] relu(u.x - thresholds[k]), units without effect left out (one is kept if none has any)."""
    acting = [k for k, jump in enumerate(jumps) if any(jump)] or [0]
    columns = tuple(zip(*(jumps[k] for k in acting), strict=True))
    return FeedForward(1, Outer([1] * len(acting), line.u), tuple(-thresholds[k] for k in acting), Dense(columns))
