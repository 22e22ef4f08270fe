"""`exactformer check --with verified`: the checker proved correct, where it is installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exactformer import verified
from exactformer.cli.main import code

CORPUS = Path(__file__).resolve().parents[2] / "proofs_check" / "corpus"
built = pytest.mark.skipif(
    verified.program() is None, reason="proofs-check-verified is not built here: `make verified`"
)


@built
def test_accepted_by_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["check", str(CORPUS / "accept" / "worked_example.jsonl"), "--with", "verified"]) == 0
    verdict, others = capsys.readouterr().out.splitlines()
    assert verdict.startswith("accepted: proofs-check-verified: a hardmax transformer with 2 blocks")
    assert others == "other checkers that know this claim: JavaScript, Rocq"


@built
def test_an_unknown_claim_is_declined(capsys: pytest.CaptureFixture[str]) -> None:
    path = next((CORPUS / "accept").glob("*recurrence*.jsonl"))
    assert code(["check", str(path)]) == 0
    assert code(["check", str(path), "--with", "verified", "--json"]) == 4
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (found["verdict"], found["claim"]) == ("declined", "recurrence")
    assert "does not know the claim recurrence" in found["why"]


@built
def test_limits_are_handed_on() -> None:
    found = verified.check_verified(CORPUS / "accept" / "worked_example.jsonl", verified.Limits(operations=1))
    assert found.verdict == "declined"
    assert "--max-operations" in found.why


def test_what_is_rejected_stays_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    path = next(
        CORPUS / entry["file"]
        for entry in json.loads((CORPUS / "index.json").read_text())
        if entry["verdict"] == "rejected" and entry["claim"] == "interpolation" and "data" not in entry
    )
    assert code(["check", str(path), "--with", "verified"]) == 1
    assert "proofs-check-verified" not in capsys.readouterr().out


def test_not_installed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(verified, "_BUILT", tmp_path / "nothing")
    assert code(["check", str(CORPUS / "accept" / "worked_example.jsonl"), "--with", "verified"]) == 4
    assert "make verified" in capsys.readouterr().err
