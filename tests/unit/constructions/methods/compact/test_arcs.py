"""Tests of `exactformer.constructions.methods.compact.arcs`."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest

from exactformer.constructions.methods.compact.arcs import Aim, Arcs

F = Fraction


@pytest.mark.parametrize(
    ("counts", "first", "order"),
    [
        ({0: 3, 1: 1}, None, (0, 1)),
        ({0: 3, 1: 1}, 1, (1, 0)),
        ({0: 1, 1: 3}, None, (1, 0)),
        ({0: 2, 1: 2}, None, (0, 1)),
        ({0: 2, 1: 9, 2: 5, 3: 4}, None, (1, 3, 0, 2)),
        ({0: 2, 1: 9, 2: 5, 3: 4}, 2, (2, 3, 0, 1)),
        ({0: 2, 1: 9, 2: 5, 3: 4}, 1, (1, 3, 0, 2)),
        ({0: 2, 1: 9, 2: 5, 3: 4}, 0, (1, 3, 0, 2)),
    ],
)
def test_the_most_frequent_classes_have_the_ends(
    counts: dict[int, int], first: int | None, order: tuple[int, ...]
) -> None:
    arcs = Arcs.of(counts, first)
    assert arcs.order == order
    total, least = sum(counts.values()), F(1, 8 * len(order))
    shares = [max(least, F(counts[k], total)) for k in order]
    for k, edge in enumerate(arcs.edges[1:-1], 1):
        assert abs(edge - sum(shares[:k]) / sum(shares)) < F(1, 500)
    assert (arcs.edges[0], arcs.edges[-1]) == (0, 1)
    widths = [b - a for a, b in pairwise(arcs.edges)]
    assert 0 < arcs.guard < min(widths) / 100
    for k, (low, high) in zip(order, pairwise(arcs.edges), strict=True):
        ends = (low if low == 0 else low + arcs.guard, high if high == 1 else high - arcs.guard)
        aim = arcs.aim(k)
        assert (max(F(0), aim.centre - aim.tolerance), min(F(1), aim.centre + aim.tolerance)) == ends
    parts = [2 * arcs.aim(k).tolerance if 0 < arcs.aim(k).centre < 1 else arcs.aim(k).tolerance for k in counts]
    bits = sum(n * -math.log2(part) for n, part in zip(counts.values(), parts, strict=True)) / total
    assert math.isclose(arcs.approx_bits(counts), bits)
    assert [(a, b) for a, b, _, _ in arcs.ramps()] == list(pairwise(order))
    assert [(s, t) for _, _, s, t in arcs.ramps()] == [(e - arcs.guard, e + arcs.guard) for e in arcs.edges[1:-1]]


def test_a_rare_class_keeps_an_eighth_of_an_equal_share() -> None:
    """4091 and 256 of 4347 parts, of 4096 before: a sixteenth is what a class of one in a thousand gets at least."""
    arcs = Arcs.of({0: 1000, 1: 1})
    assert abs(arcs.edges[1] - F(4091, 4347)) <= arcs.guard == F(256, 4347 * 128)
    assert [Aim(F(k), F(1, 9)).two_sided for k in (0, 1)] == [False, False]
    assert Aim(F(1, 2), F(1, 9)).two_sided
