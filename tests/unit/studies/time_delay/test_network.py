"""Tests of `exactformer.studies.time_delay.network`."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from exactformer.errors import InvalidInput, NotExact
from exactformer.studies.time_delay.approx_rollout import float_rows
from exactformer.studies.time_delay.approx_training import random_network, with_units
from exactformer.studies.time_delay.network import (
    NAMES,
    ApproxFunctions,
    ExactFunctions,
    contain,
    exact_rollout,
    verify_shapes,
)

F = Fraction


def test_attention_of_equal_logits_is_uniform_over_each_window() -> None:
    logits = np.array([[F(2)] * 3, [F(-1, 2)] * 3, [F(0)] * 3, [F(5)] * 3])
    assert ExactFunctions().softmax(logits).tolist() == [[F(1, 3)] * 3] * 4
    for row, place in ((0, 0), (1, 1), (3, 2)):
        changed = logits.copy()
        changed[row, place] += F(1, 10**9)
        with pytest.raises(NotExact, match="enclosure"):
            ExactFunctions().softmax(changed)
    found = ApproxFunctions().softmax(np.array([[0.0, math.log(2), 800 - 800.0], [900.0, 900.0, 900.0 - math.log(2)]]))
    assert found == pytest.approx(np.array([[1 / 4, 1 / 2, 1 / 4], [2 / 5, 2 / 5, 1 / 5]]))


@pytest.mark.parametrize("encoding", ["block", "additive"])
def test_every_weight_has_one_shape(encoding: str) -> None:
    made = random_network(2, 3, encoding=encoding, features=4, hidden=5, seed=1)
    verify_shapes(made)
    for name in NAMES:
        array = made.weights[name]
        for axis in range(array.ndim):
            longer = made.with_weights({**made.weights, name: np.concatenate([array, array], axis=axis)})
            with pytest.raises(InvalidInput, match="expected the shape"):
                verify_shapes(longer)
        fewer = {other: value for other, value in made.weights.items() if other != name}
        with pytest.raises(InvalidInput, match="expected the weights"):
            verify_shapes(made.with_weights(fewer))
    empty = {"W1": np.zeros((0, 4)), "b1": np.zeros(0), "W2": np.zeros((2, 0))}
    with pytest.raises(InvalidInput, match="W1: expected the shape"):
        verify_shapes(made.with_weights({**made.weights, **empty}))
    flat = made.with_weights({**made.weights, "p": np.zeros(4)})
    with pytest.raises(InvalidInput, match="expected the shape"):
        verify_shapes(flat)


@pytest.mark.parametrize("encoding", ["block", "additive"])
def test_random_networks_have_their_shapes_and_seeds(encoding: str) -> None:
    found, again, other = (
        random_network(2, 3, encoding=encoding, features=4, hidden=5, seed=seed) for seed in (1, 1, 2)
    )
    verify_shapes(found)
    assert (found.window, found.dim, found.encoding, found.activation) == (3, 2, encoding, "gelu")
    assert (found.mean, found.scale) == ((0.0, 0.0), (1.0, 1.0))
    assert all((found.weights[name] == again.weights[name]).all() for name in found.weights)
    assert (found.weights["E"] != other.weights["E"]).all()
    assert not found.weights["A"].any()
    assert found.weights["WV"].any() == (encoding == "additive")


def test_rollouts_are_in_the_units_of_the_series() -> None:
    """y+ = y_m + 2 y_(m-1) - 1 for y = (z - 3)/5: from z = 3, 8 on, y = 0, 1, 0, 1."""
    network = with_units(contain(np.array([[[2.0]], [[0.0]]]), np.array([-1.0])), np.array([3.0]), np.array([5.0]))
    start = [(F(100),), (F(3),), (F(8),)]
    assert exact_rollout(network, start, 4) == [(F(3),), (F(8),), (F(3),), (F(8),)]
    assert float_rows(network, np.array([[100.0], [3.0], [8.0]]), 4).tolist() == [[3], [8], [3], [8]]
    with pytest.raises(InvalidInput, match="at least 2 rows to start from, got 1"):
        exact_rollout(network, start[:1], 4)
    assert ExactFunctions().activation(np.array([F(-1), F(0), F(2)]), "relu").tolist() == [0, 0, 2]
