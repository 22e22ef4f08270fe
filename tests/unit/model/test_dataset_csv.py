"""Tests of `exactformer.model.dataset_csv`."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas as pd
import pytest

import exactformer as ef
from exactformer.errors import InvalidInput, Malformed
from exactformer.io.delimited import read_table
from exactformer.model.dataset import Dataset

# ---------------------------------------------------------------- data sets


@pytest.mark.parametrize(
    ("text", "separator", "rows"),
    [
        ("1|2\n3|4\n", "|", [["1", "2"], ["3", "4"]]),
        ("1;2,5\n", ";", [["1", "2,5"]]),
        ("a\tb\n1\t2", "\t", [["a", "b"], ["1", "2"]]),
        ("a b\n1 2\n", " ", [["a", "b"], ["1", "2"]]),
        ("1\n2\n", ",", [["1"], ["2"]]),
        ("a b\nc d\n", ",", [["a b"], ["c d"]]),
        ("\n , \n 1 , 2 \n", ",", [["1", "2"]]),
        ('"1","a ""b"""\n', ",", [["1", 'a "b"']]),
        ("-1e3 +2.5\n1/2 .5\n", " ", [["-1e3", "+2.5"], ["1/2", ".5"]]),
        ("", ",", []),
    ],
)
def test_tables_are_separated_by_what_separates_them(text: str, separator: str, rows: list[list[str]]) -> None:
    found = read_table(text.encode(), "t")
    assert (found.separator, found.rows) == (separator, rows)
    assert read_table(b"\xef\xbb\xbf" + text.encode(), "t").rows == rows
    with pytest.raises(Malformed, match="t, line 2: expected CSV text in UTF-8"):
        read_table(b"a,b\n\xff,1\n", "t")


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "header"),
        ("sequence,label,x1\n", "at least one row"),
        ("sequence,label,x1\n1,a\n", "line 2"),
        ("sequence,label,x1\n1,a,3\n1,b,3\n", "line 3"),
        ("sequence,label,x1\n1,a,nan\n", r"line 2, column 3 \(x1\)"),
    ],
)
def test_bad_csv(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises((InvalidInput, Malformed), match=message):
        Dataset.read(write(tmp_path / "d.csv", text))


def table(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


# ---------------------------------------------------------------- tables


def test_rows_of_many_interleaved_sequences_keep_their_order(tmp_path: Path) -> None:
    rows = [(f"s{j}", f"c{j % 3}", j, t) for j in range(30) for t in range(4)]
    mixed = sorted(rows, key=lambda row: (row[3], random.Random(row[2]).random()))
    names = list(dict.fromkeys(row[0] for row in mixed))
    texts = ["sequence,label,x1,x2", *(",".join(map(str, row)) for row in mixed)]
    data = Dataset.read(table(tmp_path / "d.csv", "\n".join(texts)))
    assert data.names == names
    for name, sequence in zip(names, data, strict=True):
        assert sequence.tokens.rows() == [(int(name[1:]), t) for t in range(4)]
        assert sequence.label == f"c{int(name[1:]) % 3}"
    frame = pd.DataFrame(mixed, columns=["sequence", "label", "x1", "x2"])
    assert Dataset.of(frame) == data


ROWS = [[[0, 0.5], [2, 3]], [[0.25, 1]], [[1, 1], [0, 0]]]


LABELS = ["cat", "dog", "cat"]


DATA = ef.Dataset.of([ef.Sequence.of(rows, label=label) for rows, label in zip(ROWS, LABELS, strict=True)])


CSV = "sequence,label,x1,x2\ns0,cat,0,0.5\ns0,cat,2,3\ns1,dog,1/4,1\ns2,cat,1,1\ns2,cat,0,0\n"


@pytest.mark.parametrize(
    "text",
    [
        CSV.replace(",", ";"),
        CSV.replace(",", "\t"),
        CSV.replace(",", ";").replace(".", ","),
        CSV.replace(",", "\t").replace(".", ","),
        "\ufeff" + CSV.replace("\n", "\r\n"),
        "x2,label,sequence,x1\n.5,cat,s0,0\n3,cat,s0,2\n1,dog,s1,.25\n1,cat,s2,1\n0,cat,s2,0\n",
        "Sequence , Label, X1, X2\ns0, cat, 0, 0.5\ns1,dog,0.25,1\ns2,cat,1,1\n\ns0,cat,2,3\ns2,cat,0,0",
        'sequence,label,height,width\n"s0","cat",0,0.5\ns0,cat,2,3\ns1,dog,1/4,1\ns2,cat,1,1\ns2,cat,0,0\n',
    ],
    ids=["semicolons", "tabs", "decimal commas", "tabs and commas", "bom, crlf", "reordered", "interleaved", "named"],
)
def test_csv_habits_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes(text.encode())
    data = ef.Dataset.read(path)
    assert data == DATA
    assert data.names == ["s0", "s1", "s2"]
    assert data.remarks == ()


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        (CSV.replace("x2", "x2,time").replace("\ns", "\n#s"), "time"),
        (",".join(["", *CSV.split("\n")[0].split(",")]), "without a name"),
    ],
    ids=["extra column", "saved index"],
)
def test_columns_that_are_left_out_are_named(text: str, remark: str, tmp_path: Path) -> None:
    lines = CSV.strip().split("\n")
    header, rows = text.split("\n")[0], lines[1:]
    extra = (
        [f"{row},{9 * k}" for k, row in enumerate(rows)]
        if "time" in header
        else [f"{k},{r}" for k, r in enumerate(rows)]
    )
    path = tmp_path / "d.csv"
    path.write_text("\n".join([header, *extra]))
    data = ef.Dataset.read(path)
    assert data == DATA
    assert remark in data.remarks[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CSV.replace("2,3", "2,x"), r"line 3, column 4 \(x2\).*'x'"),
        (CSV.replace("2,3", "2,"), r"line 3, column 4 \(x2\).*empty"),
        (CSV.replace("2,3", "2"), "line 3: expected 4 fields.*got 3"),
        (CSV.replace("0.5", "0,5"), "line 2: expected 4 fields.*got 5.*decimal commas need"),
        (CSV.replace("0.5", '"0,5"'), r"line 2, column 4 \(x2\).*decimal point"),
        (CSV.replace(",", ";").replace("0.5", "0,5").replace("1/4", "1.5"), "line 4.*decimal point.*line 2.*comma"),
        (CSV.replace(",", ";").replace("0.5", "1.000,5"), "line 2.*got '1.000,5'"),
        (CSV.replace("s1,dog", "s1,"), r"line 4, column 2 \(label\).*'s1' has an empty label: is it missing"),
        (CSV.replace("s1,dog", ",dog"), r"line 4, column 1 \(sequence\)"),
        (CSV.replace("s2,cat,0", "s2,dog,0"), r"line 6, column 2 \(label\).*'cat'.*'s2'.*'dog'"),
        (CSV.replace("label", "class"), "rename the column 'class' to label"),
        (CSV.replace("sequence", "id"), "rename the column 'id' to sequence"),
        (CSV.replace("x2", "x3"), "without a gap"),
        (CSV.replace("x2", "x1"), "twice|2 times"),
        (CSV.split("\n", 1)[1], "first row must name"),
        ("", "at least one row"),
        ("sequence,label\ns0,a\n", "no coordinate"),
    ],
)
def test_bad_csv_names_line_column_and_remedy(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text(text)
    with pytest.raises((InvalidInput, Malformed), match=said):
        ef.Dataset.read(path)
