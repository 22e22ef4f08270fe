"""Laws of exact geometry on rational points: every answer against its definition in Fractions, and the simplest one."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.rational import simplest_between
from exactformer.arithmetic.text import exact
from exactformer.errors import InvalidInput
from exactformer.geometry.active_set import affinely_independent, nearest_point, smallest, violated
from exactformer.geometry.alternative import Dependency, PositiveDirection, alternative, approx_normalised
from exactformer.geometry.hull import NotInHull, NotVertex, Vertex, in_hull, vertex, vertices
from exactformer.geometry.linear_algebra import (
    Factorisation,
    Inconsistent,
    Indefinite,
    Solution,
    echelon,
    null_space,
    pivot_columns,
    positive_definite,
    positive_semidefinite,
    positive_solution,
    rank,
    solve,
)
from exactformer.geometry.points import column, combine, divide_exactly, plain, primitive, quotient, scalars, shared
from exactformer.geometry.projection import exposed_face, project
from exactformer.geometry.propose import propose_direction, propose_nearest
from exactformer.geometry.separation import CommonPoint, Hyperplane, separate
from exactformer.geometry.simplest import is_positive, rounded, simplest_direction, simplest_offset
from exactformer.geometry.simplex import Feasible, nonnegative_solution

F = Fraction
ROOT: Any = exact("sqrt(2)")
Row = list[Fraction]


def rows(rng: random.Random, count: int, dim: int) -> list[Row]:
    return [[F(rng.randint(-4, 4), rng.randint(1, 3)) for _ in range(dim)] for _ in range(count)]


def inner(x: Any, y: Any) -> Any:
    return sum((a * b for a, b in zip(x, y, strict=True)), F(0))


def integers(*listed: Any) -> np.ndarray:
    return np.array(listed, dtype=object)


# ---------------------------------------------------------------- hyperplanes


@pytest.mark.parametrize("seed", range(4))
def test_one_point_is_cut_off_by_a_short_normal_at_the_simplest_offset(seed: int) -> None:
    rng, found = random.Random(seed), 0
    for _ in range(25):
        dim = rng.randint(1, 3)
        points, p = rows(rng, rng.randint(1, 6), dim), rows(rng, 1, dim)[0]
        answer = separate([p], points)
        if not isinstance(answer, Hyperplane):
            assert isinstance(answer, CommonPoint)
            assert answer.point == tuple(p)
            assert answer.left == ((0, 1),)
            assert [sum(w * points[j][k] for j, w in answer.right) for k in range(dim)] == p
            continue
        found += 1
        low, high = max(inner(answer.normal, s) for s in points), inner(answer.normal, p)
        assert answer.offset == simplest_between(low, high)
        assert math.gcd(*answer.normal) == 1
        for k, entry in enumerate(answer.normal):  # no entry can be nearer to 0
            if entry:
                less = list(answer.normal)
                less[k] -= 1 if entry > 0 else -1
                assert any(inner(less, p) <= inner(less, s) for s in points)
        outside = in_hull(p, points)
        assert isinstance(outside, NotInHull)
        assert (outside.point, outside.normal, outside.offset) == (tuple(p), answer.normal, answer.offset)
    assert found > 8


@pytest.mark.parametrize("seed", range(3))
def test_vertices_of_rational_points_are_those_no_others_combine_to(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        dim = rng.randint(1, 2)
        points = rows(rng, rng.randint(2, 6), dim)
        points.append(list(points[0]))
        answer = vertices(points)
        answer.verify(points)
        for j, (p, found) in enumerate(zip(points, answer.answers, strict=True)):
            others = [s for s in points if s != p]
            assert isinstance(found, Vertex if not others or not in_hull(p, others) else NotVertex)
            assert (j in answer.indices) is (bool(found) and points.index(p) == j)
            alone = vertex(p, points)
            assert type(alone) is type(found)
            if isinstance(alone, Vertex) and others:
                low = max(inner(alone.normal, s) for s in others)
                assert alone.offset == simplest_between(low, inner(alone.normal, p))


def test_two_sets_are_separated_at_the_simplest_offset_or_share_a_point() -> None:
    rng, seen = random.Random(5), set()
    for _ in range(40):
        dim = rng.randint(1, 2)
        left, right = rows(rng, rng.randint(2, 4), dim), rows(rng, rng.randint(1, 4), dim)
        answer = separate(left, right)
        seen.add(type(answer))
        if isinstance(answer, Hyperplane):
            low, high = (max(inner(answer.normal, s) for s in right), min(inner(answer.normal, p) for p in left))
            assert low < high
            assert answer.offset == simplest_between(low, high)
            assert math.gcd(*answer.normal) == 1
        else:
            for points, weights in ((left, answer.left), (right, answer.right)):
                assert sum(w for _, w in weights) == 1
                assert all(w > 0 for _, w in weights)
                assert tuple(sum(w * points[j][k] for j, w in weights) for k in range(dim)) == answer.point
    assert seen == {Hyperplane, CommonPoint}


def test_hints_are_tried_first_and_axes_before_means() -> None:
    assert alternative(integers([2, 3], [1, 5])).v == (1, 0)
    assert alternative(integers([-2, 3], [-1, -5])).v == (-1, 0)
    hinted = separate([[3, 3]], [[0, 0], [1, 1]], hints=[(-1, 0), (0, 1)])
    assert (hinted.normal, hinted.method) == ((0, 1), "free")
    above, below = [[3, 5], [5, 3], [9, 9]], [[0, 2], [2, 0], [-1, -1]]
    assert separate(above, below).normal == separate(above, below, hints=[(-1, 0)]).normal == (1, 2)
    assert separate(above, below, hints=[(-1, 0), (0, 7)]) == Hyperplane((0, 1), F(5, 2), "free")
    assert separate(above, below, hints=[(1, 0), (0, 7)]) == Hyperplane((1, 0), F(5, 2), "free")
    for v in ([7, 9], [1, 1]):
        assert is_positive(integers([2, 3], [1, 5]), v)
    assert not is_positive(integers([2, 3], [-3, 2]), (2, 3))  # 0 is not positive
    assert not is_positive(integers([1, 0], [0, 1]), (1, 0))


@pytest.mark.parametrize(
    ("listed", "weights"),
    [
        ([[2, 4], [1, 0], [-3, -6]], ((0, F(3, 5)), (2, F(2, 5)))),
        ([[1, 0], [0, 1], [-1, -1]], ((0, F(1, 3)), (1, F(1, 3)), (2, F(1, 3)))),
        ([[1, 1], [-4, -4]], ((0, F(4, 5)), (1, F(1, 5)))),
        ([[1, 2], [0, 0], [3, 4]], ((1, F(1)),)),
        ([[5, 1], [-3, 2], [-1, -4], [1, 0]], None),
        ([[1, ROOT], [-1, -ROOT]], ((0, F(1, 2)), (1, F(1, 2)))),
        ([[ROOT, 0], [0, ROOT], [-1, -1]], None),
    ],
)
def test_dependencies_combine_to_zero_with_weights_of_sum_one(listed: Any, weights: Any) -> None:
    answer = alternative(integers(*listed))
    assert isinstance(answer, Dependency)
    assert sum(w for _, w in answer.weights) == 1
    assert all(w > 0 for _, w in answer.weights)
    assert all(sum(w * listed[j][k] for j, w in answer.weights) == 0 for k in range(2))
    assert weights is None or answer.weights == weights


def test_directions_of_algebraic_rows_are_short_integers() -> None:
    found = alternative(integers([1, ROOT], [ROOT, -1], [1, -1]))
    assert isinstance(found, PositiveDirection)
    assert found.v == (1, 0)
    close = ROOT - F(1414213562, 10**9)  # positive, and small
    found = alternative(integers([close, 0], [0, 1]))
    assert isinstance(found, PositiveDirection)
    assert found.v == (1, 1)


@pytest.mark.parametrize("seed", range(3))
def test_simplest_directions_cannot_be_shortened_in_any_entry(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(30):
        dim = rng.randint(2, 4)
        v = tuple(rng.randint(-900, 900) for _ in range(dim))
        listed = [[rng.randint(-5, 5) for _ in range(dim)] for _ in range(8)]
        chosen = [row for row in listed if inner(row, v) > 0]
        if not chosen:
            continue
        short = simplest_direction(integers(*chosen), v)
        assert all(inner(row, short) > 0 for row in chosen)
        assert max(map(abs, short)) <= max(map(abs, v))
        for k, entry in enumerate(short):
            if entry:
                less = [x - (k == i) * (1 if entry > 0 else -1) for i, x in enumerate(short)]
                assert any(inner(row, less) <= 0 for row in chosen)


def test_directions_are_rounded_to_the_nearest_integers_and_rows_to_norm_one() -> None:
    assert rounded(np.array([0.5, -1.0, 0.25]), 3) == (4, -8, 2)
    assert rounded(np.array([2.0, 1.0]), 2) == (4, 2)
    assert rounded(np.zeros(2), 5) == (0, 0)
    assert approx_normalised(integers([1, -3], [10**400, 10**400])).tolist() == [[0.25, -0.75], [0.5, 0.5]]
    assert approx_normalised(integers([ROOT, ROOT])).tolist() == [[0.5, 0.5]]
    assert (simplest_offset(F(1), F(2)), simplest_offset(ROOT, 2 * ROOT)) == (F(3, 2), 2)


# ---------------------------------------------------------------- projections


@pytest.mark.parametrize("seed", range(4))
def test_projections_of_a_point_onto_some_of_the_points_in_a_rational_norm(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        dim = rng.randint(1, 3)
        B, points, (origin,) = rows(rng, dim, dim), rows(rng, rng.randint(2, 6), dim), rows(rng, 1, dim)
        A = [[inner(B[i], B[j]) + F(i == j, 2) for j in range(dim)] for i in range(dim)]
        onto = sorted(rng.sample(range(len(points)), rng.randint(1, len(points))))
        answer = project(points, A, origin=origin, onto=onto)
        assert (answer.origin, answer.onto) == (tuple(origin), tuple(onto))
        assert {j for j, _ in answer.weights} <= set(onto)
        assert sum(w for _, w in answer.weights) == 1
        assert tuple(sum(w * points[j][k] for j, w in answer.weights) for k in range(dim)) == answer.point
        gap = [x - q for x, q in zip(answer.point, origin, strict=True)]
        towards = [inner(row, gap) for row in A]
        assert all(inner(towards, points[j]) >= inner(towards, answer.point) for j in onto)
        answer.verify(points, A)
        for j in set(range(len(points))) - set(onto):  # a nearer point that is left out refutes the whole
            if inner(towards, points[j]) < inner(towards, answer.point):
                assert project(points, A, origin=origin).point != answer.point


@pytest.mark.parametrize("seed", range(3))
def test_faces_are_the_points_of_the_largest_value(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(30):
        dim = rng.randint(1, 3)
        points, (normal,) = rows(rng, rng.randint(1, 7), dim), rows(rng, 1, dim)
        face = exposed_face(points, normal)
        values = [inner(normal, p) for p in points]
        assert face.offset == max(values)
        assert face.indices == tuple(j for j, value in enumerate(values) if value == max(values))
        assert face.normal == tuple(normal)


def test_the_parts_of_the_active_set_method() -> None:
    points = integers([2, 0], [0, 1], [1, 1], [4, 1])
    A = integers([1, 0], [0, 9])
    images = points @ A
    assert smallest(points, images) == 0  # norms 4, 9, 10, 25
    assert smallest(points, points) == 1
    assert violated(points, points, [0], [F(1)]) == 1
    assert violated(points, points, [0, 1], [F(1, 5), F(4, 5)]) is None
    assert affinely_independent(points, [0, 1, 2, 3]) == [0, 1, 2]
    assert affinely_independent(integers([1, 1], [2, 2], [3, 3], [0, 1]), [2, 0, 1, 3]) == [2, 0, 3]
    assert affinely_independent(points, []) == []
    for start in ([], [3], [0, 1], [1, 2, 3]):
        assert nearest_point(points, integers([1, 0], [0, 1]), start) == ((0, F(1, 5)), (1, F(4, 5)))
    assert nearest_point(integers([ROOT, 1], [-ROOT, 1]), integers([1, 0], [0, 1])) == ((0, F(1, 2)), (1, F(1, 2)))


# ---------------------------------------------------------------- linear algebra


@pytest.mark.parametrize("seed", range(4))
def test_solutions_of_rational_systems(seed: int) -> None:
    rng, kinds = random.Random(seed), set()
    for _ in range(30):
        height, width = rng.randint(1, 4), rng.randint(1, 4)
        M = rows(rng, height, width)
        if rng.random() < 0.5 and height > 1:
            M[-1] = [2 * x for x in M[0]]
        b = [F(rng.randint(-3, 3), rng.randint(1, 4)) for _ in range(height)]
        answer = solve(M, b)
        kinds.add(type(answer))
        if isinstance(answer, Solution):
            assert [inner(row, answer.x) for row in M] == b
            assert answer.unique is (rank(M) == width)
            free = set(range(width)) - set(pivot_columns(M))
            assert all(answer.x[k] == 0 for k in free)
        else:
            assert [inner(answer.y, [row[k] for row in M]) for k in range(width)] == [0] * width
            assert inner(answer.y, b) != 0
            assert math.gcd(*answer.y) == 1
        ranks = [rank([row[:k] for row in M]) for k in range(1, width + 1)]
        assert pivot_columns(M) == tuple(k for k, r in enumerate(ranks) if r > (ranks[k - 1] if k else 0))
        for x in null_space(M):
            assert [inner(row, x) for row in M] == [0] * height
            assert math.gcd(*x) == 1
        assert len(null_space(M)) == width - rank(M)
    assert kinds == {Solution, Inconsistent}


@pytest.mark.parametrize("seed", range(3))
def test_factors_of_rational_matrices(seed: int) -> None:
    rng, kinds = random.Random(seed), set()
    for _ in range(25):
        n = rng.randint(1, 3)
        B = rows(rng, n, n)
        A = [[inner(B[i], B[j]) - F(i == j, rng.choice([3, 10**6])) for j in range(n)] for i in range(n)]
        A = [[A[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
        for answer, strict in ((positive_definite(A), True), (positive_semidefinite(A), False)):
            kinds.add(type(answer))
            if isinstance(answer, Factorisation):
                assert answer.strict is strict
                product = [
                    [sum(answer.L[i][k] * answer.D[k] * answer.L[j][k] for k in range(n)) for j in range(n)]
                    for i in range(n)
                ]
                assert product == A
                assert all(d > 0 if strict else d >= 0 for d in answer.D)
            else:
                assert isinstance(answer, Indefinite)
                assert inner([inner(row, answer.v) for row in A], answer.v) == answer.value
                assert answer.value <= 0 if strict else answer.value < 0
                assert math.gcd(*answer.v) == 1
    assert kinds == {Factorisation, Indefinite}


@pytest.mark.parametrize("seed", range(3))
def test_nonnegative_solutions_have_few_entries_and_are_found_where_some_support_has_one(seed: int) -> None:
    rng, kinds = random.Random(seed), set()
    for _ in range(25):
        m, n = rng.randint(1, 3), rng.randint(1, 5)
        M = integers(*([rng.randint(-3, 3) for _ in range(n)] for _ in range(m)))
        b = column([rng.randint(-3, 3) for _ in range(m)])
        answer = nonnegative_solution(M, b)
        answer.verify(M, b)
        kinds.add(type(answer))
        if isinstance(answer, Feasible):
            assert len(answer.x) == n
            assert sum(x != 0 for x in answer.x) <= m
            assert all(x >= 0 for x in answer.x)
        possible = not any(b)
        for size in range(1, m + 1):
            for chosen in combinations(range(n), min(size, n)):
                found = solve(M[:, list(chosen)].tolist(), b.tolist())
                possible |= isinstance(found, Solution) and found.unique and all(x >= 0 for x in found.x)
        assert bool(answer) is possible
    assert len(kinds) == 2


def test_echelon_forms_over_the_integers_and_over_a_field_are_the_same() -> None:
    listed = [[0, 2, 4, 1], [0, 1, 2, 3], [0, 0, 0, 5]]
    R, q, pivots = echelon(integers(*listed))
    wanted = [[0, 1, 2, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert ([[F(x, q) for x in row] for row in R.tolist()], pivots) == (wanted, (1, 3))
    R, q, pivots = echelon(integers(*([ROOT * x for x in row] for row in listed)))
    assert ([[x / q for x in row] for row in R.tolist()], pivots) == (wanted, (1, 3))
    assert positive_solution(integers([2, 1], [1, 3]), integers(5, 5)) == [2, 1]
    assert positive_solution(integers([ROOT, 0], [0, 1]), integers(2, 3)) == [ROOT, 3]


# ---------------------------------------------------------------- points


def test_groups_of_points_stand_over_one_denominator_or_in_one_field() -> None:
    groups, denominator = shared([["1/2", 1]], [[F(1, 3), 0], [2, 2]], [["1/4", 5]], names=("a", "b", "c"))
    assert (denominator, [g.tolist() for g in groups]) == (12, [[[6, 12]], [[4, 0], [24, 24]], [[3, 60]]])
    groups, denominator = shared([[1], [ROOT]], [["1/3"]], [[2], [3], [4]], names=("a", "b", "c"))
    assert (denominator, [g.tolist() for g in groups]) == (1, [[[1], [ROOT]], [[F(1, 3)]], [[2], [3], [4]]])
    with pytest.raises(InvalidInput, match="c: expected points of dimension 1 as in a, got dimension 2"):
        shared([[1]], [[2]], [[1, 2]], names=("a", "b", "c"))


def test_the_operations_on_points() -> None:
    assert scalars([3, -4], 6) == (F(1, 2), F(-2, 3))
    assert combine(((1, F(1, 3)), (2, F(2, 3))), integers([9, 9], [3, 6], [0, 3]), 3) == (F(1, 3), F(4, 3))
    assert divide_exactly(integers(6, -9), 3).tolist() == [2, -3]
    assert divide_exactly(integers(2, ROOT), ROOT).tolist() == [ROOT, 1]
    assert type(quotient(ROOT, 2 * ROOT)) is F
    assert type(plain(ROOT * ROOT)) is F
    assert primitive((F(4), F(-6), 0)) == (2, -3, 0)
    assert primitive((F(1, 2), ROOT)) == (F(1, 2), ROOT)


# ---------------------------------------------------------------- proposals of solvers


@pytest.mark.parametrize("n", [2, 7, 8, 9, 17])
def test_proposals_are_about_the_rows_given_however_many(n: int) -> None:
    rng = np.random.default_rng(n)
    points = np.vstack([rng.uniform(4, 5, size=(n - 2, 2)), [[1.0, 2.0], [2.0, -1.0]]])
    weights = propose_nearest(points)
    assert weights is not None
    assert weights.shape == (n,)
    assert weights[-2:] == pytest.approx([0.5, 0.5], abs=1e-4)
    assert weights.sum() == pytest.approx(1)
    found = propose_direction(np.vstack([np.full((n - 2, 2), 3.0), [[1.0, 0.0], [0.0, 1.0]]]))
    assert found is not None
    assert (found.v, found.margin) == (pytest.approx([1, 1], abs=1e-6), pytest.approx(1, abs=1e-6))
    assert found.weights.shape == (n,)
    assert found.weights[:-2] == pytest.approx(np.zeros(n - 2), abs=1e-6)
    assert found.weights.sum() == pytest.approx(1, abs=1e-6)
