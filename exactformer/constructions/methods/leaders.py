"""The clustering mechanism: rank-one attention lets every token follow the leader of its sequence."""

from __future__ import annotations

import numpy as np

from exactformer.arithmetic.integers import Array, wide
from exactformer.constructions.build_report import Step
from exactformer.constructions.disjoint_sets import Separated
from exactformer.constructions.measures import Indices
from exactformer.constructions.nodes import Nodes, collapsed_nodes, least_spread, spread_entries, without_inner
from exactformer.constructions.placement import placement
from exactformer.constructions.problem import Problem
from exactformer.constructions.rotation import follow, rotation_layers, separate_sets
from exactformer.model.attention import SelfAttention
from exactformer.model.transformer import Block

#: units of every layer of this method
WIDTH = 4


def leaders_steps(problem: Problem) -> list[Step]:
    """At most max(1, N-1) blocks that make the leaders differ, the last one following them, then placement."""
    line = problem.line
    separated = separate_sets(problem)
    layers = rotation_layers(line, separated.rotations)
    shifts = [follow(line, rotation.eps) for rotation in separated.rotations[:-1]]
    attention, nodes = _last_attention(problem, separated)
    steps = [Step("separate", Block(*pair)) for pair in zip(layers[:-1], shifts, strict=True)]
    steps.append(Step("follow the leaders", Block(layers[-1], attention)))
    return steps + [Step("place", Block(layer, None)) for layer in placement(without_inner(nodes), line, WIDTH)]


def _last_attention(problem: Problem, separated: Separated) -> tuple[SelfAttention | None, Nodes]:
    """The attention after the last rotation and the nodes it leads to: collapse onto the leaders, or spread by them."""
    line, leaders = problem.line, wide(separated.leaders)
    order = np.array(sorted(range(len(leaders)), key=leaders.tolist().__getitem__), dtype=np.int64)
    if problem.single:
        return follow(line, None), collapsed_nodes(
            problem, order, leaders, np.full(len(leaders), line.scale, dtype=object)
        )
    values, starts = wide(separated.values), problem.measures.starts
    low = np.minimum.reduceat(values, starts[:-1])[order]
    ordered = leaders[order]
    spread = least_spread(ordered, np.full(len(order), 1, dtype=object), low, ordered)
    entries, owners, targets = spread_entries(problem, order)
    tokens = values[_increasing(separated.values, problem.measures.owner)[entries]]
    scales = np.full(len(entries), line.scale, dtype=object)
    nodes = Nodes(tokens + spread * leaders[owners], scales, targets, problem.points, problem.point_scale)
    return (follow(line, spread) if spread else None), nodes


def _increasing(values: Array, owner: Indices) -> Indices:
    """The entries of every sequence in increasing order of their values, sequence after sequence."""
    order = np.argsort(values, kind="stable")
    return np.asarray(order[np.argsort(owner[order], kind="stable")])
