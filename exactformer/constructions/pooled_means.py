"""Every sequence becomes one number, different measures different ones: the mean of u.x, of hinges, or of tents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array, wide
from exactformer.constructions.axis import tent
from exactformer.constructions.build_report import Step
from exactformer.constructions.distinct_means import quotients, separating_hinges, sums
from exactformer.constructions.methods.shallow import hinge_layer, mean_pooling
from exactformer.constructions.problem import Problem
from exactformer.constructions.scramble import draw_slopes, fold, scale_into_unit
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Scalar, Zero
from exactformer.model.transformer import Block

#: draws of slopes, of 6, 8, .. bits, before tents on the tokens are given up
_DRAWS = 3


@dataclass(frozen=True)
class PooledMeans:
    """Blocks that collapse sequence j to values[j] times e, all values different."""

    steps: list[Step]
    values: list[Fraction]

    @property
    def parameters(self) -> int:
        """The nonzero numbers of the blocks."""
        return sum(step.block.parameters for step in self.steps)


def pooled_means(problem: Problem, rng: np.random.Generator) -> PooledMeans:
    """The means of u.x where they differ; else of hinges, as in `shallow`, or of tents on the tokens if they are fewer.

    Hinges always exist, up to N - 1 of them; K0 tents of the same slopes may merge measures, and are then drawn again.
    """
    line, measures = problem.line, problem.measures
    hinges = separating_hinges(measures, line.values, rng)
    attention = mean_pooling(line, None)
    values = _means(problem, hinges.apply(line.values), line.scale)
    first = PooledMeans([Step("pool", Block(hinge_layer(line, hinges), attention))], values)
    if not hinges.ranks:
        return first
    for draw in range(_DRAWS):
        found = _after_tents(problem, 6 + 2 * draw, first.parameters, rng)
        if found is not None:
            return found
    return first


def _after_tents(problem: Problem, bits: int, limit: int, rng: np.random.Generator) -> PooledMeans | None:
    """The means behind tents on the tokens, if fewer than `limit` numbers do."""
    line = problem.line
    low, high = (Fraction(int(line.values[k]), line.scale) for k in (0, -1))
    alpha, kappa = scale_into_unit(low, high)
    flatten = FeedForward(0, Dense([[alpha * c for c in line.u]]), [kappa], Dense([[c] for c in line.e]))
    left, right = draw_slopes(bits, rng)
    scale = 2 * line.scale * alpha.denominator * kappa.denominator
    shift, factor = int(kappa * scale), int(alpha * scale) // line.scale
    tokens: Sequence[int] = [factor * v + shift for v in wide(line.values).tolist()]
    tents = 0
    while flatten.parameters + 4 * (tents + 1) + 1 < limit:
        tokens, tents = fold(tokens, scale >> 1, left, right), tents + 1
        scale <<= bits
        values = _means(problem, _objects(tokens), scale)
        if len(set(values)) == len(values):
            layer = tent(line.e, Fraction(left, 1 << bits), Fraction(right, 1 << bits))
            pooling = SelfAttention(0, Scalar(1), Zero(), Zero())
            layers = [flatten, *[layer] * (tents - 1)]
            steps = [Step("scramble tokens", Block(ff, None)) for ff in layers]
            return PooledMeans([*steps, Step("scramble tokens and pool", Block(layer, pooling))], values)
    return None


def _means(problem: Problem, values: Array, scale: int) -> list[Fraction]:
    """The mean of values/scale over every measure."""
    return [Fraction(p, q * scale) for p, q in quotients(*sums(problem.measures, values))]


def _objects(values: Sequence[int]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
