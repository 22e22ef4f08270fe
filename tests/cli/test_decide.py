"""`exactformer decide` as it is typed: answers, exit codes, certificates, pictures, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.cli.main import code


def network(path: Path, *bias: float, vocabulary: int = 4, read: str = "last") -> None:
    """A network whose outputs are these numbers, whatever it reads."""
    shape = ef.Architecture(
        dim=2, heads=1, hidden=1, blocks=0, vocabulary=vocabulary, positions=9, classes=len(bias), norm="none"
    )
    tensors = {name: np.zeros(s, np.float32) for name, s in shape.shapes.items()}
    ef.Network(shape, tensors | {"head_bias": np.array(bias, np.float32)}, read=read).save(path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    network(tmp_path / "net.json", 0.0, 1.0)
    network(tmp_path / "tie.json", 1.0, 1.0)
    (tmp_path / "right.csv").write_text("0,1\n1,2,1\n")
    (tmp_path / "wrong.csv").write_text("0,1\n1,2,0\n")
    return tmp_path


def answer(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object]]:
    found = code([*line.split(), "--json"])
    return found, json.loads(capsys.readouterr().out)


def test_right_on_every_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, said = answer("decide net.json --domain right.csv -o c.jsonl --plot m.png", capsys)
    assert found == 0
    assert {key: said[key] for key in ("inputs", "right", "wrong", "undecided")} == {
        "inputs": 2, "right": 2, "wrong": 0, "undecided": 0,
    }  # fmt: skip
    low, high = (ef.exact(end) for end in said["least_margin"])  # type: ignore[attr-defined]
    assert low <= 1 <= high
    assert said["first_wrong"] is None
    assert ef.check("c.jsonl").verdict == "accepted"
    assert (folder / "m.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("line", ["decide net.json --domain right.csv -o net.f32", "run folder right.csv",
                                  "decide folder --domain right.csv", "decide w.npz --domain right.csv"])  # fmt: skip
def test_weights_are_not_overwritten_and_those_of_others_are_imported_first(
    folder: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "folder").mkdir()
    (folder / "w.npz").write_bytes(b"")
    before = (folder / "net.f32").read_bytes()
    assert code(line.split()) == 2
    said = capsys.readouterr().err
    assert ("same file" if "net.f32" in line else "exactformer import") in said
    assert (folder / "net.f32").read_bytes() == before


def test_wrong_somewhere(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, said = answer("decide net.json --domain wrong.csv -o c.jsonl", capsys)
    assert (found, said["wrong"]) == (1, 1)
    assert said["first_wrong"] == {"ids": [1, 2], "argmax": 1, "label": 0}
    verdict = ef.check("c.jsonl")
    assert verdict.verdict == "accepted"
    assert "1 cases" in verdict.why
    assert code(["decide", "net.json", "--domain", "wrong.csv"]) == 1
    text = capsys.readouterr().out
    assert "ids 1 2: class 1, expected class 0" in text
    assert "not about what a device returns" in text


def test_undecided_somewhere(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, said = answer("decide tie.json --domain right.csv -o c.jsonl", capsys)
    assert (found, said["undecided"], said["least_margin"]) == (4, 2, None)
    assert not (folder / "c.jsonl").exists()
    assert code(["decide", "tie.json", "--domain", "right.csv", "-o", "c.jsonl"]) == 4
    shown = capsys.readouterr()
    assert "undecided, expected class 1" in shown.out
    assert "no certificate" in shown.err


def test_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["decide", "net.json", "--domain", "strings:ab:4", "--language", "(a|b)*"]
    for more, inputs in (([], 30), (["--begin", "3"], 31)):
        assert code([*line, *more, "-o", "c.jsonl", "--plot", "m.svg", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["right"] == inputs
        assert f"{inputs} tuples" in ef.check("c.jsonl").why


@pytest.mark.parametrize(
    ("line", "exit_code", "message"),
    [
        ("decide net.json", 2, "--domain"),
        ("decide net.json --domain absent.csv", 3, "absent.csv"),
        ("decide absent.json --domain right.csv", 3, "absent.json"),
        ("decide right.csv --domain right.csv", 3, "right.csv"),
        ("decide net.json --domain sum-mod:x", 3, "sum-mod:p"),
        ("decide net.json --domain sum-mod:9", 3, "ids from 0 to 3, got 9"),
        ("decide net.json --domain strings:ab:3", 2, "--language"),
        ("decide net.json --domain strings:ab --language a*", 2, "strings:LETTERS:n"),
        ("decide net.json --domain strings:ab:30 --language a*", 3, "at most"),
        ("decide net.json --domain right.csv --language a*", 2, "--language and --begin"),
        ("decide net.json --domain right.csv --begin 3", 2, "--language and --begin"),
        ("decide net.json --domain right.csv --plot m.txt", 3, "ending in .png"),
        ("decide net.json --domain right.csv -o right.csv", 2, "same file"),
        ("decide net.json --domain right.csv --betas 0", 3, "--betas"),
        ("decide net.json --domain right.csv --betas 1,x", 3, "--betas"),
        ("decide mean.json --domain right.csv -o c.jsonl", 3, "last position"),
    ],
)
def test_bad_input(line: str, exit_code: int, message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network(folder / "mean.json", 0.0, 1.0, read="mean")
    before = {path.name for path in folder.iterdir()}
    assert code(line.split()) == exit_code
    assert message in capsys.readouterr().err
    assert {path.name for path in folder.iterdir()} == before


def test_temperatures_and_the_hardmax_limit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, said = answer("decide net.json --domain right.csv --betas 1/2,4 --plot b.png", capsys)
    assert found == 0
    row = {"right": 2, "wrong": 0, "undecided": 0, "as_hardmax": 2}
    assert said["temperatures"] == [{"beta": "1/2", **row}, {"beta": "4", **row}]
    assert said["hardmax"]["beta_0"]["found"] == 2  # type: ignore[index]
    assert (folder / "b.png").exists()
    assert code(["decide", "net.json", "--domain", "right.csv", "--betas", "1/2,4"]) == 0
    text = capsys.readouterr().out
    assert ["hardmax", "2", "0", "0", "2"] in [line.replace("│", " ").split() for line in text.splitlines()]
    assert "as hardmax for every beta from beta_0 on: 2 inputs" in text
    assert "ties of scores: 0 inputs have one, 2 have none" in text


def test_weights_changed_by_one_bit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = bytearray((folder / "net.f32").read_bytes())
    raw[0] ^= 1
    (folder / "net.f32").write_bytes(raw)
    assert code(["decide", "net.json", "--domain", "right.csv"]) == 3
    assert "they were changed" in capsys.readouterr().err


def test_weights_beside_the_certificate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network(folder / "large.json", 0.0, 1.0, vocabulary=130_000)
    assert code(["decide", "large.json", "--domain", "right.csv", "-o", "c.jsonl"]) == 0
    assert "--weights" in capsys.readouterr().err
    assert code(["check", "c.jsonl"]) == 4
    assert code(["check", "c.jsonl", "--weights", "large.f32"]) == 0
    assert code(["check", "c.jsonl", "--weights", "net.f32"]) == 3


def test_what_cannot_be_certified_is_refused_before_anything_is_decided(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ties are undecided, and of them there would be no certificate either: the refusal comes before."""
    network(folder / "first.json", 1.0, 1.0, read="first")
    assert code(["decide", "first.json", "--domain", "right.csv"]) == 4
    capsys.readouterr()

    def worked(*_: object, **__: object) -> None:
        raise AssertionError("decided before the refusal")

    monkeypatch.setattr("exactformer.evaluate.domain_decision.decide_domain", worked)
    assert code(["decide", "first.json", "--domain", "right.csv", "-o", "c.jsonl"]) == 3
    said = capsys.readouterr().err
    assert "last position" in said
    assert not (folder / "c.jsonl").exists()


def test_a_picture_of_another_kind_is_refused_before_anything_is_decided_and_none_is_drawn_unasked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code(["decide", "net.json", "--domain", "right.csv"]) == 0
    assert "wrote" not in capsys.readouterr().err

    def worked(*_: object, **__: object) -> None:
        raise AssertionError("decided before the refusal")

    monkeypatch.setattr("exactformer.evaluate.domain_decision.decide_domain", worked)
    assert code(["decide", "net.json", "--domain", "right.csv", "--plot", "m.txt"]) == 3
    assert "m.txt: expected a picture ending in" in capsys.readouterr().err
    assert not (folder / "m.txt").exists()
