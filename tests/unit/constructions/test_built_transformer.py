"""Tests of `exactformer.constructions.built_transformer`."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.constructions.pipeline import construct
from exactformer.errors import InvalidInput
from exactformer.model.dataset import Dataset, Sequence


def labelled(*pairs: tuple[list[Any], str]) -> Dataset:
    return Dataset.of(Sequence.of([v if isinstance(v, list) else [v] for v in x], label=y) for x, y in pairs)


CATS = labelled(([[0, 1], [2, 3]], "cat"), ([[0, 1]], "dog"), ([[2, 3], [0, 1], [2, 3], [0, 1]], "cat"))


def test_results_show_themselves_briefly() -> None:
    built = ef.construct(CATS)
    assert repr(built) == "Built(shallow: 2 blocks of width 2 for 3 sequences)"
    assert "paper_bound" in built._repr_html_()


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders", "paper"])
def test_certificates_are_accepted_by_the_checker(method: str, tmp_path: Path) -> None:
    data = labelled(([[0, 1], [2, 3]], "é"), ([[0, 1]], "dog"), ([["1/3", "-0.25"]], "dog"))
    path = tmp_path / "c.jsonl"
    ef.construct(data, method=method).certify(path)
    assert ef.check(path).verdict == "accepted"
    lines = path.read_text().splitlines()
    assert json.loads(lines[0])["sequences"] == 3
    assert json.loads(lines[-2])["tokens"] == [["1/3", "-1/4"]]


def test_softmax_is_certified_for_uniform_attention_only(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    ef.construct(CATS, attention="softmax").certify(path)
    assert ef.check(path).verdict == "accepted"
    leaders = ef.construct(labelled(([[0]], "a"), ([[1], [2]], "b")), method="leaders")
    path.unlink()
    with pytest.raises(InvalidInput, match="softmax"):
        replace(leaders, attention="softmax").certify(path)
    assert list(tmp_path.iterdir()) == []


def data(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


@pytest.mark.parametrize(("method", "softmax"), [("shallow", True), ("deep", True), ("leaders", False)])
def test_softmax_is_claimed_only_where_attention_is_uniform(method: str, softmax: bool, tmp_path: Path) -> None:
    from exactformer.certificates.interpolation import write_interpolation

    given = data(([0, 1], [5]), ([1], [6]), ([0, 2], [7]))
    transformer = construct(given, method=method).transformer

    def certify(name: str, attention: str) -> None:
        parts: dict[str, Any] = {"tokens": given.tokens, "offsets": given.offsets, "targets": given.targets_of}
        write_interpolation(tmp_path / name, transformer=transformer, attention=attention, **parts)

    certify("hard", "hardmax")
    if softmax:
        certify("soft", "softmax")
    else:
        with pytest.raises(InvalidInput):
            certify("soft", "softmax")
    with pytest.raises(InvalidInput):
        certify("other", "sparsemax")
    assert {path.name for path in tmp_path.iterdir()} == {"hard", *(["soft"] if softmax else [])}


RNG = np.random.default_rng(5)


X = RNG.standard_normal((12, 4, 2))


Y = np.arange(12) % 3


def test_data_sets_and_constructions_pickle() -> None:
    built = ef.construct(X, Y)
    copy = pickle.loads(pickle.dumps(built))
    assert copy.data == built.data
    assert copy.predict(X) == built.predict(X)
