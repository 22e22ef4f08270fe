"""Data as users have them: arrays, frames and files in their many habits become the same data set, or one clear message."""

from __future__ import annotations

import io
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import exactformer as ef
from exactformer.errors import InvalidInput, Malformed, NoConstruction

ROWS = [[[0, 0.5], [2, 3]], [[0.25, 1]], [[1, 1], [0, 0]]]
LABELS = ["cat", "dog", "cat"]
DATA = ef.Dataset.of([ef.Sequence.of(rows, label=label) for rows, label in zip(ROWS, LABELS, strict=True)])
CSV = "sequence,label,x1,x2\ns0,cat,0,0.5\ns0,cat,2,3\ns1,dog,1/4,1\ns2,cat,1,1\ns2,cat,0,0\n"


def frame(text: str = CSV.replace("1/4", "0.25")) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))


@pytest.mark.parametrize(
    "sequences",
    [
        ROWS,
        [np.array(rows) for rows in ROWS],
        [np.array(rows, dtype=np.float32) for rows in ROWS],
        [np.array(ROWS[0]), ROWS[1], pd.DataFrame(ROWS[2])],
        (np.array(rows) for rows in ROWS),
    ],
    ids=["lists", "arrays", "float32", "mixture", "generator"],
)
def test_arrays_with_labels_are_the_same_data_set(sequences: Any) -> None:
    assert ef.Dataset.of(sequences, labels=LABELS) == DATA


def test_a_3d_array_and_points_as_targets() -> None:
    X = np.arange(12.0).reshape(3, 2, 2)
    data = ef.Dataset.of(X, targets=[[1, 2], [[0, 1], [3, 4]], ["1/2", 0]])
    assert [len(s) for s in data] == [2, 2, 2]
    assert data[2].tokens.rows() == [(8, 9), (10, 11)]
    assert [len(data.targets_of(j)) for j in range(3)] == [1, 2, 1]
    assert data.targets_of(2).rows() == [(Fraction(1, 2), 0)]


def test_frames_and_paths(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text(CSV)
    for data in (ef.Dataset.of(frame()), ef.Dataset.of(path), ef.Dataset.of(str(path)), ef.load(path)):
        assert data == DATA
        assert data.names == ["s0", "s1", "s2"]
    exact = ef.Dataset.of(frame(CSV))
    assert exact == DATA, "text columns are read as exact numbers"
    assert ef.Dataset.of(frame().drop(columns="label")).labels is None
    assert ef.Dataset.of(frame().drop(columns="label"), labels=LABELS) == DATA


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


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ef.Dataset.of(ROWS, labels="abc"), "list with a label"),
        (lambda: ef.Dataset.of([[[1, 2]], [[1]]], labels=["a", "b"]), r"sequences\[1\].*dimension 2"),
        (lambda: ef.Dataset.of(ROWS, labels=["a", "b"]), "expected 3 labels"),
        (lambda: ef.Dataset.of(ROWS, labels=["a", "", "b"]), r"labels\[1\].*empty"),
        (lambda: ef.Dataset.of(ROWS, labels=[1, float("nan"), 2]), r"labels\[1\].*empty"),
        (lambda: ef.Dataset.of(ROWS, labels=[1, "1", 2]), "written alike"),
        (lambda: ef.Dataset.of(ROWS, labels=LABELS, targets=[[1]] * 3), "both"),
        (lambda: ef.Dataset.of(np.zeros(5), labels=[1]), "3-dimensional"),
        (lambda: ef.Dataset.of([np.zeros(3)], labels=[1]), r"reshape\(-1, 1\)"),
        (lambda: ef.Dataset.of([np.array([[0.0], [np.nan]])], labels=[1]), r"sequences\[0\]\[1\]\[0\].*finite"),
        (lambda: ef.Dataset.of([], labels=[]), "at least one sequence"),
        (lambda: ef.Dataset.of(5), "list of arrays"),
        (lambda: ef.Dataset.of(np.zeros((2, 1, 1)), labels=np.zeros((2, 1))), r"labels\[0\].*ravel"),
        (lambda: ef.Dataset.of(np.zeros((2, 1, 1), dtype=bool)), r"sequences\[0\]\[0\]\[0\].*a number"),
        (lambda: ef.Dataset.of(frame(CSV.replace("dog", ""))), "row 2.*empty label"),
        (lambda: ef.Dataset.of(frame(CSV.replace("1/4", ""))), "row 2.*x1.*finite"),
        (lambda: ef.construct(ROWS), "labels or targets"),
        (lambda: DATA[5:], "empty selection"),
    ],
)
def test_bad_data_in_memory(make: Any, said: str) -> None:
    with pytest.raises((InvalidInput, Malformed), match=said):
        make()


def test_slices_masks_equality_and_iteration() -> None:
    assert DATA[1:] == DATA[[1, 2]] == DATA[np.array([False, True, True])] != DATA
    assert DATA[::-1][::-1] == DATA
    assert DATA[-1] == DATA[2]
    assert [s.label for s in DATA] == LABELS
    assert DATA[:1] != ef.Dataset.of(ROWS[:1], labels=["dog"])
    assert len({DATA, ef.Dataset.of(ROWS, LABELS)}) == 1
    targets = ef.Dataset.of(ROWS, targets=[[[1, 0]], [[0, 0], [2, 2]], [[3, 3]]])
    assert targets[1:].targets_of(0) == targets.targets_of(1)
    assert targets[1:] != targets[:2]
    with pytest.raises(IndexError):
        DATA[3]


def test_names_reach_the_refusal() -> None:
    data = ef.Dataset.of([[[0], [1]], [[1], [0]], [[2]]], labels=["a", "b", "a"], names=["fox", "owl", "elk"])
    with pytest.raises(NoConstruction, match=r"no transformer can.*\n.*'fox' and 'owl'.*--positions"):
        ef.construct(data)
    assert ef.construct(data, positions=True).predict([[[1], [0]]]) == ["b"]
    counts = ef.Dataset.of([[[0], [1]], [[1], [0], [0]]], labels=["a", "b"])
    with pytest.raises(NoConstruction, match=r"^method leaders cannot.*\n.*method shallow"):
        ef.construct(counts, method="leaders")


def test_the_place_of_an_error_is_the_first_one_in_every_run() -> None:
    program = (
        "import exactformer as ef\n"
        "try: ef.Tokens([['1', 'a'], ['b', 'c'], ['d', 'e']])\n"
        "except ef.errors.InvalidInput as problem: print(problem)"
    )
    for seed in ("0", "1", "7"):
        done = subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith("tokens[0][1]: ")


def test_tokens_tables(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for text in ("1,5;2\n0;-1\n", "1.5 2\n0 -1\n", "x;y\n1,5;2\n0;-1", "1.5\t2\n0\t-1\n"):
        path.write_text(text)
        assert ef.Tokens.read(path).state.rows() == [(Fraction(3, 2), 2), (0, -1)]
    path.write_text(CSV)
    with pytest.raises(InvalidInput, match=r"data set.*construct and run read it"):
        ef.Tokens.read(path)
    other = tmp_path / "d.json"
    other.write_text('{"exactformer": "dataset", "version": [1, 0], "sequences": []}')
    with pytest.raises(Malformed, match="this is a data set"):
        ef.Tokens.read(other)
