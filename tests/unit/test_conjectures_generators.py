"""What generators of instances draw: the structure each one promises, over many draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, permutations, product
from random import Random
from typing import Any

import pytest

from exactformer.arithmetic.rational import identity
from exactformer.conjectures import generators, self_ties
from exactformer.conjectures.catalogue import conditions, frank_wolfe, interpolation
from exactformer.conjectures.generators import TokenFamily
from exactformer.conjectures.instances.datasets import pairs_of
from exactformer.conjectures.plain_orbit import PlainOrbit
from exactformer.conjectures.search import shard_rng
from exactformer.conjectures.statement import Statement
from exactformer.geometry.linear_algebra import positive_definite
from exactformer.geometry.points import dot
from exactformer.model.tokens import Tokens

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
        assert conditions.sign_of(semi) == 0 or d == 1
        assert conditions.is_symmetric(sym)
        assert max(abs(x) for row in sym for x in row) <= 3
        assert conditions.sign_of(skew) == 1
        kinds.append((conditions.sign_of(sym), conditions.is_symmetric(skew)))
    assert -1 in {sign for sign, _ in kinds}
    assert d == 1 or sum(symmetric for _, symmetric in kinds) < 30
    none = sum(generators.identity_mostly(rng, d) is None for _ in range(400))
    assert 260 < none < 340


def test_the_sign_of_a_matrix_is_that_of_its_symmetric_part() -> None:
    cases = {
        ((1, 0), (0, 1)): 1,
        ((1, 1), (1, 1)): 0,
        ((1, 2), (0, 1)): 0,
        ((1, 3), (0, 1)): -1,
        ((1, 5), (-5, 1)): 1,
        ((0, 0), (0, 0)): 0,
        ((0, 1), (1, 0)): -1,
        ((1, 0), (0, -1)): -1,
    }
    for A, sign in cases.items():
        rows = tuple(tuple(F(x, 3) for x in row) for row in A)
        assert conditions.sign_of(rows) == sign, A


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


def test_solved_self_ties_tie() -> None:
    """(0, v) ties with itself and the pair (+-q, w) whenever w is where it looks."""
    rng, tied, again = Random(8), 0, 0
    for _ in range(120):
        z = self_ties.self_tied(rng, F(3))
        assert z.dim in (3, 4)
        rows = z.state.rows()
        inner = [i for i, row in enumerate(rows) if row[0] == 0]
        orbit = PlainOrbit(z)
        for i in inner:
            C = orbit[0].follows[i]
            tied += i in C and len(C) >= 3
        for i in inner[:1]:
            again += i in orbit[1].follows[i] and len(orbit[1].follows[i]) >= 3
    assert tied > 20
    assert again > 3


def test_equations_of_self_ties() -> None:
    rng = Random(9)
    for _ in range(60):
        w, u, v0 = (self_ties._vector(rng, 3) for _ in range(3))
        v = self_ties._on_sphere(w, v0)
        assert dot(v, v) == dot(v, w)
        assert not any(v0) or all(v[i] * v0[j] == v[j] * v0[i] for i in range(3) for j in range(3))
        a = F(rng.randint(1, 9), 10)
        other = self_ties._tying_again(v, w, u, a)
        after = [x + 2 * a / 3 * (y - x) for x, y in zip(v, w, strict=True)]
        moved = [y + a * (x - y) for x, y in zip(other, w, strict=True)]
        assert sum(x != y for x, y in zip(u, other, strict=True)) <= 1
        assert not any(after) or dot(after, after) == dot(after, moved)
    assert {self_ties.SelfTies()(rng).alpha for _ in range(300)} == set(self_ties.STEPS)


def test_families_of_frank_wolfe() -> None:
    rng = Random(10)
    equal = [frank_wolfe.equal_norm_family(rng) for _ in range(16)]
    for walk in equal:
        assert frank_wolfe.DEFINITE.holds_for(walk)
        assert walk.step is None
        assert walk.layers == 1
    assert all(frank_wolfe.EQUAL_NORMS.holds_for(walk) for walk in equal)
    assert {identity(len(walk.B)) == walk.B for walk in equal} == {True, False}
    cells = [frank_wolfe.cell_family(rng) for _ in range(80)]
    steps = {walk.step for walk in cells}
    assert {c for c, _ in steps if c} == {F(1, k) for k in (2, 3, 4, 5)}  # type: ignore[misc]
    assert {q for _, q in steps} == {F(1), *(F(k, 5) for k in (1, 2, 3, 4))}  # type: ignore[misc]
    assert {walk.layers for walk in cells} == {4, 8}
    assert all(positive_definite(walk.B) for walk in cells)
    assert any(frank_wolfe.GENERIC.holds_for(walk) for walk in cells[:20])
    negative = [frank_wolfe.negative_family((2, 5))(rng) for _ in range(60)]
    assert {walk.layers for walk in negative} == {2, 5}
    assert all(walk.step is None and frank_wolfe.SEMIDEFINITE.holds_for(walk) for walk in negative)
    assert {frank_wolfe.ZERO_FIRST.holds_for(walk) for walk in negative[:20]} == {True, False}


def test_families_of_data() -> None:
    rng = Random(11)
    violated = Counter[Any]()
    for _ in range(200):
        found = interpolation.violated_condition(pairs_of(interpolation.any_data(rng)))
        violated[found and found[0]] += 1
    assert violated.keys() == {None, "measure", "targets"}
    feasible = [interpolation.feasible_data(rng) for _ in range(100)]
    assert sum(interpolation.FEASIBLE.holds_for(data) for data in feasible) > 85
    together = [pairs_of(interpolation.alone_and_together(rng)) for _ in range(100)]
    for pairs in together:
        *alone, (tokens, targets) = pairs
        assert all(len(x) == len(y) == 1 for x, y in alone)
        assert len(targets) == 1
        assert set(tokens) <= {x[0] for x, _ in alone}
        assert len(set(tokens)) == len(tokens)
    assert {len(pairs[-1][0]) for pairs in together} >= {1, 2, 3}


def test_every_shard_of_every_seed_and_statement_has_numbers_of_its_own() -> None:
    def named(name: str) -> Statement:
        return Statement(name, "w", "open", "s", (), lambda z: z, lambda rng: Tokens([[1]]))

    first = [shard_rng(named(name), seed, shard).random() for name in "ab" for seed in (0, 1) for shard in (0, 1)]
    assert len(set(first)) == 8
    assert shard_rng(named("a"), 1, 11).random() != shard_rng(named("a"), 11, 1).random()
    assert first[0] == Random("a/0/0").random()
