"""Tests of `exactformer.training.loss`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kits.training_data import small_data

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.constructions.targets import targets_of
from exactformer.errors import Undecided
from exactformer.evaluate.boxes import Boxes
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.float_weights import network_of
from exactformer.model.norms import Enclosure
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer
from exactformer.training.loss import RegularisedLoss, _box_distance, box_objective, loss_of, regularised_loss
from exactformer.training.regularised import Shape, approx_loss, named_arrays
from exactformer.training.runs import BETA

F = Fraction


SOFT = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [[1]]))])


def layer(eta: Any, U: Any, b: Any, W: Any) -> Block:
    return Block(FeedForward(eta, U, b, W))


# ---------------------------------------------------------------- loss


def test_a_bound_that_is_met_exactly_is_on_neither_side(tmp_path: Path) -> None:
    """E = (3 - 1)^2 = 4 and |Theta|^2 = 1, so that E + |Theta|^2 / 2 is 9/2."""
    found = regularised_loss(Transformer(1, [layer(1, [[0]], [0], [[0]])]), [[[1]]], targets=[[3]], eps="1/2")
    assert (found.loss.json(), found.norm2.json(), found.objective.json()) == ("4", "1", "9/2")
    hair = F(1, 1 << 50)
    for side, good, bad in (("below", 1, -1), ("above", -1, 1)):
        for bound in (F(9, 2), F(9, 2) + bad * hair):
            with pytest.raises(Undecided, match="does not prove"):
                found.certify(tmp_path / "c.jsonl", **{side: bound})
            assert not (tmp_path / "c.jsonl").exists()
        found.certify(tmp_path / "c.jsonl", **{side: F(9, 2) + good * hair})
        assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"
        (tmp_path / "c.jsonl").unlink()


def test_the_loss_is_the_mean_of_squared_hausdorff_distances() -> None:
    """Outputs {0, 4} against {1, 2}: 4 is 2 away, 1 is 1 away; {5} against {0, 6}: 0 is 5 away."""
    network = Transformer(1, [layer(1, [[0]], [0], [[0]])])
    data = Dataset.of([ef.Sequence.of([[0], [4]], [[1], [2]]), ef.Sequence.of([[5], [5]], [[0], [6]])])
    assert regularised_loss(network, data, eps=0).loss.json() == "29/2"
    assert regularised_loss(network, data, eps=0).objective.json() == "29/2"


def test_a_loss_is_never_negative_and_depends_on_the_temperature() -> None:
    third = regularised_loss(SOFT, [[["1/3"], ["1/3"]]], targets=[["1/3"]], eps=0).loss
    assert third.low == 0
    assert third.high < F(1, 10**30)
    at = [regularised_loss(SOFT, [[[0], [1]]], targets=[[1]], eps=0, beta=beta).loss for beta in (1, 4)]
    for beta, found in zip((1, 4), at, strict=True):
        outputs = (0.5, np.exp(beta) / (1 + np.exp(beta)))
        assert float(found) == pytest.approx(max((1 - y) ** 2 for y in outputs))
    near = [regularised_loss(SOFT, [[[1], [2]]], targets=[[2]], eps=0, beta=beta).loss for beta in (1, 4)]
    assert float(near[0]) == pytest.approx((1 / (1 + np.exp(1))) ** 2)
    assert float(near[1]) == pytest.approx((1 / (1 + np.exp(4))) ** 2)


def test_the_ends_of_the_objective_are_those_of_its_parts() -> None:
    data = Dataset.of([[[1]]], targets=[[3]])
    network = Transformer(1, [Block()])
    loss, norm = Enclosure(F(1, 3), F(1, 2)), Enclosure(F(2), F(5))
    found = RegularisedLoss(network, data, targets_of(data), F(1), F(1, 10), loss, norm).objective
    assert (found.low, found.high) == (F(1, 3) + F(1, 5), F(1))


def test_the_distance_of_boxes_takes_every_output_and_every_target() -> None:
    """Outputs in [-1, 1] and [4, 6], targets 1 and 9: 9 is the farthest from its nearest, 3 to 5 away."""
    assert _box_distance(Boxes.of([[0], [5]], radius=1), State.of([[1], [9]]), 4) == (16 * 9, 16 * 25)
    assert _box_distance(Boxes.of([[0], [5], [20]], radius=1), State.of([[1], [9]]), 4) == (16 * 100, 16 * 144)


@pytest.mark.parametrize("Q", [[[0, 0], [0, 0]], [["1/7", 0], [1, "-1/2"]]])
def test_boxes_enclose_loss_and_norm_with_every_weight(Q: Any) -> None:
    attention = SelfAttention("1/3", [["2/5", -1], [0, "1/9"]], Q, [[1, "3/4"], ["1/8", 2]])
    network = Transformer(2, [Block(None, attention), Block(FeedForward("-4/3", [[1, 2]], ["5/7"], [["1/2"], [3]]))])
    data = Dataset.of([[[1, 2], [0, "1/3"]], [[-1, 1]]], targets=[[1, 0], ["1/2", 1]])
    eps = F(2, 7)
    entries = ["1/3", "2/5", -1, "1/9", *Q[0], *Q[1], 1, "3/4", "1/8", 2, "-4/3", 1, 2, "5/7", "1/2", 3]
    found = loss_of(network, data, targets_of(data), eps, F(3), 200)
    assert found.norm2.low == found.norm2.high == sum(F(x) ** 2 for x in entries)
    box = box_objective(network, data, targets_of(data), Temperatures(F(3), F(3)), eps, 80)
    assert box.low <= found.objective.low <= found.objective.high <= box.high < box.low + F(1, 10**15)
    again = regularised_loss(network, data, eps=eps, beta=3, bits=60)
    assert (again.beta, again.eps, again.norm2) == (3, eps, found.norm2)
    if any(map(any, Q)):
        assert F(1, 10**30) < again.loss.high - again.loss.low < F(1, 10**10)
        assert again.loss.low < found.loss.low <= found.loss.high < again.loss.high
    else:
        assert again.loss == found.loss


def test_the_exact_loss_is_that_of_floats() -> None:
    data, shape = small_data(), Shape(2, 3)
    theta = shape.random(np.random.default_rng(2))
    means = np.array([np.mean(np.array(s.tokens.rows(), dtype=float), axis=0) for s in data])
    points = np.array([[float(y) for y in data.targets_of(j).rows()[0]] for j in range(len(data))])
    found = loss_of(network_of(named_arrays(shape, theta)), data, targets_of(data), Fraction(0), BETA).loss
    assert found.exact
    assert float(found) == pytest.approx(approx_loss(shape, theta, means, points)[0])


def test_the_distance_of_a_box_to_a_target_inside_may_be_zero() -> None:
    """Around 0 with radius 1: a target at 1/2 is nearer than any bound > 0, one at 3 is between 2 and 4 away."""
    box = Boxes.of([[0]], radius=1)
    assert _box_distance(box, State.of([["1/2"]]), 4) == (0, 36)
    assert _box_distance(box, State.of([[3]]), 4) == (64, 256)
    assert _box_distance(box, State.of([[-3]]), 4) == (64, 256)
