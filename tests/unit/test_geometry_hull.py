"""Vertices and membership: edge cases, the definition for duplicated points, algebraic points, forged certificates."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import exact
from exactformer.errors import InvalidInput
from exactformer.geometry.hull import InHull, NotVertex, Vertex, in_hull, vertex, vertices
from exactformer.geometry.separation import Hyperplane

SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


@pytest.mark.parametrize(
    ("p", "points", "expected"),
    [
        ([0], [[0]], True),
        ([0], [[0], [0], [0]], True),
        ([1], [[0]], True),
        ([2], [[0], [1], [2]], True),
        ([1], [[0], [1], [2]], False),
        ([1, 1], SQUARE, True),
        ([1, 1], SQUARE + SQUARE, True),
        ([0, 0], SQUARE, False),
        ([1, 0], SQUARE, False),
        ([2, 0], SQUARE, True),
        ([1, Fraction(1, 10**30)], SQUARE, False),
        ([1 + Fraction(1, 10**30), 0], SQUARE, True),
        ([1 - Fraction(1, 10**30), 0], SQUARE, False),
        ([5, 5], [[5, 5], [5, 6], [5, 7]], True),
        ([5, 6], [[5, 5], [5, 6], [5, 7]], False),
        ([10**400, 0], [[0, 0], [10**400, 1]], True),
    ],
)
def test_vertex(p: list[object], points: list[list[object]], expected: bool) -> None:
    answer = vertex(p, points)
    assert bool(answer) == expected
    assert isinstance(answer, Vertex if expected else NotVertex)
    answer.verify(points)
    assert bool(vertex(p, State.of(points))) == expected


def test_a_copy_counts_for_membership_but_not_against_a_vertex() -> None:
    points = [*SQUARE, [1, 1]]
    assert vertex([1, 1], points)
    inside = in_hull([1, 1], points)
    assert isinstance(inside, InHull)
    inside.verify(points)
    assert [w for _, w in inside.weights] == [1]


def test_vertices_of_a_set_name_first_occurrences() -> None:
    points = [[0, 0], [2, 0], [1, 0], [0, 2], [0, 0], [1, 1], [Fraction(1, 2), Fraction(1, 2)]]
    answer = vertices(points)
    answer.verify(points)
    assert answer.indices == (0, 1, 3)
    with pytest.raises(InvalidInput):
        dataclasses.replace(answer, indices=(0, 1)).verify(points)


@pytest.mark.parametrize("points", [[[7]], [[7], [7]], [[1, 2, 3]] * 4])
def test_equal_points_have_one_vertex(points: list[list[int]]) -> None:
    answer = vertices(points)
    answer.verify(points)
    assert answer.indices == (0,)


@pytest.mark.parametrize(
    ("p", "points"),
    [([0], []), ([0, 0], [[1]]), ([0], [[1], [1, 2]]), ([], [[1]]), ([0], [[]]), ([float("nan")], [[1]])],
)
def test_bad_input(p: list[object], points: list[list[object]]) -> None:
    for question in (vertex, in_hull):
        with pytest.raises(InvalidInput):
            question(p, points)


def test_no_points_have_no_vertices() -> None:
    with pytest.raises(InvalidInput, match="expected at least one"):
        vertices([])


def test_a_numpy_array_is_read_as_its_exact_values() -> None:
    points = np.array([[0.1, 0.2], [0.3, 0.4], [0.2, 0.30000000000000004]])
    answer = vertices(points)
    answer.verify(points)
    exactly = [[Fraction(float(x)) for x in row] for row in points]
    assert answer == vertices(exactly)


def test_algebraic_points() -> None:
    root = exact("sqrt(3)")
    hexagon = [[1, 0], [Fraction(1, 2), root / 2], [Fraction(-1, 2), root / 2]]
    hexagon += [[-x for x in p] for p in hexagon]
    answer = vertices([*hexagon, [0, 0], [Fraction(1, 2), 0]])
    answer.verify([*hexagon, [0, 0], [Fraction(1, 2), 0]])
    assert answer.indices == tuple(range(6))
    for scale, expected in [(1, False), (1 + Fraction(1, 10**12), True), (1 - Fraction(1, 10**12), False)]:
        middle = [scale * (x + y) / 2 for x, y in zip(hexagon[0], hexagon[1], strict=True)]
        beside = vertex(middle, hexagon)
        beside.verify(hexagon)
        assert bool(beside) == expected


def test_forged_certificates_are_refused() -> None:
    half = Fraction(1, 2)
    forged: list[Vertex | NotVertex | InHull] = [
        Vertex((1, 1), (1, 1), Fraction(2), ""),
        Vertex((1, 1), (1, 0), Fraction(1, 2), ""),
        Vertex((1, 1), (0, 0), Fraction(0), ""),
        Vertex((1, 1), (1,), Fraction(0), ""),
        NotVertex((1, 1), ((0, Fraction(1)),), ""),
        NotVertex((1, 0), ((0, half), (2, half)), ""),
        InHull((1, 0), ((0, half), (1, Fraction(1, 4))), ""),
        InHull((1, 2), ((0, Fraction(3, 2)), (1, -half)), ""),
        InHull((1, 1), ((0, half), (0, half)), ""),
        InHull((-1, -1), ((-1, Fraction(1)),), ""),
        InHull((1, 1), ((4, Fraction(1)),), ""),
    ]
    for certificate in forged:
        with pytest.raises(InvalidInput):
            certificate.verify(SQUARE)
    with pytest.raises(InvalidInput):
        Hyperplane((1, 0), Fraction(1), "").verify([[2, 0]], SQUARE)
