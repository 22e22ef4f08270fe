"""Tests of `exactformer.model.dataset_files`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.errors import InvalidInput, Malformed
from exactformer.model.dataset import Dataset, Sequence


def saved(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


HEADER = {"exactformer": "dataset", "version": [1, 0]}


# ---------------------------------------------------------------- data sets


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        ([1], Malformed, "expected a data set"),
        ({**HEADER}, Malformed, "the keys exactformer, version and sequences"),
        ({**HEADER, "sequences": {}}, Malformed, "the keys exactformer, version and sequences"),
        ({**HEADER, "sequences": [], "more": 1}, Malformed, "'more'"),
        ({**HEADER, "sequences": []}, InvalidInput, "at least one sequence, got none"),
        ({**HEADER, "sequences": [5]}, Malformed, r"sequences\[0\]: expected the keys tokens and label"),
        ({**HEADER, "sequences": [{"tokens": [[1]], "label": 3}]}, Malformed, r"sequences\[0\]\.label: .*got 3"),
        ({**HEADER, "sequences": [{"tokens": [[1]], "label": None}]}, Malformed, r"\.label: .*got None"),
        ({**HEADER, "sequences": [{"tokens": [1], "label": "a"}]}, InvalidInput, r"\[0\]\.tokens: .*got \[1\]"),
        (
            {**HEADER, "sequences": [{"tokens": [[1], 2], "label": "a"}]},
            InvalidInput,
            r"\[0\]\.tokens: expected a nonempty",
        ),
        ({**HEADER, "sequences": [{"tokens": [[]], "label": "a"}]}, InvalidInput, "at least one coordinates"),
        ({**HEADER, "sequences": [{"tokens": [], "label": "a"}]}, InvalidInput, "got an empty list"),
        (
            {**HEADER, "sequences": [{"tokens": [[1], [2, 3]], "label": "a"}]},
            InvalidInput,
            r"sequences\[0\]\.tokens\[1\]: expected 1 coordinates as in the first point, got 2",
        ),
        (
            {**HEADER, "sequences": [{"tokens": [[1]], "targets": [[1]]}, {"tokens": [[1]], "label": "a"}]},
            Malformed,
            r"sequences\[1\]: expected the keys tokens and targets as in sequence 0",
        ),
        (
            {**HEADER, "sequences": [{"tokens": [[1]], "targets": [[1], ["y"]]}]},
            InvalidInput,
            r"sequences\[0\]\.targets\[1\]\[0\]",
        ),
    ],
)
def test_data_sets_in_json_are_refused_with_their_place(
    content: Any, error: type[Exception], said: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=said) as caught:
        Dataset.read(saved(tmp_path / "d.json", content))
    assert type(caught.value) is error
    assert str(caught.value).startswith(str(tmp_path / "d.json"))


@pytest.mark.parametrize(
    ("arrays", "error", "said"),
    [
        ({"tokens": [[1]], "offsets": [0.0, 1.0], "labels": ["a"]}, InvalidInput, "expected integer offsets"),
        ({"tokens": [[1]], "offsets": [[0, 1]], "labels": ["a"]}, InvalidInput, "expected integer offsets"),
        ({"tokens": [[1]], "offsets": [0], "labels": []}, InvalidInput, "expected integer offsets"),
        ({"tokens": [["1"]], "offsets": [0, 1], "labels": ["a"]}, InvalidInput, "2-dimensional array of numbers"),
        ({"tokens": [[1]], "offsets": [0, 1]}, Malformed, "'target_offsets', 'targets', 'tokens'"),
        ({"tokens": [[1]], "offsets": [0, 1], "targets": [[1]]}, Malformed, "expected the arrays"),
        ({"tokens": [[1]], "offsets": [0, 1], "labels": ["a"], "more": [1]}, Malformed, "'labels'.*'more'"),
        (
            {"tokens": [[1]], "offsets": [0, 1], "targets": [1], "target_offsets": [0, 1]},
            InvalidInput,
            "targets: expected a 2-dimensional",
        ),
    ],
)
def test_archives_are_refused_with_their_array(
    arrays: dict[str, Any], error: type[Exception], said: str, tmp_path: Path
) -> None:
    np.savez(tmp_path / "d.npz", **{name: np.array(value) for name, value in arrays.items()})
    with pytest.raises(error, match=said) as caught:
        Dataset.read(tmp_path / "d.npz")
    assert type(caught.value) is error


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


DATA_HEADER = {"exactformer": "dataset", "version": [1, 0]}


def test_data_sets_in_three_formats_are_one(tmp_path: Path) -> None:
    labelled = Dataset.of([Sequence.of([[0, "1/2"], [2, 3]], label="cat"), Sequence.of([["0.25", 1]], label="dog")])
    sequences = [{"tokens": [[0, 0.5], ["2", 3]], "label": "cat"}, {"tokens": [["1/4", 1]], "label": "dog"}]
    as_json = Dataset.read(write(tmp_path / "d.json", {**DATA_HEADER, "sequences": sequences}))
    as_csv = Dataset.read(write(tmp_path / "d.csv", "sequence,label,x1,x2\n7,cat,0,0.5\n7,cat,2,3\n8,dog,1/4,1\n"))
    np.savez(
        tmp_path / "d.npz",
        tokens=np.array([[0, 0.5], [2, 3], [0.25, 1]]),
        offsets=np.array([0, 2, 3]),
        labels=np.array(["cat", "dog"]),
    )
    for data in (as_json, as_csv, Dataset.read(tmp_path / "d.npz")):
        assert data.labels == labelled.labels
        assert data.tokens == labelled.tokens
        assert data.offsets.tolist() == [0, 2, 3]
        assert [s.tokens.rows() for s in data] == [s.tokens.rows() for s in labelled]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({**DATA_HEADER, "sequences": []}, "at least one sequence"),
        ({**DATA_HEADER, "sequences": [{"tokens": [], "label": "a"}]}, r"sequences\[0\].tokens"),
        (
            {**DATA_HEADER, "sequences": [{"tokens": [[1]], "label": "a"}, {"tokens": [[1, 2]], "label": "a"}]},
            r"sequences\[1\].tokens\[0\]",
        ),
        (
            {**DATA_HEADER, "sequences": [{"tokens": [[1]], "label": "a"}, {"tokens": [[1]], "targets": [[1]]}]},
            r"sequences\[1\]",
        ),
        ({**DATA_HEADER, "sequences": [{"tokens": [[1]], "targets": []}]}, r"sequences\[0\].targets"),
        ({**DATA_HEADER, "sequences": [{"tokens": [[1]], "targets": [[1, 2]]}]}, "dimension"),
        ({**DATA_HEADER, "sequences": [{"tokens": [[1]], "label": 3}]}, "label: expected a string"),
        ({**DATA_HEADER, "sequences": [{"tokens": [["x"]], "label": "a"}]}, r"sequences\[0\].tokens\[0\]\[0\]"),
        ({**DATA_HEADER, "sequences": [{"tokens": [["1/0"]], "label": "a"}]}, "denominator"),
        ({**DATA_HEADER, "sequences": [{"tokens": [[1]], "label": "a", "weight": 1}]}, "weight"),
        ({**DATA_HEADER, "sequences": 5}, "sequences"),
        ({"exactformer": "dataset", "version": [1, 1], "sequences": []}, "version"),
    ],
)
def test_bad_data_sets(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises((InvalidInput, Malformed), match=message):
        Dataset.read(write(tmp_path / "d.json", content))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"tokens": np.ones((2, 1))}, "expected the arrays"),
        ({"tokens": np.ones(2), "offsets": np.array([0, 2]), "labels": np.array(["a"])}, "2-dimensional"),
        ({"tokens": np.ones((2, 1)), "offsets": np.array([0, 1]), "labels": np.array(["a"])}, "offsets"),
        ({"tokens": np.ones((2, 1)), "offsets": np.array([0, 2, 2]), "labels": np.array(["a", "b"])}, "sequence 1"),
        ({"tokens": np.array([[np.nan]]), "offsets": np.array([0, 1]), "labels": np.array(["a"])}, "finite"),
        (
            {"tokens": np.ones((1, 1)), "offsets": np.array([0, 1]), "labels": np.array([["a"]])},
            "one label per sequence",
        ),
    ],
)
def test_bad_npz(tmp_path: Path, arrays: dict[str, np.ndarray], message: str) -> None:
    np.savez(tmp_path / "d.npz", **arrays)
    with pytest.raises((InvalidInput, Malformed), match=message):
        Dataset.read(tmp_path / "d.npz")


def table(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


# ---------------------------------------------------------------- tables


def test_labels_that_only_some_sequences_have_are_left_out_where_none_is_needed(tmp_path: Path) -> None:
    some = table(tmp_path / "some.csv", "sequence,label,x1\na,p,1\nb,,2\n")
    every = table(tmp_path / "all.csv", "sequence,label,x1\na,p,1\nb,q,2\n")
    assert Dataset.read(some, labelled=False).labels is None
    assert Dataset.read(every, labelled=False).labels == ["p", "q"]
    for labelled in (True, None):
        with pytest.raises(InvalidInput, match="empty label"):
            Dataset.read(some, labelled=labelled)
    built = ef.construct(every)
    assert built.predict(some) == ["p", "q"]


@pytest.mark.parametrize("second", [{}, {"label": "q"}])
def test_labels_of_json_likewise(second: dict[str, str], tmp_path: Path) -> None:
    sequences = [{"tokens": [[1]], "label": "p"}, {"tokens": [[2]], **second}]
    path = table(tmp_path / "d.json", json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    assert Dataset.read(path, labelled=False).labels == (["p", "q"] if second else None)
    if not second:
        with pytest.raises(Malformed, match=r"sequences\[1\]"):
            Dataset.read(path, labelled=None)


@pytest.mark.parametrize("labelled", [True, None, False])
def test_targets_that_all_sequences_have_are_kept(labelled: bool | None, tmp_path: Path) -> None:
    data = Dataset.of([[[1]], [[2], [3]]], targets=[[[2]], [[3], [4]]])
    table(tmp_path / "d.json", json.dumps(data.json(), default=str))
    arrays = {"tokens": [[1], [2], [3]], "offsets": [0, 1, 3], "targets": [[2], [3], [4]], "target_offsets": [0, 1, 3]}
    np.savez(tmp_path / "d.npz", **{name: np.array(values) for name, values in arrays.items()})
    for name in ("d.json", "d.npz"):
        assert Dataset.read(tmp_path / name, labelled=labelled) == data


@pytest.mark.parametrize("place", [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (2, 0, 1), (2, 2, 0)])
def test_an_error_in_json_names_sequence_token_and_coordinate(place: tuple[int, int, int], tmp_path: Path) -> None:
    j, t, k = place
    sequences = [{"tokens": [[1, 2] for _ in range(n)], "targets": [[0, 0]]} for n in (2, 1, 3)]
    sequences[j]["tokens"][t][k] = "x"  # type: ignore[call-overload]
    path = table(tmp_path / "d.json", json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    with pytest.raises(InvalidInput, match=rf"sequences\[{j}\]\.tokens\[{t}\]\[{k}\]"):
        Dataset.read(path)
