"""Tests of `exactformer.constructions.methods.deep`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.distinct_means import Hinges
from exactformer.constructions.methods.deep import flatten_shift, serial_hinges
from exactformer.constructions.methods.shallow import pool
from exactformer.constructions.pipeline import problem_of
from exactformer.constructions.problem import Problem
from exactformer.constructions.projection_to_line import along
from exactformer.constructions.targets import targets_of
from exactformer.model.dataset import Dataset, Sequence

F = Fraction


def problem_for(data: Dataset, method: str) -> Problem:
    return problem_of(data, targets_of(data), method, np.random.default_rng(0))


def test_the_base_of_deep_is_no_higher_than_targets_need() -> None:
    data = Dataset.of([Sequence.of([[F(1, 2)], [4]], targets=[[5]]), Sequence.of([[9]], targets=[["-3/2"]])])
    problem = problem_for(data, "deep")
    tight, robust = (pool(problem, np.random.default_rng(0), robust=robust) for robust in (False, True))
    assert F(1, 2) + flatten_shift(problem, tight) == 7
    at = robust.nodes.positions
    assert F(1, 2) + flatten_shift(problem, robust) == 7 - (-(at[-1] - at[0])).__floor__()


@pytest.mark.parametrize("width", [1, 2, 3, 10])
def test_serial_hinges_compose_to_the_flattened_g(width: int) -> None:
    line = along(State.of([[v, 0] for v in (0, 2, 3, 7, 8)]), ((1, 5), 0))
    hinges = Hinges((0, 1, 2, 3), (3, 1, 4, 2))
    layers = serial_hinges(line, hinges, Fraction(6), width)
    assert len(layers) == -(-5 // width)
    assert all(layer.width <= width for layer in layers)
    for s, g in zip(line.values.tolist(), hinges.apply(line.values).tolist(), strict=True):
        x = [Fraction(s), Fraction(0)]
        for layer in layers:
            x = layer.apply(x)
        assert x == [g + 6, 0]
