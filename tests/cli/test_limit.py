"""`exactformer limit` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exactformer.cli.main import code

from .test_simulate import STRIKING, write


def test_json_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["limit", write(tmp_path, STRIKING), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "limits": [["7/5", "1/5"], ["1", "1"], ["6/5", "3/5"]],
        "kinds": ["vertex", "vertex", "projection"],
        "leaders": [0, 1],
        "proved_from_layer": 1,
        "hypotheses_violated": ["tokens nonzero"],
    }


def test_at_any_layer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, STRIKING)
    assert code(["limit", path, "--at", "2", "--json"]) == 0
    at = json.loads(capsys.readouterr().out)["at"]
    assert at == {"layer": 2, "tokens": [["7/5", "1/5"], ["1", "1"], ["4/5", "2/5"]]}
    assert code(["limit", path, "--at", "1000000000", "--json"]) == 0
    number = json.loads(capsys.readouterr().out)["at"]["tokens"][2][0]
    assert number["terms"][0] == {"coefficient": "6/5", "powers": []}
    assert code(["limit", path, "--at", "1000000000"]) == 0
    assert "(1/2)^999999999" in capsys.readouterr().out


def test_certificate(tmp_path: Path) -> None:
    cert = tmp_path / "limit.jsonl"
    assert code(["limit", write(tmp_path, STRIKING), "-o", str(cert)]) == 0
    lines = [json.loads(line) for line in cert.read_text().splitlines()]
    assert lines[0]["claim"] == "limit"
    assert lines[-1]["end"] is True


def test_undecided_exits_4_and_shows_what_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    late = {"exactformer": "tokens", "version": [1, 0], "alpha": "1/50"}
    late["tokens"] = [["4", "-6"], ["9", "0"], ["1", "4"], ["3", "4"], ["4", "-3"], ["11", "-12"]]  # type: ignore[assignment]
    path, cert = write(tmp_path, late), tmp_path / "limit.jsonl"
    assert code(["limit", path, "--budget", "1", "--json", "-o", str(cert)]) == 4
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert "will change at layer" in answer["undecided"]
    assert "limits" not in answer
    assert "--budget" in err
    assert not cert.exists()
    assert code(["limit", path, "--json"]) == 0
    assert 2 in json.loads(capsys.readouterr().out)["leaders"]


def test_a_ring_is_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ring = {**STRIKING, "A": [["1", "-2"], ["2", "1"]], "tokens": [["-4", "-1"], ["3", "-3"], ["1", "4"]]}
    path = write(tmp_path, ring)
    assert code(["limit", path]) == 3
    assert code(["limit", path, "--unchecked", "--budget", "20"]) == 4
    assert "ring" in capsys.readouterr().err


def test_algebraic_instances_are_answered_but_not_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hexagon = [[f"cos(pi/12+{k}*pi/3)", f"sin(pi/12+{k}*pi/3)"] for k in range(6)]
    path, cert = write(tmp_path, {**STRIKING, "tokens": [*hexagon, ["1/4", "1/8"]]}), tmp_path / "limit.jsonl"
    assert code(["limit", path, "--json", "--at", "1000000000"]) == 0
    assert json.loads(capsys.readouterr().out)["kinds"] == ["vertex"] * 7
    assert code(["limit", path, "--json", "-o", str(cert)]) == 4
    out, err = capsys.readouterr()
    assert json.loads(out)["leaders"] == [0, 1, 2, 3, 4, 5]
    assert "algebraic" in err
    assert not cert.exists()
