"""Witnesses with one thing changed: whatever makes the statement false is refused, each for a reason of its own."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.text import exact
from exactformer.errors import InvalidInput
from exactformer.geometry import alternative as gordan
from exactformer.geometry.alternative import Dependency, alternative
from exactformer.geometry.hull import InHull, NotInHull, in_hull, vertex, vertices
from exactformer.geometry.linear_algebra import Factorisation, Inconsistent, positive_definite, positive_semidefinite
from exactformer.geometry.linear_algebra import solve as solution_of
from exactformer.geometry.points import primitive
from exactformer.geometry.projection import exposed_face, project
from exactformer.geometry.separation import separate
from exactformer.geometry.simplest import simplest_offset
from exactformer.geometry.simplex import nonnegative_solution

HALF, QUARTER, ONE = Fraction(1, 2), Fraction(1, 4), Fraction(1)
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
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


def test_dependencies_without_a_solver_name_their_rows_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gordan, "propose_direction", lambda rows: None)
    rng, found = np.random.default_rng(3), 0
    for _ in range(60):
        n, dim = int(rng.integers(4, 14)), int(rng.integers(2, 5))
        rows = rng.integers(-4, 6, size=(n, dim)).astype(int).astype(object)
        answer = alternative(rows)
        if isinstance(answer, Dependency):
            indices = [j for j, _ in answer.weights]
            assert indices == sorted(set(indices))
            assert all(sum(w * rows[j, k] for j, w in answer.weights) == 0 for k in range(dim))
            found += answer.method == "simplex"
        else:
            assert all(sum(rows[j] * answer.v) > 0 for j in range(n))
    assert found > 5


def test_a_row_of_zeros_is_a_dependency_wherever_it_stands() -> None:
    for place in range(3):
        rows = integers([1, 2], [2, 1], [1, 1])
        rows[place] = 0
        assert alternative(rows).weights == ((place, ONE),)


@pytest.mark.parametrize("root", [2, 3, 5, 6, 7, 10, 11])
def test_an_offset_lies_strictly_between_ends_that_floats_confuse(root: int) -> None:
    low = exact(f"sqrt({root})")
    for digits in range(10, 30):
        high = low + Fraction(1, 10**digits)
        assert low < simplest_offset(low, high) < high
        assert -high < simplest_offset(-high, -low) < -low


@pytest.mark.parametrize("high", [Fraction(-5, 2), -2, Fraction(-1, 3), 0, Fraction(1, 3), 1, Fraction(7, 2)])
def test_an_offset_below_a_point_alone_is_a_short_integer(high: Fraction | int) -> None:
    offset = simplest_offset(None, high)
    assert offset < high
    assert offset.denominator == 1
    assert offset == 0 or offset + 1 >= high


def test_the_zero_vector_is_primitive() -> None:
    assert primitive((Fraction(0), 0)) == (0, 0)
    assert primitive((Fraction(2, 3), 0, Fraction(-4, 3))) == (1, 0, -2)
