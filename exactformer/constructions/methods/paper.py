"""The four stages of the existence theorem, under their names: separate, select leaders, collapse, interpolate.

1. *Separate*: no two sequences share a token.
2. *Select leaders*: in every sequence one token moves to the positive diagonal, above all others in every
   coordinate; m-1 further tokens move to points of a sphere with nonpositive coordinates.
3. *Collapse*: attention with Q = K = V = I lets every token on the positive ray fall onto its leader and fixes
   every point of the sphere, so that exactly m points remain.
4. *Interpolate*: along a new coordinate, injective on the remaining points, they are carried to the targets.

Width <= 4 and at most 2*sum m + 2N + 1 blocks, for d >= 2.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import add, multiply, wide
from exactformer.arithmetic.rational import RationalRow
from exactformer.arithmetic.state import State
from exactformer.constructions.build_report import Step
from exactformer.constructions.disjoint_sets import least_shift
from exactformer.constructions.placement import placement, safe_base
from exactformer.constructions.problem import Problem
from exactformer.constructions.projection_to_line import Line, injective_line
from exactformer.constructions.rotation import follow, rotation_layers, separate_sets
from exactformer.constructions.target_nodes import Nodes
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer, Scalar
from exactformer.model.transformer import Block

#: units of every layer of this method
WIDTH = 4


@dataclass(frozen=True)
class Selected:
    """One chosen token: its coordinate s on the ray, the point it moves to, and the target that point will get."""

    at: Fraction
    point: RationalRow
    target: int


def paper_steps(problem: Problem, rng: np.random.Generator) -> list[Step]:
    """Separate, select leaders, collapse, interpolate."""
    separating, positions = separate_stage(problem)
    selected = choose_leaders(problem, positions)
    selecting = select_leaders(problem.line, selected, positions)
    return [
        *(Step("separate", block) for block in separating),
        *(Step("select leaders", Block(layer, None)) for layer in selecting[:-1]),
        Step("select leaders, collapse", Block(selecting[-1], collapse())),
        *(Step("interpolate", block) for block in interpolate(problem, selected, rng)),
    ]


def separate_stage(problem: Problem) -> tuple[list[Block], list[list[Fraction]]]:
    """Stage 1: blocks after which token i of set j stands at e*positions[j][i], all positions of all sets different."""
    line, sets = problem.line, problem.measures
    separated = separate_sets(problem)
    eps = least_shift(separated.values, separated.leaders[sets.owner])
    layers = rotation_layers(line, separated.rotations)
    shifts = [*(r.eps for r in separated.rotations[:-1]), eps]
    moved = wide(add(separated.values, multiply(separated.leaders, eps)[sets.owner]))
    bounds = list(zip(sets.starts[:-1].tolist(), sets.starts[1:].tolist(), strict=True))
    positions = [[Fraction(s, line.scale) for s in moved[a:b].tolist()] for a, b in bounds]
    return [Block(layer, follow(line, shift)) for layer, shift in zip(layers, shifts, strict=True)], positions


def choose_leaders(problem: Problem, positions: list[list[Fraction]]) -> list[Selected]:
    """Per set its largest token for the diagonal, and m-1 others for different rational points of the unit sphere.

    The diagonal points (s + B)(1, .., 1) lie above every slab of stage 2, since u.x >= s + B there; those of the
    sphere have u.q <= 0, below every slab.
    """
    line = problem.line
    dim = len(line.u)
    above = max(max(p) for p in positions) + slab_width(positions)
    other = (line.axis + 1) % dim
    t = 1
    selected = []
    for tokens, targets in zip(positions, problem.targets, strict=True):
        ordered = sorted(tokens, reverse=True)
        selected.append(Selected(ordered[0], (ordered[0] + above,) * dim, targets[0]))
        for s, target in zip(ordered[1:], targets[1:], strict=False):
            t += 1
            point = [Fraction(0)] * dim
            point[line.axis], point[other] = Fraction(1 - t * t, 1 + t * t), Fraction(-2 * t, 1 + t * t)
            selected.append(Selected(s, tuple(point), target))
    return selected


def slab_width(positions: list[list[Fraction]]) -> Fraction:
    """Half the width of a slab around one token: the least gap between tokens, at most 1 (the least coordinate)."""
    ordered = sorted(s for tokens in positions for s in tokens)
    return min([Fraction(1), *(b - a for a, b in itertools.pairwise(ordered))])


def select_leaders(line: Line, selected: list[Selected], positions: list[list[Fraction]]) -> list[FeedForward]:
    """Stage 2: one tent of three units per chosen token, which moves it alone: all others are outside its slab."""
    half = slab_width(positions)
    return [tent_around(line, s.at, half, s.point) for s in selected]


def tent_around(line: Line, at: Fraction, half: Fraction, point: RationalRow) -> FeedForward:
    """x -> x + (point - e*at) * max(0, 1 - |u.x - at| / half)."""
    step = tuple((p - at * c) / half for p, c in zip(point, line.e, strict=True))
    columns = zip(step, (-2 * v for v in step), step, strict=True)
    return FeedForward(1, Outer([1, 1, 1], line.u), [half - at, -at, -half - at], Dense(tuple(columns)))


def collapse() -> SelfAttention:
    """Stage 3: attention with Q = K = V = I and rho = 0: every token falls onto its best match."""
    return SelfAttention(0, Scalar(1), Scalar(1), Scalar(1))


def interpolate(problem: Problem, selected: list[Selected], rng: np.random.Generator) -> list[Block]:
    """Stage 4: flatten along a new u that tells all remaining points apart, then placement."""
    remaining = State.of([s.point for s in selected])
    line = injective_line(remaining, rng)
    kappa = safe_base(line, problem.target_points) - Fraction(int(line.values[0]), line.scale)
    flatten = FeedForward(0, Outer([1], line.u), [kappa], Outer(line.e, [1]))
    order = np.argsort(line.rank)
    numerators = wide(line.values)
    chosen = np.array([selected[i].target for i in order.tolist()], dtype=np.int64)
    scales = np.full(len(order), line.scale, dtype=object)
    nodes = Nodes(numerators, scales, chosen, problem.points, problem.point_scale).shifted(kappa)
    return [Block(flatten, None), *(Block(layer, None) for layer in placement(nodes, line, WIDTH))]
