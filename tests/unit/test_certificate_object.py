"""A certificate opened as an object: transformer, data and labels are those it was written from."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import exactformer as ef
from exactformer.certificates.envelope import write_certificate
from exactformer.certificates.opened import Certificate
from exactformer.constructions.pipeline import construct
from exactformer.errors import InvalidInput, Malformed
from exactformer.model.dataset import Dataset, Sequence

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


@pytest.mark.parametrize("without", [0, 1])
def test_data_of_which_some_have_a_label_have_their_targets(without: int, tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"sequence": j, "tokens": [[str(j)]], "targets": [["7"]], "label": "a"} for j in range(3)
    ]
    del lines[without]["label"]
    write_certificate(tmp_path / "c.jsonl", "interpolation", {"dim": 1}, lines)
    opened = Certificate.open(tmp_path / "c.jsonl")
    assert opened.labels() == [None if j == without else "a" for j in range(3)]
    assert opened.data.labels is None
    assert opened.data.targets_of(2).rows() == [(Fraction(7),)]


def test_the_first_sequences_alone(labelled: tuple[Path, Dataset]) -> None:
    opened = Certificate.open(labelled[0])
    assert len(opened.dataset(2)) == 2
    assert opened.labels(1) == ["cat"]


def test_a_transformer_file_has_no_claim_and_no_data(labelled: tuple[Path, Dataset], tmp_path: Path) -> None:
    transformer = Certificate.open(labelled[0]).transformer
    transformer.write(tmp_path / "t.jsonl")
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


@pytest.mark.parametrize("line", [{"sequence": 0, "tokens": 5}, {"sequence": 0}, {"sequence": 0, "tokens": [["1"]]}])
def test_a_bad_sequence_is_malformed_and_named(tmp_path: Path, line: dict[str, object]) -> None:
    write_certificate(tmp_path / "c.jsonl", "infeasible", {}, [line])
    with pytest.raises(Malformed, match=r"c\.jsonl, sequence 0: expected tokens"):
        Certificate.open(tmp_path / "c.jsonl").dataset()


def test_labels_without_targets_are_the_labels_of_the_data(tmp_path: Path) -> None:
    write_certificate(tmp_path / "c.jsonl", "infeasible", {}, [{"sequence": 0, "tokens": [["1/2"]], "label": "a"}])
    data = Certificate.open(tmp_path / "c.jsonl").dataset()
    assert data.labels == ["a"]
    assert data.json()["sequences"] == [{"tokens": [[HALF]], "label": "a"}]


def test_the_file_form_of_a_data_set_reads_back(tmp_path: Path) -> None:
    import json

    data = Dataset.of([Sequence.of([[HALF, 2]], [[1, 1], [0, -1]]), Sequence.of([[0, 0], [3, 1]], [[5, HALF]])])
    path = tmp_path / "data.json"
    path.write_text(json.dumps(data.json(), default=str), "utf-8")
    again = Dataset.read(path)
    assert again.tokens == data.tokens
    assert again.targets == data.targets
    assert again.offsets.tolist() == [0, 1, 3]
    assert again.target_offsets is not None
    assert again.target_offsets.tolist() == [0, 2, 3]


def test_data_without_labels_have_none(tmp_path: Path) -> None:
    built = ef.construct(ef.Dataset.of([[[1]], [[2]]], targets=[[5], [6]]))
    built.certify(tmp_path / "c.jsonl")
    assert Certificate.open(tmp_path / "c.jsonl").data.labels is None
