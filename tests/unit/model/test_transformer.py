"""Tests of `exactformer.model.transformer`."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from kits.transformer_file import MODEL

from exactformer.dynamics.orbit import simulate
from exactformer.errors import InvalidInput
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import MultiHeadBlock
from exactformer.model.matrix import Dense, Outer, Scalar, Sparse, Zero
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer, pure_attention


def test_shapes_of_layers_are_verified() -> None:
    with pytest.raises(InvalidInput, match="block 0 feed-forward U: expected a 1-by-2 matrix, got 1-by-3"):
        Transformer(2, [Block(FeedForward(1, [[1, 2, 3]], [0], [[1], [1]]))])
    with pytest.raises(InvalidInput, match="equally many rows"):
        Transformer(2, [Block(None, SelfAttention(1, Scalar(1), [[1, 0]], [[1, 0], [0, 1]]))])
    with pytest.raises(InvalidInput, match="dimension 2"):
        MODEL([[1]])


Q = [[1, 2], [0, 1], [3, -1]]


K = [[1, 0], [-1, 1], [0, 2]]


V = [[1, 3], [0, 2]]


LOPSIDED = SelfAttention("1/2", V, Q, K)


# ---------------------------------------------------------------- attention that is not symmetric


def test_pure_attention_is_the_layer_of_the_dynamics() -> None:
    tokens = Tokens([[1, 2], [-1, "1/3"], ["1/2", -2]], A=[[2, 1], [1, 1]], alpha="1/3")
    layer = Transformer(2, [pure_attention(tokens.A, tokens.alpha)])
    assert layer(tokens.state) == simulate(tokens, layers=1).tokens(1)


def test_figures_of_transformers() -> None:
    layer = FeedForward(0, Outer([1, 0, 1], [1, 2]), [0, 5, -1], Dense([[1, 0, 2], [0, 3, 0]]))
    transformer = Transformer(2, [Block(layer, SelfAttention(1, Scalar(3), Zero(), Scalar(1)))])
    assert layer.width == transformer.width == 3
    assert layer.parameters == 2 + (2 + 2) + 3
    assert layer.dense_parameters(2) == 1 + 3 * 5
    assert transformer.dense_parameters == 16 + 13
    assert transformer.parameters == 9 + 1 + 1 + 1
    assert transformer.bits == 3
    assert list(transformer.attention_ranks) == [0]
    assert LOPSIDED.score_rank(2) == 2
    assert SelfAttention(0, V, Outer([1, 2, 3], [1, 1]), K).score_rank(2) == 1
    assert not LOPSIDED.is_uniform


def network(**odd: Any) -> Transformer:
    """A network of ones in which the named weights are another number."""
    part = {name: odd.get(name, 1) for name in ("eta", "U", "b", "W", "rho", "V", "Q", "K")}
    ff = FeedForward(part["eta"], [[part["U"]]], [part["b"]], [[part["W"]]])
    return Transformer(1, [Block(ff, SelfAttention(part["rho"], *([[part[name]]] for name in "VQK")))])


# ---------------------------------------------------------------- networks, counted


def test_equal_blocks_are_stored_once_in_a_loop() -> None:
    block, other = network().blocks[0], network(b=2).blocks[0]
    looped = Transformer(1, [block, other, block, block])
    assert looped.parameters == 4 * 8
    assert looped.looped_parameters == 2 * 8


@pytest.mark.parametrize("seed", range(20))
def test_a_block_of_a_transformer_is_one_head_that_sees_everything(seed):
    rng = random.Random(seed)
    V, Q, K = (Dense([[rng.choice([-1, 0, 1]) for _ in range(2)] for _ in range(2)]) for _ in range(3))
    block = Block(FeedForward(1, [[1, -1]], [0], [[1], [2]]), SelfAttention("1/2", V, Q, K))
    tokens = [[Fraction(rng.randint(-1, 1)) for _ in range(2)] for _ in range(4)]
    same = MultiHeadBlock.of(block)
    assert same.self_attention.is_symmetric
    assert same.step(tokens).outputs == Transformer(2, [block]).by_definition(tokens)


def test_a_transformer_with_a_sparse_matrix_is_written_in_the_forms_of_its_file(tmp_path):
    block = Block(FeedForward(0, Sparse([{0: 1}, {1: 2}], 2), [0, 0], Sparse([{}, {1: 1}], 2)))
    Transformer(2, [block]).save(tmp_path / "t.jsonl")
    again = Transformer.read(tmp_path / "t.jsonl")
    assert Dense([[1, 0], [0, 2]]) == again.blocks[0].feed_forward.U
    assert again([[1, 3]]) == Transformer(2, [block])([[1, 3]])
    assert "pmatrix" in Transformer(2, [block]).latex()


def test_blocks_show_their_kind_of_attention() -> None:
    layers = (None, SelfAttention(1, Scalar(1), Zero(), Scalar(1)), LOPSIDED)
    soft = SelfAttention(LOPSIDED.rho, LOPSIDED.V, LOPSIDED.Q, LOPSIDED.K, Fraction(3, 2))
    shown = Transformer(2, [Block(None, layer) for layer in (*layers, soft)])._repr_html_()
    places = [shown.index(f"<td>{words}</td>") for words in ("none", "uniform", "hardmax", "softmax, beta = 3/2")]
    assert places == sorted(places)
