"""Tests of `exactformer.instances.generators`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, permutations, product
from random import Random
from typing import Any

import pytest

from exactformer.conjectures.catalogue import conditions
from exactformer.conjectures.catalogue.conditions import definiteness
from exactformer.geometry.points import dot
from exactformer.instances import generators
from exactformer.instances.generators import PointList, TokenFamily

F = Fraction


def drawn(draw: Callable[..., Any], n: int, d: int, count: int = 150) -> list[Any]:
    rng = Random(f"{draw.__name__} {n} {d}")
    return [draw(rng, n, d) for _ in range(count)]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_small_integers_and_small_rationals(d: int) -> None:
    whole = drawn(generators.small_integers, 5, d)
    assert all(len(points) == 5 and all(len(p) == d for p in points) for points in whole)
    assert {x.denominator for points in whole for p in points for x in p} == {1}
    assert max(abs(x) for points in whole for p in points for x in p) == 12
    parts = drawn(generators.small_rationals, 5, d)
    assert all(len(points) == 5 for points in parts)
    assert max(abs(x) for points in parts for p in points for x in p) == 3
    for points in parts:
        assert any(all((q * x).denominator == 1 for p in points for x in p) for q in (3, 4, 5, 10, 12))


@pytest.mark.parametrize(("d", "sides"), [(1, {2, 3, 4}), (2, {2, 3, 4}), (3, {2})])
def test_grids_are_parts_of_a_box(d: int, sides: set[int]) -> None:
    seen = set()
    for points in drawn(generators.grid, 40, d):
        assert len(set(points)) == len(points)
        columns = [sorted({p[k] for p in points}) for k in range(d)]
        side = len(columns[0])
        assert set(points) == set(product(*columns))
        assert all([b - a for a, b in pairwise(c)] == [1] * (side - 1) for c in columns)
        assert all(-side <= c[0] <= 0 for c in columns)
        seen.add(side)
    assert seen == sides
    assert all(len(points) == 2 for points in drawn(generators.grid, 2, d, 20))


def test_mirrors_of_a_point() -> None:
    p = (F(1), F(2))
    assert generators._negated(p) == [(1, 2), (-1, -2)]
    assert set(generators._reflected(p)) == {(1, 2), (-1, 2), (1, -2), (-1, -2)}
    assert set(generators._permuted(p)) == {
        (s * a, t * b) for a, b in permutations((1, 2)) for s in (1, -1) for t in (1, -1)
    }
    assert len(generators._permuted((F(1), F(2), F(3)))) == 24


def test_symmetric_sets_begin_with_images_of_points() -> None:
    for points in drawn(generators.symmetric_set, 8, 2):
        assert len(points) <= 10
        assert points[0] in points
    for points in drawn(generators.symmetric_set, 4, 2):
        if len(points) >= 2 and any(points[0]):
            assert {abs(x) for x in points[1]} == {abs(x) for x in points[0]}


@pytest.mark.parametrize("d", [1, 2, 3])
def test_points_of_a_circle_have_equal_norms(d: int) -> None:
    squares = set()
    for points in drawn(generators.circle_points, 5, d):
        norms = {dot(p, p) for p in points}
        assert len(norms) == 1
        squares |= norms
    assert d != 2 or squares == {1, 4, 9, 16}


def test_rotations_keep_inner_products_and_turn_the_first_two_coordinates() -> None:
    rng = Random(1)
    for _ in range(60):
        c, s = generators.rotation(rng)
        assert c * c + s * s == 1
        points = [tuple(F(rng.randint(-5, 5)) for _ in range(3)) for _ in range(3)]
        turned = generators.rotated(points, rng)
        assert [[dot(x, y) for y in turned] for x in turned] == [[dot(x, y) for y in points] for x in points]
        assert [x[2] for x in turned] == [x[2] for x in points]
        (u, v), (x, y) = turned[0][:2], turned[1][:2]
        (a, b), (p, q) = points[0][:2], points[1][:2]
        assert u * y - v * x == a * q - b * p  # no reflection
    assert generators.rotated([(F(3),)], rng) == [(F(3),)]
    assert generators.rotated([], rng) == []
    assert len({generators.rotation(rng) for _ in range(200)}) > 30


def test_disturbed_points_differ_in_one_coordinate_by_little() -> None:
    rng, points, sizes, places = Random(2), [(F(1), F(2)), (F(0), F(-1)), (F(5), F(5))], set(), set()
    for _ in range(200):
        found = generators.disturbed(points, rng)
        gaps = {(i, k): found[i][k] - points[i][k] for i in range(3) for k in range(2) if found[i][k] != points[i][k]}
        assert len(gaps) == 1
        sizes |= set(gaps.values())
        places |= set(gaps)
    assert sizes == {F(s, q) for s in (1, -1) for q in (7, 12, 100, 1000)}
    assert len(places) == 6


def test_spirals_turn_and_grow_and_are_rounded_to_halves() -> None:
    grown = 0
    for points in drawn(generators.spiral, 5, 2):
        assert len(points) == 5
        assert all((2 * x).denominator == 1 for p in points for x in p)
        first, last = (float(dot(p, p)) ** 0.5 for p in (points[0], points[-1]))
        assert last <= 1.8**4 * first + 0.75
        assert last >= first - 0.75
        grown += last > 2 * first
    assert grown > 30
    assert all(x.denominator == 1 for points in drawn(generators.spiral, 5, 1) for p in points for x in p)


@pytest.mark.parametrize(("n", "pairs"), [(1, 1), (4, 1), (5, 2), (7, 3)])
def test_mirror_pairs_and_points_in_the_mirror(n: int, pairs: int) -> None:
    inside = Counter[int]()
    for points in drawn(generators.mirror_pairs, n, 3):
        for x, y in zip(points[: 2 * pairs : 2], points[1 : 2 * pairs : 2], strict=True):
            assert y == (-x[0], *x[1:])
        rest = points[2 * pairs :]
        assert all(p[0] == 0 and all((4 * c).denominator == 1 for c in p) for p in rest)
        inside[len(rest)] += 1
    assert inside.keys() == {1, 2}
    assert inside[1] > inside[2]


def test_a_set_is_now_and_then_turned_or_disturbed() -> None:
    below = Counter[int]()
    for points in drawn(generators.point_set, 5, 2, 400):
        assert 1 <= len(points) <= 8
        below[max(x.denominator for p in points for x in p)] += 1
    assert below[1] > 80
    assert {100, 1000} <= below.keys()


@pytest.mark.parametrize("d", [1, 2, 3])
def test_matrices_are_what_they_are_called(d: int) -> None:
    rng = Random(d)
    kinds = []
    for _ in range(60):
        spd, semi, sym, skew = (
            draw(rng, d)
            for draw in (generators.positive_definite, generators.semidefinite, generators.symmetric, generators.skewed)
        )
        assert conditions.is_spd(spd)
        assert all(x - (i == j) >= 0 for i, row in enumerate(spd) for j, x in enumerate(row) if i == j)
        assert conditions.is_symmetric(semi)
        assert conditions.definiteness(semi) == 0 or d == 1
        assert conditions.is_symmetric(sym)
        assert max(abs(x) for row in sym for x in row) <= 3
        assert conditions.definiteness(skew) == 1
        kinds.append((conditions.definiteness(sym), conditions.is_symmetric(skew)))
    assert -1 in {sign for sign, _ in kinds}
    assert d == 1 or sum(symmetric for _, symmetric in kinds) < 30
    none = sum(generators.identity_mostly(rng, d) is None for _ in range(400))
    assert 260 < none < 340


def test_families_of_tokens_have_the_sizes_dimensions_matrices_and_steps_asked_for() -> None:
    rng = Random(6)
    family = TokenFamily((3, 4), (2, 3), generators.positive_definite, (F(1, 7), F(2)), generators.small_integers)
    found = [family(rng) for _ in range(200)]
    assert {z.dim for z in found} == {2, 3}
    assert {z.alpha for z in found} == {F(1, 7), F(2)}
    assert max(map(len, found)) == 4
    assert all(conditions.CLUSTERING[k].holds_for(z) for z in found for k in range(3))
    assert {z.alpha for z in (TokenFamily()(rng) for _ in range(300))} == set(generators.STEPS)


def test_families_with_zero_or_with_repeated_tokens() -> None:
    rng = Random(7)
    for _ in range(80):
        with_zero = TokenFamily(zero=True)(rng).state.rows()
        assert sum(not any(row) for row in with_zero) == 1
        assert not any(with_zero[-1])
        assert len(set(with_zero)) == len(with_zero)
        repeated = TokenFamily(repeats=True)(rng)
        assert conditions.REPEATED.holds_for(repeated)
    none = TokenFamily(points=lambda rng, n, d: [(F(0),) * d])(rng)
    assert len(none) == 1
    assert all(1 <= x <= 9 for x in none.state.rows()[0])


def mirrored(row: Any) -> tuple[Fraction, ...]:
    return (-row[0], *row[1:])


def of_circle(points: PointList) -> bool:
    return len({dot(p, p) for p in points}) == 1


def of_mirror_pairs(points: PointList) -> bool:
    return {mirrored(p) for p in points} == set(points) and any(p[0] == 0 for p in points)


OF_POINTS: dict[generators.PointSet, Callable[[PointList], bool]] = {
    generators.small_integers: lambda points: all(x.denominator == 1 and abs(x) <= 12 for p in points for x in p),
    generators.small_rationals: lambda points: all(x.denominator <= 12 and abs(x) <= 3 for p in points for x in p),
    generators.grid: lambda points: all(
        (x - y).denominator == 1 and abs(x - y) <= 3 for x, y in zip(*points[:2], strict=True)
    ),
    generators.circle_points: of_circle,
    generators.spiral: lambda points: all(x.denominator <= 2 for p in points for x in p),
    generators.mirror_pairs: of_mirror_pairs,
}


# ---------------------------------------------------------------- generators, for conjectures


@pytest.mark.parametrize("draw", OF_POINTS, ids=lambda draw: draw.__name__)
@pytest.mark.parametrize("d", [2, 3])
def test_a_generator_of_points_draws_what_it_says(draw: generators.PointSet, d: int) -> None:
    rng = Random(d)
    for _ in range(40):
        points = draw(rng, 6, d)
        assert points
        assert all(len(p) == d for p in points)
        assert OF_POINTS[draw](points)


def test_symmetric_sets_are_closed_under_reflections_but_for_two_points() -> None:
    rng = Random(0)
    for mirrors in (generators._negated, generators._reflected, generators._permuted):
        for seed in generators.small_integers(rng, 10, 3):
            orbit = set(mirrors(seed))
            assert seed in orbit
            assert {tuple(-x for x in p) for p in orbit} == orbit
            assert {tuple(sorted(map(abs, p))) for p in orbit} == {tuple(sorted(map(abs, seed)))}
            assert mirrors is generators._negated or {mirrored(p) for p in orbit} == orbit


def test_rotations_keep_inner_products_and_orientation_of_the_first_plane() -> None:
    rng = Random(1)
    for d in (1, 2, 3):
        for _ in range(30):
            points = generators.small_integers(rng, 4, d)
            turned = generators.rotated(points, rng)
            assert [dot(p, q) for p in turned for q in turned] == [dot(p, q) for p in points for q in points]
            assert [p[2:] for p in turned] == [p[2:] for p in points]
            if d > 1:
                areas = [[p[0] * q[1] - p[1] * q[0] for p in some for q in some] for some in (points, turned)]
                assert areas[0] == areas[1]


def test_disturbed_points_move_by_a_seventh_at_most() -> None:
    rng = Random(2)
    points = [(F(1), F(2)), (F(3), F(4)), (F(5), F(6))]
    for _ in range(30):
        moved = generators.disturbed(points, rng)
        changes = [y - x for p, q in zip(points, moved, strict=True) for x, y in zip(p, q, strict=True) if x != y]
        assert len(changes) == 1
        assert 0 < abs(changes[0]) <= F(1, 7)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_matrices_are_of_their_kind(d: int) -> None:
    rng = Random(d)
    for _ in range(60):
        assert definiteness(generators.positive_definite(rng, d)) == 1
        some, other, skewed = (
            draw(rng, d) for draw in (generators.semidefinite, generators.symmetric, generators.skewed)
        )
        assert d == 1 or definiteness(some) == 0
        assert all(tuple(zip(*A, strict=True)) == A for A in (some, other))
        assert definiteness(skewed) == 1
    mostly = [generators.identity_mostly(rng, d) for _ in range(80)]
    assert 8 < sum(A is not None for A in mostly) < 40
