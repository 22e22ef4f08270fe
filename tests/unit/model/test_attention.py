"""Tests of `exactformer.model.attention`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.algebraic import from_text
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput
from exactformer.evaluate.balls import BallTransformer
from exactformer.evaluate.floats import approx
from exactformer.model.attention import SelfAttention, argmax
from exactformer.model.matrix import Dense, Matrix, Outer, Scalar, Zero
from exactformer.model.transformer import Block, Transformer

F = Fraction


THREE = [[1, 0], [0, 1], [1, 1]]


def test_the_words_about_a_token_name_its_score_and_the_next() -> None:
    step = SelfAttention(0, *[Scalar(1)] * 3).step([[F(1)], [F(3)], [F(2)], [F(3)]])
    assert step.explain(0) == "token 0 attends to 1, 3 with score 3; the next best score is 2"
    assert SelfAttention(0, *[Scalar(1)] * 3).step([[F(2)]]).explain(0) == "token 0 attends to 0 with score 4"


@pytest.mark.parametrize(("Q", "K"), [(Zero(), Dense(THREE)), (Dense(THREE), Zero()), (Zero(), Zero())])
def test_zero_beside_a_matrix_of_any_height_is_the_mean(Q: Matrix, K: Matrix) -> None:
    transformer = Transformer(2, [Block(None, SelfAttention("1/2", [[1, 2], [0, 1]], Q, K))])
    tokens = [[F(1), F(2)], [F(-1), F(1, 4)], [F(3), F(0)]]
    outputs = transformer.by_definition(tokens)
    assert transformer(tokens).rows() == [tuple(row) for row in outputs]
    assert approx(transformer, tokens) == pytest.approx(np.array(outputs, dtype=float))
    boxes = BallTransformer(transformer, F(3), 64).enclose(State.of(tokens))
    assert all(a <= v <= b for row, out in zip(boxes, outputs, strict=True) for (a, b), v in zip(row, out, strict=True))


def test_attention_after_the_mean_keeps_the_mean() -> None:
    """After pooling a sequence is one point, however many tokens it had: every attention then finds that point."""
    pool, tokens = Block(None, SelfAttention(0, Scalar(1), Zero(), Zero())), [[F(1), F(0)], [F(4), F(1)], [F(4), F(2)]]
    for Q, K in ((Outer([1], [1, 1]), Outer([1], [1, 0])), (Dense(THREE), Dense(THREE)), (Zero(), Zero())):
        for rho in (0, 1):
            transformer = Transformer(2, [pool, Block(None, SelfAttention(rho, Scalar(3), Q, K))])
            assert transformer(tokens).rows() == [((3 + rho) * F(3), (3 + rho) * F(1))] * 3


ROOT: Any = from_text("sqrt(2)")


def test_largest_scores_are_found_wherever_they_stand() -> None:
    for scores, best in (
        ([3, 1, 3], (0, 2)),
        ([1, 2, 3], (2,)),
        ([0], (0,)),
        ([1, 1], (0, 1)),
        ([-1, -2, -1, 0], (3,)),
    ):
        assert argmax([F(s) for s in scores]) == best
    assert argmax([ROOT, 2 - ROOT / 2, ROOT]) == (0, 2)


def test_figures_of_an_attention_layer() -> None:
    layer = SelfAttention("5/9", [[1, 0, 7], [0, 2, 0], [0, 0, 1]], [[1, 2, 3]], Outer([2], [0, 1, 100]))
    assert (layer.parameters, layer.dense_parameters(3), layer.bits) == (1 + 4 + 3 + 3, 28, 7)
    assert (layer.score_rank(3), layer.is_uniform) == (1, False)
    tall = SelfAttention(0, Scalar(1), [[1, 0]] * 5, [[0, 1]] * 5)
    assert (tall.score_rank(2), tall.parameters) == (2, 11)
    assert SelfAttention(0, Scalar(1), [[0, 0]], Scalar(1)).is_uniform
    for Q, K, said in (
        (Dense([[1, 0]]), Scalar(1), "Q and K with equally many rows, got 1 and 2"),
        (Outer([1, 2, 3], [1, 0]), Dense([[1, 1]]), "got 3 and 1"),
        (Dense([[1, 0, 0]]), Zero(), "Q: expected a h-by-2 matrix, got 1-by-3"),
        (Zero(), Outer([1], [1]), r"K: expected a h-by-2 matrix, got 1-by-1 \(outer\)"),
    ):
        with pytest.raises(InvalidInput, match=f"block 1 self-attention.*{said}"):
            Transformer(2, [Block(), Block(None, SelfAttention(0, Scalar(1), Q, K))])
    with pytest.raises(InvalidInput, match="V: expected a 2-by-2 matrix, got 1-by-2"):
        Transformer(2, [Block(None, SelfAttention(0, [[1, 0]], Zero(), Zero()))])
