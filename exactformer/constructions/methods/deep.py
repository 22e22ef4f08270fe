"""Constant width: the two blocks of `shallow`, serialised into blocks of at most w units each (any w >= 1).

Proof: mathematics/constructions#theorem-d.
"""

from __future__ import annotations

import math
from fractions import Fraction

from exactformer.constructions.build_report import Step
from exactformer.constructions.distinct_means import Hinges
from exactformer.constructions.methods.shallow import Pooled, mean_pooling
from exactformer.constructions.placement import placement, safe_base
from exactformer.constructions.problem import Problem
from exactformer.constructions.projection_to_line import Line
from exactformer.constructions.target_nodes import Nodes
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Outer
from exactformer.model.transformer import Block


def flatten_shift(problem: Problem, pooled: Pooled) -> Fraction:
    """kappa: after s -> s + kappa every coordinate, node and foot of a ramp stays above every target's coordinate."""
    line = problem.line
    lowest = Fraction(int(line.values[0]), line.scale)
    at = pooled.nodes.positions
    # plateaus reach below the lowest token, and perturbed tokens must stay active: the base rises by their span
    room = math.ceil(at[-1] - at[0]) if pooled.robust else 0
    return Fraction(safe_base(line, problem.target_points) + room) - lowest


def deep_steps(problem: Problem, pooled: Pooled, width: int) -> list[Step]:
    """ceil((k+1)/w) blocks that flatten onto e*s and apply g, the last one pooling, then ceil(K/w) for placement."""
    line, kappa = problem.line, flatten_shift(problem, pooled)
    layers = serial_hinges(line, pooled.hinges, kappa, width)
    steps = [Step("tell the means apart", Block(layer, None)) for layer in layers[:-1]]
    steps.append(Step("tell the means apart and pool", Block(layers[-1], mean_pooling(line, pooled.spread))))
    placing = placement(moved_nodes(pooled, kappa), line, width)
    return steps + [Step("place", Block(layer, None)) for layer in placing]


def moved_nodes(pooled: Pooled, kappa: Fraction) -> Nodes:
    """The nodes of the shallow curve after the shift: g moves by kappa, and M times the mean by M*kappa."""
    return pooled.nodes.shifted(kappa if pooled.spread is None else (1 + pooled.spread) * kappa)


def serial_hinges(line: Line, hinges: Hinges, kappa: Fraction, width: int) -> list[FeedForward]:
    """Layers of at most `width` units whose composition is x -> e*(g(u.x) + kappa), g with the given hinges.

    The first layer forgets x (eta = 0): the flattening unit relu(u.x + kappa), active on all tokens, and the
    lowest w-1 hinges. Later ones see s = g_prev + kappa, in which the hinge c stands at g_prev(c) + kappa and
    a unit of s is 1/slope_prev of one of u.x, where g_prev collects the hinges of earlier *layers*.
    """
    at = [Fraction(int(line.values[r]), line.scale) for r in hinges.ranks]
    first = width - 1
    column = [Fraction(w) for w in (1, *hinges.weights[:first])]
    offsets = [kappa, *(-c for c in at[:first])]
    layers = [FeedForward(0, Outer([1] * len(column), line.u), offsets, Outer(line.e, column))]
    for start in range(first, len(hinges), width):
        before = list(zip(at[:start], hinges.weights[:start], strict=True))
        slope = 1 + sum(hinges.weights[:start])
        chunk = range(start, min(start + width, len(hinges)))
        offsets = [-(at[k] + kappa + sum((w * (at[k] - c) for c, w in before), Fraction(0))) for k in chunk]
        column = [Fraction(hinges.weights[k], slope) for k in chunk]
        layers.append(FeedForward(1, Outer([1] * len(column), line.u), offsets, Outer(line.e, column)))
    return layers
