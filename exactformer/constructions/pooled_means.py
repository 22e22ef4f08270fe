"""Every sequence becomes one number, different measures different ones: the mean of u.x, of hinges, or of tents.

With several targets per sequence every token becomes a number of its own instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array, objects, wide
from exactformer.constructions.build_report import Step
from exactformer.constructions.coordinate_layers import flatten, tent
from exactformer.constructions.distinct_means import quotients, separating_hinges, value_sums
from exactformer.constructions.methods.shallow import hinge_layer, mean_pooling, pool
from exactformer.constructions.problem import Problem
from exactformer.constructions.scramble import draw_slopes, fold, scale_into_unit
from exactformer.model.attention import SelfAttention
from exactformer.model.matrix import Scalar, Zero
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


def spread_tokens(problem: Problem, rng: np.random.Generator) -> tuple[PooledMeans, list[int]]:
    """One value u.x' for every token of every sequence, g(u.x) + M mean g as in `shallow`, and a target for each.

    A sequence's first tokens take its rarer targets, one each, all others the most frequent one of the data.
    """
    line, measures = problem.line, problem.measures
    pooled = pool(problem, rng, robust=False)
    owner, counts = measures.owner, pooled.counts
    numerators = wide(pooled.images[measures.ranks]) * counts[owner] + (pooled.spread or 0) * pooled.totals[owner]
    values = [Fraction(p, q * line.scale) for p, q in zip(numerators.tolist(), counts[owner].tolist(), strict=True)]
    frequency = Counter(target for chosen in problem.targets for target in chosen)
    targets: list[int] = []
    for chosen, size in zip(problem.targets, measures.sizes.tolist(), strict=True):
        ordered = sorted(chosen, key=lambda target: (frequency[target], target))
        targets += ordered + ordered[-1:] * (size - len(ordered))
    block = Block(hinge_layer(line, pooled.hinges), mean_pooling(line, pooled.spread))
    return PooledMeans([Step("spread", block)], values), targets


def _after_tents(problem: Problem, bits: int, limit: int, rng: np.random.Generator) -> PooledMeans | None:
    """The means behind tents on the tokens, if fewer than `limit` numbers do."""
    line = problem.line
    low, high = (Fraction(int(line.values[k]), line.scale) for k in (0, -1))
    alpha, kappa = scale_into_unit(low, high)
    first = flatten(line.u, line.e, alpha, kappa)
    left, right = draw_slopes(bits, rng)
    scale = 2 * line.scale * alpha.denominator * kappa.denominator
    shift, factor = int(kappa * scale), int(alpha * scale) // line.scale
    tokens: Sequence[int] = [factor * v + shift for v in wide(line.values).tolist()]
    tents = 0
    while first.parameters + 4 * (tents + 1) + 1 < limit:
        tokens, tents = fold(tokens, scale >> 1, left, right), tents + 1
        scale <<= bits
        values = _means(problem, objects(tokens), scale)
        if len(set(values)) == len(values):
            layer = tent(line.e, Fraction(left, 1 << bits), Fraction(right, 1 << bits))
            pooling = SelfAttention(0, Scalar(1), Zero(), Zero())
            layers = [first, *[layer] * (tents - 1)]
            steps = [Step("scramble tokens", Block(ff, None)) for ff in layers]
            return PooledMeans([*steps, Step("scramble tokens and pool", Block(layer, pooling))], values)
    return None


def _means(problem: Problem, values: Array, scale: int) -> list[Fraction]:
    """The mean of values/scale over every measure."""
    return [Fraction(p, q * scale) for p, q in quotients(*value_sums(problem.measures, values))]
