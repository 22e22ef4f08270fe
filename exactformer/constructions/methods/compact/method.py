"""About 7 sqrt(N) numbers for N two-class labels: the slopes of one piecewise-linear function are the memory.

pool      every sequence becomes one number: the mean of u.x            (pooled_means)
spread    with several targets, every token of a sequence one of its own
scale     into [1/16, 15/16]
scramble  K skew tents: pseudo-random keys X                            (scramble)
write     f(X), G linear pieces; the slope of each holds its labels     (slope_memory, slope_search)
read      L tents: T^L(z) = distance of 2^L z to the even integers
name      a staircase with one plateau a class                          (arcs)

Everything happens on one axis, and all maps are continuous: only `name` has ramps, and no key falls onto one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from exactformer.constructions.build_report import Step
from exactformer.constructions.coordinate_layers import flatten, tent, units_on
from exactformer.constructions.methods.compact.arcs import Arcs
from exactformer.constructions.methods.compact.slope_memory import Memory, Piece
from exactformer.constructions.pooled_means import pooled_means, spread_tokens
from exactformer.constructions.problem import Problem
from exactformer.constructions.scramble import Keys, scale_into_unit, scramble, slope_bits
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense
from exactformer.model.transformer import Block

Tell = Callable[[int, int], None]

#: batches of proposals for a slope
_BATCHES = 16
#: labels a slope is asked to hold at most: beyond, lattice reduction takes too long
MOST_LABELS = 128
#: groups looked at to judge a number of tents
_SAMPLES = 3


@dataclass(frozen=True)
class Written:
    """The keys, and the pieces of f that hold their labels for so many doublings."""

    keys: Keys
    doublings: int
    pieces: list[Piece]


def compact_steps(
    problem: Problem, groups: int | None, rng: np.random.Generator, tell: Tell | None = None
) -> tuple[list[Step], int]:
    """The blocks, and the number of linear pieces that hold the labels; `groups` wants at most so many."""
    e = problem.line.e
    if problem.single:
        means, labels, row = pooled_means(problem, rng), [target[0] for target in problem.targets], e
    else:  # tokens keep their other coordinates
        (means, labels), row = spread_tokens(problem, rng), problem.line.u
    alpha, kappa = scale_into_unit(min(means.values), max(means.values))
    points = problem.target_points
    counts = Counter(labels)
    arcs = Arcs.of(counts, next((k for k in counts if not any(points[k])), None))
    written = _written([alpha * t + kappa for t in means.values], labels, arcs, counts, groups, rng, tell)
    keys, skew, fold = written.keys, tent(e, written.keys.left, written.keys.right), tent(e, 2, 2)
    steps = [
        *means.steps,
        Step("scale", Block(flatten(row, e, alpha, kappa), None)),
        *[Step("scramble", Block(skew, None))] * keys.tents,
        Step("write", Block(write_layer(written.pieces, e), None)),
        *[Step("read", Block(fold, None))] * written.doublings,
        Step("name", Block(name_layer(arcs, points, problem.line.axis, e), None)),
    ]
    return steps, len(written.pieces)


def write_layer(pieces: list[Piece], e: tuple[int, ...]) -> FeedForward:
    """x -> f(x) on the axis: the first slope times x, and a unit for every cut behind."""
    slopes = [piece.slope for piece in pieces]
    jumps = [after - before for before, after in pairwise(slopes)]
    if not jumps:
        return units_on(e, 0, [1], [0], slopes)
    return units_on(e, slopes[0], [1] * len(jumps), [-piece.cut for piece in pieces[1:]], jumps)


def name_layer(arcs: Arcs, points: list[tuple[Fraction, ...]], axis: int, e: tuple[int, ...]) -> FeedForward:
    """The staircase: constant, the point of its class, on every arc, and linear on the ramps between them."""
    slopes, biases, columns = [], [], []
    for left, right, start, end in arcs.ramps():
        rise = [(b - a) / (end - start) for a, b in zip(points[left], points[right], strict=True)]
        slopes += [1, 1]
        biases += [-start, -end]
        columns += [rise, [-r for r in rise]]
    first = list(points[arcs.order[0]])
    if any(first):
        slopes, biases, columns = [0, *slopes], [Fraction(1), *biases], [first, *columns]
    if not any(r for column in columns for i, r in enumerate(column) if i != axis):
        return units_on(e, 0, slopes, biases, [column[axis] for column in columns])
    U = [[slope * c for c in e] for slope in slopes]
    return FeedForward(0, Dense(U), biases, Dense(list(zip(*columns, strict=True))))


def expected_doublings(size: int, bits: float) -> int:
    """L with which a slope holds about `size` labels of so many bits each, as measured for LLL.

    For one label 4 are enough, by the proof; for more, the cut has too little to choose from below 8.
    """
    if size == 1:
        return 4
    large = max(0, size - 52)
    wasted = 0.0036 * (1 + 1.3 * max(0.0, bits - 1)) * size**2 + large * min(0.25 * large, 2.6)
    return max(8, math.ceil(size * bits + wasted - math.log2(2 * size)))


def best_size(count: int, bits: float) -> int:
    """The labels a slope should hold: the size b that makes 3 N/b + 4 L(b) least."""
    return min(range(1, min(count, MOST_LABELS) + 1), key=lambda b: 3 * count / b + 4 * expected_doublings(b, bits))


def _written(
    values: list[Fraction],
    labels: list[int],
    arcs: Arcs,
    counts: Counter[int],
    groups: int | None,
    rng: np.random.Generator,
    tell: Tell | None,
) -> Written:
    """Keys and pieces for the labels of the values, of [0, 1] and all different."""
    count, bits = len(values), arcs.approx_bits(counts)
    size = best_size(count, bits) if groups is None else min(-(-count // groups), MOST_LABELS)
    doublings = expected_doublings(size, bits)
    aims, spare = {k: arcs.aim(k) for k in counts}, max(1, round(3 / bits))

    def memory(keys: Keys, doublings: int) -> Memory:
        numbers = [keys.numerators[j] for j in keys.order]
        return Memory(numbers, keys.denominator, [aims[labels[j]] for j in keys.order], doublings, _BATCHES, spare)

    fixed = 0 if groups is None else 4 * doublings
    keys = _judged_keys(values, size, doublings, fixed, lambda keys: memory(keys, doublings), rng)
    most = None if groups is None else max(groups, -(-count // MOST_LABELS))
    while True:
        pieces = memory(keys, doublings).write(size, most, rng, tell)
        if most is None or len(pieces) <= most:
            return Written(keys, doublings, pieces)
        doublings, tents = doublings + max(1, doublings // 8), keys.tents + 1
        most += doublings > 4 * (size * bits + 16)  # so long a slope should do: ask for fewer labels
        keys = scramble(values, tents, slope_bits(doublings, tents), rng)


def _judged_keys(
    values: list[Fraction],
    size: int,
    doublings: int,
    fixed: int,
    memory: Callable[[Keys], Memory],
    rng: np.random.Generator,
) -> Keys:
    """The keys of as few tents as pay: a better scramble saves 3 numbers per group, or doublings, for 4 a tent."""
    count, best = len(values), math.inf
    chosen: Keys | None = None
    tents = 1
    least = 3 * count / size + fixed
    while chosen is None or least + 4 * tents < best:
        keys = scramble(values, tents, slope_bits(doublings, tents), rng)
        trial = memory(keys)
        starts = sorted({1 + (count - 1) * k // (_SAMPLES + 1) for k in range(_SAMPLES)})
        asked = [min(size, count - start) for start in starts]
        reached = [trial.sample(start, most, rng) for start, most in zip(starts, asked, strict=True)]
        cost = least * sum(asked) / sum(reached) + 4 * tents
        if cost < best:
            best, chosen = cost, keys
        tents += 1 + tents // 4
    return chosen
