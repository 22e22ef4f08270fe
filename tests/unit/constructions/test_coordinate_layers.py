"""Tests of `exactformer.constructions.coordinate_layers`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.constructions.coordinate_layers import flatten, tent, units_on
from exactformer.model.matrix import Dense, Outer

F = Fraction


@pytest.mark.parametrize(("dim", "count"), [(1, 1), (3, 5), (3, 1400), (70, 60)])
def test_units_on_an_axis_act_on_their_coordinate_alone_however_many_they_are(dim: int, count: int) -> None:
    """x -> eta x + e sum w relu(s <e, x> + b), written out or as a product of a column and a row."""
    rng = np.random.default_rng(count)
    slopes, biases, weights = ([F(int(v), 3) for v in rng.integers(-5, 6, count)] for _ in range(3))
    axis = dim - 1
    layer = units_on([int(i == axis) for i in range(dim)], F(1, 2), slopes, biases, weights)
    for _ in range(3):
        x = [F(int(v), 4) for v in rng.integers(-9, 10, dim)]
        parts = zip(slopes, biases, weights, strict=True)
        added = sum(w * max(F(0), s * x[axis] + b) for s, b, w in parts)
        assert list(layer.apply(x)) == [v / 2 + (i == axis) * added for i, v in enumerate(x)]


def test_flattening_and_tents_are_the_maps_they_say() -> None:
    layer = flatten((1, 2), (0, 1), F(1, 3), 5)
    assert list(layer.apply([F(-1), F(4)])) == [0, F(1, 3) * 7 + 5]
    assert list(layer.apply([F(-90), F(0)])) == [0, 0]
    fold = tent((0, 1), F(3, 2), F(5, 4))
    for z in (F(0), F(1, 4), F(1, 2), F(3, 4), F(1)):
        value = F(3, 2) * z if z <= F(1, 2) else F(3, 4) - F(5, 4) * (z - F(1, 2))
        assert list(fold.apply([F(0), z])) == [0, value]


@pytest.mark.parametrize(("count", "kind"), [(4096 // 2, Dense), (4096 // 2 + 1, Outer)])
def test_short_matrices_are_written_out(count: int, kind: type) -> None:
    layer = units_on((0, 1), 1, [1] * count, [2] * count, [3] * count)
    assert isinstance(layer.U, kind)
    assert isinstance(layer.W, kind)
