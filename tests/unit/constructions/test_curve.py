"""Tests of `exactformer.constructions.curve`."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.curve import curve
from exactformer.constructions.projection_to_line import Line, along
from exactformer.constructions.target_nodes import Nodes, of_list

F = Fraction


@pytest.mark.parametrize(
    ("targets", "units"),
    [([0, 0, 1, 2, 0], 2), ([1, 1, 1, 1, 1], 1), ([1, 0, 3, 4, 3], 5), ([0, 1, 2, 3, 4], 1), ([1, 2, 3, 4, 0], 3)],
)
def test_a_curve_has_a_unit_for_every_kink_and_one_for_its_start(targets: list[int], units: int) -> None:
    """Points 0, 1, .., 4 on the line: five nodes at 0, .., 4; the slope is 0 before the first."""
    line = along(State.of([[k] for k in range(5)]), ((1,), 0))
    nodes = of_list([(F(k), y) for k, y in enumerate(targets)], np.arange(5)[:, None], 1)
    slopes = [0, *(b - a for a, b in pairwise(targets))]
    kinks = sum(a != b for a, b in pairwise(slopes))
    layer = curve(nodes, line)
    assert layer.width == units == kinks + (targets[0] != 0)
    assert [layer.apply([F(k)])[0] for k in range(5)] == targets


def test_curves_pass_through_their_nodes() -> None:
    line = along(State.of([[0], [1], [3], [7]]), ((1,), 0))
    points = np.array([[5], [2], [9]])
    nodes = Nodes(
        np.array([0, 1, 3, 7], dtype=object), np.array([1, 1, 1, 1], dtype=object), np.array([0, 1, 1, 2]), points, 2
    )
    layer = curve(nodes, line)
    for x, y in ((0, F(5, 2)), (1, F(1)), (3, F(1)), (7, F(9, 2)), (-4, F(5, 2)), (2, F(1)), (5, F(11, 4))):
        assert layer.apply([F(x)]) == [y]


def objects(values: list[int]) -> Any:
    return np.array(values, dtype=object)


def nodes_of(pairs: list[tuple[Any, int]], points: list[list[int]]) -> Nodes:
    at = [Fraction(t) for t, _ in pairs]
    parts = objects([t.numerator for t in at]), objects([t.denominator for t in at])
    return Nodes(*parts, np.array([y for _, y in pairs]), np.array(points), 1)


LINE = Line((1, 2), 0, np.array([0]), 1, np.array([0]))


def test_a_curve_of_one_zero_target_has_one_idle_unit() -> None:
    layer = curve(nodes_of([(3, 0)], [[0, 0]]), LINE)
    assert layer.width == 1
    assert layer.apply([Fraction(8), Fraction(1)]) == [0, 0]
