"""Tests of `exactformer.constructions.target_nodes`."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from kits.simplest_rationals import simplest

from exactformer.constructions.curve import curve
from exactformer.constructions.projection_to_line import Line
from exactformer.constructions.target_nodes import (
    Nodes,
    chain_targets,
    least_spread,
    of_list,
    order_by_mean,
    plateaus,
    ramp,
    without_inner,
)

F = Fraction


# ---------------------------------------------------------------- directions, rotations, ramps


@pytest.mark.parametrize(("low", "high"), [(F(1), F(3)), (F(-1, 3), F(1, 7)), (F(5, 2), F(27, 10)), (F(0), F(100))])
def test_a_ramp_has_the_simplest_ends_of_the_tenths_beside_the_middle(low: Fraction, high: Fraction) -> None:
    middle, tenth = (low + high) / 2, (high - low) / 10
    assert ramp(low, high) == (simplest(middle - tenth, middle), simplest(middle, middle + tenth))


def objects(values: list[int]) -> Any:
    return np.array(values, dtype=object)


def nodes_of(pairs: list[tuple[Any, int]], points: list[list[int]]) -> Nodes:
    at = [Fraction(t) for t, _ in pairs]
    parts = objects([t.numerator for t in at]), objects([t.denominator for t in at])
    return Nodes(*parts, np.array([y for _, y in pairs]), np.array(points), 1)


LINE = Line((1, 2), 0, np.array([0]), 1, np.array([0]))


@pytest.mark.parametrize("seed", range(10))
def test_the_spread_is_the_least_that_works(seed: int) -> None:
    draw = random.Random(seed)
    rows = sorted(([draw.randint(0, 30) for _ in range(3)] for _ in range(5)), key=sum)
    rows = [r for i, r in enumerate(rows) if i == 0 or sum(r) != sum(rows[i - 1])]
    low, high, total = objects([min(r) for r in rows]), objects([max(r) for r in rows]), objects([sum(r) for r in rows])

    def disjoint(m: int) -> bool:
        spans = sorted(
            (lo + Fraction(m * t, 3), hi + Fraction(m * t, 3)) for lo, hi, t in zip(low, high, total, strict=True)
        )
        return all(a[1] < b[0] for a, b in itertools.pairwise(spans))

    found = least_spread(total, objects([3] * len(rows)), low, high)
    assert disjoint(found)
    assert not any(disjoint(m) for m in range(found))


def test_order_by_mean_is_exact_where_floats_tie() -> None:
    totals, counts = objects([10**40 + 1, 10**40, 2 * 10**40 + 1]), objects([1, 1, 2])
    assert order_by_mean(totals, counts).tolist() == [1, 2, 0]


def test_chained_target_sets_are_permutations_that_meet() -> None:
    sets = [(0, 1, 2), (2, 5), (5,), (5, 7), (1, 7), (3,)]
    chained = chain_targets(sets)
    assert [tuple(sorted(c)) for c in chained] == sets
    assert sum(a[-1] == b[0] for a, b in itertools.pairwise(chained)) == 4


def test_inner_nodes_of_a_run_are_dropped() -> None:
    nodes = nodes_of([(0, 0), (1, 1), (2, 1), (3, 1), (4, 0)], [[0, 0], [1, 1]])
    assert without_inner(nodes).positions == [0, 1, 3, 4]


@pytest.mark.parametrize("robust", [False, True])
def test_the_curve_passes_its_nodes(robust: bool) -> None:
    nodes = nodes_of([(0, 0), (Fraction(1, 3), 1), (2, 1), (5, 2), (6, 0)], [[4, 0], [-1, 9], [0, 0]])
    layer = curve(plateaus(nodes) if robust else nodes, LINE)
    assert layer.width <= (2 * 4 - 1 if robust else 5)
    for t, i in zip(nodes.positions, range(5), strict=True):
        for x in ([t, Fraction(0)], [Fraction(0), t / 2]):
            assert layer.apply(x) == list(nodes.target(i))
    if robust:
        assert layer.apply([Fraction(-(10**9)), Fraction(0)]) == [4, 0]
        assert layer.apply([Fraction(10**9), Fraction(0)]) == [4, 0]


# ---------------------------------------------------------------- room on the line


@pytest.mark.parametrize("seed", range(12))
def test_the_spread_with_room_keeps_neighbours_apart_by_half_the_distance_of_their_means(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = {tuple(sorted(rng.integers(0, 40, 3).tolist())) for _ in range(5)}
    rows = [row for _, row in sorted({sum(row): row for row in drawn}.items())]
    low, high, total, three = (
        np.array(x, dtype=object)
        for x in ([r[0] for r in rows], [r[2] for r in rows], list(map(sum, rows)), [3] * len(rows))
    )

    def apart(m: int) -> bool:
        means = [F(sum(row), 3) for row in rows]
        steps = [(b[0] + m * y - a[2] - m * x, y - x) for (a, x), (b, y) in pairwise(zip(rows, means, strict=True))]
        return all(2 * gap > distance for gap, distance in steps)

    found = least_spread(total, three, low, high, room=True)
    assert apart(found)
    assert not any(apart(m) for m in range(found))


# ---------------------------------------------------------------- measures and nodes


def test_plateaus_reach_beyond_both_ends_and_ramps_lie_in_the_middle() -> None:
    listed = [(F(0), 0), (F(1), 0), (F(3), 1), (F(4), 0)]
    nodes = of_list(listed, np.array([[5], [6]]), 2)
    assert nodes.target(2) == (3,)
    for reach, ends in ((None, (-5, 9)), (F(1, 2), (F(-1, 2), F(9, 2)))):
        made = plateaus(nodes, reach)
        assert made.targets.tolist() == [0, 0, 1, 1, 0, 0]
        assert (made.positions[0], made.positions[-1]) == ends
        assert made.positions[1:-1] == [*ramp(F(1), F(3)), *ramp(F(3), F(4))]
    for low, high in ((F(1), F(3)), (F(-1, 3), F(1, 7)), (F(10**9), F(10**9) + F(1, 10**9))):
        foot, edge = ramp(low, high)
        assert low + F(2, 5) * (high - low) <= foot < (low + high) / 2 < edge <= high - F(2, 5) * (high - low)
