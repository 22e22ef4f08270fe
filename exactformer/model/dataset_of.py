"""A data set from what a user has in memory: arrays, lists, a 3-D array, a DataFrame, a path, or Sequences."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State, array_of
from exactformer.errors import InvalidInput
from exactformer.io.untyped import Given
from exactformer.model.dataset import Dataset, Sequence


def dataset_of(
    sequences: object,
    labels: object = None,
    *,
    targets: object = None,
    names: object = None,
    labelled: bool | None = None,
) -> Dataset:
    """The data set `Dataset.of` promises; `labelled` as in `Dataset.read`, for paths and data frames."""
    labelled = labelled if labels is None and targets is None else False
    if isinstance(sequences, Dataset):
        return _answered(sequences, labels, targets, names)
    if isinstance(sequences, (str, os.PathLike)):
        read = Dataset.read(sequences, labelled=labelled)
        return _verified(read, _answered(read, labels, targets, names))
    if hasattr(sequences, "columns") and hasattr(sequences, "__getitem__"):
        from exactformer.model.dataset_csv import dataset_of_frame

        read = dataset_of_frame(sequences, labelled=labelled)
        return _verified(read, _answered(read, labels, targets, names))
    listed = _listed(sequences)
    if listed and _is_row(listed[0]):
        raise InvalidInput(
            f"expected a list of sequences, got rows of numbers, as one sequence of length {len(listed)} has; "
            "for one sequence x write [x]; reshape(-1, 1) makes numbers tokens of dimension 1"
        )
    if listed and all(isinstance(s, Sequence) for s in listed):
        return _answered(_of_sequences(listed), labels, targets, names)
    tokens, offsets = _stacked(listed, "sequences")
    return _answered(Dataset(tokens, offsets), labels, targets, names)


def _answered(data: Dataset, labels: object, targets: object, names: object) -> Dataset:
    """The data with the labels, targets and names given, where they are."""
    if names is not None:
        if not isinstance(names, Iterable):
            raise InvalidInput(f"names: expected a list with a name for every sequence, got {names!r:.60}")
        data = replace(data, names=[str(name) for name in names])
    if labels is not None and targets is not None:
        raise InvalidInput("expected labels or targets, got both")
    if labels is not None or targets is not None:
        data = replace(data, label_texts=None, values=None, targets=None, target_offsets=None)
    if labels is not None:
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise InvalidInput(f"labels: expected a list with a label for every sequence, got {labels!r:.60}")
        return Dataset.of_stacked(data.tokens, data.offsets, list(labels), names=data.names, remarks=data.remarks)
    if targets is None:
        return data
    points, offsets = _stacked([_one_or_more(t) for t in _listed(targets)], "targets")
    return replace(data, targets=points, target_offsets=offsets)


def _verified(read: Dataset, made: Dataset) -> Dataset:
    """`made`; raises InvalidInput where its labels were given and differ from those that were read."""
    own, given = read.label_texts, made.label_texts
    if own is not None and given is not None and own != given:
        j = next(j for j, (a, b) in enumerate(zip(own, given, strict=True)) if a != b)
        raise InvalidInput(
            f"labels: {made.called(j)} has the label {own[j]!r} in the data, got {given[j]!r}; "
            "leave out `labels`, or drop the column of the data"
        )
    return made


def _listed(sequences: object) -> list[Given]:
    """The sequences one by one: the first axis of an array, or what an iterable yields."""
    if hasattr(sequences, "__array__") and not isinstance(sequences, np.ndarray):
        sequences = array_of(sequences)
    if isinstance(sequences, np.ndarray) and sequences.dtype.kind in "iuf" and sequences.ndim not in (2, 3):
        raise InvalidInput(
            f"sequences: expected a 3-dimensional array (sequence, token, coordinate), got shape {sequences.shape}"
        )
    if isinstance(sequences, (bytes, Mapping)) or not isinstance(sequences, Iterable):
        raise InvalidInput(
            f"expected a list of arrays, a 3-D array, a DataFrame, a path or a Dataset, got {type(sequences).__name__}"
        )
    return list(sequences)


def _is_row(part: object) -> bool:
    """Whether a part is a token, a row of numbers, where a sequence is expected."""
    if isinstance(part, np.ndarray):
        return part.ndim == 1 and part.dtype.kind in "iuf"
    return isinstance(part, (list, tuple)) and _is_point(list(part))


def _one_or_more(points: Given) -> Given:
    """A set of points; one point alone, a list of numbers, as the set of it."""
    rows = points if isinstance(points, (np.ndarray, State)) else list(points)
    single = rows.ndim == 1 if isinstance(rows, np.ndarray) else not isinstance(rows, State) and _is_point(rows)
    return [rows] if single else rows


def _is_point(rows: list[object]) -> bool:
    return bool(rows) and (isinstance(rows[0], str) or not isinstance(rows[0], Iterable))


def _stacked(parts: list[Given], where: str) -> tuple[State, Array]:
    """(all points over one denominator, where each part starts)."""
    if not parts:
        raise InvalidInput("expected at least one sequence, got none")
    if all(isinstance(p, np.ndarray) and p.ndim == 2 and p.dtype == parts[0].dtype and p.size for p in parts):
        offsets = np.concatenate([[0], np.cumsum([len(p) for p in parts])])
        kind = parts[0].dtype.kind
        if len({p.shape[1] for p in parts}) == 1 and (kind in "iu" or (kind == "f" and all(map(_finite, parts)))):
            return State.of(np.concatenate(parts), where), offsets
    return stack([State.of(p, f"{where}[{j}]") for j, p in enumerate(parts)], where)


def _finite(array: Array) -> bool:
    return bool(np.isfinite(array).all())


def stack(states: list[State], where: str) -> tuple[State, Array]:
    """(the points of all states over one denominator, where each state starts)."""
    dims = [s.dim for s in states]
    for j, dim in enumerate(dims):
        if dim != dims[0]:
            raise InvalidInput(f"{where}[{j}]: expected dimension {dims[0]} as in sequence 0, got {dim}")
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in states])]).astype(np.int64)
    if len({s.denominator for s in states}) == 1 and all(s.is_rational for s in states):
        return State(np.concatenate([s.array for s in states]), states[0].denominator).reduced(), offsets
    return State.of([row for s in states for row in s], where), offsets


def _of_sequences(listed: list[Sequence]) -> Dataset:
    """The data set of Sequences, which have all labels, or all targets, or none of either."""
    labels, targets = [s.label is not None for s in listed], [s.targets is not None for s in listed]
    if any(labels) != all(labels) or any(targets) != all(targets) or (all(labels) and all(targets)):
        raise InvalidInput("expected a label for every sequence, or targets for every sequence, not a mixture")
    tokens, offsets = stack([s.tokens for s in listed], "sequences")
    names = [str(s.name) for s in listed] if all(s.name is not None for s in listed) else None
    if all(targets):
        points, target_offsets = stack([s.targets for s in listed if s.targets is not None], "targets")
        return Dataset(tokens, offsets, targets=points, target_offsets=target_offsets, names=names)
    return Dataset.of_stacked(tokens, offsets, [s.label for s in listed] if all(labels) else None, names=names)
