"""`exactformer language tracr` as it is used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exactformer.cli.main import code

EXPORTS = Path(__file__).parents[2] / "examples" / "tracr_exports"


def test_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["language", "tracr", str(EXPORTS / "none.npz"), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["inputs"], found["exact_agrees"], found["float_agrees"]) == (6, 6, 2)
    assert found["causes"][0]["cause"] == "lost tie"
    assert found["causes"][0]["example"] == {"input": ["'b'"], "position": 0, "program": "None", "got": "'x'"}


def test_a_repaired_model_is_written_and_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    better = str(tmp_path / "better.npz")
    assert code(["language", "tracr", str(EXPORTS / "length.npz"), "--repair", "-o", better]) == 0
    out = capsys.readouterr().out
    assert "wide ramp" in out
    assert "proved: up to its length 4 the exact model is the program" in out
    assert code(["language", "tracr", better, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["causes"] == []


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["no.npz"], 3, "no.npz"),
        (["none.json"], 2, "end in .npz"),
        (["none.npz", "-o", "x.npz"], 2, "give --repair"),
    ],
)
def test_bad_input(
    words: list[str], status: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(EXPORTS)
    assert code(["language", "tracr", *words]) == status
    assert message in capsys.readouterr().err


def test_the_model_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("none.npz", "none.json", "none.runs.json"):
        (tmp_path / name).write_bytes((EXPORTS / name).read_bytes())
    model = str(tmp_path / "none.npz")
    assert code(["language", "tracr", model, "--repair", "-o", model]) == 2
    assert "overwritten" in capsys.readouterr().err
