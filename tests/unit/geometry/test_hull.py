"""Tests of `exactformer.geometry.hull`."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import exact
from exactformer.errors import InvalidInput
from exactformer.geometry.hull import InHull, NotInHull, NotVertex, Vertex, in_hull, vertex, vertices
from exactformer.geometry.linear_algebra import Factorisation, Inconsistent, positive_definite, positive_semidefinite
from exactformer.geometry.linear_algebra import solve as solution_of
from exactformer.geometry.projection import exposed_face, project
from exactformer.geometry.separation import Hyperplane, separate
from exactformer.geometry.simplex import nonnegative_solution

SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


# ---------------------------------------------------------------- no is not truthy


def test_a_point_outside_a_hull_is_a_false_answer_with_a_witness() -> None:
    outside = in_hull([2, "1/2"], SQUARE)
    assert isinstance(outside, NotInHull)
    assert not outside
    outside.verify(SQUARE)
    assert outside.point == (2, Fraction(1, 2))
    with pytest.raises(InvalidInput):
        outside.verify([*SQUARE, [2, 1], [2, 0]])
    assert in_hull([0, 0], SQUARE)
    assert in_hull([1, 0], SQUARE)


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


@pytest.mark.parametrize("scale", ["sqrt(2)", "sqrt(2)*10**400", "sqrt(2)/10**400"])
def test_answers_do_not_depend_on_the_unit_even_beyond_floats(scale: str) -> None:
    unit = exact(scale)
    points = [[3, 1], [0, 2], [-1, 0], [2, -2], [1, 1], [0, 0], [3, 1]]
    scaled = [[unit * x for x in point] for point in points]
    found = vertices(scaled)
    assert found.indices == vertices(points).indices == (0, 1, 2, 3)
    found.verify(scaled)
    for left, right in ((points[:2], points[2:4]), (points[:1], points[1:6]), (points[3:4], points[2:3])):
        there = separate([[unit * x for x in p] for p in left], [[unit * x for x in p] for p in right])
        assert isinstance(there, Hyperplane)
        there.verify([[unit * x for x in p] for p in left], [[unit * x for x in p] for p in right])
    inside = in_hull(scaled[4], scaled[:4])
    assert isinstance(inside, InHull)
    inside.verify(scaled[:4])
    nearest = project(scaled[:4], [[2, 1], [1, 3]], origin=[5 * unit, 2 * unit])
    assert nearest.weights == project(points[:4], [[2, 1], [1, 3]], origin=[5, 2]).weights
    nearest.verify(scaled[:4], [[2, 1], [1, 3]])


HALF, QUARTER, ONE = Fraction(1, 2), Fraction(1, 4), Fraction(1)


#: a triangle with a copy of its first corner and a point on a side
TRIANGLE = [[0, 0], [2, 0], [1, 0], [0, 2], [0, 0]]


LEFT, RIGHT = [[0, 0], [2, 2]], [[0, 2], [2, 0]]


def integers(*rows: Any) -> np.ndarray:
    return np.array(rows, dtype=object)


SUM, TWO = integers([1, 1]), integers(2)


SKEW, UNIT = integers([1, 1], [1, 2]), integers(1, 0)


CORNERS = vertices(TRIANGLE)


SEEN = {
    "feasible": (
        nonnegative_solution(SUM, TWO),
        (SUM, TWO),
        [{"x": (-ONE, 3 * ONE)}, {"x": (ONE, 2 * ONE)}],
    ),
    "farkas": (
        nonnegative_solution(SKEW, UNIT),
        (SKEW, UNIT),
        [{"y": (1, 0)}, {"y": (0, -1)}, {"y": (0, 0)}, {"y": (-1, 1)}],
    ),
    "solution": (solution_of([[2, 1], [1, 1]], [1, 1]), ([[2, 1], [1, 1]], [1, 1]), [{"x": (ONE, -ONE)}]),
    "inconsistent": (
        Inconsistent((-2, 1)),
        ([[1, 1], [2, 2]], [1, 1]),
        [{"y": (1, 1)}, {"y": (0, 0)}],
    ),
    "strict factors": (
        positive_definite([[2, 1], [1, 1]]),
        ([[2, 1], [1, 1]],),
        # the first two products are A as well, of factors that are upper triangular, or not of unit diagonal
        [{"L": ((1, 1), (0, 1)), "D": (1, 1)}, {"L": ((2, 0), (1, 1)), "D": (HALF, HALF)}, {"D": (2, 1)}],
    ),
    "factors": (
        positive_semidefinite([[1, 1], [1, 1]]),
        ([[1, 1], [1, 1]],),
        [{"strict": True}, {"D": (1, 1)}],
    ),
    "negative factors": (Factorisation(((1,),), (0,), False), ([[0]],), [{"D": (-1,)}, {"strict": True}]),
    "indefinite": (
        positive_definite([[1, 2], [2, 1]]),
        ([[1, 2], [2, 1]],),
        [{"value": Fraction(-4)}, {"v": (0, 0), "value": 0}, {"v": (1, 0), "value": 1}, {"v": (2, 1)}],
    ),
    "asymmetry": (
        positive_definite([[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
        ([[1, 2, 0], [0, 1, 0], [0, 0, 1]],),
        [{"row": 2}],
    ),
    "hyperplane": (
        separate([[2, 0]], SQUARE),
        ([[2, 0]], SQUARE),
        [{"offset": ONE}, {"offset": 2 * ONE}, {"normal": (1,)}, {"normal": (1, 0, 0)}, {"normal": (-1, 0)}],
    ),
    "common point": (
        separate(LEFT, RIGHT),
        (LEFT, RIGHT),
        [
            {"point": (ONE, 2 * ONE)},
            {"left": ((0, HALF),)},
            {"right": ((0, ONE),)},
            {"right": ((0, HALF), (1, QUARTER), (1, QUARTER))},
        ],
    ),
    "vertex": (
        vertex([1, 1], SQUARE),
        (SQUARE,),
        [{"offset": 2 * ONE}, {"offset": -ONE}, {"normal": (1, 0)}, {"normal": (1, 1, 0)}, {"point": (1, -1)}],
    ),
    "no vertex": (
        vertex([1, 0], [*SQUARE, [1, 0]]),
        ([*SQUARE, [1, 0]],),
        [{"weights": ((4, ONE),)}, {"weights": ((0, ONE),)}, {"weights": ((0, QUARTER), (1, QUARTER), (4, HALF))}],
    ),
    "in the hull": (
        InHull((0, 0), ((0, HALF), (3, HALF)), ""),
        (SQUARE,),
        [
            {"weights": ((0, HALF), (1, 0 * ONE), (3, HALF))},
            {"weights": ((0, HALF), (-1, HALF))},
            {"weights": ((0, HALF), (4, HALF))},
            {"weights": ((0, QUARTER), (0, QUARTER), (3, HALF))},
            {"weights": ((0, ONE), (3, ONE))},
            {"weights": ((0, 2 * ONE), (1, -HALF), (2, -HALF))},
            {"point": (0, 0, 0)},
            {"point": (0, 1)},
        ],
    ),
    "outside": (
        in_hull([2, 0], SQUARE),
        (SQUARE,),
        [{"offset": ONE}, {"point": (1, 0)}, {"normal": (0, 1)}],
    ),
    "vertices": (
        CORNERS,
        (TRIANGLE,),
        [
            {"indices": (0, 1, 2)},
            {"indices": (4, 1, 3)},
            {"indices": (0, 3, 1)},
            {"indices": (0, 1)},
            {"answers": CORNERS.answers[::-1]},
            {"answers": CORNERS.answers[:4]},
        ],
    ),
    "projection": (
        project(SQUARE, onto=(0, 1)),
        (SQUARE,),
        [{"onto": (0,)}, {"onto": (0, 1, 2)}, {"origin": (0, 1)}, {"point": (1, 1)}, {"weights": ((0, ONE),)}],
    ),
    "face": (
        exposed_face([[HALF, 1], [HALF, -1], [0, 0]], [1, 0]),
        ([[HALF, 1], [HALF, -1], [0, 0]],),
        [{"offset": QUARTER}, {"indices": (0,)}, {"indices": (0, 1, 2)}, {"normal": (1, 1)}],
    ),
}


@pytest.mark.parametrize("name", SEEN)
def test_a_witness_holds_and_fails_with_any_part_of_it_changed(name: str) -> None:
    witness, about, changes = SEEN[name]
    witness.verify(*about)
    for change in changes:
        with pytest.raises(InvalidInput):
            dataclasses.replace(witness, **change).verify(*about)


def test_the_offset_of_a_face_is_the_value_on_it() -> None:
    assert exposed_face([[HALF, 1], [HALF, -1], [0, 0]], [HALF, 0]).offset == QUARTER
    assert isinstance(in_hull([2, 0], SQUARE), NotInHull)
