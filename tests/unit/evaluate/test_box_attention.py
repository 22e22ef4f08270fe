"""Tests of `exactformer.evaluate.box_attention`."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import fmpq

from exactformer.arithmetic.state import State
from exactformer.evaluate import box_attention
from exactformer.evaluate.balls import BallTransformer
from exactformer.evaluate.box_attention import BoxTransformer
from exactformer.evaluate.boxes import Boxes
from exactformer.model.attention import SelfAttention
from exactformer.model.matrix import Scalar
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer

F = Fraction


@pytest.mark.parametrize("high", [1, 40, None])
def test_means_of_boxes_stay_in_the_hull_of_the_tokens(high: int | None) -> None:
    follow = Transformer(1, [Block(None, SelfAttention(0, *[Scalar(1)] * 3))])
    boxes = BoxTransformer(follow, Temperatures.of("1/100", high)).enclose(Boxes.of([[1], [2], [3]], F(1, 2)), 32)
    for ((low, top),) in boxes.rows():
        assert F(1, 2) <= low <= top <= F(7, 2)


@pytest.mark.parametrize("beta", [F(1, 2), F(3), F(7)])
@pytest.mark.parametrize("tokens", [[[0], [0], [0], [0], [0], [1]], [[0], [1], [1], [1]], [[2], [0], [0], [0], [-1]]])
@pytest.mark.parametrize("open_end", [False, True])
def test_tokens_that_stand_there_several_times_weigh_as_many(
    tokens: list[list[int]], beta: Fraction, open_end: bool
) -> None:
    follow = Transformer(1, [Block(None, SelfAttention(0, *[Scalar(1)] * 3))])
    range_of = Temperatures.of(beta, None if open_end else beta)
    boxes = BoxTransformer(follow, range_of).enclose(Boxes.of(tokens), 64).rows()
    places = [tokens.index(x) for k, x in enumerate(tokens) if x not in tokens[:k]]
    balls = BallTransformer(follow, beta, 128).enclose(State.of(tokens))
    for ((low, high_end),), k in zip(boxes, places, strict=True):
        ((least, most),) = balls[k]
        assert low <= most
        assert least <= high_end


def test_means_at_a_range_of_temperatures_are_bounded_by_the_weights_of_its_ends() -> None:
    follow = Transformer(1, [Block(None, SelfAttention("1/2", Scalar(3), Scalar(1), Scalar(1)))])
    low, high = math.exp(-2), math.exp(-1)
    for tokens, n in (([[0], [1]], 1), ([[0], [0], [1]], 2)):  # the token 1 has scores 0 and 1
        found = BoxTransformer(follow, Temperatures.of(1, 2)).enclose(Boxes.of(tokens), 40).rows()[-1][0]
        mean = (max(0, 1 - n * high / (1 + n * low)), 1 - n * low / (1 + n * high))
        assert [float(x) for x in found] == pytest.approx([0.5 + 3 * mean[0], 0.5 + 3 * mean[1]], abs=1e-9)
    exact = BoxTransformer(follow, Temperatures.of(1, 1)).enclose(Boxes.of([[0], [1]]), 60).rows()[1][0]
    assert float(exact[0]) == pytest.approx(0.5 + 3 / (1 + math.exp(-1)))
    assert exact[1] - exact[0] < F(1, 2**50)


def test_exponentials_of_gaps_of_either_sign_are_enclosed_from_both_sides() -> None:
    for low, high in ((-2, -1), (-1, 1), (0, 3), (-3, -3), (1, 1)):
        least, most = box_attention._exponential((fmpq(low), fmpq(high)), 64)
        assert least <= most
        for end, t in ((least, high), (most, low)):
            assert abs(float(end.p) / float(end.q) - math.exp(-t)) < 1e-12
