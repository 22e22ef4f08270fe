"""Tests of `exactformer.model.dataset`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput
from exactformer.model.dataset import Dataset, Sequence

F = Fraction


HALF = Fraction(1, 2)


def test_the_file_form_of_a_data_set_reads_back(tmp_path: Path) -> None:
    import json

    data = Dataset.of([Sequence.of([[HALF, 2]], [[1, 1], [0, -1]]), Sequence.of([[0, 0], [3, 1]], [[5, HALF]])])
    path = tmp_path / "data.json"
    path.write_text(json.dumps(data.json(), default=str), "utf-8")
    again = Dataset.read(path)
    assert again.tokens == data.tokens
    assert again.targets == data.targets
    assert again.offsets.tolist() == [0, 1, 3]
    assert again.target_offsets is not None
    assert again.target_offsets.tolist() == [0, 2, 3]


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


DATA_HEADER = {"exactformer": "dataset", "version": [1, 0]}


def test_targets_and_positions(tmp_path: Path) -> None:
    sequences = [{"tokens": [[0], [1]], "targets": [["1/2"]]}, {"tokens": [[1], [0]], "targets": [[3], [4]]}]
    data = Dataset.read(write(tmp_path / "d.json", {**DATA_HEADER, "sequences": sequences}))
    assert data.targets_of(1).rows() == [(Fraction(3),), (Fraction(4),)]
    placed = data.with_positions()
    assert placed[1].tokens.rows() == [(1, 0), (0, 1)]
    assert placed.targets_of(0).rows() == [(Fraction(1, 2), 0)]


# ---------------------------------------------------------------- data in memory


def test_targets_divided_otherwise_are_other_data() -> None:
    one, other = ([[[1], [2]], [[3]]], [[[1]], [[2], [3]]])
    assert Dataset.of([[[0]], [[1]]], targets=one) != Dataset.of([[[0]], [[1]]], targets=other)
    assert Dataset.of([[[0]], [[1]]], targets=one) == Dataset.of([[[0]], [[1]]], targets=one, names=["a", "b"])
    assert Dataset.of([[[0], [1]], [[1]]]) != Dataset.of([[[0]], [[1], [1]]])
    assert Dataset.of([[[0]]], labels=["a"]) != Dataset.of([[[0]]])


def test_words_about_data_count_what_they_leave_out() -> None:
    data = Dataset.of([[[k], [k]] for k in range(9)], labels=[f"c{k}" for k in range(8)] + ["c0"])
    assert repr(data).endswith("labels 'c0' x2, 'c1', 'c2', 'c3', 'c4', 'c5' and 2 more)")
    assert "(0) .." in data._repr_html_()
    assert "(0) .." not in Dataset.of([[[0]]])._repr_html_()
    many = Dataset.of([[[k]] for k in range(45)])
    assert "5 more sequences" in many._repr_html_()


def test_subsets_stand_over_their_own_denominator() -> None:
    data = Dataset.of([[["1/3"]], [[1], [2]]], targets=[[["1/5"]], [[4]]])
    part = data[1:]
    assert (part.tokens.denominator, part.targets.denominator if part.targets else 0) == (1, 1)
    assert part[0].tokens.rows() == [(1,), (2,)]
    assert data[np.array([1, 0])][1].tokens.rows() == [(F(1, 3),)]


# ---------------------------------------------------------------- data sets


def test_positions_are_counted_within_each_sequence() -> None:
    data = Dataset.of([Sequence.of([["1/2"], [3], [3]], [["1/3"]]), Sequence.of([[5]], [[1], [2]])]).with_positions()
    assert [s.tokens.rows() for s in data] == [
        [(F(1, 2), 0), (F(3), 1), (F(3), 2)],
        [(F(5), 0)],
    ]
    assert data.targets_of(0).rows() == [(F(1, 3), 0)]
    assert data.targets_of(1).rows() == [(F(1), 0), (F(2), 0)]
    labelled = Dataset.of([Sequence.of([[1], [2]], label="a")]).with_positions()
    assert labelled.labels == ["a"]
    assert labelled.dim == 2


def test_sequences_are_indexed_from_both_ends() -> None:
    data = Dataset.of([Sequence.of([[k]], label=str(k)) for k in range(3)])
    assert [data[-1].label, data[0].label, data[2].label] == ["2", "0", "2"]
    for j in (3, -4):
        with pytest.raises(IndexError):
            data[j]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Dataset.of([]),
        lambda: Dataset.of([Sequence.of([[1]], label="a"), Sequence.of([[1]], [[1]])]),
        lambda: Dataset.of([Sequence.of([[1]], [[1]], label="a")]),
        lambda: Dataset.of([Sequence.of([[1]], [[1, 2]])]),
        lambda: Dataset.of([Sequence.of([[1]], [[1]]), Sequence.of([[1, 2]], [[1]])]),
        lambda: Dataset.of([Sequence.of([[1]], label="\ud800")]),
        lambda: Dataset(State.of([[1], [2]]), np.array([0, 1]), label_texts=["a"]),
        lambda: Dataset(State.of([[1], [2]]), np.array([1, 2]), label_texts=["a"]),
        lambda: Dataset(State.of([[1], [2]]), np.array([0, 0, 2]), label_texts=["a", "b"]),
        lambda: Dataset(State.of([[1], [2]]), np.array([0, 2]), label_texts=["a", "b"]),
        lambda: Dataset(State.of([[1]]), np.array([0, 1]), targets=State.of([[1]])),
        lambda: Dataset(State.of([[1]]), np.array([0, 1]), targets=State.of([[1]]), target_offsets=np.array([0, 0, 1])),
        lambda: Dataset.of([Sequence.of([[1]], label="a")]).targets_of(0),
    ],
    ids=range(13),
)
def test_data_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput):
        wrong()


# ---------------------------------------------------------------- data


def test_labels_written_alike_are_refused_and_values_come_back() -> None:
    data = Dataset.of([[[0]], [[1]], [[2]]], labels=[1, 2, 1])
    assert (data.label_texts, data.values) == (["1", "2", "1"], {"1": 1, "2": 2})
    with pytest.raises(InvalidInput, match=r"labels\[2\]: '1' and 1 are written alike"):
        Dataset.of([[[0]], [[1]], [[2]]], labels=[1, 2, "1"])
    with pytest.raises(InvalidInput, match=r"labels\[1\]: expected one label per sequence, got \[2\]"):
        Dataset.of([[[0]], [[1]]], labels=[1, [2]])
    with pytest.raises(InvalidInput, match="expected 2 labels, one per sequence, got 3"):
        Dataset.of([[[0]], [[1]]], labels=[1, 2, 3])
    with pytest.raises(InvalidInput, match="expected 1 names, one per sequence, got 2"):
        Dataset.of([[[0]]], names=["a", "b"])


def test_words_about_data_sets() -> None:
    for data, words in (
        (Dataset.of([[[0]]]), "1 sequence of 1 token in dimension 1, without labels"),
        (Dataset.of([[[0, 1], [1, 1]], [[1, 2]]]), "2 sequences of 1..2 tokens in dimension 2, without labels"),
        (Dataset.of([[[0]], [[1]]], targets=[[[1], [2]], [[3]]]), "2 sequences of 1 token in dimension 1, 3 targets"),
        (Dataset.of([[[0]]], labels=["x"]), "1 sequence of 1 token in dimension 1, label 'x'"),
    ):
        assert repr(data) == f"Dataset({words})"
    data = Dataset.of([[[0]], [[1]], [[2]]])
    assert (data.called(2), data.called(0, 2)) == ("sequence 2", "sequences 0 and 2")


def test_parts_of_data_sets_keep_what_belongs_to_them() -> None:
    data = Dataset.of(
        [[[F(k, 2)]] * (k + 1) for k in range(5)], targets=[[[k]] * (5 - k) for k in range(5)], names="abcde"
    )
    for chosen, wanted in (
        (slice(None, None, -2), [4, 2, 0]),
        ([3, 0, 3], [3, 0, 3]),
        (np.array([True, False, False, True, False]), [0, 3]),
        (slice(1, 3), [1, 2]),
    ):
        part = data[chosen]
        assert part.names == ["abcde"[k] for k in wanted]
        assert [s.tokens.rows() for s in part] == [[(F(k, 2),)] * (k + 1) for k in wanted]
        assert [s.targets.rows() for s in part if s.targets] == [[(k,)] * (5 - k) for k in wanted]
    with pytest.raises(InvalidInput, match="at least one of the 5 sequences"):
        data[5:]
    labelled = Dataset.of([[[k]] for k in range(3)], labels=list("xyz"))
    assert labelled[[2, 1]].labels == ["z", "y"]
    assert hash(labelled) == hash(Dataset.of([[[k]] for k in range(3)]))
    assert labelled.json()["sequences"][1] == {"tokens": [[1]], "label": "y"}
    assert Sequence.of([[1], [2]], [["1/2"]], name="n").targets == State.of([["1/2"]])


ROWS = [[[0, 0.5], [2, 3]], [[0.25, 1]], [[1, 1], [0, 0]]]


LABELS = ["cat", "dog", "cat"]


DATA = ef.Dataset.of([ef.Sequence.of(rows, label=label) for rows, label in zip(ROWS, LABELS, strict=True)])


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
