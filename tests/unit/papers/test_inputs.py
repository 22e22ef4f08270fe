"""Tests of `exactformer.papers.inputs`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import exactformer as ef
from exactformer.papers.inputs import LEMMAS, TOKENS, sequences_of_length, write_inputs
from exactformer.report.gallery import configurations


def test_files_of_the_atlas_hold_what_its_rows_speak_of(tmp_path: Path) -> None:
    write_inputs(tmp_path)
    for name, (alpha, A, rows) in TOKENS.items():
        read = ef.Tokens.read(tmp_path / name)
        assert (read.alpha, read.state.rows()) == (Fraction(alpha), ef.Tokens(rows).state.rows())
        identity = [[int(i == j) for j in range(read.dim)] for i in range(read.dim)]
        assert [list(row) for row in read.A] == [[Fraction(x) for x in row] for row in (A or identity)]
    for name, tokens in configurations().items():
        assert ef.Tokens.read(tmp_path / f"{name.replace(' ', '-')}.json").json() == tokens.json()
    assert json.loads((tmp_path / "frank-wolfe.json").read_text()) == {
        "exactformer": "frank-wolfe", "B": [["1"]], "tokens": [["3"], ["-1"]], "layers": 600, "step": None,
    }  # fmt: skip
    for name, length in (("short.json", 10), ("long.json", 300)):
        data = ef.Dataset.read(tmp_path / name)
        assert [len(sequence) for sequence in data] == [length] * 6
    for lemma, (_, tokens, ends) in LEMMAS.items():
        data = ef.Dataset.read(tmp_path / f"{lemma}.json")
        assert data[0].tokens.rows() == tokens
        assert set(data.targets_of(0).rows()) == set(ends)
        assert ef.check(tmp_path / f"{lemma}.jsonl", data=tmp_path / f"{lemma}.json").verdict == "accepted"
    assert (tmp_path / "imdb-2.model.xz").stat().st_size > 1000


def test_longer_sequences_begin_as_the_short_ones() -> None:
    short, long = (sequences_of_length(length)["sequences"] for length in (10, 300))
    assert [one["label"] for one in short] == [one["label"] for one in long] == [f"label {j}" for j in range(6)]
    assert [one["tokens"] for one in short] == [one["tokens"][:10] for one in long]
    assert short[4]["tokens"][:4] == [["0", "0"], ["1", "4"], ["2", "8"], ["3", "1"]]
    ef.construct(ef.Dataset.of([one["tokens"] for one in short], labels=[one["label"] for one in short]))
