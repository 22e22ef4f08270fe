"""The regularised loss: enclosures contain the definition, the checker agrees, and no certificate states a false side."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checker_kit import opened
from hypothesis import given, settings
from hypothesis import strategies as st
from softmax_truth import regularised_loss as by_definition

import exactformer as ef
from exactformer.errors import InvalidInput, Undecided
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer
from exactformer.training.loss import box_objective, regularised_loss

numbers = st.fractions(-2, 2, max_denominator=6)


@st.composite
def problems(draw: Any) -> tuple[Transformer, Dataset]:
    """Small softmax networks, ties and equal tokens among them, on sequences with one target or more."""
    dim = draw(st.integers(1, 2))

    def point() -> list[Fraction]:
        return [draw(numbers) for _ in range(dim)]

    def matrix(rows: int) -> list[list[Fraction]]:
        return [point() for _ in range(rows)]

    blocks = []
    for _ in range(draw(st.integers(0, 2))):
        width, height = draw(st.integers(1, 3)), draw(st.integers(1, 2))
        W = [[draw(numbers) for _ in range(width)] for _ in range(dim)]
        ff = FeedForward(draw(numbers), matrix(width), [draw(numbers) for _ in range(width)], W)
        sa = SelfAttention(draw(numbers), matrix(dim), matrix(height), matrix(height))
        blocks.append(draw(st.sampled_from([Block(ff, sa), Block(None, sa), Block(ff)])))
    sequences = []
    for _ in range(draw(st.integers(1, 3))):
        tokens = [point() for _ in range(draw(st.integers(1, 3)))]
        sequences.append(ef.Sequence.of([*tokens, tokens[0]], targets=matrix(draw(st.integers(1, 2)))))
    return Transformer(dim, blocks), Dataset.of(sequences)


@settings(max_examples=25, deadline=None)
@given(problems(), st.sampled_from(["0", "1/10", "3"]), st.sampled_from(["1/2", "3"]))
def test_the_enclosure_contains_the_definition_and_the_checker_agrees(
    tmp_path_factory: pytest.TempPathFactory, problem: tuple[Transformer, Dataset], eps: str, beta: str
) -> None:
    network, data = problem
    path = tmp_path_factory.mktemp("loss") / "c.jsonl"
    found = regularised_loss(network, data, eps=eps, beta=beta)
    hair = Fraction(1, 10**12)
    found.certify(path, below=found.objective.high + hair)
    truth = by_definition(opened(path.read_bytes()), Fraction(beta))
    assert found.objective.low - Fraction(1, 10**90) <= truth <= found.objective.high
    assert found.objective.high - found.objective.low < hair
    assert ef.check(path).verdict == "accepted"
    boxes = box_objective(network, data, found.targets, Temperatures.of(beta, beta), found.eps, 64)
    assert boxes.low <= truth <= boxes.high
    found.certify(path, above=found.objective.low - hair)
    assert ef.check(path).verdict == "accepted"
    for side, bound in (("above", found.objective.high + hair), ("below", found.objective.low - hair)):
        with pytest.raises(Undecided):
            found.certify(path.with_name("false.jsonl"), **{side: bound})
    assert not path.with_name("false.jsonl").exists()


def test_a_false_certificate_is_refused(tmp_path: Path) -> None:
    soft = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [[1]]))])
    found = regularised_loss(soft, [[[0], [1]]], targets=[[1]], eps="1/10")
    found.certify(tmp_path / "c.jsonl", below="0.56")
    text = (tmp_path / "c.jsonl").read_text()
    assert '"below":"14/25"' in text
    (tmp_path / "d.jsonl").write_text(text.replace('"below":"14/25"', '"below":"13/25"'))
    assert ef.check(tmp_path / "d.jsonl").verdict != "accepted"


@pytest.mark.parametrize("side", ["below", "above"])
def test_bits_are_doubled_until_the_checker_accepts(side: str, tmp_path: Path) -> None:
    soft = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [["1/3"]]))])
    found = regularised_loss(soft, [[[0], [1], ["1/7"]]], targets=[[2]], eps="1/10", bits=256)
    hair = Fraction(1, 10**25)
    ends = {"below": found.objective.high + hair, "above": found.objective.low - hair}
    found.certify(tmp_path / "c.jsonl", **{side: ends[side]})
    assert opened((tmp_path / "c.jsonl").read_bytes())[0]["bits"] == 128
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"


def test_twenty_digits_of_the_papers_size() -> None:
    rng = np.random.default_rng(0)
    X, d = rng.random((10, 100, 16)).astype(np.float32), 16
    sa = SelfAttention(0.01, rng.normal(size=(d, d)), rng.normal(size=(1, d)), rng.normal(size=(1, d)))
    ff = FeedForward(0.3, rng.normal(size=(4, d)), rng.normal(size=4).tolist(), rng.normal(size=(d, 4)))
    network = Transformer(d, [Block(None, sa), Block(ff)])
    found = regularised_loss(network, list(X), targets=rng.random((10, 16)).astype(np.float32), eps="1/10").loss
    assert 0 < found.high - found.low < found.low / 10**20


def test_wrong_questions(tmp_path: Path) -> None:
    network = Transformer(1, [])
    with pytest.raises(InvalidInput, match="eps"):
        regularised_loss(network, [[[0]]], targets=[[0]], eps="-1")
    with pytest.raises(InvalidInput, match="dimension 1"):
        regularised_loss(network, [[[0, 1]]], targets=[[0, 1]], eps=1)
    with pytest.raises(InvalidInput, match="> 0"):
        regularised_loss(network, [[[0]]], targets=[[0]], eps=1, beta=0)
    found = regularised_loss(network, [[[0]]], targets=[[3]], eps=1)
    assert found.loss.json() == "9"
    for bounds in ({}, {"below": 1, "above": 1}):
        with pytest.raises(InvalidInput, match="one bound"):
            found.certify(tmp_path / "c.jsonl", **bounds)


def test_a_certificate_of_the_loss_names_the_labels(tmp_path: Path) -> None:
    soft = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [[1]]))])
    found = regularised_loss(soft, [[[0], [1]], [[3]], [[5]]], ["cat", "dog", "cat"], eps="1/10")
    found.certify(tmp_path / "c.jsonl", below=100)
    lines = opened((tmp_path / "c.jsonl").read_bytes())
    assert [line["label"] for line in lines if "sequence" in line] == ["cat", "dog", "cat"]


def test_outputs_that_are_their_targets_up_to_rounding_have_a_loss_near_zero() -> None:
    """The ball of an output 1/3 minus the ball of its target lies around zero."""
    soft = Transformer(2, [Block(None, SelfAttention(0, [[1, 0], [0, 1]], [[1, 0]], [[1, 0]]))])
    found = regularised_loss(soft, [[["1/3", 1], ["1/3", 1]], [["1/7", 0]]], targets=[["1/3", 2], ["1/7", 0]], eps=0)
    assert 0 <= found.loss.low <= Fraction(1, 2) <= found.loss.high < Fraction(1, 2) + Fraction(1, 10**30)
    exact = regularised_loss(soft, [[["1/3", 1], ["1/3", 1]]], targets=[["1/3", 1]], eps=0)
    assert exact.loss.low == 0 < exact.loss.high < Fraction(1, 10**30)
