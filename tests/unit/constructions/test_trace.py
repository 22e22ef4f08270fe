"""Tests of `exactformer.constructions.trace`."""

from __future__ import annotations

from typing import Any

import pytest

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.constructions.pipeline import construct
from exactformer.constructions.trace import trace_of
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.transformer import Block, Transformer


def labelled(*pairs: tuple[list[Any], str]) -> Dataset:
    return Dataset.of(Sequence.of([v if isinstance(v, list) else [v] for v in x], label=y) for x, y in pairs)


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders", "paper"])
def test_the_trace_ends_at_the_outputs(method: str) -> None:
    data = labelled(([[0, 1], [2, 3]], "cat"), ([[0, 1]], "dog"))
    built = ef.construct(data, method=method)
    assert len(built.stages) == built.report.blocks
    for trace in built.trace():
        assert trace.blocks[0].before == tuple(data[trace.sequence].tokens.rows())
        for left, right in zip(trace.blocks, trace.blocks[1:], strict=False):
            assert left.after == right.before
        assert trace.outputs == tuple(built.transformer(data[trace.sequence].tokens).rows())
    assert [t.sequence for t in built.trace([1])] == [1]


def test_a_trace_says_which_blocks_move() -> None:
    built = construct(labelled(([0, 4], "a"), ([3], "b"), ([1], "a")), method="deep", width=1)
    for trace in built.trace():
        for block in trace.blocks:
            assert block.moved == (block.after != block.before)
        assert trace.outputs == trace.blocks[-1].after
    assert [trace.sequence for trace in built.trace([2, 0])] == [2, 0]
    identity = Transformer(1, [Block(FeedForward(2, [[0]], [0], [[0]]), SelfAttention(0, [["1/2"]], [[0]], [[0]]))])
    (still,) = trace_of(identity, ("twice and half",), State.of([[3]]), 0).blocks
    assert (still.moved, still.after_feed_forward, still.follows) == (False, ((6,),), ((0,),))
