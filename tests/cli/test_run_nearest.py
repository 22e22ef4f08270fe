"""`run --nearest`, data on the standard input, and the user's own names in tables and refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from exactformer.cli.main import code

TRAIN = "sequence;label;x1;x2\nfox;low;0;0\nfox;low;1;0,5\nowl;high;4;4\nelk;low;0;1\n"
TEST = "sequence,label,x1,x2\nnew,low,0,0.25\nfar,low,5,5\nmid,high,2,2\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("train.csv").write_text(TRAIN)
    Path("test.csv").write_text(TEST)
    assert code(["construct", "train.csv", "-o", "cert.jsonl", "-q"]) == 0
    return tmp_path


def test_nearest_labels_and_accuracy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert code(["run", "cert.jsonl", "test.csv", "--nearest", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    labels = [s["label"] for s in answer["sequences"]]
    right = sum(a == b for a, b in zip(labels, ["low", "low", "high"], strict=True))
    assert answer["accuracy"] == f"{right}/3"
    assert [s["name"] for s in answer["sequences"]] == ["new", "far", "mid"]
    assert all(s["ties"] == [] or s["label"] in s["ties"] for s in answer["sequences"])
    assert code(["run", "cert.jsonl", "train.csv", "--nearest"]) == 0
    out = capsys.readouterr().out
    assert "accuracy 1 = 1.0000" in out
    assert "owl" in out


def test_data_without_labels_run_and_have_no_accuracy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    Path("bare.csv").write_text("sequence,x1,x2\na,0,0\n")
    assert code(["run", "cert.jsonl", "bare.csv", "--nearest", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert "accuracy" not in answer
    assert code(["construct", "bare.csv"]) == 3
    assert "add a column label" in capsys.readouterr().err


def test_nearest_needs_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sequences = [{"tokens": [[0]], "targets": [[1]]}]
    Path("t.json").write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    assert code(["construct", "t.json", "-o", "t.jsonl"]) == 0
    assert code(["run", "t.jsonl", "t.json", "--nearest"]) == 3
    assert "with labels for --nearest" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["construct", "-", "--json"], TRAIN),
        (["run", "cert.jsonl", "-", "--nearest", "--json"], TEST),
        (["check", "cert.jsonl", "--data", "-", "--json"], TRAIN),
        (["limit", "-", "--json"], "1 2\n3 4\n"),
        (["simulate", "-", "--layers", "1", "--json"], '{"exactformer":"tokens","version":[1,0],"tokens":[[1,2]]}'),
        (["limit", "-", "--json"], '\ufeff {"exactformer":"tokens","version":[1,0],"tokens":[[1,2]]}'),
    ],
)
def test_the_standard_input(arguments: list[str], text: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "exactformer", *arguments], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_remarks_name_the_columns_that_are_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("more.csv").write_text("sequence,label,x1,note\na,p,1,hello\nb,q,2,there\n")
    assert code(["construct", "more.csv"]) == 0
    assert "more.csv: left out the column note" in capsys.readouterr().err


def test_refusals_speak_of_the_users_sequences(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.csv").write_text("sequence,label,x1\nfox,a,1\nfox,a,2\nowl,b,2\nowl,b,1\n")
    assert code(["construct", "bad.csv"]) == 1
    err = capsys.readouterr().err
    assert "no transformer can" in err
    assert "'fox' and 'owl'" in err
    assert "--positions" in err
    assert code(["construct", "bad.csv", "--json"]) == 1
    reason = json.loads(capsys.readouterr().out)["reasons"][0]
    assert reason["no_transformer"] is True
    assert reason["sequences"] == [0, 1]
    assert code(["construct", "bad.csv", "--positions", "-o", "placed.jsonl"]) == 0
    assert code(["report", "placed.jsonl", "--data", "bad.csv", "--positions", "-o", "page.html"]) == 0
    assert code(["report", "placed.jsonl", "--data", "bad.csv", "-o", "page.html"]) == 1
