"""Tests of `exactformer.loading`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.errors import Malformed
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens


def table(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("header", ["sequence,label,x1", "Sequence;LABEL;X1", "\ufefflabel\tx1\tSEQUENCE"])
def test_load_knows_a_data_set_by_its_header(header: str, tmp_path: Path) -> None:
    separator = next(s for s in ",;\t" if s in header)
    fields = {"sequence": "a", "label": "p", "x1": "1"}
    row = separator.join(fields[name.strip("\ufeff").lower()] for name in header.split(separator))
    assert isinstance(ef.load(table(tmp_path / "d.csv", f"{header}\n{row}\n")), Dataset)
    assert isinstance(ef.load(table(tmp_path / "t.csv", "x1;x2\n1;2\n")), Tokens)


RNG = np.random.default_rng(5)


X = RNG.standard_normal((12, 4, 2))


Y = np.arange(12) % 3


def test_certificates_open_and_classify(tmp_path: Path) -> None:
    built = ef.construct(X, Y)
    built.certify(tmp_path / "c.jsonl")
    opened = ef.load(tmp_path / "c.jsonl")
    assert opened.claim == "interpolation"
    assert opened.transformer == built.transformer
    assert opened.data == built.data
    assert opened.predict(X) == [str(y) for y in Y]
    assert "12 sequences" in repr(opened)
    assert len(list(opened.lines())) == 14


def test_load_gives_what_the_file_holds(tmp_path: Path) -> None:
    tokens = ef.sample("integer-grid", n=4, d=2)
    ef.simulate(tokens, layers=2).certify(tmp_path / "o.jsonl")
    assert ef.load(tmp_path / "o.jsonl").claim == "orbit"
    model = ef.construct(X, Y).transformer
    model.save(tmp_path / "m.jsonl")
    assert ef.load(tmp_path / "m.jsonl") == model
    np.save(tmp_path / "t.npy", X[0])
    assert ef.load(tmp_path / "t.npy") == ef.Tokens(X[0])
    np.savetxt(tmp_path / "t.txt", [[1, 2], [3, 4]])
    assert ef.load(tmp_path / "t.txt") == ef.Tokens([[1, 2], [3, 4]])
    np.savez(tmp_path / "d.npz", tokens=X.reshape(-1, 2), offsets=np.arange(13) * 4, labels=Y)
    assert ef.load(tmp_path / "d.npz") == ef.Dataset.of(X, Y)
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(Malformed, match="certificate, transformer, network, recogniser, tokens or dataset"):
        ef.load(tmp_path / "x.json")
