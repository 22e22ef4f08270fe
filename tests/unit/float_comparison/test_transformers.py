"""Tests of `exactformer.float_comparison.transformers`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.float_comparison.transformers import (
    Difference,
    Outputs,
    _compare,
    _deviations,
    _right,
    crosscheck_transformer,
)
from exactformer.model.attention import SelfAttention
from exactformer.model.batch import Batch
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Scalar, Zero
from exactformer.model.transformer import Block, Transformer

F = Fraction


HAIR = F(1, 10**20)


#: x_i -> the mean of those it follows; x_i -> x_i, though whom it follows is chosen
FOLLOW, STAY = (SelfAttention(rho, [[1 - rho]], [[1]], [[1]]) for rho in (0, 1))


# ---------------------------------------------------------------- transformers


def test_the_first_block_comes_before_the_first_sequence() -> None:
    """Sequence 0 differs in block 1 alone, where the layer before brings its tokens together; sequence 1 in block 0."""
    near = Block(FeedForward(0, [[HAIR], [0]], [0, 1], [[1, 1]]), FOLLOW)
    model = Transformer(1, [Block(None, STAY), near])
    data = Dataset.of([[[1], [3]], [[1], [1 + HAIR]]])
    check = crosscheck_transformer(model, data.tokens, data.offsets)
    first = check.first_difference
    assert first == Difference(0, 1, 0, (1,), (0, 1), HAIR)
    alone = crosscheck_transformer(model, data[0].tokens, np.array([0, 2]))
    assert alone.first_difference is not None
    assert (alone.first_difference.block, alone.first_difference.sequence) == (1, 0)


def test_outputs_with_one_coordinate_beyond_floats_are_nobodys() -> None:
    model = Transformer(2, [Block(FeedForward(0, [[1, 0], [0, 1]], [0, 0], [[10**400, 0], [0, 1]]))])
    data = Dataset.of([[[1, 1]], [[0, 2]]])
    check = crosscheck_transformer(model, data.tokens, data.offsets)
    assert (check.right, check.sequences) == (0, 2)  # in floats 10^400 times 0 is no number either
    assert not check


def test_the_smallest_gap_of_all_blocks_and_sequences() -> None:
    model = Transformer(1, [Block(None, STAY), Block(FeedForward(2, [[0]], [0], [[0]]), STAY)])
    data = Dataset.of([[[1], [3]], [[1], ["3/2"], [4]], [[2]]])
    check = crosscheck_transformer(model, data.tokens, data.offsets)
    assert (check.smallest_margin, check.first_difference) == (2, None)
    assert check
    assert check.tolerance == float(np.finfo("float64").eps) ** 0.5
    apart = crosscheck_transformer(model, data[1].tokens, np.array([0, 3]))
    assert apart.smallest_margin == F(5, 2)
    single = crosscheck_transformer(model, data[2].tokens, np.array([0, 1]))
    assert single.smallest_margin is None


def test_a_check_agrees_if_all_three_conditions_hold() -> None:
    built = ef.construct([[[0], [2]], [[3]]], labels=["low", "high"])
    check = ef.crosscheck(built)
    assert check
    assert (check.right, check.sequences) == (2, 2)
    assert replace(check, largest_relative_deviation=check.tolerance)
    somewhere = Difference(0, 0, 0, (0,), (1,), None)
    for change in ({"right": 1}, {"first_difference": somewhere}, {"largest_relative_deviation": 1e-3}):
        assert not replace(check, **change)


def test_tokens_that_were_pooled_to_one_point_share_its_row() -> None:
    """The second sequence is one row after the pooling; the weights of its tokens 1 and 2 leave someone out."""
    pooling = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    data = Dataset.of([[[1], [2]], [[3], [4], [8]]])
    batch = Transformer(1, [Block(None, pooling)]).evaluate(Batch.of(data.tokens, data.offsets))
    weights = np.ones((2, 3, 3))
    weights[1, 1, 0] = weights[1, 2, 1] = 0
    found = _compare(batch, data.offsets, SelfAttention(0, [[1]], [[1]], [[1]]), weights, 1)
    assert found == ((1, 1, (0, 1, 2), (1, 2), None), None)


def test_the_gap_of_a_difference_is_that_of_its_own_token() -> None:
    """Tokens 4 and 5 score by the second coordinate, 10 and 10 + hair at most; token 5 sees half the gap of token 4."""
    hair = F(1, 10**20)
    rows = [[1, 0], [1, 0], [5, 10], [7, 10 + hair], [0, 2], [0, 1]]
    one = [[1, 0], [0, 1]]
    model = Transformer(2, [Block(None, SelfAttention(1, [[0, 0], [0, 0]], one, one))])
    data = Dataset.of([[[3, 1], [1, 3]], rows])
    check = crosscheck_transformer(model, data.tokens, data.offsets)
    assert check.first_difference == Difference(0, 1, 4, (3,), (2, 3), 2 * hair)
    assert (check.smallest_margin, check.sequences) == (hair, 2)


def test_errors_are_relative_to_the_size_of_the_exact_coordinate() -> None:
    exact = [np.array([[-1000.0, 0.25]]), np.array([[8.0, -0.5], [16.0, 0.0]])]
    approx = [np.array([[-998.0, 0.5]]), np.array([[4.0, -0.5], [15.0, 0.125]])]
    assert _deviations(exact, approx) == (4.0, 0.5)
    assert _deviations(exact[:1], approx[:1]) == (2.0, 0.25)
    assert _deviations([exact[0][:, :1]], [approx[0][:, :1]]) == (2.0, 0.002)
    approx[1][0, 0] = np.inf
    assert _deviations(exact, approx) == (np.inf, np.inf)


@pytest.mark.parametrize(
    ("images", "right"),
    [
        ([[[0.1], [4.9]], [[9.0]]], 2),
        ([[[0.1], [0.2]], [[9.0]]], 1),
        ([[[0.1], [8.0]], [[9.0]]], 1),
        ([[[4.9], [0.1]], [[np.inf]]], 1),
        ([[[4.9], [5.1]], [[1.0]]], 0),
    ],
)
def test_a_sequence_is_right_if_its_outputs_reach_all_of_its_targets_and_no_others(images: Any, right: int) -> None:
    exact = [Outputs([(0,), (5,)], np.array([[0.0], [5.0]])), Outputs([(10,)], np.array([[10.0]]))]
    assert _right(exact, [np.array(image) for image in images]) == right


def scaled(factor: Any) -> Transformer:
    return Transformer(1, [Block(None, SelfAttention(0, Scalar(factor), Scalar(1), Scalar(1)))])


# ---------------------------------------------------------------- floats beside exact arithmetic


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_crosschecks_look_at_every_sequence(order: list[int]) -> None:
    parts = [[[F(1)], [1 + F(1, 2**50)]], [[F(1)], [F(2)]], [[F(3 * 2**20)], [F(1)]]]
    alone = [crosscheck_transformer(scaled("1/10"), State.of(part), np.array([0, 2])) for part in parts]
    assert alone[1].largest_deviation == 0.0
    assert alone[2].largest_deviation > 1e-11
    rows = [row for k in order for row in parts[k]]
    check = crosscheck_transformer(scaled("1/10"), State.of(rows), np.array([0, 2, 4, 6]))
    assert check.largest_deviation == alone[2].largest_deviation
    assert check.smallest_margin == alone[0].smallest_margin == F(1, 2**50)
    assert check.agrees


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_first_difference_is_found_wherever_it_is(place: int) -> None:
    tie = [[F(1)], [1 + F(1, 10**20)]]  # one float, two numbers
    parts = [[[F(1)], [F(3)]] for _ in range(3)]
    parts[place] = tie
    check = crosscheck_transformer(scaled(1), State.of([row for part in parts for row in part]), np.array([0, 2, 4, 6]))
    assert check.first_difference is not None
    assert not check
    assert (check.first_difference.block, check.first_difference.sequence, check.first_difference.token) == (
        0,
        place,
        0,
    )
    assert check.first_difference.follows_exact == (1,)
    assert check.first_difference.follows_float == (0, 1)
    assert check.first_difference.margin == F(1, 10**20)


def test_the_first_of_several_differences_is_told() -> None:
    tie = [[F(1)], [1 + F(1, 10**20)]]
    check = crosscheck_transformer(scaled(1), State.of([*tie, [F(3)], [F(1)], *tie]), np.array([0, 2, 4, 6]))
    assert check.first_difference is not None
    assert (check.first_difference.sequence, check.first_difference.token) == (0, 0)
