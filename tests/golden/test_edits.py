"""Files with one part changed are refused, or read, as they were; after a change that is meant: python tests/golden/edits.py --record"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from edits import CASES, KEPT, LEFT_OUT, answers, changed, places, sealed

FACTS = json.loads(KEPT.read_text("utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_one_part_changed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    found = answers(name, tmp_path)
    assert {
        key: found.get(key) for key in found.keys() | FACTS[name].keys() if found.get(key) != FACTS[name].get(key)
    } == {}
    assert not [key for key, said in found.items() if said.startswith("70")]


def test_parts() -> None:
    whole = {"a": [1, 2, 3], "b": {"c": "x"}}
    assert list(places(whole)) == [(), ("a",), ("a", 0), ("a", 2), ("b",), ("b", "c")]
    assert changed(whole, ("a", 2), 9) == {"a": [1, 2, 9], "b": {"c": "x"}}
    assert changed(whole, ("b", "c"), LEFT_OUT) == {"a": [1, 2, 3], "b": {}}
    assert changed(whole, (), LEFT_OUT) is None
    assert sealed(["{}\n", '{"end":true,"sha256":"0"}\n']).endswith('8a4a58"}\n') is False
    assert json.loads(sealed(["{}\n", '{"sha256":"0"}\n']).splitlines()[1])["sha256"][:8] == "ca3d163b"
