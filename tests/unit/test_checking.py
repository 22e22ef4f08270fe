"""Tests of `exactformer.checking`."""

from __future__ import annotations

from pathlib import Path

import pytest

import exactformer as ef
from exactformer.checking import EXIT_CODES, Limits, Sequences, Verdict, _about_sequences, answer_to
from proofs_check import Part


def test_sequences_are_handed_to_the_checker_in_lowest_terms() -> None:
    data = ef.Dataset.of([[["1/2", 3]], [[2, 4], ["1/3", 0]]], labels=["a", "b"])
    mine = Sequences(data)
    assert len(mine) == 2
    assert mine[0] == ([(1, 6, 2)], frozenset(), "a")
    assert mine[1] == ([(2, 4, 1), (1, 0, 3)], frozenset(), "b")
    assert mine[:] == [mine[0], mine[1]]
    assert (mine[:1], mine[1:5]) == ([mine[0]], [mine[1]])
    targets = Sequences(ef.Dataset.of([[[1]]], targets=[[["1/2"], [3]]]))
    assert targets[0] == ([(1, 1)], frozenset({(1, 2), (3, 1)}), None)


def test_headers_say_what_a_certificate_is_about(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    for text, sequences in (
        ('{"claim":"interpolation"}', True), ('{"claim":"infeasible"}', True), ('{"claim":"limit"}', False),
        ('{"claim":"loss","sequences":3}', True), ("[]", False), ("no JSON", True),
    ):  # fmt: skip
        path.write_text(text)
        assert _about_sequences(path) is sequences
    assert _about_sequences(tmp_path / "absent") is True
    assert EXIT_CODES == {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}


@pytest.mark.parametrize(("label", "answered"), [("a", True), ("b", False)])
def test_a_part_is_answered_beside_the_callers_own_sequences(label: str, answered: bool, tmp_path: Path) -> None:
    data = [[[0]], [[1]], [[2]]]
    ef.construct(ef.Dataset.of(data, labels=["a", "b", "a"])).certify(tmp_path / "c.jsonl")
    lines = (tmp_path / "c.jsonl").read_bytes().splitlines(keepends=True)
    first = next(k for k, line in enumerate(lines) if line.startswith(b'{"sequence":1'))
    head, text = b"".join(lines[:first]), b"".join(lines[first:-1])
    part, mine = Part(1, 2, len(head), text), Sequences(ef.Dataset.of(data, labels=["a", "b", label]))
    assert answer_to((head, Limits()), (part, 0, None)).startswith(b"[")
    assert answer_to((head, Limits()), (part, 0, mine[1:])).startswith(b"[") is answered


def test_verdicts_show_themselves() -> None:
    shown = Verdict("rejected", "limit", "line 3", "the outputs are not the targets")._repr_html_()
    assert "<b>rejected</b>" in shown
    assert "line 3" in shown
    assert "the outputs are not the targets" in shown
