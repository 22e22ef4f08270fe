"""Tests of `exactformer.cli.run_softmax`."""

from __future__ import annotations

from fractions import Fraction

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.cli.run_softmax import _Question


def test_every_output_is_near_to_its_nearest_target_in_floats_as_in_balls() -> None:
    """Outputs 0 and 1 are 0 and 1 away from {0, 9}, but 2 and 1 from {2}; nobody needs to reach 9."""
    points = {"far": State.of([[2]]), "near": State.of([[0], [9]])}
    found = _Question(ef.Transformer(1, []), Fraction(1), points).answer(State.of([[0], [1]]), 64, "it")
    assert (found["label"], found["approx_float64"]) == ("near", {"deviation": "0.0", "label": "near"})
    assert found["bits"] == 64
