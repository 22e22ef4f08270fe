"""The door to the checker: data in every format, and differences that are found."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer import checking
from exactformer.cli.main import code
from proofs_check.__main__ import main as proofs_check

CSV = "sequence,label,x1,x2\na,cat,0.1,1.25\na,cat,0.5,-2\nb,dog,0.5,-2\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text(CSV)
    ef.construct(ef.Dataset.read(tmp_path / "data.csv")).certify(tmp_path / "cert.jsonl")
    return tmp_path


def test_csv_of_the_same_data(folder: Path) -> None:
    assert ef.check(folder / "cert.jsonl", data=folder / "data.csv").verdict == "accepted"


@pytest.mark.parametrize(
    ("old", "new"), [("0.1", "0.10000001"), ("dog", "fox"), ("b,dog,0.5,-2\n", "b,dog,0.5,-2\nb,dog,1,1\n")]
)
def test_csv_of_other_data(folder: Path, old: str, new: str) -> None:
    (folder / "other.csv").write_text(CSV.replace(old, new))
    assert ef.check(folder / "cert.jsonl", data=folder / "other.csv").verdict == "rejected"


def test_npz(tmp_path: Path) -> None:
    arrays = {"tokens": np.array([[0.5, 1.25], [0.1, -2.0], [0.5, 1.25]]), "offsets": np.array([0, 2, 3])}
    np.savez(tmp_path / "data.npz", labels=np.array(["a", "b"]), **arrays)
    ef.construct(ef.Dataset.read(tmp_path / "data.npz")).certify(tmp_path / "cert.jsonl")
    assert ef.check(tmp_path / "cert.jsonl", data=tmp_path / "data.npz").verdict == "accepted"
    arrays["tokens"][1, 0] = np.nextafter(0.1, 1)
    np.savez(tmp_path / "near.npz", labels=np.array(["a", "b"]), **arrays)
    assert ef.check(tmp_path / "cert.jsonl", data=tmp_path / "near.npz").verdict == "rejected"


def test_positions(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("sequence,label,x1\na,up,0\na,up,1\nb,down,1\nb,down,0\n")
    ef.construct(ef.Dataset.read(tmp_path / "data.csv"), positions=True).certify(tmp_path / "cert.jsonl")
    assert ef.check(tmp_path / "cert.jsonl", data=tmp_path / "data.csv").verdict == "rejected"
    assert ef.check(tmp_path / "cert.jsonl", data=tmp_path / "data.csv", positions=True).verdict == "accepted"


def test_tokens_in_csv_and_npy(tmp_path: Path) -> None:
    rows = np.array([[1.5, 0.1], [-1.0, 2.0], [0.25, 0.5]])
    np.save(tmp_path / "tokens.npy", rows)
    ef.limit(ef.Tokens(rows, alpha="1/2")).certify(tmp_path / "limit.jsonl")
    assert ef.check(tmp_path / "limit.jsonl", data=tmp_path / "tokens.npy", alpha="1/2").verdict == "accepted"
    assert ef.check(tmp_path / "limit.jsonl", data=tmp_path / "tokens.npy").verdict == "rejected"
    (tmp_path / "tokens.csv").write_text("1.5,0.1\n-1,2\n0.25,0.5\n")  # one tenth, not the float next to it
    assert ef.check(tmp_path / "limit.jsonl", data=tmp_path / "tokens.csv", alpha="1/2").verdict == "rejected"


def test_exit_codes_and_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate = str(folder / "cert.jsonl")
    assert code(["check", certificate, "--data", str(folder / "data.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "accepted"
    text = (folder / "cert.jsonl").read_text()
    (folder / "cut.jsonl").write_text(text[:-20])
    assert code(["check", str(folder / "cut.jsonl")]) == 3
    assert code(["check", str(folder / "absent.jsonl")]) == 3


def test_accepted_says_which_other_checkers_know_the_claim(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ef.simulate([[0, 1], [1, 0]], layers=1).certify(folder / "orbit.jsonl")
    tokens = [[0], [1], [2]]
    ef.limit(tokens).certify(folder / "limit.jsonl")
    known = {"cert": "JavaScript, Rocq, verified", "orbit": "verified", "limit": "Rocq, verified"}
    for name, others in known.items():
        for ask in (code, lambda arguments: proofs_check(arguments[1:])):
            assert ask(["check", str(folder / f"{name}.jsonl")]) == 0
            verdict, line = capsys.readouterr().out.splitlines()
            assert verdict.startswith("accepted: ")
            assert line == f"other checkers that know this claim: {others}"
    (folder / "other.csv").write_text(CSV.replace("0.1", "0.2"))
    assert code(["check", str(folder / "cert.jsonl"), "--data", str(folder / "other.csv")]) == 1
    assert "other checkers" not in capsys.readouterr().out


def test_no_temporary_file_is_left(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    ef.check(folder / "cert.jsonl", data=folder / "data.csv")
    assert list(place.iterdir()) == []


def test_workers_give_the_same_verdict(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    several = ef.check(folder / "cert.jsonl", data=folder / "data.csv", workers=2)
    assert several == ef.check(folder / "cert.jsonl", data=folder / "data.csv")
    monkeypatch.setattr(checking, "check", lambda *_, **given: asked.append(given["workers"]) or several)
    assert code(["check", str(folder / "cert.jsonl"), "--workers", "2"]) == 0
    assert asked == [2]
    assert capsys.readouterr().out.startswith("accepted")
    assert code(["check", str(folder / "cert.jsonl"), "--workers", "0"]) == 2


def test_plain_is_the_definitions_alone_in_one_process(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [str(folder / "cert.jsonl"), "--data", str(folder / "data.csv")]
    assert code(["check", *given, "--plain"]) == code(["check", *given]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == said[2:]
    assert code(["check", *given, "--plain", "--workers", "2"]) == 2
    assert "--plain is one process: leave --workers and --scheduler out" in capsys.readouterr().err
    with pytest.raises(ef.InvalidInput, match="one process with `plain`"):
        ef.check(given[0], scheduler="tcp://127.0.0.1:1", plain=True)

    def broken(*_: object) -> None:
        raise AssertionError("a short cut was taken")

    monkeypatch.setattr("proofs_check.quick_ways", broken)
    assert ef.check(given[0], plain=True)
    with pytest.raises(AssertionError, match="short cut"):
        ef.check(given[0])
