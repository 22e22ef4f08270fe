"""Rows of token ids, from text and from JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

import exactformer as ef
from exactformer.model.id_rows import read_id_rows


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "1,2,3\n4\n5,6\n"),
        ("b.csv", "1,2,3\r\n4,,\r\n\r\n5,6,\r\n"),
        ("c.csv", "1;2;3\n4\n5;6"),
        ("d.tsv", "1\t2\t3\n4\n5\t6\n"),
        ("e.json", "[[1, 2, 3], [4], [5, 6]]"),
    ],
)
def test_rows_of_different_lengths(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, newline="")
    assert read_id_rows(tmp_path / name) == [[1, 2, 3], [4], [5, 6]]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "1,,3\n", "line 1, column 2: expected a token id, got ''"),
        ("a.csv", "id1,id2\n1,2\n", "line 1, column 1"),
        ("a.csv", "1,12345678\n", "column 2"),
        ("a.csv", "\n\n", "at least one input"),
        ("a.json", "[]", "at least one input"),
        ("a.json", "[1, 2]", "input 0: expected a list"),
        ("a.json", "[[-1]]", "input 0, id 0"),
        ("a.json", "[[9999999, 10000000]]", "input 0, id 1: expected a token id"),
        ("a.npz", "", "expected ids as CSV or JSON"),
    ],
)
def test_what_is_no_id_is_named_with_its_place(name: str, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises((ef.InvalidInput, ef.Malformed)) as seen:
        read_id_rows(tmp_path / name)
    assert said in str(seen.value)
