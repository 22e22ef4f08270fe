"""The clustering mechanism for softmax: one set of weights, exact for every beta >= beta_0 and for hardmax.

The blocks of `leaders`, with three changes. Q is multiplied by a scale, so that all but a share eps of the attention
goes to the leader; every ramp lies inside a gap; and every target has a plateau of its own, on which the layer forgets
where exactly a token stands. The scale is explicit: no search. Proof: mathematics/softmax#theorem-sl.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from exactformer.arithmetic.integers import wide
from exactformer.constructions.build_report import Step
from exactformer.constructions.disjoint_sets import Separated
from exactformer.constructions.methods.leaders import separating_steps, spread_by_leaders
from exactformer.constructions.placement import placement
from exactformer.constructions.problem import Problem
from exactformer.constructions.rotation import follow, rotation_layers, separate_sets
from exactformer.constructions.target_nodes import Nodes, plateaus
from exactformer.model.transformer import Block

#: units of the widest layer of the separating stage
LEAST_WIDTH = 4
#: how far the lowest plateau reaches below its lowest token
REACH = Fraction(1, 2)


def soft_leaders_steps(problem: Problem, beta: Fraction, longest: int, width: int) -> tuple[list[Step], Fraction]:
    """At most max(1, N-1) + ceil(2 sum m / width) blocks, and the scale of Q that serves every beta >= the given one.

    `longest` is the number of tokens of the longest sequence, repetitions counted.
    """
    line = problem.line
    separated = separate_sets(problem, room=1)
    spread, nodes = spread_by_leaders(problem, separated, room=True)
    scale = sufficient_scale(
        nominal_stages(problem, separated, spread), _least_gap(separated, nodes, line.scale), longest
    )
    scale = power_of_two_above(scale / beta)
    shifts = [*(rotation.eps for rotation in separated.rotations[:-1]), spread]
    attentions = [None if shift == 0 else follow(line, shift, scale) for shift in shifts]
    steps = separating_steps(rotation_layers(line, separated.rotations, inside=True), attentions)
    placing = placement(plateaus(nodes, REACH), line, width)
    return steps + [Step("place", Block(layer, None)) for layer in placing], scale


@dataclass(frozen=True)
class LeaderStage:
    """One attention of the separating stage, in the coordinates it has with hardmax.

    `lead`: the least distance of leader and second token of a sequence (1 where every sequence has one token);
    `span`: the largest distance of leader and last token; `least`: the least coordinate; `shift`: M.
    """

    lead: Fraction
    span: Fraction
    least: Fraction
    shift: int


def nominal_stages(problem: Problem, separated: Separated, spread: int | None) -> list[LeaderStage]:
    """What the attentions of the separating stage see, with hardmax."""
    measures, scale = problem.measures, problem.line.scale
    starts, owner, several = measures.starts[:-1], measures.owner, measures.sizes > 1
    values = wide(problem.line.values[measures.ranks])
    last = 1 if spread is None else spread
    shifts = [*(rotation.eps or 0 for rotation in separated.rotations[:-1]), last]
    stages = []
    for rotation, shift in zip(separated.rotations, shifts, strict=True):
        if rotation.at is not None:
            values = values + wide(np.asarray(values <= rotation.at, dtype=np.int64)) * rotation.lift
        values = values + rotation.shift
        leaders = np.maximum.reduceat(values, starts)
        least = np.minimum.reduceat(values, starts)
        second = np.maximum.reduceat(np.where(values == leaders[owner], least[owner], values), starts)
        lead = min((leaders - second)[several].tolist(), default=scale)
        span = max((leaders - least).tolist())
        stages.append(
            LeaderStage(Fraction(lead, scale), Fraction(span, scale), Fraction(int(least.min()), scale), shift)
        )
        values = values + shift * leaders[owner]
    return stages


def _least_gap(separated: Separated, nodes: Nodes, scale: int) -> Fraction:
    """The least gap a ramp lies in that tokens reach with an error: of later rotations, and between plateaus."""
    gaps = [Fraction(r.gap, scale) for r in separated.rotations[1:] if r.gap is not None]
    at, targets = nodes.positions, nodes.targets.tolist()
    gaps += [b - a for (a, s), (b, t) in pairwise(zip(at, targets, strict=True)) if s != t]
    return min(gaps, default=Fraction(2))


def sufficient_scale(stages: list[LeaderStage], gap: Fraction, longest: int) -> Fraction:
    """beta*lambda for which every error stays below mu: 2/5 of every gap, half of every lead, coordinate and reach.

    With eps_k (span_k + mu) <= mu / prod(1 + M) the errors E_{k+1} <= (1 + M_k) E_k + M_k eps_k (span_k + E_k) stay
    below mu, and eps_k <= n 2^-e as soon as beta*lambda (least_k - mu)(lead_k - mu) >= 7e/10.
    """
    acting = [stage for stage in stages if stage.shift]
    mu = min([2 * gap / 5, REACH, *(min(stage.lead, stage.least) / 2 for stage in acting)])
    growth = math.prod(1 + stage.shift for stage in stages)
    scale = Fraction(0)
    for stage in acting:
        halvings = max(1, log2_above(longest * growth * (stage.span + mu) / mu))
        scale = max(scale, Fraction(7 * halvings, 10) / ((stage.least - mu) * (stage.lead - mu)))
    return scale


def log2_above(x: Fraction) -> int:
    """The least integer e >= 0 with 2^e >= x.

    >>> [log2_above(Fraction(x)) for x in (1, 8, 9)]
    [0, 3, 4]
    """
    return (math.ceil(x) - 1).bit_length() if x > 1 else 0


def power_of_two_above(x: Fraction) -> Fraction:
    """The least power of two >= x, for x > 0; 1 for x = 0 (no attention that needs a scale).

    >>> power_of_two_above(Fraction(5)), power_of_two_above(Fraction(3, 16))
    (Fraction(8, 1), Fraction(1, 4))
    """
    if x <= 0:
        return Fraction(1)
    return Fraction(1 << log2_above(x)) if x > 1 else Fraction(1, 1 << (math.floor(1 / x).bit_length() - 1))
