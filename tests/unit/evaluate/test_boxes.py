"""Tests of `exactformer.evaluate.boxes`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq

from exactformer.arithmetic.algebraic import from_text
from exactformer.errors import NotExact
from exactformer.evaluate.box_attention import BoxTransformer
from exactformer.evaluate.boxes import Boxes, BoxFeedForward
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Outer, Scalar, Zero
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer

F = Fraction


def test_boxes_that_are_no_points_have_none() -> None:
    assert Boxes.of([[1], [2]]).points() == {(1,), (2,)}
    with pytest.raises(NotExact, match="no point"):
        Boxes.of([[1]], F(1, 9)).points()
    assert [str(Temperatures.of(*ends)) for ends in ((1, 1), (1, "3/2"), (2, None))] == [
        "beta = 1",
        "every beta from 1 to 3/2",
        "every beta >= 2, and hardmax",
    ]


ROOT: Any = from_text("sqrt(2)")


def box(*ends_of: tuple[Any, Any]) -> tuple[tuple[fmpq, fmpq], ...]:
    return tuple((fmpq(F(a).numerator, F(a).denominator), fmpq(F(b).numerator, F(b).denominator)) for a, b in ends_of)


@pytest.mark.parametrize(
    ("layer", "given", "image"),
    [
        (FeedForward(0, [[1]], [0], [[1]]), [(1, 2)], [(1, 2)]),
        (FeedForward(0, [[1]], [0], [[1]]), [(-1, 2)], [(0, 2)]),
        (FeedForward(0, [[1]], [0], [[1]]), [(-2, -1)], [(0, 0)]),
        (FeedForward(0, [[1]], [0], [[1]]), [(-1, 0)], [(0, 0)]),
        (FeedForward(0, [[1]], [0], [[1]]), [(0, 1)], [(0, 1)]),
        (FeedForward(0, [[1]], [3], [[-2]]), [(-1, 2)], [(-10, -4)]),
        (FeedForward(0, [[1]], [-1], [[-2]]), [(0, 2)], [(-2, 0)]),
        (FeedForward(0, [[1], [-1]], [0, 0], [[1, 1]]), [(-1, 2)], [(0, 3)]),
        (FeedForward(-1, [[1]], [0], [[1]]), [(1, 5)], [(0, 0)]),
        (FeedForward(-1, [[1]], [0], [[1]]), [(0, 5)], [(0, 0)]),
        (FeedForward(1, [[1]], [0], [[3]]), [(-5, -1)], [(-5, -1)]),
        (FeedForward(2, [[1]], [0], [[3]]), [(-5, -1)], [(-10, -2)]),
        (FeedForward("1/3", [[1]], [0], [[0]]), [(-5, -1)], [("-7/4", "-1/4")]),
        (FeedForward(0, Outer([2, -1], [1, -1]), [0, 1], [[1, 0], [0, 4]]), [(0, 1), (0, 1)], [(0, 2), (0, 8)]),
        (FeedForward(0, Outer([2, -1], [1, -1]), [0, 1], [[1, 0], [0, 4]]), [(2, 3), (0, 1)], [(2, 6), (0, 0)]),
        (FeedForward(1, [[1, 1], [1, -1]], [0, 0], [[1, 0], [0, -1]]), [(1, 2), (0, 1)], [(2, 5), (-2, 1)]),
    ],
)
def test_layers_map_boxes_onto_the_boxes_of_the_format(layer: FeedForward, given: Any, image: Any) -> None:
    assert BoxFeedForward(layer, len(given)).image(box(*given), 2) == box(*image)


def test_boxes_count_equal_tokens_and_merge_points_in_their_order() -> None:
    boxes = Boxes.of([[1, 2], [0, 0], [1, 2]], F(1, 4))
    assert boxes.counts == (2, 1)
    assert boxes.rows()[0] == [(F(3, 4), F(5, 4)), (F(7, 4), F(9, 4))]
    wide, one, two = box((0, 1)), box((1, 1)), box((2, 2))
    merged = Boxes((two, wide, one, two, wide, one), (1, 2, 3, 4, 5, 6)).merged()
    assert (merged.boxes, merged.counts) == ((two, wide, one, wide), (5, 2, 9, 5))
    assert (merged.are_points, Boxes((one, two), (1, 1)).are_points) == (False, True)
    with pytest.raises(NotExact, match="boxes have rational ends"):
        Boxes.of([[ROOT]])


def test_uniform_attention_takes_the_mean_of_boxes() -> None:
    mean = Transformer(1, [Block(None, SelfAttention(0, [[-2]], Zero(), Scalar(1)))])
    boxes = Boxes((box((0, 1)), box((3, 5))), (3, 1))
    assert BoxTransformer(mean, Temperatures.of(1, 2)).enclose(boxes, 8).rows() == [[(-4, F(-3, 2))]] * 2
