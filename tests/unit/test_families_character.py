"""Families and generators keep their character: what each promises in words holds for every instance it draws."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.rational import identity
from exactformer.conjectures import generators
from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.catalogue.conditions import sign_of
from exactformer.conjectures.catalogue.interpolation import any_data, feasible_data, violated_condition
from exactformer.conjectures.generators import PointList, TokenFamily
from exactformer.conjectures.instances.datasets import pairs_of
from exactformer.conjectures.instances.tokens import parts_of
from exactformer.conjectures.plain_orbit import PlainOrbit
from exactformer.conjectures.self_ties import self_tied
from exactformer.constructions import families as data_sets
from exactformer.dynamics import families as tokens_families
from exactformer.dynamics.orbit import simulate
from exactformer.geometry.linear_algebra import rank
from exactformer.geometry.points import dot
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens

F = Fraction
STEPS = {F(1), F(1, 2), F(1, 3), F(2), F(3, 4)}


def dyadic(rows: Any) -> bool:
    return all(x.denominator & (x.denominator - 1) == 0 for row in rows for x in row)


def mirrored(row: Any) -> tuple[Fraction, ...]:
    return (-row[0], *row[1:])


# ---------------------------------------------------------------- tokens, for the dynamics


def of_polygon(z: Tokens, rows: list[Any]) -> None:
    lengths = [dot(row, row) for row in rows]
    assert lengths.count(1) >= (2 * len(rows) + 2) // 3
    assert max(lengths) == 1
    assert rank(rows) <= 2


def of_rotated_grid(z: Tokens, rows: list[Any]) -> None:
    assert all((4 * dot(x, y)).denominator == 1 for x in rows for y in rows)


def of_axes(z: Tokens, rows: list[Any]) -> None:
    d = z.dim
    assert rows[: 2 * d] == [tuple(F(s * (i == k)) for k in range(d)) for s in (1, -1) for i in range(d)]
    assert all(len({abs(x) for x in row if x}) == 1 and max(map(abs, row)) <= 1 for row in rows)


def of_faces(z: Tokens, rows: list[Any]) -> None:
    corners = rows[: max(2, len(rows) // 2)]
    assert all({abs(x) for x in row} == {1} or sorted(map(abs, row)) == [0] * (z.dim - 1) + [2] for row in corners)
    assert all(max(map(abs, row)) <= 2 for row in rows)
    assert z.alpha in {F(1, 10), F(1, 5), F(1, 4), F(1, 2), F(1)}


def of_mirror(z: Tokens, rows: list[Any]) -> None:
    assert {mirrored(row) for row in rows} == set(rows)
    assert F(1, 30) <= z.alpha <= F(1, 8)


def of_metric(z: Tokens, rows: list[Any]) -> None:
    assert sign_of(z.A) == 1
    assert all(7 % x.denominator == 0 and abs(x) <= F(40, 7) for row in rows for x in row)


OF_TOKENS: dict[str, Callable[[Tokens, list[Any]], Any]] = {
    "generic": lambda z, rows: dyadic(rows) and max(x.denominator for row in rows for x in row) > 2**30,
    "generic-metric": of_metric,
    "integer-grid": lambda z, rows: {x for row in rows for x in row} <= set(map(F, range(-3, 4))),
    "ternary": lambda z, rows: {x for row in rows for x in row} <= {F(-1), F(0), F(1)},
    "rational-polygon": of_polygon,
    "rotated-grid": of_rotated_grid,
    "axis-ties": of_axes,
    "symmetric-faces": of_faces,
    "emerging-leader": lambda z, rows: max(simulate(z, layers=60).leads_from.values()) > 0,
    "metastable-ties": of_mirror,
    "duplicated": lambda z, rows: len(set(rows)) <= len(rows) // 2,
}


@pytest.mark.parametrize("name", tokens_families.FAMILIES)
def test_a_family_of_tokens_is_what_it_says(name: str) -> None:
    drawn = [tokens_families.sample(name, 9, 3, seed) for seed in range(12)]
    for z in drawn:
        assert OF_TOKENS[name](z, z.state.rows()) is not False
    assert len({z.alpha for z in drawn}) > 1
    if name not in ("symmetric-faces", "emerging-leader", "metastable-ties"):
        assert {z.alpha for z in drawn} <= STEPS
    assert any(identity(3) != z.A for z in drawn) == (name == "generic-metric")


def test_families_show_their_character_in_most_instances() -> None:
    inside = [tokens_families.sample("metastable-ties", 9, 3, seed).state.rows() for seed in range(6)]
    assert all(any(row[0] == 0 for row in rows) and any(row[0] for row in rows) for rows in inside)
    turned = [tokens_families.sample("rotated-grid", 9, 3, seed).state.denominator for seed in range(6)]
    assert sum(denominator > 2 for denominator in turned) >= 5
    faces = [tokens_families.sample("symmetric-faces", 9, 3, seed) for seed in range(20)]
    assert {F(1, 10), F(1, 5)} & {z.alpha for z in faces}
    assert any(len(C) > 2 for z in faces for C in simulate(z, layers=0).follows(0))


# ---------------------------------------------------------------- data sets, for the constructions


def of_nested(sets: list[Any], data: Dataset) -> bool:
    return all(set(a) < set(b) and len(b) == len(a) + 1 for a, b in pairwise(sets))


def of_windows(sets: list[Any], data: Dataset) -> bool:
    return len({tuple(sum(c) / len(x) for c in zip(*x, strict=True)) for x in sets}) == 1 == len(set(map(len, sets)))


def of_targets(sets: list[Any], data: Dataset) -> bool:
    aims = [data.targets_of(j).rows() for j in range(len(data))]
    shared = {y for j, some in enumerate(aims) for y in some if any(y in other for other in aims[:j])}
    return bool(shared) and all(5 <= len(x) <= 9 and 1 <= len(y) <= 5 for x, y in zip(sets, aims, strict=True))


def of_far(sets: list[Any], data: Dataset) -> bool:
    aims = [data.targets_of(j).rows() for j in range(len(data))]
    signs = all((y[0] > 0) == (j % 2 == 0) for j, some in enumerate(aims) for y in some)
    return signs and all(10**9 <= abs(x) < 10**9 + 1000 for some in aims for y in some for x in y)


def next_tokens(sets: list[Any], data: Dataset) -> bool:
    return all(set(data.targets_of(j).rows()) == set(sets[(j + 1) % len(sets)]) for j in range(len(sets)))


OF_DATA: dict[str, Callable[[list[Any], Dataset], bool]] = {
    "random-classes": lambda sets, data: data.labels == [str(j % 3) for j in range(6)] and max(map(len, sets)) <= 8,
    "random-targets": of_targets,
    "nested": of_nested,
    "all-but-one": lambda sets, data: all(len(set(a) - set(b)) == 1 for a in sets for b in sets if a is not b),
    "windows": of_windows,
    "equal-means": lambda sets, data: all(not any(map(sum, zip(*x, strict=True))) and len(x) == 2 for x in sets),
    "one-token": lambda sets, data: all(len(x) == 1 for x in sets),
    "multiplicities": lambda sets, data: len({frozenset(x) for x in sets}) == 1,
    "with-origin": lambda sets, data: all((0, 0) in x for x in sets) and [(0, 0)] in sets,
    "collinear": lambda sets, data: rank([row for x in sets for row in x]) == 1 and {len(set(x)) for x in sets} == {3},
    "coinciding-targets": lambda sets, data: len({frozenset(data.targets_of(j).rows()) for j in range(6)}) == 1,
    "targets-are-inputs": next_tokens,
    "far-targets": of_far,
    "float-tokens": lambda sets, data: all(dyadic(x) and len(x) == 5 for x in sets),
}


@pytest.mark.parametrize("name", data_sets.FAMILIES)
def test_a_family_of_data_is_what_it_says(name: str) -> None:
    for seed in range(4):
        data = data_sets.sample(name, 6, 2, seed)
        sets = [sequence.tokens.rows() for sequence in data]
        assert OF_DATA[name](sets, data)
        different = len({frozenset((x, F(rows.count(x), len(rows))) for x in rows) for rows in sets})
        assert different == len(data) == 6


# ---------------------------------------------------------------- generators, for conjectures


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


def test_disturbed_points_differ_in_one_coordinate_by_little() -> None:
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
        assert sign_of(generators.positive_definite(rng, d)) == 1
        some, other, skewed = (
            draw(rng, d) for draw in (generators.semidefinite, generators.symmetric, generators.skewed)
        )
        assert d == 1 or sign_of(some) == 0
        assert all(tuple(zip(*A, strict=True)) == A for A in (some, other))
        assert sign_of(skewed) == 1
    mostly = [generators.identity_mostly(rng, d) for _ in range(80)]
    assert 8 < sum(A is not None for A in mostly) < 40


def test_token_families_add_a_zero_or_repetitions() -> None:
    rng = Random(3)
    for _ in range(30):
        rows = parts_of(TokenFamily(zero=True)(rng))[0]
        assert sum(not any(row) for row in rows) == 1
        rows = parts_of(TokenFamily(repeats=True)(rng))[0]
        assert len(set(rows)) < len(rows)
        rows, _, alpha = parts_of(TokenFamily()(rng))
        assert len(set(rows)) == len(rows)
        assert all(map(any, rows))
        assert alpha in generators.STEPS


@pytest.mark.parametrize("alpha", [F(3), F(1, 2), F(8)])
def test_solved_self_ties_tie_at_both_layers(alpha: Fraction) -> None:
    """|v|^2 = <v, w>; and where (0, v) follows itself and the pair, which follows the leaders, again one layer later."""
    rng, again = Random(5), 0
    for _ in range(150):
        z = self_tied(rng, alpha)
        orbit, inside = PlainOrbit(z), [i for i, row in enumerate(parts_of(z)[0]) if row[0] == 0]
        for i in inside:
            scores = orbit[0].scores[i]
            assert scores[i] in [scores[j] for j in range(len(z)) if j not in inside] or len(z) < 5
        if inside and len(z) >= 5 and orbit[0].follows[:5] == [(0,), (1,), (0,), (1,), (2, 3, 4)]:
            again += 1
            assert orbit[1].scores[4][4] == orbit[1].scores[4][2] == orbit[1].scores[4][3]
    assert again


#: statements whose generators also draw instances outside the hypotheses
SOME_OUTSIDE = {
    "closed-form-on-cells",
    "exponentially-fast",
    "frank-wolfe-negative",
    "frank-wolfe-negative-repaired",
    "leader-by-layer-n-duplicates",
    "leader-by-layer-n-indefinite",
    "leader-by-layer-n-without-symmetry",
    "leader-duplicates",
    "leader-indefinite",
    "leader-without-symmetry",
    "meanfield-cone-support",
    "meanfield-limit",
    "meanfield-mass-near-kernel",
    "meanfield-symmetric-data",
    "meanfield-w2-rate-is-gap",
    "one-block-suffices",
}


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_generators_of_statements_draw_within_the_hypotheses(name: str) -> None:
    rng, statement = Random(6), catalogue()[name]
    inside = [statement.violated(statement.generate(rng)) is None for _ in range(24)]
    assert all(inside) or (name in SOME_OUTSIDE and sum(inside) >= 2)


def test_feasible_data_are_feasible_and_any_data_are_not_always() -> None:
    rng = Random(7)
    several = [pairs for pairs in (pairs_of(feasible_data(rng)) for _ in range(60)) if len(pairs) > 1]
    assert len(several) > 20
    assert all(violated_condition(pairs) is None for pairs in several)
    kinds = {(violated_condition(pairs_of(any_data(rng))) or ("none",))[0] for _ in range(100)}
    assert kinds == {"none", "measure", "targets"}


def test_samples_are_drawn_from_a_generator_that_is_given() -> None:
    rng = np.random.default_rng(0)
    first, second = (tokens_families.sample("integer-grid", 6, 3, rng) for _ in range(2))
    assert first != second
    assert first == tokens_families.sample("integer-grid", 6, 3, 0)
