"""The small pure functions the constructions are made of, each with its invariant."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.curve import curve
from exactformer.constructions.disjoint_sets import best_rotation, least_shift, rotate, separate
from exactformer.constructions.distinct_means import Hinges, separating_hinges, sums
from exactformer.constructions.empirical_measures import distinct_points, supports
from exactformer.constructions.line import Line, along, injective_line
from exactformer.constructions.methods.deep import serial_hinges
from exactformer.constructions.nodes import Nodes, chain_targets, least_spread, order_by_mean, plateaus, without_inner
from exactformer.constructions.placement import placement, safe_base


def objects(values: list[int]) -> Any:
    return np.array(values, dtype=object)


def nodes_of(pairs: list[tuple[Any, int]], points: list[list[int]]) -> Nodes:
    at = [Fraction(t) for t, _ in pairs]
    parts = objects([t.numerator for t in at]), objects([t.denominator for t in at])
    return Nodes(*parts, np.array([y for _, y in pairs]), np.array(points), 1)


LINE = Line((1, 2), 0, np.array([0]), 1, np.array([0]))


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_an_injective_line_keeps_distinct_points_apart(dim: int) -> None:
    rows = np.unique(np.random.default_rng(dim).integers(0, 4, (300, dim)), axis=0)
    line = injective_line(State(rows, 3), np.random.default_rng(0))
    assert len(line.values) == len(rows)
    assert line.u[line.axis] == 1
    assert min(line.u) >= 0
    for row, rank in zip(rows.tolist(), line.rank.tolist(), strict=True):
        assert line.at(tuple(Fraction(v, 3) for v in row)) == Fraction(int(line.values[rank]), 3)


@pytest.mark.parametrize("seed", range(4))
def test_a_direction_that_suits_a_sample_is_tried_on_all_points(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactformer.constructions.line._SAMPLE", 2)
    points = State.of([[x, y] for x in range(3) for y in (0, 1, 4)])
    line = injective_line(points, np.random.default_rng(seed))
    assert len({x * line.u[0] + y * line.u[1] for x, y in points.rows()}) == len(points) == len(line.values)


def test_a_line_of_huge_integers_does_not_overflow() -> None:
    line = injective_line(State.of([[2**70, 1], [2**70, 2], [1, 2**70]]), np.random.default_rng(0))
    assert len(line.values) == 3
    assert [int(line.values[r]) for r in line.rank] == [
        line.u[0] * a + line.u[1] * b for a, b in ((2**70, 1), (2**70, 2), (1, 2**70))
    ]


@pytest.mark.parametrize("scale", [1, 10**30])
def test_distinct_points_are_the_distinct_rows(scale: int) -> None:
    rows = [[a * scale, b * scale] for a, b in np.random.default_rng(1).integers(0, 5, (100, 2)).tolist()]
    points, ids = distinct_points(State.of(rows), np.random.default_rng(0))
    assert sorted(set(points.rows())) == sorted({tuple(map(Fraction, row)) for row in rows})
    assert [points[i] for i in ids] == [tuple(map(Fraction, row)) for row in rows]


def test_supports_are_measures_with_coprime_counts() -> None:
    s = supports(np.array([2, 0, 2, 0, 1, 1, 1]), np.array([0, 4, 7]))
    assert (s.starts.tolist(), s.ranks.tolist(), s.counts.tolist()) == ([0, 2, 3], [0, 2, 1], [1, 1, 1])
    merged = s.ranked(np.array([0, 0, 0]))
    assert merged.counts.tolist() == [1, 1]
    assert merged.key(0) == merged.key(1)


def test_hinges_are_the_function_they_say() -> None:
    values = np.array([-3, 0, 1, 4, 9])
    hinges = Hinges((1, 3), (2, 5))
    expected = [s + 2 * max(s - 0, 0) + 5 * max(s - 4, 0) for s in values.tolist()]
    assert hinges.apply(values).tolist() == expected
    big = Hinges((1, 3), (2**70, 1)).apply(values)
    assert big.tolist() == [s + 2**70 * max(s, 0) + max(s - 4, 0) for s in values.tolist()]


@pytest.mark.parametrize("seed", range(8))
def test_hinges_tell_all_measures_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    multisets = {tuple(sorted(rng.integers(0, 6, 4).tolist())) for _ in range(30)}
    s = supports(np.array([r for m in multisets for r in m]), np.arange(len(multisets) + 1) * 4)
    values = np.array([0, 1, 2, 3, 4, 5])
    firsts = np.array([j for j in range(len(s)) if s.key(j) not in {s.key(i) for i in range(j)}])
    unique = s.take(firsts, with_counts=True)
    hinges = separating_hinges(unique, values, rng)
    totals, counts = sums(unique, hinges.apply(values))
    assert len(hinges) < len(unique)
    assert len({Fraction(p, q) for p, q in zip(totals.tolist(), counts.tolist(), strict=True)}) == len(unique)


@pytest.mark.parametrize("width", [1, 2, 3, 10])
def test_serial_hinges_compose_to_the_flattened_g(width: int) -> None:
    line = along(State.of([[v, 0] for v in (0, 2, 3, 7, 8)]), ((1, 5), 0))
    hinges = Hinges((0, 1, 2, 3), (3, 1, 4, 2))
    layers = serial_hinges(line, hinges, Fraction(6), width)
    assert len(layers) == -(-5 // width)
    assert all(layer.width <= width for layer in layers)
    for s, g in zip(line.values.tolist(), hinges.apply(line.values).tolist(), strict=True):
        x = [Fraction(s), Fraction(0)]
        for layer in layers:
            x = layer.apply(x)
        assert x == [g + 6, 0]


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


def test_a_curve_of_one_zero_target_has_one_idle_unit() -> None:
    layer = curve(nodes_of([(3, 0)], [[0, 0]]), LINE)
    assert layer.width == 1
    assert layer.apply([Fraction(8), Fraction(1)]) == [0, 0]


@pytest.mark.parametrize("width", [1, 2, 3, 4, 99])
def test_placement_carries_nodes_and_plateaus_to_their_targets(width: int) -> None:
    points = [[1, 1], [-7, 2], [0, 0]]
    nodes = nodes_of([(6, 0), (7, 1), (9, 1), (10, 0), (Fraction(21, 2), 2), (12, 2), (15, 1)], points)
    assert safe_base(LINE, [tuple(map(Fraction, p)) for p in points]) <= 6
    layers = placement(nodes, LINE, width)
    assert len(layers) == -(-7 // width)
    assert all(layer.width <= width for layer in layers)
    tokens = [*zip(nodes.positions, range(7), strict=True), (Fraction(8), 1), (Fraction(23, 2), 4)]
    for t, i in tokens:
        x = [t, Fraction(0)]
        for layer in layers:
            x = layer.apply(x)
        assert x == list(nodes.target(i))


def test_rotation_puts_the_largest_token_up_to_c_on_top() -> None:
    values = np.array([3, 8, 20, 5, 9])
    rotation, moved = rotate(values, 8, 2)
    assert (rotation.at, rotation.successor) == (8, 9)
    assert int(moved.min()) == 2
    assert np.argsort(moved).tolist() == [4, 2, 0, 3, 1]


def test_the_best_rotation_gives_the_most_leaders() -> None:
    draw = random.Random(5)
    for _ in range(20):
        sets = {frozenset(draw.sample(range(8), draw.randint(1, 6))) for _ in range(5)}
        listed = [sorted(s) for s in sets]
        s = supports(np.array([x for xs in listed for x in xs]), np.cumsum([0, *map(len, listed)]))

        def leaders(c: int, listed: list[list[int]] = listed) -> int:
            return len({max([x for x in xs if x <= c] or xs) for xs in listed})

        at = best_rotation(s, s.ranks)
        assert leaders(100 if at is None else at) == max(leaders(c) for c in [*range(8), 100])


def test_shifts_never_merge_different_pairs() -> None:
    values, leaders = np.arange(40) % 13, objects([i % 5 for i in range(40)])
    eps = least_shift(values, leaders)
    pairs = set(zip(values.tolist(), leaders.tolist(), strict=True))

    def good(e: int) -> bool:
        return len({s + e * leader for s, leader in pairs}) == len(pairs)

    assert good(eps)
    assert not any(good(e) for e in range(1, eps))


def test_separation_takes_at_most_n_minus_one_rotations() -> None:
    listed = [[x for x in range(7) if x != j] for j in range(7)]
    s = supports(np.array([x for xs in listed for x in xs]), np.arange(8) * 6)
    separated = separate(s, s.ranks, 1)
    assert len(separated.rotations) <= 6
    assert len(set(separated.leaders.tolist())) == 7
    assert int(separated.values.min()) >= 1
