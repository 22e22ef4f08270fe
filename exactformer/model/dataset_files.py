"""Reading data sets from JSON, CSV and NPZ files, exactly."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import numpy as np

from exactformer.arithmetic.integers import Array, narrowed
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput, Malformed
from exactformer.io.file_kind import file_kind
from exactformer.io.json_lines import JsonObject, PathLike, read_arrays, read_bytes, strict_json, verify_header
from exactformer.io.untyped import JsonValue
from exactformer.model.dataset import Dataset
from exactformer.model.dataset_csv import read_csv


def read_dataset(path: PathLike, *, labelled: bool | None = True) -> Dataset:
    """The data set of a JSON, CSV or NPZ file.

    `labelled` says that every sequence must have a label or targets; None, that all or none have; False, that they
    are left out unless all have.
    """
    kind = file_kind(path)
    if kind == "csv":
        return read_csv(read_bytes(path), _called(path), labelled=labelled)
    if kind in ("npy", "npz"):
        return _read_npz(path, labelled)
    sequences = _sequences(path)
    answered = any(isinstance(s, dict) and s.keys() & {"label", "targets"} for s in sequences)
    if labelled or (labelled is None and answered):
        return dataset_of_json(sequences, _called(path))
    return _unlabelled(sequences, _called(path))


def _called(path: PathLike) -> str:
    return "standard input" if str(path) == "-" else str(path)


def _unlabelled(sequences: list[JsonObject], where: str) -> Dataset:
    """The data set of sequences of which every one, or not, has a label or targets; what only some have is left out."""
    for j, s in enumerate(sequences):
        if not isinstance(s, dict) or "tokens" not in s or not s.keys() <= {"tokens", "label", "targets"}:
            raise Malformed(f"{where}, sequences[{j}]: expected the key tokens, and label or targets where known")
    if any(all(s.keys() == {"tokens", known} for s in sequences) for known in ("label", "targets")):
        return dataset_of_json(sequences, where)
    return Dataset(*_pack([s["tokens"] for s in sequences], "tokens", where))


def _sequences(path: PathLike) -> list[JsonObject]:
    where = str(path)
    content = strict_json(read_bytes(path), where)
    if not isinstance(content, dict):
        raise Malformed(f'{where}: expected a data set {{"exactformer": "dataset", ..}}, got {type(content).__name__}')
    verify_header(content, "dataset", where)
    if set(content) != {"exactformer", "version", "sequences"} or not isinstance(content["sequences"], list):
        raise Malformed(
            f"{where}: expected the keys exactformer, version and sequences (a list), got {sorted(content)}"
        )
    sequences: list[JsonObject] = content["sequences"]
    if not sequences:
        raise InvalidInput(f"{where}: expected at least one sequence, got none")
    return sequences


def dataset_of_json(sequences: list[JsonObject], where: str) -> Dataset:
    """The data set of a list of {"tokens": .., "targets": ..} or {"tokens": .., "label": ..}."""
    second = _second_key(sequences, where)
    tokens, offsets = _pack([s["tokens"] for s in sequences], "tokens", where)
    values = [s[second] for s in sequences]
    if second == "targets":
        targets, target_offsets = _pack(values, "targets", where)
        return Dataset(tokens, offsets, targets=targets, target_offsets=target_offsets)
    for j, label in enumerate(values):
        if not isinstance(label, str):
            raise Malformed(f"{where}, sequences[{j}].label: expected a string, got {label!r:.60}")
    return Dataset(tokens, offsets, label_texts=values)


def _second_key(sequences: list[JsonObject], where: str) -> str:
    """ "label" or "targets": what every sequence has beside its tokens."""
    first = sequences[0]
    second = "targets" if isinstance(first, dict) and "targets" in first else "label"
    wanted = {"tokens", second}
    for j, s in enumerate(sequences):
        if not isinstance(s, dict) or s.keys() != wanted:
            got = sorted(s) if isinstance(s, dict) else type(s).__name__
            raise Malformed(
                f"{where}, sequences[{j}]: expected the keys tokens and {second} as in sequence 0"
                f" (every sequence has targets, or every one a label), got {got}"
            )
    return second


def _pack(parts: list[JsonValue], what: str, where: str) -> tuple[State, Array]:
    """All points of all sequences over one denominator, and where each sequence starts."""
    for j, part in enumerate(parts):
        if not isinstance(part, list) or not part or not all(isinstance(row, list) for row in part):
            got = "an empty list" if part == [] else f"{part!r:.60}"
            raise InvalidInput(f"{where}, sequences[{j}].{what}: expected a nonempty list of points, got {got}")
    rows = list(chain.from_iterable(parts))
    lengths = [len(part) for part in parts]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    place = _place(offsets, what, where)
    width = len(rows[0])
    if not width or any(len(row) != width for row in rows):
        k = next((k for k, row in enumerate(rows) if len(row) != width), 0)
        raise InvalidInput(
            f"{place(k)}: expected {width or 'at least one'} coordinates as in the first point, got {len(rows[k])}"
        )
    flat = list(chain.from_iterable(rows))
    return State.of_flat(flat, width, lambda k: f"{place(k // width)}[{k % width}]"), offsets


def _place(offsets: Array, what: str, where: str) -> Callable[[int], str]:
    def place(k: int) -> str:
        j = int(np.searchsorted(offsets, k, side="right")) - 1
        return f"{where}, sequences[{j}].{what}[{k - int(offsets[j])}]"

    return place


def _read_npz(path: PathLike, labelled: bool | None) -> Dataset:
    """The data set of an NPZ file: tokens, offsets, and labels or targets with target_offsets."""
    arrays = read_arrays(path, "an NPZ file")
    if not isinstance(arrays, dict):
        raise Malformed(f"{path}: expected an NPZ file, got a single array; these are tokens, for simulate and limit")
    wanted = (
        {"tokens", "offsets", "labels"} if "labels" in arrays else {"tokens", "offsets", "targets", "target_offsets"}
    )
    if set(arrays) != wanted and (labelled or set(arrays) != {"tokens", "offsets"}):
        raise Malformed(f"{path}: expected the arrays {sorted(wanted)}, got {sorted(arrays)}")
    tokens, offsets = _points(arrays["tokens"], f"{path}, tokens"), _offsets(arrays["offsets"], f"{path}, offsets")
    if "labels" in arrays:
        if arrays["labels"].ndim != 1:
            raise InvalidInput(f"{path}, labels: expected one label per sequence, got shape {arrays['labels'].shape}")
        return Dataset.of_stacked(tokens, offsets, labels=arrays["labels"].tolist())
    if "targets" not in arrays:
        return Dataset(tokens, offsets)
    targets = _points(arrays["targets"], f"{path}, targets")
    return Dataset(
        tokens, offsets, targets=targets, target_offsets=_offsets(arrays["target_offsets"], f"{path}, offsets")
    )


def _points(array: Array, where: str) -> State:
    if array.ndim != 2 or array.dtype.kind not in "iuf":
        raise InvalidInput(
            f"{where}: expected a 2-dimensional array of numbers, got {array.dtype} of shape {array.shape}"
        )
    return State.of(array, where)


def _offsets(array: Array, where: str) -> Array:
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) < 2:
        raise InvalidInput(f"{where}: expected integer offsets 0, .., number of rows, got {array.dtype} {array.shape}")
    return narrowed(array)
