"""Tests of `exactformer.evaluate.batch`."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from kits.random_batches import random_batch

from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput, NotExact
from exactformer.evaluate.batch import attention_choices, compile_attention, follower_sets
from exactformer.evaluate.floats import approx
from exactformer.model.attention import SelfAttention
from exactformer.model.batch import Batch
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Outer, Scalar, Zero
from exactformer.model.transformer import Block, Transformer, pure_attention

F = Fraction


Q = [[1, 2], [0, 1], [3, -1]]


K = [[1, 0], [-1, 1], [0, 2]]


V = [[1, 3], [0, 2]]


LOPSIDED = SelfAttention("1/2", V, Q, K)


TOKENS = [[F(1), F(2)], [F(-1), F(1, 3)], [F(1, 2), F(-2)]]


def by_hand(tokens: list[list[Fraction]]) -> tuple[list[list[Fraction]], list[tuple[int, ...]]]:
    def times(m: list[list[int]], x: list[Fraction]) -> list[Fraction]:
        return [sum((F(a) * v for a, v in zip(row, x, strict=True)), F(0)) for row in m]

    outputs, follows = [], []
    for x in tokens:
        scores = [sum(a * b for a, b in zip(times(Q, x), times(K, y), strict=True)) for y in tokens]
        best = tuple(j for j, s in enumerate(scores) if s == max(scores))
        mean = [sum((tokens[j][c] for j in best), F(0)) / len(best) for c in range(2)]
        outputs.append([x[c] / 2 + times(V, mean)[c] for c in range(2)])
        follows.append(best)
    return outputs, follows


# ---------------------------------------------------------------- attention that is not symmetric


def test_queries_are_of_the_token_and_keys_of_the_others() -> None:
    outputs, follows = by_hand(TOKENS)
    transformer = Transformer(2, [Block(None, LOPSIDED)])
    assert LOPSIDED.step(TOKENS).follows == follows
    assert transformer(TOKENS).rows() == [tuple(row) for row in outputs]
    assert transformer.by_definition(TOKENS) == outputs
    assert follower_sets(transformer, Batch.of(State.of(TOKENS))) == [follows]
    expected = np.array([[float(v) for v in row] for row in outputs])
    assert approx(transformer, TOKENS) == pytest.approx(expected)
    swapped = Transformer(2, [Block(None, SelfAttention("1/2", V, K, Q))])
    assert swapped(TOKENS) != transformer(TOKENS)  # the instance tells Q from K


MIXED = [[[F(k), F(1, j + 2)] for k in range(j % 3 + 1)] for j in range(7)] + [[[F(2**70), F(1)], [F(1), F(0)]]]


# ---------------------------------------------------------------- many sequences, some at a time


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("layer", [LOPSIDED, SelfAttention(0, V, Zero(), Zero()), SelfAttention(1, V, Zero(), Zero())])
def test_a_batch_in_parts_is_the_sequences_one_by_one(
    rows: int, layer: SelfAttention, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactformer.evaluate.batch.ROWS_AT_ONCE", rows)
    transformer = Transformer(2, [Block(FeedForward(1, Outer([1, 2], [1, 1]), [-1, 0], Outer([1, -1], [1, 1])), layer)])
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in MIXED])])
    batch = transformer.evaluate(Batch.of(State.of([x for s in MIXED for x in s]), offsets))
    for j, sequence in enumerate(MIXED):
        assert batch.tokens(j, offsets).rows() == [tuple(x) for x in transformer.by_definition(sequence)]
    assert len(batch.inverse) == offsets[-1]


def test_layers_refuse_points_of_another_dimension() -> None:
    transformer = Transformer(2, [Block(None, LOPSIDED)])
    for call in (transformer, transformer.by_definition):
        with pytest.raises(InvalidInput):
            call([[1, 2, 3]])
    with pytest.raises(InvalidInput):
        transformer.evaluate(Batch.of(State.of([[1]])))
    for offsets in ([0, 1], [1, 2], [0, 0, 2], [0, 3]):
        with pytest.raises(InvalidInput):
            Batch.of(State.of([[1], [2]]), np.array(offsets))


# ---------------------------------------------------------------- attention


def test_gaps_of_scores_are_those_of_the_definition() -> None:
    layer = SelfAttention(0, Scalar(1), [["1/3", 1], [0, "1/2"]], [["1/5", 0], [1, 1]])
    tokens = [[F(1, 2), F(1)], [F(-1, 3), F(2)], [F(1, 7), F(0)]]
    scores = layer.step(tokens).scores
    chosen, gaps = next(attention_choices(Batch.of(State.of(tokens)), layer, 2))
    assert [sorted(row, reverse=True)[0] - sorted(row, reverse=True)[1] for row in scores] == gaps
    assert [tuple(np.flatnonzero(row).tolist()) for row in chosen] == layer.step(tokens).follows


def test_softmax_has_no_fractions() -> None:
    soft = Transformer(1, [Block(None, SelfAttention(0, *[Scalar(1)] * 3, beta=1))])
    for evaluate in (soft, soft.by_definition):
        with pytest.raises(NotExact, match="enclose"):
            evaluate([[1], [2]])
    for alpha in (0, -1):
        with pytest.raises(InvalidInput, match="alpha > 0"):
            pure_attention([[1]], alpha)


# ---------------------------------------------------------------- batches and distances


@pytest.mark.parametrize("scale", [1, 40, 61])
def test_a_layer_on_some_rows_may_have_long_denominators(scale: int) -> None:
    layer = FeedForward(1, [[1]], [0], [[F(1, 2**scale) - 1]])
    tokens = [[F(1, 2**scale)], [F(-1)], [F(3, 2**scale)]]
    assert Transformer(1, [Block(layer)])(tokens).rows() == [tuple(layer.apply(x)) for x in tokens]


# ---------------------------------------------------------------- batches


def test_choices_of_several_sequences_are_those_of_each() -> None:
    batch = random_batch(random.Random(9), 2)
    sequences = [
        [batch.row(r) for r in range(start, stop)]
        for start, stop in zip(batch.offsets[:-1], batch.offsets[1:], strict=True)
    ]
    assert len(sequences) > 2
    for layer in (
        SelfAttention(0, Scalar(1), [["1/3", 1], [0, 2]], Scalar("1/2")),
        SelfAttention(0, Scalar(1), Zero(), Scalar(1)),
        SelfAttention(0, Scalar(1), Outer([1, 2], [1, -1]), [[1, 0], [1, 1]]),
    ):
        for tokens, (chosen, gaps) in zip(sequences, attention_choices(batch, layer, 2), strict=True):
            step = layer.step(tokens)
            assert [tuple(np.flatnonzero(row).tolist()) for row in chosen] == step.follows
            for row, best, gap in zip(step.scores, step.follows, gaps, strict=True):
                rest = [s for j, s in enumerate(row) if j not in best]
                assert gap == (max(row) - max(rest) if rest else None)


def test_only_the_mean_without_the_token_makes_one_row_of_a_sequence() -> None:
    for rho, Q, collapses in ((0, Zero(), True), (1, Zero(), False), (0, Scalar(1), False), (0, Scalar(0), True)):
        assert compile_attention(SelfAttention(rho, Scalar(2), Q, Scalar(1)), 2).collapses is collapses
    with pytest.raises(NotExact, match="run --attention softmax"):
        compile_attention(SelfAttention(0, *[Scalar(1)] * 3, beta=1), 1)


def test_follower_sets_of_every_block_are_of_the_tokens_before_it() -> None:
    step = SelfAttention(0, Scalar(1), Scalar(1), Scalar(1))
    flip = FeedForward(-1, Zero(), [0], Zero())
    transformer = Transformer(1, [Block(flip, step), Block(flip), Block(None, step)])
    tokens = [[F(1)], [F(2)], [F(-3)]]  # -1, -2, 3 -> -2, -2, 3 -> 2, 2, -3
    assert follower_sets(transformer, Batch.of(State.of(tokens))) == [[(1,), (1,), (2,)], None, [(0, 1), (0, 1), (2,)]]
    trace = transformer.trace(tokens)
    assert trace.tokens == [tokens, [[-2], [-2], [3]], [[2], [2], [-3]], [[2], [2], [-3]]]
    assert [None if s is None else s.follows for s in trace.steps] == [[(1,), (1,), (2,)], None, [(0, 1), (0, 1), (2,)]]
