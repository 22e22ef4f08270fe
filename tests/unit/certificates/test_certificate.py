"""Tests of `exactformer.certificates.certificate`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from kits.certificate_cases import CASES, TOKENS, A

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.certificates.certificate import Certificate, tokens_of_line
from exactformer.certificates.interpolation import write_interpolation
from exactformer.constructions.pipeline import construct
from exactformer.errors import InvalidInput, Malformed
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Outer, Scalar, Zero
from exactformer.model.transformer import Block, Transformer

F = Fraction


@pytest.mark.parametrize("name", CASES)
def test_every_number_stands_in_its_place(name: str, tmp_path: Path) -> None:
    write, wanted = CASES[name]
    write(tmp_path / "c.jsonl")
    *lines, end = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert lines == wanted
    assert end.keys() == {"end", "sha256"}
    opened = Certificate.open(tmp_path / "c.jsonl")
    assert (opened.claim, list(opened.lines())) == (wanted[0]["claim"], wanted[1:])


# ---------------------------------------------------------------- opened again


def test_a_certificate_says_what_it_counts(tmp_path: Path) -> None:
    for name, words in (
        ("interpolation", "interpolation: 2 blocks, 2 sequences"),
        ("infeasible", "infeasible: 2 sequences"),
        ("orbit", "orbit"),
        ("loss", "loss: 2 blocks, 2 sequences"),
    ):
        CASES[name][0](tmp_path / "c.jsonl")
        assert repr(Certificate.open(tmp_path / "c.jsonl")) == f"Certificate({words})"
    Transformer(1, [Block()]).save(tmp_path / "t.jsonl")
    assert repr(Certificate.open(tmp_path / "t.jsonl")) == "Certificate(transformer file: 1 block)"


def test_what_a_certificate_is_about_is_read_back(tmp_path: Path) -> None:
    CASES["interpolation with a margin at temperatures"][0](tmp_path / "c.jsonl")
    opened = Certificate.open(tmp_path / "c.jsonl")
    assert opened.margin == F(1, 9)
    assert [s.tokens.rows() for s in opened.dataset()] == [[(1,), (F(1, 2),)], [(3,)]]
    assert opened.dataset().targets_of(1).rows() == [(1,), (F(1, 3),)]
    assert (opened.labels(), opened.labels(1), opened.data.labels) == (["p", "q"], ["p"], ["p", "q"])
    assert opened.label_of() == {frozenset({(F(0),), (F(1, 3),)}): "p", frozenset({(F(1),), (F(1, 3),)}): "q"}
    assert opened.classifier().points == {"p": State.of([[0], ["1/3"]]), "q": State.of([["1/3"], [1]])}
    CASES["loss"][0](tmp_path / "l.jsonl")
    loss = Certificate.open(tmp_path / "l.jsonl")
    assert loss.margin is None
    attention = loss.transformer.blocks[0].self_attention
    assert attention is not None
    assert attention.beta == F(1, 2)
    CASES["orbit"][0](tmp_path / "o.jsonl")
    found = Certificate.open(tmp_path / "o.jsonl").tokens()
    assert (found.A, found.alpha, found.state.rows()) == (A, F(1, 7), list(TOKENS))
    for line in ({}, {"A": 5, "alpha": "1", "tokens": [["1"]]}, {"A": [["1"]], "tokens": [["1"]]}):
        with pytest.raises(Malformed, match="here: expected a line with A, alpha and tokens"):
            tokens_of_line(line, "here")


def test_predictions_of_a_certificate_count_against_the_labels_given(tmp_path: Path) -> None:
    data = ef.Dataset.of([[[0]], [[4]]], labels=["low", "high"])
    Transformer(1, []).certify(data, tmp_path / "c.jsonl")
    opened = Certificate.open(tmp_path / "c.jsonl")
    assert opened.predict([[[1]], [[3]], [[2]]]) == ["low", "high", "high"]
    assert opened.score([[[1]], [[3]], [[5]]], ["low", "low", "high"]) == F(2, 3)
    assert opened.score(ef.Dataset.of([[[1]], [[0]]], labels=["low", "high"])) == F(1, 2)


def test_targets_are_sets_whatever_their_order_and_multiplicity(tmp_path: Path) -> None:
    double = Transformer(1, [Block(FeedForward(2, Zero(), [0], Zero()))])
    double.certify(ef.Dataset.of([[[2], [1], [1]]], targets=[[[2], [4], [2]]]), tmp_path / "c.jsonl")
    assert Certificate.open(tmp_path / "c.jsonl").sequence_lines()[0]["targets"] == [["2"], ["4"]]
    for wrong in ([[2]], [[2], [4], [5]], [[4]]):
        with pytest.raises(InvalidInput, match="sequence 0 is not mapped onto its targets"):
            double.certify(ef.Dataset.of([[[2], [1]]], targets=[wrong]), tmp_path / "d.jsonl")
    mean = Transformer(1, [Block(None, SelfAttention(0, Scalar(1), Zero(), Zero()))])
    mean.certify(ef.Dataset.of([[[2], [1]]], targets=[["3/2"]]), tmp_path / "s.jsonl", attention="softmax")
    assert Certificate.open(tmp_path / "s.jsonl").header["attention"] == "softmax"
    assert ef.check(tmp_path / "s.jsonl").verdict == "accepted"


HALF = Fraction(1, 2)


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Dataset]:
    rows = [("cat", [[0], [HALF]]), ("dog", [[1]]), ("cat", [[2], [2], [3]])]
    data = Dataset.of(Sequence.of(tokens, label=label) for label, tokens in rows)
    path = tmp_path_factory.mktemp("certificate") / "cert.jsonl"
    construct(data).certify(path)
    return path, data


def test_an_interpolation_certificate_gives_back_what_it_is_about(labelled: tuple[Path, Dataset]) -> None:
    path, data = labelled
    opened = Certificate.open(path)
    assert opened.claim == "interpolation"
    assert opened.labels() == ["cat", "dog", "cat"]
    assert [s.tokens for s in opened.dataset()] == [s.tokens for s in data]
    assert opened.label_of() == {frozenset({(Fraction(0),)}): "cat", frozenset({(Fraction(1),)}): "dog"}
    transformer = opened.transformer
    for j, sequence in enumerate(opened.dataset()):
        assert set(transformer(sequence.tokens.rows()).rows()) == set(opened.dataset().targets_of(j).rows())


def test_the_first_sequences_alone(labelled: tuple[Path, Dataset]) -> None:
    opened = Certificate.open(labelled[0])
    assert len(opened.dataset(2)) == 2
    assert opened.labels(1) == ["cat"]


def test_a_transformer_file_has_no_claim_and_no_data(labelled: tuple[Path, Dataset], tmp_path: Path) -> None:
    transformer = Certificate.open(labelled[0]).transformer
    transformer.save(tmp_path / "t.jsonl")
    opened = Certificate.open(tmp_path / "t.jsonl")
    assert opened.claim is None
    assert opened.labels() == []
    assert opened.transformer == transformer
    with pytest.raises(InvalidInput, match="expected a certificate with sequences"):
        opened.dataset()


def test_an_instance_of_the_dynamics(tmp_path: Path) -> None:
    tokens = ef.Tokens([["1/2", 0], [1, 3]], A=[[2, 1], [1, 1]], alpha="1/3")
    ef.simulate(tokens, layers=1).certify(tmp_path / "o.jsonl")
    assert Certificate.open(tmp_path / "o.jsonl").tokens() == tokens
    with pytest.raises(Malformed, match="expected a certificate of claim interpolation or loss, got 'orbit'"):
        _ = Certificate.open(tmp_path / "o.jsonl").transformer


def test_data_without_labels_have_none(tmp_path: Path) -> None:
    built = ef.construct(ef.Dataset.of([[[1]], [[2]]], targets=[[5], [6]]))
    built.certify(tmp_path / "c.jsonl")
    assert Certificate.open(tmp_path / "c.jsonl").data.labels is None


# ---------------------------------------------------------------- opened again


def test_a_classifier_of_a_certificate_knows_of_positions(tmp_path: Path) -> None:
    built = ef.construct([[[0], [1]], [[1], [0]]], ["up", "down"], positions=True)
    built.certify(tmp_path / "c.jsonl")
    opened = Certificate.open(tmp_path / "c.jsonl")
    assert opened.classifier(positions=True).predict([[[1], [0]], [[0], [1]]]) == ["down", "up"]
    with pytest.raises(InvalidInput, match="dimension 2"):
        opened.classifier().predict([[[1], [0]]])
    assert opened.labels(1) == ["up"]
    assert opened.margin is None
    assert repr(opened) == f"Certificate(interpolation: {len(built.transformer)} blocks, 2 sequences)"


def test_margins_are_read_back(tmp_path: Path) -> None:
    write_interpolation(
        tmp_path / "c.jsonl",
        transformer=Transformer(1, []),
        tokens=State.of([[1]]),
        offsets=np.array([0, 1]),
        targets=lambda j: State.of([[1]]),
        margin=F(1, 7),
    )
    opened = Certificate.open(tmp_path / "c.jsonl")
    assert opened.margin == F(1, 7)
    assert opened.header["version"] == [1, 1]
    assert opened.transformer == Transformer(1, [])


# ---------------------------------------------------------------- Rocq


def test_layers_of_every_form_come_back_from_a_certificate(tmp_path: Path) -> None:
    layer = FeedForward("1/3", Outer([1, 2], [F(1, 7)]), [0, -5], Zero())
    transformer = Transformer(1, [Block(layer, SelfAttention(2, Scalar("3/2"), [[1], [2]], Zero())), Block()])
    transformer.certify(ef.Dataset.of([[[1]], [[2]]], labels=["a", "b"]), tmp_path / "c.jsonl")
    assert Certificate.open(tmp_path / "c.jsonl").transformer == transformer
