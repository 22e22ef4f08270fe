"""Tests of `exactformer.report.stages_summary`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import exactformer as ef
from exactformer.certificates.certificate import Certificate
from exactformer.dynamics.stages_claim import certify_in_stages
from exactformer.report.claim_summary import claim_summary
from exactformer.report.stages_summary import number_of, stages_words


def test_changes_of_a_limit_in_stages_are_named_by_their_layers(tmp_path: Path) -> None:
    e = Fraction(1, 10)
    tokens = ef.Tokens([[1, 1], [-1, 1], [1 - 2 * e, 1 + e], [2 * e - 1, 1 + e], [0, "1/2"]], alpha=1)
    found = ef.limit(tokens)
    certify_in_stages(found, tmp_path / "c.jsonl")
    opened = Certificate.open(tmp_path / "c.jsonl")
    account = claim_summary(tmp_path / "c.jsonl")
    first = opened.header["layer"]
    changes = [k for k in ef.simulate(tokens, layers=40).graph_changes if k > first]
    assert changes
    listed = ", ".join(map(str, changes))
    assert f"After layer {first} the follower sets change at the layers {listed} only." in account.words
    assert f"From layer {changes[-1]} on the follower sets never change." in account.words
    assert account.graph_layer == changes[-1] == dict(account.facts)["proved from layer"]
    assert {row[5] for row in account.tables[0][2]} == {"in stages"}
    assert [tuple(row[2]) for row in account.tables[0][2]] == [tuple(point) for point in found.points]


def test_words_and_numbers_of_stages() -> None:
    assert stages_words({"layer": 3}, [{"time": 0}]) == "The follower sets never change again."
    said = stages_words({"layer": 3}, [{"time": 0}, {"time": 2}, {"time": 9}])
    assert said == "After layer 3 the follower sets change at the layers 5, 12 only."
    assert number_of([["2", ["1/2", 1], ["1/3", 2]], ["-1/3"]]) == Fraction(1, 9) - Fraction(1, 3)
    assert number_of([]) == 0
