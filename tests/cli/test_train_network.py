"""`exactformer train-network` as it is typed: a trained network, its proof, exit codes, bad input."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import exactformer as ef
from exactformer.cli.main import code

pytest.importorskip("torch", reason="torch is not installed: training is not tested")
SMALL = ["--layers", "1", "--dim", "8", "--heads", "2"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("0,1,0\n1,0,1\n2,2\n")
    return tmp_path


@pytest.mark.parametrize(
    ("task", "inputs"), [(["rows.csv"], 3), (["majority:3"], 15), (["copy:2"], 8), (["sort:2"], 8),
                         (["strings:ab:2", "--language", "(ab)*"], 7)], ids=lambda x: str(x)
)  # fmt: skip
def test_trained_and_proved(task: list[str], inputs: int, capsys: pytest.CaptureFixture[str]) -> None:
    found = code(["train-network", *task, *SMALL, "--seed", "1", "-o", "out", "--json"])
    said = json.loads(capsys.readouterr().out)
    assert (found, said["decision"]["inputs"], said["decision"]["right"]) == (0, inputs, inputs)
    assert said["accuracy"] == 1
    assert ef.check("out/certificate.jsonl").verdict == "accepted"
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "certificate.jsonl", "history.csv", "margins.png", "network.f32", "network.json",
    ]  # fmt: skip
    again = [task[0], *(["--begin", "2"] if len(task) > 1 else [])]
    assert code(["decide", "out/network.json", "--domain", *again, *task[1:]]) == 0


def test_too_little_training_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["train-network", "sum-mod:7", *SMALL, "--epochs", "1", "-o", "out"]) == 1
    assert "expected class" in capsys.readouterr().out
    verdict = ef.check("out/certificate.jsonl")
    assert verdict.verdict == "accepted"
    assert "49 cases" not in verdict.why


@pytest.mark.parametrize(
    ("line", "exit_code", "message"),
    [
        ("train-network sum-mod:5", 2, "-o"),
        ("train-network sum-mod:5 --dim 10 --heads 4 -o out", 3, "heads"),
        ("train-network absent.csv -o out", 3, "absent.csv"),
        ("train-network copy:x -o out", 3, "copy:4"),
        ("train-network sort:40 -o out", 3, "at most"),
        ("train-network strings:ab:3 -o out", 2, "--language"),
        ("train-network sum-mod:5 --language a* -o out", 2, "--language and --begin"),
        ("train-network sum-mod:5 -o rows.csv", 2, "rows.csv"),
    ],
)
def test_bad_input(line: str, exit_code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(line.split()) == exit_code
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


def test_without_torch(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert code(["train-network", "sum-mod:5", "-o", "out"]) == 2
    assert "exactformer[train]" in capsys.readouterr().err
    assert not Path("out").exists()
