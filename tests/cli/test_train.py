"""exactformer train."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from kits.training_data import small_data

import exactformer as ef
from exactformer.cli.main import code


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.json").write_text(json.dumps(small_data().json(), default=str))
    arguments = [
        "train",
        str(tmp_path / "data.json"),
        "--eps",
        "1e-1,1e-2",
        "--epochs",
        "60",
        "-o",
        str(tmp_path / "out"),
    ]
    assert code([*arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [run["eps"] for run in answer["runs"]] == ["1/10", "1/10", "1/100", "1/100"]
    assert ef.check(answer["interpolant"]["certificate"]).verdict == "accepted"
    listed = list(csv.DictReader((tmp_path / "out" / "history.csv").open()))
    assert list(listed[0]) == ["run", "eps", "start", "step", "approx_loss", "approx_norm2"]
    assert (tmp_path / "out" / "training.png").stat().st_size > 10_000
    assert not (tmp_path / "out" / "resume").exists()
    assert ef.Transformer.read(tmp_path / "out" / "run0.jsonl").dim == 2
    assert code(arguments) == 0
    assert "guarantee" in capsys.readouterr().out
    assert code(["train", str(tmp_path / "data.json"), "--eps", "0", "-o", str(tmp_path / "none")]) == 3


def test_certificates_of_the_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.json").write_text(json.dumps(small_data().json(), default=str))
    out = tmp_path / "out"
    arguments = ["train", str(tmp_path / "data.json"), "--eps", "1e-4", "--start", "random", "--epochs", "3"]
    assert code([*arguments, "-o", str(out), "--certify", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["runs"][0]["verdict"] == "not a global minimiser"
    assert answer["scope"]
    for name in ("run0.loss", "run0.interpolant.loss", "interpolant"):
        assert code(["check", str(out / f"{name}.jsonl"), "--data", str(tmp_path / "data.json")]) == 0
    above, below = (
        json.loads((out / f"{n}.jsonl").read_text().splitlines()[0]) for n in ("run0.loss", "run0.interpolant.loss")
    )
    assert above["above"] == below["below"]
    assert code(["report", str(out / "run0.loss.jsonl"), "-o", str(tmp_path / "page.html")]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--eps", "1"],
        ["DATA"],
        ["DATA", "--eps", "1", "--experiment", "interpolation"],
        ["--experiment", "interpolation", "--width", "8"],
    ],
)
def test_wrong_usage(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text(json.dumps(small_data().json(), default=str))
    given = [str(tmp_path / "data.json") if a == "DATA" else a for a in arguments]
    assert code(["train", *given, "-o", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()
