"""Tests of `exactformer.certificates.envelope`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exactformer.certificates.certificate import Certificate
from exactformer.certificates.envelope import write_certificate
from exactformer.errors import Malformed


def test_an_error_while_lines_are_made_leaves_no_certificate(tmp_path: Path) -> None:
    def lines() -> Any:
        yield {"a": 1}
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_certificate(tmp_path / "c.jsonl", "orbit", {}, lines())
    assert list(tmp_path.iterdir()) == []


HALF = Fraction(1, 2)


@pytest.mark.parametrize("without", [0, 1])
def test_data_of_which_some_have_a_label_have_their_targets(without: int, tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"sequence": j, "tokens": [[str(j)]], "targets": [["7"]], "label": "a"} for j in range(3)
    ]
    del lines[without]["label"]
    write_certificate(tmp_path / "c.jsonl", "interpolation", {"dim": 1}, lines)
    opened = Certificate.open(tmp_path / "c.jsonl")
    assert opened.labels() == [None if j == without else "a" for j in range(3)]
    assert opened.data.labels is None
    assert opened.data.targets_of(2).rows() == [(Fraction(7),)]


@pytest.mark.parametrize("line", [{"sequence": 0, "tokens": 5}, {"sequence": 0}, {"sequence": 0, "tokens": [["1"]]}])
def test_a_bad_sequence_is_malformed_and_named(tmp_path: Path, line: dict[str, object]) -> None:
    write_certificate(tmp_path / "c.jsonl", "infeasible", {}, [line])
    with pytest.raises(Malformed, match=r"c\.jsonl, sequence 0: expected tokens"):
        Certificate.open(tmp_path / "c.jsonl").dataset()


def test_labels_without_targets_are_the_labels_of_the_data(tmp_path: Path) -> None:
    write_certificate(tmp_path / "c.jsonl", "infeasible", {}, [{"sequence": 0, "tokens": [["1/2"]], "label": "a"}])
    data = Certificate.open(tmp_path / "c.jsonl").dataset()
    assert data.labels == ["a"]
    assert data.json()["sequences"] == [{"tokens": [[HALF]], "label": "a"}]
