"""`exactformer language extract` as it is used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exactformer.cli.main import code


def extracted(language: str, folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    model = str(folder / "model.jsonl")
    assert code(["language", "compile", language, "-o", model]) == 0
    capsys.readouterr()
    assert code(["language", "extract", model, *options]) == 0
    return capsys.readouterr().out


def test_a_small_automaton_with_its_expression(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = extracted("(ab)*", tmp_path, capsys)
    assert "3 states" in out
    assert "expression: (ab)*" in out
    assert " more" not in out


def test_what_nobody_would_read_is_not_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactformer.cli.language_extract.READABLE", 40)
    word = "aaaaaaaaaabbbbbbbbbb" * 2 + "aa"
    out = extracted(word, tmp_path, capsys)
    assert "44 states" in out
    assert "and 4 more: all of them with --json, --dot or -o" in out
    assert "expression: 42 characters long: --json prints it" in out
    answer = json.loads(extracted(word, tmp_path, capsys, "--json"))
    assert answer["expression"] == word
    assert len(answer["automaton"]["next"]) == 44
