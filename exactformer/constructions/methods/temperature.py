"""Two blocks of genuine softmax attention, exact at one rational temperature (d >= 2).

The first layer flattens tokens onto the line and gives all of them the same query, so that every token of sequence j
sees the same mean t_j, with weights exp(rate * s). Different measures have different means t_j at every rational rate
(Lindemann-Weierstrass), so enclosures of them, refined, become disjoint; around every enclosure the last layer is
constant. Proof: mathematics/softmax#theorem-st.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb, ctx, fmpq

from exactformer.arithmetic.ball import START_BITS, ends
from exactformer.constructions.build_report import Step
from exactformer.constructions.curve import curve
from exactformer.constructions.problem import Problem
from exactformer.constructions.target_nodes import Nodes, of_list, plateaus, spread_entries
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer
from exactformer.model.transformer import Block

MeanEnds = tuple[Fraction, Fraction]
#: rates tried are powers of two around 1/span: 2^-3/span .. 2^6/span
_EXPONENTS = range(-3, 7)
#: bits at which rates are compared
_PROPOSING = 128


def temperature_steps(problem: Problem, beta: Fraction) -> list[Step]:
    """Two blocks of widths 2 and at most 2 sum m - 1, exact for softmax attention at this inverse temperature."""
    line = problem.line
    dim = len(line.u)
    rate = propose_rate(problem)
    pooled = separated_means(problem, rate)
    other = tuple(int(i == (line.axis + 1) % dim) for i in range(dim))
    floor = Fraction(-int(line.values[0]), line.scale)
    flatten = FeedForward(0, Dense([line.u, (0,) * dim]), [floor, 1], Dense(zip(line.e, other, strict=True)))
    weight, rho = (1, 0) if pooled.spread is None else (pooled.spread, 1)
    value = Outer([weight * c for c in line.e], line.e)
    attention = SelfAttention(rho, value, Outer([1], other), Outer([rate / beta], line.e), beta=beta)
    nodes = plateaus(_nodes(problem, pooled))
    return [
        Step("flatten and take the softmax means", Block(flatten, attention)),
        Step("follow the plateaus", Block(curve(nodes, replace(line, u=line.e)), None)),
    ]


@dataclass(frozen=True)
class SoftMeans:
    """Enclosures of the softmax means of all measures, disjoint, and M of the shift by M times the mean (or None)."""

    means: list[MeanEnds]
    order: list[int]
    spread: int | None


def propose_rate(problem: Problem) -> Fraction:
    """A power of two for which the least gap between two softmax means is large; any rate other than 0 is right."""
    values = _values(problem)
    span = values[-1] or Fraction(1)
    base = Fraction(2) ** (span.denominator.bit_length() - span.numerator.bit_length())
    rates = [base * Fraction(2) ** k for k in _EXPONENTS]

    def least_gap(rate: Fraction) -> float:
        middles = sorted(float(mean.mid()) for mean in softmax_means(problem, rate, _PROPOSING))
        return min((b - a for a, b in pairwise(middles)), default=0.0)

    return max(rates, key=least_gap)


def separated_means(problem: Problem, rate: Fraction) -> SoftMeans:
    """Enclosures of the means, with doubled precision until the positions t_j, or s + M t_j, are disjoint.

    That they become disjoint is the theorem: no bound on the bits is known, and none is needed.
    """
    values = _values(problem)
    step = min((b - a for a, b in pairwise(values)), default=Fraction(1))
    bits = START_BITS
    while True:
        means = [ends(mean) for mean in softmax_means(problem, rate, bits)]
        order = sorted(range(len(means)), key=means.__getitem__)
        bits *= 2
        if any(means[i][1] >= means[j][0] for i, j in pairwise(order)):
            continue
        if problem.single:
            return SoftMeans(means, order, None)
        spread = _spread(problem, values, means, order)
        if 4 * spread * max(high - low for low, high in means) < step:  # tokens of one sequence stay apart
            return SoftMeans(means, order, spread)


def softmax_means(problem: Problem, rate: Fraction, bits: int) -> list[arb]:
    """Balls around t_j = sum c s exp(rate s) / sum c exp(rate s) over the coordinates s >= 0 of measure j."""
    values, measures = _values(problem), problem.measures
    means = []
    with ctx.workprec(bits):
        points = [arb(fmpq(s.numerator, s.denominator)) for s in values]
        speed = arb(fmpq(rate.numerator, rate.denominator))
        for start, stop in pairwise(measures.starts.tolist()):
            at = [points[r] for r in measures.ranks[start:stop].tolist()]
            counts = measures.counts[start:stop].tolist()
            weights = [n * (speed * (s - at[-1])).exp() for n, s in zip(counts, at, strict=True)]
            total = sum(weights, arb(0))
            means.append(sum((w * s for w, s in zip(weights, at, strict=True)), arb(0)) / total)
    return means


def _spread(problem: Problem, values: list[Fraction], means: list[MeanEnds], order: list[int]) -> int:
    """An integer M >= 0 with the intervals s + M t_j of different sequences apart by half the distance of the means."""
    starts, ranks = problem.measures.starts, problem.measures.ranks
    spread = 0
    for i, j in pairwise(order):
        overlap = values[ranks[starts[i + 1] - 1]] - values[ranks[starts[j]]]
        spread = max(spread, (overlap / (means[j][0] - means[i][1]) + Fraction(1, 2)).__floor__() + 1)
    return spread


def _nodes(problem: Problem, pooled: SoftMeans) -> Nodes:
    """Both ends of every enclosure that is to get a target, in increasing order."""
    values, ranks = _values(problem), problem.measures.ranks
    order = np.array(pooled.order, dtype=np.int64)
    if pooled.spread is None:
        ends = [(pooled.means[j], problem.targets[j][0]) for j in pooled.order]
    else:
        ends = []
        for entry, owner, target in zip(*(a.tolist() for a in spread_entries(problem, order)), strict=True):
            low, high = (values[ranks[entry]] + pooled.spread * t for t in pooled.means[owner])
            ends.append(((low, high), target))
    listed = [(t, target) for interval, target in ends for t in interval]
    return of_list(listed, problem.points, problem.point_scale)


def _values(problem: Problem) -> list[Fraction]:
    """The coordinates of all tokens from the least one on."""
    line = problem.line
    return [Fraction(int(v) - int(line.values[0]), line.scale) for v in line.values]
