"""The lines of a transformer file."""

from __future__ import annotations

from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer, Scalar, Zero
from exactformer.model.transformer import Block, Transformer

MODEL = Transformer(
    2,
    [
        Block(FeedForward("1/2", Outer([1, 2], [1, "-1/3"]), [0, 1], [[1, 0], [0, 1]]), None),
        Block(None, SelfAttention(1, Scalar("2/7"), Zero(), Dense([[1, 2]]))),
        Block(None, None),
    ],
)
