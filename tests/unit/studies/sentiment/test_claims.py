"""Tests of `exactformer.studies.sentiment.claims`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exactformer.studies.sentiment.claims import write_decision

F = Fraction


IDENTITY = [[F(1), F(0)], [F(0), F(1)]]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("deeper", [False, True])
def test_a_decision_is_deeper_only_where_it_says_so(deeper: bool, tmp_path: Path) -> None:
    write_decision(
        tmp_path / "c.jsonl",
        system=(IDENTITY, F(1), [[F(1), F(0)], [F(0), F(1)]]),
        layers=2,
        counts=[1, 3],
        words=["good", "bad"],
        decoder=([F(1), F(-1)], F(0)),
        leaders=[0, 1],
        positive=False,
        deeper=deeper,
    )
    header, _, given, decision, _ = lines(tmp_path / "c.jsonl")
    assert (header["dim"], header["tokens"], header["layers"], header["version"]) == (2, 2, 2, [1, 1])
    assert given == {"counts": [1, 3], "v": ["1", "-1"], "b": "0", "words": ["good", "bad"]}
    assert decision == {"leaders": [0, 1], "positive": False} | ({"deeper": True} if deeper else {})
