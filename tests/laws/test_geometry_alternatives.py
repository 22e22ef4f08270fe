"""Laws of exact geometry on point sets full of ties: certificates verify, and independent definitions agree."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from exactformer.geometry.active_set import nearest_point
from exactformer.geometry.alternative import (
    Dependency,
    PositiveDirection,
    alternative,
    approx_normalised,
    judge_proposal,
)
from exactformer.geometry.hull import in_hull, vertex, vertices
from exactformer.geometry.linear_algebra import (
    Factorisation,
    null_space,
    positive_definite,
    positive_semidefinite,
    rank,
    solve,
)
from exactformer.geometry.points import Array, dot
from exactformer.geometry.projection import project
from exactformer.geometry.propose import ProposedDirection, propose_direction
from exactformer.geometry.separation import separate
from exactformer.geometry.simplex import Feasible, nonnegative_solution

QUICK = settings(max_examples=60)


def integer_rows(dim: int, least: int = 1, most: int = 9, size: int = 3) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(st.integers(-size, size), min_size=dim, max_size=dim), min_size=least, max_size=most)


point_sets = st.integers(1, 4).flatmap(integer_rows)
planar_sets = integer_rows(2)


def _array(rows: list[list[int]]) -> Array:
    return np.array(rows, dtype=object)


def _check_alternative(rows: Array, answer: PositiveDirection | Dependency) -> None:
    if isinstance(answer, PositiveDirection):
        assert all(dot(row, answer.v) > 0 for row in rows)
    else:
        assert sum(w for _, w in answer.weights) == 1
        assert all(w > 0 for _, w in answer.weights)
        assert [j for j, _ in answer.weights] == sorted({j for j, _ in answer.weights})
        assert all(sum(w * rows[j][k] for j, w in answer.weights) == 0 for k in range(rows.shape[1]))


@QUICK
@given(point_sets)
def test_gordan_is_decided_with_a_certificate_and_as_the_simplex_method_decides_it(rows: list[list[int]]) -> None:
    R = _array(rows)
    answer = alternative(R)
    _check_alternative(R, answer)
    system = np.vstack([R.T, np.ones((1, len(R)), dtype=int).astype(object)])
    target = _array([0] * R.shape[1] + [1])
    exact = nonnegative_solution(system, target)
    exact.verify(system, target)
    assert isinstance(exact, Feasible) == isinstance(answer, Dependency)


@QUICK
@given(point_sets, st.integers(0, 2**32 - 1))
def test_a_hostile_proposal_is_never_believed(rows: list[list[int]], seed: int) -> None:
    R = _array([row for row in rows if any(row)] or [[1] * len(rows[0])])
    rng = np.random.default_rng(seed)
    n, dim = R.shape
    weights = rng.random(n) * rng.integers(0, 2, size=n)
    weights[rng.integers(n)] = 1.0
    judged = judge_proposal(R, ProposedDirection(rng.normal(size=dim), float(rng.choice([-1.0, 0.0, 1.0])), weights))
    if judged is not None:
        _check_alternative(R, judged)
        assert type(judged) is type(alternative(R))


@QUICK
@given(point_sets, point_sets)
def test_nonnegative_solutions_or_farkas(M: list[list[int]], b: list[list[int]]) -> None:
    system = _array(M)
    target = _array([b[i % len(b)][0] for i in range(len(M))])
    nonnegative_solution(system, target).verify(system, target)


@QUICK
@given(point_sets)
def test_every_vertex_and_every_other_point_carries_its_certificate(rows: list[list[int]]) -> None:
    answer = vertices(rows)
    answer.verify(rows)
    for row, given_answer in zip(rows, answer.answers, strict=True):
        assert bool(vertex(row, rows)) == bool(given_answer)
    # the vertices alone span the hull
    corners = [rows[i] for i in answer.indices]
    for row in rows:
        inside = in_hull(row, corners)
        assert inside
        inside.verify(corners)


@QUICK
@given(planar_sets)
def test_planar_vertices_are_those_of_the_monotone_chain(rows: list[list[int]]) -> None:
    found = {tuple(rows[i]) for i in vertices(rows).indices}
    assert found == _monotone_chain(rows)


def _monotone_chain(rows: list[list[int]]) -> set[tuple[int, ...]]:
    """The vertices of a planar hull by Andrew's algorithm, which uses orientations only."""
    points = sorted({tuple(row) for row in rows})
    if len(points) < 3:
        return set(points)
    corners: set[tuple[int, ...]] = set()
    for ordered in (points, points[::-1]):
        chain: list[tuple[int, ...]] = []
        for p in ordered:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        corners.update(chain)
    return corners


def _turn(a: tuple[int, ...], b: tuple[int, ...], c: tuple[int, ...]) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@QUICK
@given(st.integers(1, 3).flatmap(lambda d: st.tuples(integer_rows(d), integer_rows(d))))
def test_two_sets_are_separated_or_meet_as_their_difference_set_says(sets: tuple[list[list[int]], ...]) -> None:
    left, right = sets
    answer = separate(left, right)
    answer.verify(left, right)
    differences = [[x - y for x, y in zip(p, s, strict=True)] for p in left for s in right]
    origin = [0] * len(left[0])
    inside = in_hull(origin, differences)
    inside.verify(differences)
    assert bool(answer) != bool(inside)


matrices = st.integers(1, 3).flatmap(lambda d: integer_rows(d, d, d))


@QUICK
@given(st.integers(1, 3).flatmap(lambda d: st.tuples(integer_rows(d, most=6), integer_rows(d, d, d))))
def test_a_projection_is_the_nearest_of_all_candidate_supports(data: tuple[list[list[int]], ...]) -> None:
    points, B = data
    dim = len(B)
    A = [[dot(B[i], B[j]) + (i == j) for j in range(dim)] for i in range(dim)]
    answer = project(points, A)
    answer.verify(points, A)
    assert _norm(answer.point, A) == min(_candidates(points, A))
    cold = nearest_point(_array(points), _array(A))
    warm = nearest_point(_array(points), _array(A), list(range(len(points)))[::-1])
    for weights in (cold, warm):
        assert all(w > 0 for _, w in weights)
        assert tuple(sum(w * points[j][k] for j, w in weights) for k in range(dim)) == answer.point


def _norm(x: tuple[Fraction, ...], A: list[list[int]]) -> Fraction:
    return Fraction(dot((dot(row, x) for row in A), x))


def _candidates(points: list[list[int]], A: list[list[int]]) -> list[Fraction]:
    """The norms of the stationary points of all supports that lie in the hull: the least is the distance."""
    norms = []
    for size in range(1, len(A) + 2):
        for chosen in combinations(points, min(size, len(points))):
            gram = [[dot((dot(row, p) for row in A), q) for q in chosen] for p in chosen]
            system = [[*row, -1] for row in gram] + [[1] * len(chosen) + [0]]
            weights = solve(system, [0] * len(chosen) + [1])
            if weights and all(w >= 0 for w in weights.x[:-1]):
                x = tuple(dot(weights.x[:-1], column) for column in zip(*chosen, strict=True))
                norms.append(_norm(x, A))
    return norms


@QUICK
@given(matrices, st.booleans())
def test_definiteness_agrees_with_minors(B: list[list[int]], gram: bool) -> None:
    n = len(B)
    A = [[dot(B[i], B[j]) if gram else B[i][j] + B[j][i] for j in range(n)] for i in range(n)]
    strict, weak = positive_definite(A), positive_semidefinite(A)
    strict.verify(A)
    weak.verify(A)
    leading = [_determinant([row[:k] for row in A[:k]]) for k in range(1, n + 1)]
    principal = [
        _determinant([[A[i][j] for j in c] for i in c]) for k in range(1, n + 1) for c in combinations(range(n), k)
    ]
    assert bool(strict) == all(m > 0 for m in leading)
    assert bool(weak) == all(m >= 0 for m in principal)
    if not isinstance(strict, Factorisation):
        first = next(k for k, m in enumerate(leading) if m <= 0)
        assert (strict.order, strict.minor) == (first + 1, leading[first])
    assert weak or weak.value < 0


def _determinant(A: list[list[int]]) -> int:
    """Laplace expansion along the first row."""
    if not A:
        return 1
    return sum((-1) ** k * x * _determinant([row[:k] + row[k + 1 :] for row in A[1:]]) for k, x in enumerate(A[0]))


@QUICK
@given(point_sets)
def test_null_space_and_solutions(M: list[list[int]]) -> None:
    basis = null_space(M)
    assert all(dot(row, x) == 0 for row in M for x in basis)
    assert len(basis) + rank(M) == len(M[0])
    assert all(next(v for v in reversed(x) if v) > 0 for x in basis)  # the free coordinate, whatever the pivots
    for b in ([1] * len(M), [row[0] for row in M]):
        answer = solve(M, b)
        answer.verify(M, b)
        assert not answer or answer.unique == (not basis)


def test_a_proposal_of_the_solver_is_only_about_right_and_says_so() -> None:
    R = _array([[3, 1], [1, 3], [2, 2]])
    proposal = propose_direction(approx_normalised(R))
    assert proposal is not None
    assert proposal.margin > 0.1
    assert abs(proposal.weights.sum() - 1) < 1e-6
