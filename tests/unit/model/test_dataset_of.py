"""Tests of `exactformer.model.dataset_of`."""

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
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput, Malformed
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.dataset_of import dataset_of
from exactformer.model.float_weights import network_of

F = Fraction


# ---------------------------------------------------------------- data sets


def test_frames_may_have_columns_of_several_kinds() -> None:
    frame = pd.DataFrame({"sequence": [2, 1, 2], "label": [True, False, True], "x1": ["1/3", "2", "sqrt(4)"]})
    data = Dataset.of(frame.assign(x2=[0.5, 1.0, 2.0]))
    assert (data.names, data.labels) == (["2", "1"], [True, False])
    assert data.values == {"True": True, "False": False}
    assert [s.tokens.rows() for s in data] == [[(F(1, 3), F(1, 2)), (2, 2)], [(2, 1)]]
    with pytest.raises(InvalidInput, match="DataFrame, row 1, column x2: expected a finite number, got inf"):
        Dataset.of(pd.DataFrame({"sequence": ["a", "a"], "x1": [1.0, 2.0], "x2": [1.0, np.inf]}))
    with pytest.raises(InvalidInput, match=r"DataFrame, row 2, column 1 .sequence.: expected the name"):
        Dataset.of(pd.DataFrame({"sequence": ["a", "a", None], "x1": [1, 2, 3]}))
    with pytest.raises(InvalidInput, match="DataFrame: expected at least one row"):
        Dataset.of(pd.DataFrame({"sequence": [], "x1": []}))
    with pytest.raises(InvalidInput, match=r"DataFrame, row 2, column 3 \(label\): .*'p'.*'a'.*'q'"):
        Dataset.of(pd.DataFrame({"sequence": list("aba"), "x1": [1, 2, 3], "label": list("prq")}))


# ---------------------------------------------------------------- data in memory


def test_names_are_kept_where_every_sequence_has_one() -> None:
    sequences = [Sequence.of([[k]], label="a", name=name) for k, name in enumerate(("fox", "owl"))]
    assert Dataset.of(sequences).names == ["fox", "owl"]
    assert Dataset.of([*sequences, Sequence.of([[2]], label="a")]).names is None
    named = Dataset.of(sequences)
    assert (named.called(1), named.called(0, 1)) == ("sequence 'owl'", "sequences 'fox' and 'owl'")
    assert (named[1:].names, named[-1].name) == (["owl"], "owl")
    assert dataset_of(named, labels=["b", "c"]).names == ["fox", "owl"]


@pytest.mark.parametrize("label", [float("nan"), None, "", " ", np.nan, np.str_("")])
def test_a_missing_label_is_asked_about(label: Any) -> None:
    with pytest.raises(InvalidInput, match=r"labels\[1\].*is it missing"):
        Dataset.of([[[0]], [[1]]], labels=["a", label])


@pytest.mark.parametrize("others", [np.array([[0.5]]), np.array([[3]], dtype=np.uint64), [["1/3"]]])
def test_arrays_of_several_kinds_keep_their_exact_values(others: Any) -> None:
    large = np.array([[2**60 + 1]])
    for sequences in ([large, others], [others, large]):
        rows = [row for s in Dataset.of(sequences) for row in s.tokens.rows()]
        assert (F(2**60 + 1),) in rows


# ---------------------------------------------------------------- networks of floats


@pytest.mark.parametrize(
    "wrong",
    [
        {"block0.V": [[True]]},
        {"block0.V": [[float("nan")]]},
        {"block0.U": [[1.0]], "block0.b": [1.0]},
        {"block0.Q": [[1.0]]},
        {"block0.V": [[1.0]], "block1.V": [[1.0, 0.0], [0.0, 1.0]]},
        {"block0.V": [[1.0]], "block0.rho": [1.0, 2.0]},
        {"block0.X": [[1.0]]},
        {"layers.0.V": [[1.0]], "block0.V": [[1.0]]},
        {"dim": 1},
    ],
)
def test_arrays_that_are_no_network_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        network_of(wrong)


# ---------------------------------------------------------------- writing


@pytest.mark.parametrize("column", ["x1", "x2", "x3"])
@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("kind", ["text", "floats"])
def test_a_frame_says_in_which_row_and_column_a_number_is_none(column: str, row: int, kind: str) -> None:
    cells: dict[str, list[Any]] = {"x2": [1, 2, 3], "label": ["u", "u", "v"], "x3": [4, 5, 6]}
    cells |= {"sequence": ["a", "a", "b"], "x1": [7, 8, 9]}
    for name in ("x1", "x2", "x3"):
        cells[name] = [f"{v}/2" if kind == "text" else v / 2 for v in cells[name]]
    whole = Dataset.of(pd.DataFrame(cells))
    assert whole.tokens == State.of([["7/2", "1/2", 2], [4, 1, "5/2"], ["9/2", "3/2", 3]])
    cells[column][row] = "one" if kind == "text" else float("inf")
    with pytest.raises(InvalidInput, match=rf"^DataFrame, row {row}, column {column}: "):
        Dataset.of(pd.DataFrame(cells))


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, "", "  "])
def test_missing_names_and_labels_of_a_frame_are_asked_about(missing: Any) -> None:
    def frame(names: list[Any], labels: list[Any]) -> pd.DataFrame:
        series = {"sequence": pd.Series(names, dtype=object), "label": pd.Series(labels, dtype=object)}
        return pd.DataFrame({"x1": [1, 2, 3], **series})

    labelled = frame(["a", "b", "c"], ["u", missing, "u"])
    with pytest.raises(InvalidInput, match=r"^DataFrame, row 1, column 3 \(label\): sequence 'b' has an empty label"):
        Dataset.of(labelled)
    with pytest.raises(InvalidInput, match=r"^DataFrame, row 2, column 2 \(sequence\): expected the name"):
        Dataset.of(frame(["a", "b", missing], ["u", "u", "v"]))
    with pytest.raises(InvalidInput, match=r"^labels\[1\]: got an empty label"):
        Dataset.of([[[1]], [[2]]], labels=["u", missing])
    assert dataset_of(labelled, labelled=False).labels is None
    assert Dataset.of(frame(["a", "b", "c"], ["u", "nan", "u"])).labels == ["u", "nan", "u"]


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


def test_names_and_labels_are_lists() -> None:
    assert dataset_of([[[1]], [[2]]], names=("a", 7)).names == ["a", "7"]
    for given in ({"names": 3}, {"labels": 3}, {"labels": "ab"}):
        with pytest.raises(InvalidInput, match=f"{next(iter(given))}: expected a list with a .* for every sequence"):
            dataset_of([[[1]], [[2]]], **given)


def test_targets_take_the_place_of_labels_that_were_read() -> None:
    data = ef.Dataset.of(DATA, targets=[[0, 1]] * len(DATA))
    assert data.labels is None
    assert [data.targets_of(j).rows() for j in range(len(DATA))] == [[(0, 1)]] * len(DATA)
