"""Tests of `exactformer.constructions.placement`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.pipeline import construct
from exactformer.constructions.placement import hinge_layer_of, placement, safe_base
from exactformer.constructions.projection_to_line import Line, injective_line
from exactformer.constructions.target_nodes import Nodes, of_list

F = Fraction


def test_units_without_effect_are_left_out_of_a_placement() -> None:
    line = Line((1, 2), 0, np.array([0]), 1, np.array([0]))
    none, some = (F(0), F(0)), (F(1), F(-2))
    layer = hinge_layer_of(line, [F(1), F(2), F(3)], [none, some, none])
    assert (layer.width, list(layer.apply([F(0), F(2)]))) == (1, [2, -2])
    idle = hinge_layer_of(line, [F(1), F(2)], [none, none])
    assert (idle.width, list(idle.apply([F(9), F(2)]))) == (1, [9, 2])
    stays = of_list([(F(5), 0), (F(6), 1), (F(7), 2)], np.array([[3, 0], [4, 0], [5, 0]]), 1)
    (layer,) = placement(stays, line, 3)
    assert layer.width == 2, "all move by -2: up on the ramp, then no further"


def objects(values: list[int]) -> Any:
    return np.array(values, dtype=object)


def nodes_of(pairs: list[tuple[Any, int]], points: list[list[int]]) -> Nodes:
    at = [Fraction(t) for t, _ in pairs]
    parts = objects([t.numerator for t in at]), objects([t.denominator for t in at])
    return Nodes(*parts, np.array([y for _, y in pairs]), np.array(points), 1)


LINE = Line((1, 2), 0, np.array([0]), 1, np.array([0]))


@pytest.mark.parametrize("width", [1, 2, 3, 4, 99])
def test_placement_carries_nodes_and_plateaus_to_their_targets(width: int) -> None:
    points = [[1, 1], [-7, 2], [0, 0]]
    nodes = nodes_of([(6, 0), (7, 1), (9, 1), (10, 0), (Fraction(21, 2), 2), (12, 2), (15, 1)], points)
    assert safe_base(LINE, [tuple(map(Fraction, p)) for p in points]) <= 6
    layers = placement(nodes, LINE, width)
    assert len(layers) == -(-7 // width)
    assert all(layer.width <= width for layer in layers)
    tokens = [*zip(nodes.positions, range(7), strict=True), (Fraction(8), 1), (Fraction(23, 2), 4)]
    for t, i in tokens:
        x = [t, Fraction(0)]
        for layer in layers:
            x = layer.apply(x)
        assert x == list(nodes.target(i))


@pytest.mark.parametrize("targets", [[0], [F(1, 2), 0], [3, F(-7, 2)], [F(9, 4), 2], [-5]])
@pytest.mark.parametrize("method", ["deep", "leaders"])
def test_tokens_wait_above_every_target_and_no_higher_than_needed(targets: list[Any], method: str) -> None:
    line = injective_line(State.of([[0], [1]]), np.random.default_rng(0))
    base = safe_base(line, [(F(y),) for y in targets])
    assert base >= 1
    assert all(base - 1 > y for y in targets)
    assert base == 1 or not all(base - 2 > y for y in targets)
    data = [[[k]] for k in range(len(targets))]
    for order in (targets, targets[::-1]):
        built = construct(data, targets=[[y] for y in order], method=method, width=1)
        assert [built.transformer(x).rows() for x in data] == [[(F(y),)] for y in order]
