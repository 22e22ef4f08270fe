"""The parts of method temperature: softmax means by definition, the rate that tells them apart, room for all tokens."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from exactformer.arithmetic.ball import ends
from exactformer.arithmetic.state import State
from exactformer.constructions.empirical_measures import supports
from exactformer.constructions.methods.temperature import propose_rate, separated_means, softmax_means
from exactformer.constructions.problem import Problem
from exactformer.constructions.projection_to_line import along

F = Fraction
TINY = F(1, 2**90)


def problem_of(sequences: list[list[Fraction | int]], targets: list[tuple[int, ...]]) -> Problem:
    """Tokens on the first axis, with repetitions, and targets by number."""
    tokens = sorted({x for sequence in sequences for x in sequence})
    line = along(State.of([[x, 0] for x in tokens]), ((1, 0), 0))
    ranks = np.array([tokens.index(x) for sequence in sequences for x in sequence])
    measures = supports(ranks, np.cumsum([0, *map(len, sequences)]))
    points = np.array([[k, 0] for k in range(4)])
    return Problem(line, measures, points, 1, tuple(targets), np.arange(len(sequences)))


def mean(sequence: list[Fraction | int], least: Fraction | int, rate: Fraction) -> mpmath.mpf:
    at = [mpmath.mpf(F(x - least).numerator) / F(x - least).denominator for x in sequence]
    weights = [mpmath.exp(s * rate.numerator / rate.denominator) for s in at]
    return mpmath.fsum(w * s for w, s in zip(weights, at, strict=True)) / mpmath.fsum(weights)


DATA: list[list[list[Fraction | int]]] = [
    [[-2, 1, 1], [-2, -2, 1], [1, 3], [0]],
    [[0, F(5, 7)], [0, 0, 0, F(5, 7)], [F(1, 7), F(5, 7)], [F(2, 7), F(1, 7)]],
    [[100, 130, 130], [100, 100, 130], [160, 100]],
]


@pytest.mark.parametrize("sequences", DATA)
@pytest.mark.parametrize("rate", [F(1, 5), F(2)])
def test_softmax_means_count_every_token(sequences: list[list[Fraction | int]], rate: Fraction) -> None:
    problem = problem_of(sequences, [(0,)] * len(sequences))
    least = min(map(min, sequences))
    with mpmath.workdps(40):
        for ball, sequence in zip(softmax_means(problem, rate, 200), sequences, strict=True):
            low, high = (mpmath.mpf(x.numerator) / x.denominator for x in ends(ball))
            assert high - low < mpmath.mpf(10) ** -35
            assert abs((low + high) / 2 - mean(sequence, least, rate)) < mpmath.mpf(10) ** -35


@pytest.mark.parametrize("sequences", DATA)
def test_the_rate_is_the_power_of_two_with_the_widest_least_gap(sequences: list[list[Fraction | int]]) -> None:
    least = min(map(min, sequences))
    span = F(max(map(max, sequences)) - least)

    def least_gap(rate: Fraction) -> mpmath.mpf:
        means = sorted(mean(sequence, least, rate) for sequence in sequences)
        return min(b - a for a, b in pairwise(means))

    rates = [F(2) ** k for k in range(-20, 20) if F(1, 16) <= F(2) ** k * span <= 128]
    base = F(2) ** (span.denominator.bit_length() - span.numerator.bit_length())
    assert propose_rate(problem_of(sequences, [(0,)] * len(sequences))) == max(
        (r for r in rates if base / 8 <= r <= 64 * base), key=least_gap
    )


@pytest.mark.parametrize(
    "sequences",
    [
        [[0, 4, 1], [0, 4], [0, 4, 4]],
        [[0, 4, 1], [2, 5], [3, 3, 3, 5]],
        [[0, 1 - TINY, 1], [0, F(1, 2), 1], [0, F(1, 2) + TINY, 1]],
        [[3, 4, 4 + TINY], [3, 3, 4, 4 + TINY], [4, 4 + TINY]],
    ],
)
def test_enclosures_leave_room_for_every_token_of_every_sequence(sequences: list[list[Fraction | int]]) -> None:
    """The intervals s + M t are disjoint, of one sequence and of two, in the order of the means."""
    problem = problem_of(sequences, [(0, 1)] * len(sequences))
    found = separated_means(problem, F(1))
    least = min(map(min, sequences))
    assert found.spread is not None
    assert found.order == sorted(range(len(sequences)), key=lambda j: mean(sequences[j], least, F(1)))
    intervals = [
        (s - least + found.spread * low, s - least + found.spread * high)
        for j in found.order
        for low, high in [found.means[j]]
        for s in sorted(set(sequences[j]))
    ]
    tokens = sorted({x for sequence in sequences for x in sequence})
    step = min(b - a for a, b in pairwise(tokens))
    assert all(high < low for (_, high), (low, _) in pairwise(intervals))
    assert max(found.spread * (high - low) for low, high in found.means) < step / 4
    pairs = [(i, j, found.means[j][0] - found.means[i][1]) for i, j in pairwise(found.order)]

    def apart(spread: int) -> bool:
        return all(min(sequences[j]) - max(sequences[i]) + spread * gap > gap / 2 for i, j, gap in pairs)

    assert apart(found.spread)
    assert not apart(found.spread - 1)
    assert separated_means(problem_of(sequences, [(0,)] * len(sequences)), F(1)).spread is None
