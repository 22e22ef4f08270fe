"""Tests of `exactformer.training.interpolant`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from kits.training_data import small_data

import exactformer as ef
from exactformer.errors import InvalidInput
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Scalar, Zero
from exactformer.model.norms import Enclosure, norm2
from exactformer.model.transformer import Block, Transformer
from exactformer.training.interpolant import best_interpolant, softmax_interpolants, with_blocks
from exactformer.training.train import train

F = Fraction


MEAN = SelfAttention(0, Scalar(F(1)), Zero(), Zero())


def layer(eta: Any, U: Any, b: Any, W: Any) -> Block:
    return Block(FeedForward(eta, U, b, W))


def test_several_targets_have_no_warm_start() -> None:
    pytest.importorskip("torch")
    data = Dataset.of([ef.Sequence.of([[0, 0], [1, 0]], [[1, 0], [0, 1]]), ef.Sequence.of([[1, 1]], [[0, 0]])])
    given: dict[str, Any] = {"eps": ["1/10"], "epochs": 2, "width": 2}
    for options, words in (({"attention": "softmax", "start": "warm"}, "no warm start"), ({}, "train with attention")):
        with pytest.raises(InvalidInput, match=words):
            train(data, **given, **options)
    found = train(data, **given, attention="softmax")
    assert [run.start for run in found.runs] == ["random"]
    assert found.separating_eps is None
    assert "approx_separating_eps" not in found.json()["interpolant"]
    candidates = list(softmax_interpolants(data, None))
    assert [c.method for c in candidates] == ["leaders, balanced", "temperature, balanced"]
    assert [c.norm2.high for c in candidates] == [norm2(c.transformer).high for c in candidates]
    assert found.interpolant.norm2.high == min(c.norm2.high for c in candidates)
    line = Dataset.of([ef.Sequence.of([[0], [1]], [[1], [2]])])
    assert [c.method for c in softmax_interpolants(line, None)] == ["leaders, balanced"]


def test_identities_fill_a_network_up() -> None:
    network = Transformer(2, [Block(None, MEAN), layer(1, [[1, 2]], [3], [[4], [5]])])
    for blocks in (1, 2, 4):
        filled = with_blocks(network, blocks, 3)
        assert len(filled) == 2 * blocks
        assert norm2(filled).high == norm2(network).high + 2 * (blocks - 1)
        assert filled([[1, 0], [0, 3]]).rows() == network([[1, 0], [0, 3]]).rows()
        assert all(b.feed_forward.width == 3 for b in filled.blocks[3::2] if b.feed_forward is not None)


def test_the_smallest_interpolant_of_the_trained_shape_is_preferred() -> None:
    first = train(small_data(), eps=["1/10"], epochs=1, start="random").interpolant
    small, large, larger = (
        replace(first, norm2=Enclosure(Fraction(n), Fraction(n)), same_shape=same)
        for n, same in ((1, False), (3, True), (4, True))
    )
    assert best_interpolant([larger, small, large]) is large
    assert best_interpolant([replace(large, same_shape=False), small]) is small
