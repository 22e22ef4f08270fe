"""Tests of `exactformer.training.runs`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from exactformer.constructions.targets import targets_of
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.norms import Enclosure, norm2
from exactformer.model.transformer import Block, Transformer
from exactformer.training.interpolant import Interpolant
from exactformer.training.loss import loss_of
from exactformer.training.runs import BETA, Training, judged_run

F = Fraction


SOFT = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [[1]]))])


def test_enclosures_are_refined_until_there_is_a_verdict() -> None:
    data = Dataset.of([[[1], [2]]], targets=[[5]])
    wanted, eps = targets_of(data), F(1, 10)
    fine = loss_of(SOFT, data, wanted, eps, BETA, 512).objective
    for hair, words in ((F(1, 1 << 200), "below the guarantee"), (-F(1, 1 << 200), "not a global minimiser")):
        size = Enclosure((fine.high + hair) / eps, (fine.high + hair) / eps)
        best = Interpolant(SOFT, size, "none", lambda path: None)
        run = judged_run(SOFT, data, wanted, best, eps=eps, start="random", history=())
        assert run.verdict == words
        assert run.guarantee.low == run.guarantee.high == fine.high + hair
        assert run.figures.loss.high - run.figures.loss.low < F(1, 1 << 200)


@pytest.mark.parametrize("side", [1, -1])
def test_the_last_enclosure_has_a_thousand_bits(side: int) -> None:
    data = Dataset.of([[[1], [2]]], targets=[[5]])
    wanted, eps = targets_of(data), F(1, 10)
    fine = loss_of(SOFT, data, wanted, eps, BETA, 4096).objective
    words = "below the guarantee" if side > 0 else "not a global minimiser"
    for hair, verdict in ((F(1, 2**700), words), (F(1, 2**1500), "undecided")):
        size = (fine.high if side > 0 else fine.low) / eps + side * hair
        best = Interpolant(SOFT, Enclosure(size, size), "none", lambda path: None)
        run = judged_run(SOFT, data, wanted, best, eps=eps, start="random", history=())
        assert run.verdict == verdict
        assert F(1, 2**1040) < run.figures.loss.high - run.figures.loss.low < F(1, 2**980)


def test_the_scope_is_as_large_as_the_largest_network_in_it() -> None:
    data = Dataset.of([[[1]]], targets=[[1]])
    wanted, wide = targets_of(data), FeedForward(1, [[0]] * 5, [0] * 5, [[0] * 5])
    small, large, long = (Transformer(1, blocks) for blocks in ([Block()], [Block(wide)], [Block(), Block(), Block()]))
    known = Interpolant(small, norm2(small), "by hand", lambda path: None)
    runs = [judged_run(one, data, wanted, known, eps=F(1), start="random", history=()) for one in (large, long)]
    for chosen, words in (
        (runs, "3 blocks and width 5"),
        (runs[:1], "1 blocks and width 5"),
        ([], "1 blocks and width"),
    ):
        assert words in Training(known, tuple(chosen), wanted).scope
    assert Training(replace(known, same_shape=True), tuple(runs), wanted).scope == "networks of this shape"
