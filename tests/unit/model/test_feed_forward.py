"""Tests of `exactformer.model.feed_forward`."""

from __future__ import annotations

import pytest

from exactformer.errors import InvalidInput
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Scalar, Zero
from exactformer.model.transformer import Block, Transformer, pure_attention


def test_layers_refuse_what_is_no_layer() -> None:
    with pytest.raises(InvalidInput, match="at least one unit"):
        FeedForward(1, Zero(), [], Zero())
    with pytest.raises(InvalidInput, match=r"^b\[1\]"):
        FeedForward(1, Zero(), [0, "x"], Zero())
    with pytest.raises(InvalidInput, match=r"^rho: "):
        SelfAttention("x", Zero(), Zero(), Zero())
    with pytest.raises(InvalidInput, match="dim: expected an integer >= 1, got 0"):
        Transformer(0, [])
    with pytest.raises(InvalidInput, match="block 0 feed-forward W: expected a 1-by-2 matrix, got 2-by-2"):
        Transformer(1, [Block(FeedForward(1, Zero(), [0, 0], [[1, 0], [0, 1]]))])
    half = pure_attention([[2]], "1/2").self_attention
    assert half == SelfAttention("2/3", Scalar("1/3"), [[2]], Scalar(1))
    assert (
        repr(Transformer(1, [pure_attention([[2]], 1)])) == "Transformer(dim=1, 1 blocks of width <= 0, 4 parameters)"
    )
