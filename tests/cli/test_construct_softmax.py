"""exactformer construct --attention softmax and --method temperature: answers, certificates and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import exactformer as ef
from exactformer.cli.main import code

CSV = "sequence,label,x1,x2\na,cat,0,1\na,cat,2,3\nb,dog,0,1\nc,cat,5,1/2\nc,cat,0,1\n"


@pytest.fixture
def csv(tmp_path: Path) -> str:
    path = tmp_path / "data.csv"
    path.write_text(CSV)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, Any]:
    exit_code = code(["construct", *args, "--json"])
    return exit_code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("options", "beta"),
    [
        (("--method", "leaders", "--attention", "softmax"), ["1", None]),
        (("--method", "leaders", "--attention", "softmax", "--beta", "1/3", "--width", "6"), ["1/3", None]),
        (("--method", "temperature", "--beta", "2/3"), ["2/3", "2/3"]),
    ],
)
def test_the_range_is_answered_and_certified(
    options: tuple[str, ...], beta: list[str | None], csv: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cert = tmp_path / "cert.jsonl"
    exit_code, answer = run(capsys, csv, *options, "-o", str(cert))
    assert (exit_code, answer["beta"], answer["sequences"]) == (0, beta, 3)
    assert answer["blocks"] <= answer["bound"] < answer["paper_bound"] == 15
    header = json.loads(cert.read_text().splitlines()[0])
    assert (header["version"], header["attention"], header["beta"]) == ([1, 1], "softmax", beta)
    assert ef.check(cert, data=csv).verdict == "accepted"


def test_all_compares_the_softmax_methods(csv: str, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, rows = run(capsys, csv, "--method", "all", "--attention", "softmax")
    assert exit_code == 0
    assert {row["method"] for row in rows} >= {"shallow", "deep", "leaders", "temperature"}
    assert {row["paper_bound"] for row in rows if "blocks" in row} == {15}


@pytest.mark.parametrize(
    ("options", "exit_code", "message"),
    [
        (("--method", "temperature"), 2, "--beta"),
        (("--method", "leaders", "--beta", "1"), 2, "--attention softmax"),
        (("--method", "paper", "--attention", "softmax"), 2, "softmax"),
        (("--method", "temperature", "--attention", "hardmax", "--beta", "1"), 2, "softmax"),
        (("--method", "temperature", "--beta", "1", "--robust"), 2, "--robust"),
        (("--method", "leaders", "--attention", "softmax", "--beta", "0"), 3, "> 0, got 0"),
        (("--method", "leaders", "--attention", "softmax", "--beta", "-3"), 3, "> 0, got -3"),
        (("--method", "temperature", "--beta", "1/0"), 3, "1/0"),
        (("--method", "leaders", "--attention", "softmax", "--width", "3"), 3, "width >= 4"),
        (("--softmax",), 2, "--softmax"),
    ],
)
def test_options_that_do_not_fit(
    options: tuple[str, ...], exit_code: int, message: str, csv: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code(["construct", csv, *options, "-o", str(tmp_path / "cert.jsonl")]) == exit_code
    assert message in capsys.readouterr().err
    assert not (tmp_path / "cert.jsonl").exists()


def test_a_temperature_certificate_has_no_exact_picture_and_no_rocq_form(
    csv: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cert = str(tmp_path / "cert.jsonl")
    assert code(["construct", csv, "--method", "temperature", "--beta", "1", "-o", cert]) == 0
    capsys.readouterr()
    assert code(["plot", cert, "-o", str(tmp_path / "p.png")]) == 3
    assert "run --attention softmax" in capsys.readouterr().err
    assert code(["export-rocq", cert, "-o", str(tmp_path / "c.v")]) == 3
    assert "Rocq" in capsys.readouterr().err
