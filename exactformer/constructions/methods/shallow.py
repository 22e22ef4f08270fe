"""Two blocks: tell the means apart, pool the mean, and follow a curve through all targets (any d >= 1).

Proof: mathematics/constructions#theorem-s.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.constructions.build_report import Step
from exactformer.constructions.curve import curve
from exactformer.constructions.distinct_means import Hinges, separating_hinges, value_sums
from exactformer.constructions.empirical_measures import Indices
from exactformer.constructions.problem import Problem
from exactformer.constructions.projection_to_line import Line
from exactformer.constructions.target_nodes import (
    Nodes,
    collapsed_nodes,
    least_spread,
    order_by_mean,
    plateaus,
    spread_entries,
    without_inner,
)
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Outer, Zero
from exactformer.model.transformer import Block


@dataclass(frozen=True)
class Pooled:
    """The data after one hinge layer g and mean pooling, still on the line: t = rho*g(s) + M*mean g.

    `spread` is M, or None where every sequence collapses to its mean (rho = 0, one target each);
    `images` are the values of g in the scale of the line; `order` sorts the measures by `totals`/`counts`.
    """

    hinges: Hinges
    images: Array
    totals: Array
    counts: Array
    order: Indices
    spread: int | None
    robust: bool
    nodes: Nodes


def pool(problem: Problem, rng: np.random.Generator, *, robust: bool) -> Pooled:
    """Hinges, spread and nodes: the intervals of different measures are disjoint, in the order of their means."""
    line, measures = problem.line, problem.measures
    hinges = separating_hinges(measures, line.values, rng)
    images = hinges.apply(line.values)
    totals, counts = value_sums(measures, images)
    order = order_by_mean(totals, counts)
    if problem.single:
        spread = None
        nodes = collapsed_nodes(problem, order, totals, counts * line.scale)
    else:
        low = images[measures.ranks[measures.starts[:-1]]].astype(object)[order]
        high = images[measures.ranks[measures.starts[1:] - 1]].astype(object)[order]
        spread = least_spread(totals[order], counts[order], low, high)
        entries, owners, targets = spread_entries(problem, order)
        tokens = images[measures.ranks[entries]].astype(object)
        numerators = tokens * counts[owners] + spread * totals[owners]
        nodes = Nodes(numerators, counts[owners] * line.scale, targets, problem.points, problem.point_scale)
    nodes = without_inner(nodes)
    return Pooled(hinges, images, totals, counts, order, spread, robust, plateaus(nodes) if robust else nodes)


def hinge_layer(line: Line, hinges: Hinges) -> FeedForward | None:
    """x -> x + e * sum w_k relu(u.x - c_k); None (the identity) without hinges."""
    if not hinges.ranks:
        return None
    thresholds = tuple(Fraction(-int(line.values[r]), line.scale) for r in hinges.ranks)
    return FeedForward(1, Outer([1] * len(hinges), line.u), thresholds, Outer(line.e, hinges.weights))


def mean_pooling(line: Line, spread: int | None) -> SelfAttention | None:
    """Q = K = 0, so every token sees the mean: collapse to it, or spread the sequences by M times it."""
    if spread == 0:
        return None
    weight = 1 if spread is None else spread
    value = Outer([weight * c for c in line.e], line.u)
    return SelfAttention(rho=0 if spread is None else 1, V=value, Q=Zero(), K=Zero())


def shallow_steps(problem: Problem, pooled: Pooled) -> list[Step]:
    """The two blocks; mean pooling alone mixes tokens, so they serve softmax attention at every temperature too."""
    line = problem.line
    return [
        Step(
            "tell the means apart and pool", Block(hinge_layer(line, pooled.hinges), mean_pooling(line, pooled.spread))
        ),
        Step("follow the curve", Block(curve(pooled.nodes, line), None)),
    ]
