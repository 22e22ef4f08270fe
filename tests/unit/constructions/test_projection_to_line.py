"""Tests of `exactformer.constructions.projection_to_line`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.projection_to_line import along, directions, injective_line

F = Fraction


@pytest.mark.parametrize("dim", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_directions_are_the_axes_and_then_draws_from_doubling_ranges(dim: int, seed: int) -> None:
    drawn = directions(dim, np.random.default_rng(seed))
    found = [next(drawn) for _ in range(dim + 3 * 12)]
    assert found[:dim] == [(tuple(int(i == axis) for i in range(dim)), axis) for axis in range(dim)]
    for k, (u, axis) in enumerate(found[dim:]):
        assert u[axis] == 1
        assert 0 <= min(u) <= max(u) <= 2 ** (k // 3)
    if dim > 1:
        assert max(max(u) for u, _ in found[-9:]) > 2**8


def test_lines_keep_different_points_apart() -> None:
    points = State.of([[0, 2], [2, 0], [1, 1], [0, 0]])
    line = injective_line(points, np.random.default_rng(1))
    values = [sum(a * x for a, x in zip(line.u, row, strict=True)) for row in points.rows()]
    assert len(set(values)) == 4
    assert [F(int(line.values[r]), line.scale) for r in line.rank.tolist()] == values
    merged = along(points, ((1, 1), 0))
    assert merged.values.tolist() == [0, 2]
    assert merged.rank.tolist() == [1, 1, 1, 0]


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
    monkeypatch.setattr("exactformer.constructions.projection_to_line._SAMPLE", 2)
    points = State.of([[x, y] for x in range(3) for y in (0, 1, 4)])
    line = injective_line(points, np.random.default_rng(seed))
    assert len({x * line.u[0] + y * line.u[1] for x, y in points.rows()}) == len(points) == len(line.values)


def test_a_line_of_huge_integers_does_not_overflow() -> None:
    line = injective_line(State.of([[2**70, 1], [2**70, 2], [1, 2**70]]), np.random.default_rng(0))
    assert len(line.values) == 3
    assert [int(line.values[r]) for r in line.rank] == [
        line.u[0] * a + line.u[1] * b for a, b in ((2**70, 1), (2**70, 2), (1, 2**70))
    ]
