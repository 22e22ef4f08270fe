"""The fixed sessions answer as they did, byte for byte: `python tests/golden/golden.py --record` after a change that is wanted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from golden import ANSWERS, differences, nearly, session, sessions

SESSIONS = sessions()


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_answers_as_it_did(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    assert differences(json.loads(ANSWERS.read_text("utf-8"))[name], session(SESSIONS[name], tmp_path)) == []


def test_a_difference_is_told() -> None:
    kept = {"a": {"exit": 0, "answer": "x", "files": {}}, "~ b": {"exit": 0, "answer": "x 1.5", "files": {}}}
    found = {"a": {"exit": 1, "answer": "x", "files": {}}, "~ b": {"exit": 0, "answer": "x 1.6", "files": {}}}
    assert differences(kept, found) == ["a: another exit: 0 -> 1", "~ b: another answer: x 1.5 -> x 1.6"]
    assert differences({}, {"a": kept["a"]}) == ["a: new; record it"]
    assert differences(kept, {}) == ["a: no longer in the session", "~ b: no longer in the session"]
    assert set(json.loads(ANSWERS.read_text("utf-8"))) == set(SESSIONS)


def test_floats_may_differ_in_their_last_digits() -> None:
    assert nearly("loss 1.2345678, -3e-5", "loss 1.2345679, -3.00001e-5")
    assert nearly("[1/3]", "[33334/100000]")
    assert not nearly("loss 1.23", "loss 1.25")
    assert not nearly("[1/3]", "[1/4]")
    assert not nearly("loss 1.23", "gain 1.23")
    assert not nearly("loss 1", "loss -1")
