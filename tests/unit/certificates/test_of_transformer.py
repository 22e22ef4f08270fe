"""Tests of `exactformer.certificates.of_transformer`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.errors import InvalidInput
from exactformer.model.attention import SelfAttention
from exactformer.model.matrix import Scalar
from exactformer.model.transformer import Block, Transformer

FOLLOW = Transformer(1, [Block(None, SelfAttention(0, *[Scalar(1)] * 3))])


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["a", "a", "b"], "sequences 0 and 1 have the label 'a' and different outputs"),
        (["a", "b", "a"], "sequences 0 and 2 have the label 'a' and different outputs"),
    ],
)
def test_labels_with_several_outputs_are_not_certified(labels: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=said):
        FOLLOW.certify(ef.Dataset.of([[[1]], [[2]], [[3]]], labels=labels), tmp_path / "c.jsonl")
    assert not (tmp_path / "c.jsonl").exists()


def test_labels_that_share_their_outputs_are_not_certified(tmp_path: Path) -> None:
    data = [[[1]], [[2]], [[1], [1]]]
    with pytest.raises(InvalidInput, match="sequences 0 and 2 have different labels and the same outputs"):
        FOLLOW.certify(ef.Dataset.of(data, labels=["a", "b", "c"]), tmp_path / "c.jsonl")
    FOLLOW.certify(ef.Dataset.of(data, labels=["a", "b", "a"]), tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"
    with pytest.raises(InvalidInput, match="sequence 1 is not mapped onto its targets"):
        FOLLOW.certify(ef.Dataset.of(data, targets=[[1], [3], [1]]), tmp_path / "d.jsonl")


RNG = np.random.default_rng(5)


X = RNG.standard_normal((12, 4, 2))


Y = np.arange(12) % 3


def test_any_transformer_certifies_what_it_maps(tmp_path: Path) -> None:
    built = ef.construct(X, Y)
    built.transformer.certify(ef.Dataset.of(X, Y), tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"
    double = ef.Transformer(1, [ef.Block(ef.FeedForward(2, ef.Zero(), [0], ef.Zero()))])
    double.certify(ef.Dataset.of([[[1], [2]]], targets=[[[2], [4]]]), tmp_path / "d.jsonl")
    assert ef.check(tmp_path / "d.jsonl").verdict == "accepted"
    cases = [
        (ef.Dataset.of([[[1]], [[2]]], targets=[[2], [5]]), "sequence 1 is not mapped"),
        (ef.Dataset.of([[[1]], [[2]]], labels=["a", "a"]), "sequences 0 and 1 have the label 'a' and different"),
        (ef.Dataset.of([[[1]], [[1], [1]]], labels=["a", "b"], names=["p", "q"]), "'p' and 'q' have different labels"),
    ]
    for data, said in cases:
        with pytest.raises(InvalidInput, match=said):
            double.certify(data, tmp_path / "no.jsonl")
    assert not (tmp_path / "no.jsonl").exists()
