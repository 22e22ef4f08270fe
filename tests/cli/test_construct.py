"""The verb construct, end to end: answers, certificates, refusals, malformed files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import exactformer as ef
from exactformer.cli.main import code

CSV = "sequence,label,x1,x2\na,cat,0,1\na,cat,2,3\nb,dog,0,1\nc,cat,1/2,0.5\n"


def dataset(tmp_path: Path, sequences: list[dict[str, Any]]) -> str:
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, Any]:
    capsys.readouterr()
    exit_code = code(["construct", *args, "--json"])
    out = capsys.readouterr().out
    return exit_code, json.loads(out) if out else None


@pytest.fixture
def csv(tmp_path: Path) -> str:
    (tmp_path / "data.csv").write_text(CSV)
    return str(tmp_path / "data.csv")


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders", "paper", "compact"])
def test_builds_and_certifies(csv: str, method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cert = tmp_path / "cert.jsonl"
    exit_code, answer = run(capsys, csv, "--method", method, "-o", str(cert))
    assert exit_code == 0
    assert {"method", "blocks", "width", "parameters", "max_bits", "sequences", "dim"} <= set(answer)
    assert (answer["method"], answer["sequences"], answer["dim"]) == (method, 3, 2)
    assert ef.check(cert, data=csv).verdict == "accepted"


def test_without_output_it_verifies_and_reports(csv: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(tmp_path.iterdir())
    assert code(["construct", csv]) == 0
    captured = capsys.readouterr()
    assert "shallow" in captured.out
    assert "seed 0" in captured.err
    assert sorted(tmp_path.iterdir()) == before


def test_width_robust_and_softmax(csv: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cert = tmp_path / "cert.jsonl"
    options = ("--method", "deep", "--width", "1", "--robust", "--attention", "softmax", "-o", str(cert))
    exit_code, answer = run(capsys, csv, *options)
    assert (exit_code, answer["width"]) == (0, 1)
    assert answer["margin"] != "0"
    assert json.loads(cert.read_text().splitlines()[0])["attention"] == "softmax"
    assert ef.check(cert).verdict == "accepted"


def test_all_compares_the_methods_with_the_theorem(csv: str, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, rows = run(capsys, csv, "--method", "all")
    assert exit_code == 0
    assert [row["method"] for row in rows] == ["shallow", "deep", "leaders", "paper", "compact", "extraction"]
    assert (rows[5]["feasible"], rows[5]["reasons"][0]["kind"]) == (False, "dimension")
    assert all(row["blocks"] <= row["paper_bound"] == 13 for row in rows[:4])
    assert rows[4]["groups"] >= 1
    assert rows[4]["shallow_parameters"] == rows[0]["parameters"] < rows[4]["parameters"]
    assert code(["construct", csv, "--method", "all"]) == 0
    assert "paper_bound" in capsys.readouterr().out
    assert code(["construct", csv, "--method", "all", "-o", "x"]) == 2


def test_infeasible_data_exit_1_with_every_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = dataset(tmp_path, [{"tokens": [[0], [1]], "label": "a"}, {"tokens": [[1], [0]], "label": "b"}])
    cert = tmp_path / "cert.jsonl"
    exit_code, answer = run(capsys, data, "-o", str(cert))
    assert exit_code == 1
    assert answer["feasible"] is False
    (reason,) = answer["reasons"]
    assert (reason["kind"], reason["sequences"]) == ("measure", [0, 1])
    assert "positions" in reason["why"]
    verdict = ef.check(cert, data=data)
    assert (verdict.verdict, verdict.claim) == ("accepted", "infeasible")
    assert run(capsys, data, "--positions")[0] == 0


@pytest.mark.parametrize(
    ("method", "condition", "sequences"),
    [
        ("leaders", "set", [{"tokens": [[0], [1]], "targets": [[1]]}, {"tokens": [[0], [1], [1]], "targets": [[2]]}]),
        ("deep", "targets", [{"tokens": [[0], [0]], "targets": [[1], [2], ["2"]]}]),
    ],
)
def test_other_refusals_are_certified_too(
    method: str, condition: str, sequences: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, cert = dataset(tmp_path, sequences), tmp_path / "cert.jsonl"
    assert run(capsys, data, "--method", method, "-o", str(cert))[0] == 1
    assert json.loads(cert.read_text().splitlines()[0])["condition"] == condition
    assert ef.check(cert, data=data).verdict == "accepted"


def test_the_first_reason_is_the_one_that_is_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    points = [[[3]], [[0], [1]], [[5]], [[1], [0]], [[7]], [[5]]]
    sequences = [{"tokens": x, "label": label} for x, label in zip(points, "baabab", strict=True)]
    data, cert = dataset(tmp_path, sequences), tmp_path / "cert.jsonl"
    exit_code, answer = run(capsys, data, "-o", str(cert))
    assert exit_code == 1
    first, *others = answer["reasons"]
    assert first["sequences"] != others[-1]["sequences"]
    header = json.loads(cert.read_text().splitlines()[0])
    assert (header["condition"], header["witness"]) == (first["kind"], first["sequences"])
    assert ef.check(cert, data=data).verdict == "accepted"


def test_paper_in_dimension_one_is_refused_without_a_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = dataset(tmp_path, [{"tokens": [[0]], "label": "a"}])
    exit_code, answer = run(capsys, data, "--method", "paper", "-o", str(tmp_path / "cert.jsonl"))
    assert exit_code == 1
    assert answer["reasons"][0]["kind"] == "dimension"
    assert not (tmp_path / "cert.jsonl").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"exactformer":"dataset","version":[1,0],"sequences":[]}',
        '{"exactformer":"dataset","version":[1,0],"sequences":[{"tokens":[],"label":"a"}]}',
        '{"exactformer":"dataset","version":[1,0],"sequences":[{"tokens":[[1],[1,2]],"label":"a"}]}',
        '{"exactformer":"dataset","version":[1,0],"sequences":[{"tokens":[[NaN]],"label":"a"}]}',
        '{"exactformer":"dataset","version":[1,0],"sequences":[{"tokens":[[1]],"targets":[]}]}',
        '{"exactformer":"dataset","version":[1,0],"sequences":[{"tokens":[[1]],"targets":[[1,2]]}]}',
        '{"exactformer":"dataset","version":[1,0],"sequences":[{"tokens":[["sqrt(2)"]],"label":"a"}]}',
    ],
)
def test_malformed_files_exit_3_and_leave_no_output(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data.json").write_text(text)
    assert code(["construct", str(tmp_path / "data.json"), "-o", str(tmp_path / "cert.jsonl")]) == 3
    assert [p.name for p in tmp_path.iterdir()] == ["data.json"]
    assert "exactformer: " in capsys.readouterr().err


def test_wrong_usage_exits_2_and_missing_files_3(csv: str, tmp_path: Path) -> None:
    assert code(["construct", csv, "--method", "magic"]) == 2
    assert code(["construct", csv, "--width", "0"]) == 2
    assert code(["construct", str(tmp_path / "none.json")]) == 3
    assert code(["construct", csv, "--method", "leaders", "--robust"]) == 2


def test_label_targets_come_from_a_file(csv: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen, cert = tmp_path / "labels.json", tmp_path / "cert.jsonl"
    chosen.write_text('{"cat": ["1/2", 3], "dog": [0.25, -1]}')
    assert run(capsys, csv, "--label-targets", str(chosen), "-o", str(cert))[0] == 0
    assert json.loads(cert.read_text().splitlines()[3])["targets"] == [["1/2", "3"]]
    chosen.write_text('{"cat": [1, 3]}')
    assert code(["construct", csv, "--label-targets", str(chosen)]) == 3


def test_an_interrupt_leaves_no_half_written_file(tmp_path: Path) -> None:
    rows = [{"tokens": [[i * j % 1013, i + j] for i in range(30)], "label": str(j % 7)} for j in range(1, 3000)]
    data = dataset(tmp_path, rows)
    command = [sys.executable, "-m", "exactformer", "construct", data, "--method", "deep", "-o", str(tmp_path / "c")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"})
    assert process.stderr is not None
    assert process.stderr.readline().startswith("seed")
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert [p.name for p in tmp_path.iterdir()] == ["data.json"]


@pytest.mark.parametrize(("handler", "expected"), [("interrupt", 130), ("signal.default_int_handler", -signal.SIGINT)])
def test_an_interrupt_within_exec_exits_with_its_code(handler: str, expected: int, tmp_path: Path) -> None:
    """What an import does under Ctrl-C; with Python's own handler `python -m` ends by the signal."""
    (tmp_path / "interrupted.py").write_text(f"""
import os, signal
from exactformer.cli.common import interrupt
signal.signal(signal.SIGINT, {handler})
try:
    exec("os.kill(os.getpid(), signal.SIGINT)")
except KeyboardInterrupt:
    raise SystemExit(130)
""")
    assert subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path).returncode == expected


def test_compact_says_when_shallow_is_smaller_and_what_it_is_not_for(
    csv: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code, answer = run(capsys, csv, "--method", "compact", "--groups", "2", "--attention", "softmax")
    assert exit_code == 0
    assert {"looped_parameters", "weight_bits", "information_bits", "groups", "shallow_parameters"} <= set(answer)
    assert answer["looped_parameters"] < answer["parameters"]
    assert code(["construct", csv, "--method", "compact"]) == 0
    assert "--method shallow needs fewer numbers here" in capsys.readouterr().err
    for wrong in (["--groups", "0"], ["--groups", "4"], ["--robust"]):
        assert code(["construct", csv, "--method", "compact", *wrong]) == 2
        assert capsys.readouterr().err
    assert code(["construct", csv, "--groups", "2"]) == 2
    assert "compact" in capsys.readouterr().err


def test_compact_refuses_with_the_cure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = dataset(tmp_path, [{"tokens": [[j], [j + 1]], "targets": [["1"]]} for j in range(2)])
    exit_code, answer = run(capsys, data, "--method", "compact")
    assert exit_code == 1
    assert [(r["kind"], r["cures"]) for r in answer["reasons"]] == [("one class", ["method shallow"])]
