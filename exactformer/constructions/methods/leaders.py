"""The clustering mechanism: rank-one attention lets every token follow the leader of its sequence.

Proof: mathematics/constructions#theorem-l.
"""

from __future__ import annotations

import numpy as np

from exactformer.arithmetic.integers import Array, wide
from exactformer.constructions.build_report import Step
from exactformer.constructions.disjoint_sets import Separated
from exactformer.constructions.empirical_measures import Indices
from exactformer.constructions.placement import placement
from exactformer.constructions.problem import Problem
from exactformer.constructions.rotation import follow, rotation_layers, separate_sets
from exactformer.constructions.target_nodes import Nodes, collapsed_nodes, least_spread, spread_entries, without_inner
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.transformer import Block

#: units of every layer of this method
WIDTH = 4


def leaders_steps(problem: Problem) -> list[Step]:
    """At most max(1, N-1) blocks that make the leaders differ, the last one following them, then placement."""
    line = problem.line
    separated = separate_sets(problem)
    spread, nodes = spread_by_leaders(problem, separated)
    shifts = [*(rotation.eps for rotation in separated.rotations[:-1]), spread]
    attentions = [None if shift == 0 else follow(line, shift) for shift in shifts]
    steps = separating_steps(rotation_layers(line, separated.rotations), attentions)
    return steps + [Step("place", Block(layer, None)) for layer in placement(nodes, line, WIDTH)]


def separating_steps(layers: list[FeedForward | None], attentions: list[SelfAttention | None]) -> list[Step]:
    """The blocks of the separating stage; the last one follows the leaders."""
    stages = ["separate"] * (len(layers) - 1) + ["follow the leaders"]
    return [Step(s, Block(layer, attention)) for s, layer, attention in zip(stages, layers, attentions, strict=True)]


def spread_by_leaders(problem: Problem, separated: Separated, *, room: bool = False) -> tuple[int | None, Nodes]:
    """(M, nodes): after the last rotation tokens move by M times their leader, M = None: they collapse onto it."""
    line, leaders = problem.line, wide(separated.leaders)
    order = np.array(sorted(range(len(leaders)), key=leaders.tolist().__getitem__), dtype=np.int64)
    if problem.single:
        scales = np.full(len(leaders), line.scale, dtype=object)
        return None, without_inner(collapsed_nodes(problem, order, leaders, scales))
    values, starts = wide(separated.values), problem.measures.starts
    low = np.minimum.reduceat(values, starts[:-1])[order]
    ordered = leaders[order]
    spread = least_spread(ordered, np.full(len(order), 1, dtype=object), low, ordered, room=room)
    entries, owners, targets = spread_entries(problem, order)
    tokens = values[_increasing(separated.values, problem.measures.owner)[entries]]
    scales = np.full(len(entries), line.scale, dtype=object)
    nodes = Nodes(tokens + spread * leaders[owners], scales, targets, problem.points, problem.point_scale)
    return spread, without_inner(nodes)


def _increasing(values: Array, owner: Indices) -> Indices:
    """The entries of every sequence in increasing order of their values, sequence after sequence."""
    order = np.argsort(values, kind="stable")
    return np.asarray(order[np.argsort(owner[order], kind="stable")])
