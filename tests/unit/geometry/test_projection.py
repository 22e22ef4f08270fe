"""Projections in the norm of A: known answers, faces, certificates from known weights, refusals."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import exact
from exactformer.errors import InvalidInput
from exactformer.geometry.active_set import nearest_point
from exactformer.geometry.points import combine, shared
from exactformer.geometry.projection import PROPOSE_FROM, exposed_face, project

SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("points", "A", "expected"),
    [
        ([[3]], None, (3,)),
        ([[3], [-1]], None, (0,)),
        ([[3], [3], [4]], None, (3,)),
        (SQUARE, None, (0, 0)),
        ([[1, 2], [2, -1], [9, 9]], None, (Fraction(3, 2), HALF)),
        ([[1, 1], [1, -1]], [[1, 0], [0, 7]], (1, 0)),
        ([[2, 0], [0, 1]], [[1, 0], [0, 4]], (1, HALF)),
        ([[2, 0], [0, 1]], [[2, 1], [1, 1]], (0, 1)),
        ([[0, 0, 0], [1, 2, 3]], None, (0, 0, 0)),
    ],
)
def test_projection_of_the_origin(
    points: list[list[int]], A: list[list[int]] | None, expected: tuple[int, ...]
) -> None:
    answer = project(points, A)
    assert answer.point == expected
    answer.verify(points, A)
    assert project(State.of(points), A) == answer


def test_projection_of_a_point_onto_a_hull_and_onto_a_face() -> None:
    answer = project(SQUARE, origin=[3, Fraction(1, 3)])
    answer.verify(SQUARE)
    assert answer.point == (1, Fraction(1, 3))
    face = exposed_face(SQUARE, [1, 0])
    face.verify(SQUARE)
    assert face.indices == (0, 1)
    onto = project(SQUARE, onto=face.indices)
    onto.verify(SQUARE)
    assert onto.point == (1, 0)
    with pytest.raises(InvalidInput):
        dataclasses.replace(onto, onto=(0, 1, 2, 3)).verify(SQUARE)


def test_algebraic_projection() -> None:
    root = exact("sqrt(2)")
    points, A = [[1, root], [root, 1], [3, 3]], [[2, root], [root, 3]]
    answer = project(points, A)
    answer.verify(points, A)
    plain = project(points)
    plain.verify(points)
    assert plain.point == ((1 + root) / 2, (1 + root) / 2)


@pytest.mark.parametrize(
    ("points", "A", "options"),
    [
        ([], None, {}),
        ([[1], [1, 2]], None, {}),
        ([[1, 2]], [[1, 2], [2, 1]], {}),
        ([[1, 2]], [[1, 2], [0, 1]], {}),
        ([[1, 2]], [[1]], {}),
        ([[1, 2]], None, {"origin": [1]}),
        ([[1, 2]], None, {"onto": []}),
        ([[1, 2]], None, {"onto": [1]}),
        ([[1, 2], [3, 4]], None, {"onto": [-1]}),
        ([[1, 2], [3, 4]], None, {"onto": [0, -2]}),
    ],
)
def test_bad_input(points: list[list[int]], A: list[list[int]] | None, options: dict[str, list[int]]) -> None:
    with pytest.raises(InvalidInput):
        project(points, A, **options)


def test_the_refusal_of_an_indefinite_matrix_names_a_vector() -> None:
    with pytest.raises(InvalidInput, match=r"minor is -3; <A v, v> = -3 at v = \(-2, 1\)"):
        project([[1, 2]], [[1, 2], [2, 1]])


def test_forged_projections_are_refused() -> None:
    points = [[1, 2], [2, -1], [9, 9]]
    answer = project(points)
    for change in (
        {"point": (Fraction(1), Fraction(2))},
        {"point": (Fraction(9), Fraction(9)), "weights": ((2, Fraction(1)),)},
        {"weights": ((0, HALF), (2, HALF))},
        {"origin": (Fraction(10), Fraction(10))},
    ):
        with pytest.raises(InvalidInput):
            dataclasses.replace(answer, **change).verify(points)


@pytest.mark.parametrize("shift", [0, 1, 3])
@pytest.mark.parametrize("method", ["float", "grid"])
def test_high_dimensions_where_a_solver_proposes_the_support(shift: int, method: str) -> None:
    rng, dim = np.random.default_rng(5), PROPOSE_FROM + 2
    rows = rng.normal(size=(60, dim)) if method == "float" else rng.integers(-1, 2, size=(60, dim)).astype(float)
    points = [[Fraction(x) + (shift if k < 3 else 0) for k, x in enumerate(row)] for row in rows.tolist()]
    answer = project(points)
    answer.verify(points)
    identity = np.eye(dim, dtype=int).astype(object)
    (numerators,), denominator = shared(points)
    assert combine(nearest_point(numerators, identity), numerators, denominator) == answer.point


@pytest.mark.parametrize("scale", ["sqrt(2)*10**400", "sqrt(2)/10**400"])
def test_projections_in_many_coordinates_do_not_depend_on_the_unit(scale: str) -> None:
    unit = exact(scale)
    points = [[int(i == k) * (k + 2) for i in range(PROPOSE_FROM)] for k in range(3)]
    scaled = [[unit * x for x in point] for point in points]
    nearest = project(scaled)
    assert nearest.weights == project(points).weights
    assert nearest.method == project(points).method == "proposal"
    nearest.verify(scaled)
