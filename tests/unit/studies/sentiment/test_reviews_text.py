"""Tests of `exactformer.studies.sentiment.reviews_text`."""

from __future__ import annotations

from pathlib import Path

import pytest

from exactformer.errors import InvalidInput, Malformed
from exactformer.studies.sentiment.reviews_text import folder_rows, table_rows


def test_only_the_first_row_of_a_table_is_a_header(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("label,text\npos,one\nlabel,text\n")
    with pytest.raises(InvalidInput, match="line 3: expected a label"):
        list(table_rows(tmp_path / "r.csv"))


def test_a_mark_of_the_byte_order_is_no_part_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for text in ("label,text\npos,good film\n0,bad\n", "pos,good film\n0,bad\n"):
        path.write_bytes(text.encode("utf-8-sig"))
        assert list(table_rows(path)) == [(True, "good film"), (False, "bad")]


def test_tables_and_folders_are_read_row_by_row(tmp_path: Path) -> None:
    for name, cut in (("a.csv", ","), ("a.tsv", "\t")):
        lines = ["Sentiment{}Review", " POS {}one", "", "negative{}two", "1{}three", "0{}text"]
        (tmp_path / name).write_text("\ufeff" + "\n".join(lines).format(*[cut] * 5) + "\n", encoding="utf-8")
        rows = [(True, "one"), (False, "two"), (True, "three"), (False, "text")]
        assert list(table_rows(tmp_path / name)) == rows
    (tmp_path / "b.csv").write_text("pos,text\n")  # its label makes it a review
    assert list(table_rows(tmp_path / "b.csv")) == [(True, "text")]
    for part in ("train", "test"):
        for name in ("neg", "pos"):
            (tmp_path / "c" / part / name).mkdir(parents=True)
            for file in ("10_1.txt", "9_1.txt", "x.txt"):
                (tmp_path / "c" / part / name / file).write_text(f"{part} {name} {file}")
    assert list(folder_rows(tmp_path / "c")) == [
        (name == "pos", f"{part} {name} {file}")
        for part in ("train", "test")
        for name in ("neg", "pos")
        for file in ("x.txt", "9_1.txt", "10_1.txt")
    ]


def test_quotation_marks_of_tab_separated_reviews_are_characters(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    text = 'label\ttext\n1\tthe 7" disc\r\n0\t"Bad" and "worse\n\npos\t"a ""b"", c"\nneg\t"\n'
    path.write_text(text, newline="")
    assert [text for _, text in table_rows(path)] == ['the 7" disc', '"Bad" and "worse', 'a "b", c', '"']
    path.write_text("1\tgood\tfilm\n")
    with pytest.raises(Malformed, match=r"line 1: expected two fields, label and text, got 3; one review a line"):
        list(table_rows(path))


@pytest.mark.parametrize("row", ['1,"good" film', '1,"good'])
def test_quotation_marks_of_a_csv_file_are_refused_with_line_and_cure(row: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"label,text\n0,bad\n{row}\n")
    with pytest.raises(Malformed, match=r"t\.csv, line 3: .* those inside doubled, or use tabs"):
        list(table_rows(path))
