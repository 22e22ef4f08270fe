"""`run --nearest`, data on the standard input, and the user's own names in tables and refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import exactformer as ef
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


def test_distances_are_the_means_over_the_outputs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    points = {
        "low": [Fraction(1), Fraction(2)],
        "high": [Fraction(-3), Fraction(1, 2)],
        "mid": [Fraction(4), Fraction(9)],
    }
    Path("l.json").write_text(json.dumps({label: [str(x) for x in point] for label, point in points.items()}))
    Path("three.csv").write_text(TRAIN.replace("elk;low", "elk;mid"))
    assert code(["construct", "three.csv", "--label-targets", "l.json", "--method", "leaders", "-o", "c.jsonl"]) == 0
    Path("new.csv").write_text("sequence,x1,x2\nu,0,1/4\nu,3,1\nu,0,1/4\nv,5,5\nw,2,2\nw,1,3\n")
    capsys.readouterr()
    assert code(["run", "c.jsonl", "new.csv", "--nearest", "--json"]) == 0
    answers = json.loads(capsys.readouterr().out)["sequences"]
    model, tokens = ef.load("c.jsonl").transformer, [[[0, "1/4"], [3, 1], [0, "1/4"]], [[5, 5]], [[2, 2], [1, 3]]]
    assert len({found["distance2"] for found in answers}) > 1
    for found, rows in zip(answers, tokens, strict=True):
        outputs = [[Fraction(x) for x in row] for row in found["outputs"]]
        assert outputs == [list(row) for row in model(rows).rows()]
        distances = {
            label: sum((a - b) ** 2 for y in outputs for a, b in zip(y, point, strict=True)) / len(outputs)
            for label, point in points.items()
        }
        least = min(distances.values())
        near = sorted(label for label in points if distances[label] == least)
        assert (found["label"], Fraction(found["distance2"])) == (near[0], least)
        assert found["ties"] == (near if len(near) > 1 else [])


def test_outputs_and_follower_sets_are_in_the_order_of_the_tokens(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    follow = ef.SelfAttention(Fraction(1, 2), [[1]], [[1]], [[1]])
    ef.Transformer(1, [ef.Block(None, follow), ef.Block(ef.FeedForward(2, [[0]], [0], [[0]]), None)]).save("n.jsonl")
    Path("new.csv").write_text("sequence,x1\nu,3\nu,1\nu,-2\nu,1\nu,-4\n")
    capsys.readouterr()
    assert code(["run", "n.jsonl", "new.csv", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["sequences"]
    assert found["outputs"] == [["9"], ["7"], ["-10"], ["7"], ["-12"]]
    assert found["follows"] == [[[0], [0], [4], [0], [4]], None]
    assert (found["label"], found["name"]) == (None, "u")
