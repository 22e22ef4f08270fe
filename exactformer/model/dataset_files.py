"""Reading data sets from JSON, CSV and NPZ files, exactly."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from exactformer.arithmetic.integers import Array, shrink
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import exact_integers
from exactformer.errors import InvalidInput, Malformed
from exactformer.model.dataset import Dataset
from exactformer.model.json_lines import PathLike, read_arrays, read_bytes, strict_json, verify_header


def read_tokens(path: PathLike) -> tuple[State, Array]:
    """(tokens, offsets) of a data set file whose sequences need neither labels nor targets."""
    if str(path).lower().endswith((".csv", ".npz")):
        data = Dataset.read(path)
        return data.tokens, data.offsets
    sequences = _sequences(path)
    for j, s in enumerate(sequences):
        if not isinstance(s, dict) or "tokens" not in s or not s.keys() <= {"tokens", "label", "targets"}:
            raise Malformed(f"{path}, sequences[{j}]: expected the key tokens (label and targets are ignored)")
    return _pack([s["tokens"] for s in sequences], "tokens", str(path))


def read_json(path: PathLike) -> Dataset:
    """The data set of a JSON file: {"exactformer": "dataset", "version": [1, 0], "sequences": [..]}."""
    return dataset_of_json(_sequences(path), str(path))


def _sequences(path: PathLike) -> list[Any]:
    where = str(path)
    content = strict_json(read_bytes(path), where)
    if not isinstance(content, dict):
        raise Malformed(f'{where}: expected a data set {{"exactformer": "dataset", ..}}, got {type(content).__name__}')
    verify_header(content, "dataset", where)
    if set(content) != {"exactformer", "version", "sequences"} or not isinstance(content["sequences"], list):
        raise Malformed(
            f"{where}: expected the keys exactformer, version and sequences (a list), got {sorted(content)}"
        )
    sequences: list[Any] = content["sequences"]
    if not sequences:
        raise InvalidInput(f"{where}: expected at least one sequence, got none")
    return sequences


def dataset_of_json(sequences: list[Any], where: str) -> Dataset:
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
    return Dataset(tokens, offsets, labels=values)


def _second_key(sequences: list[Any], where: str) -> str:
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


def _pack(parts: list[Any], what: str, where: str) -> tuple[State, Array]:
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
    read = exact_integers(flat, lambda k: f"{place(k // width)}[{k % width}]")
    if read is None:
        return State.of(rows, what), offsets
    return State(_integers(read[0]).reshape(-1, width), read[1]).reduced(), offsets


def _place(offsets: Array, what: str, where: str) -> Callable[[int], str]:
    def place(k: int) -> str:
        j = int(np.searchsorted(offsets, k, side="right")) - 1
        return f"{where}, sequences[{j}].{what}[{k - int(offsets[j])}]"

    return place


def _integers(values: list[int]) -> Array:
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array


def read_csv(path: PathLike) -> Dataset:
    """The data set of a CSV file with the columns sequence,label,x1,..,xd, one token a row."""
    where = str(path)
    try:
        reader = csv.reader(io.StringIO(read_bytes(path).decode("utf-8-sig")))
        header = next(reader, [])
        rows = [(reader.line_num, row) for row in reader if "".join(row).strip()]
    except (UnicodeDecodeError, csv.Error) as problem:
        raise Malformed(f"{where}: expected CSV text in UTF-8, got {problem}") from problem
    names = [name.strip().lower() for name in header]
    if names[:2] != ["sequence", "label"] or len(names) < 3:
        raise Malformed(f"{where}, line 1: expected the header sequence,label,x1,..,xd, got {','.join(header)[:80]!r}")
    tokens: dict[str, list[list[str]]] = {}
    labels: dict[str, str] = {}
    for number, row in rows:
        if len(row) != len(names):
            raise InvalidInput(f"{where}, line {number}: expected {len(names)} fields as in the header, got {len(row)}")
        name, label = row[0].strip(), row[1].strip()
        if labels.setdefault(name, label) != label:
            raise InvalidInput(
                f"{where}, line {number}: expected the label {labels[name]!r} that sequence {name!r} has, got {label!r}"
            )
        tokens.setdefault(name, []).append([field.strip() for field in row[2:]])
    if not tokens:
        raise InvalidInput(f"{where}: expected at least one row after the header, got none")
    packed, offsets = _pack(list(tokens.values()), "tokens", where)
    return Dataset(packed, offsets, labels=list(labels.values()))


def read_npz(path: PathLike) -> Dataset:
    """The data set of an NPZ file: tokens, offsets, and labels or targets with target_offsets."""
    arrays = read_arrays(path, "an NPZ file")
    if not isinstance(arrays, dict):
        raise Malformed(f"{path}: expected an NPZ file, got a single array")
    wanted = (
        {"tokens", "offsets", "labels"} if "labels" in arrays else {"tokens", "offsets", "targets", "target_offsets"}
    )
    if set(arrays) != wanted:
        raise Malformed(f"{path}: expected the arrays {sorted(wanted)}, got {sorted(arrays)}")
    tokens, offsets = _points(arrays["tokens"], f"{path}, tokens"), _offsets(arrays["offsets"], f"{path}, offsets")
    if "labels" in arrays:
        if arrays["labels"].ndim != 1:
            raise InvalidInput(f"{path}, labels: expected one label a sequence, got shape {arrays['labels'].shape}")
        return Dataset(tokens, offsets, labels=[str(label) for label in arrays["labels"].tolist()])
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
    return shrink(array)
