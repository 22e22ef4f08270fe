"""Data sets from tables with one token per row: CSV files in their many habits, and data frames in the same shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput
from exactformer.io.delimited import Columns, columns_of, read_table
from exactformer.io.untyped import Untyped
from exactformer.model.dataset import Dataset, is_missing

PlaceOf = Callable[[int], str]


def read_csv(data: bytes, where: str, *, labelled: bool | None = True) -> Dataset:
    """The data set of a CSV file with the columns sequence, label and x1..xd, one token per row, in any order."""
    table = read_table(data, where)
    if not table.rows:
        raise InvalidInput(f"{where}: expected the header sequence,label,x1,..,xd and at least one row, got none")
    columns = columns_of(table.rows[0], f"{where}, line {table.lines[0]}")
    table.verify_width(len(columns.names), 1)
    if len(table.rows) == 1:
        raise InvalidInput(f"{where}: expected at least one row after the header, got none")

    def place(k: int) -> str:
        return f"{where}, line {table.lines[k + 1]}"

    names = [row[columns.sequence] for row in table.rows[1:]]
    labels = None if columns.label is None else [row[columns.label] for row in table.rows[1:]]
    groups = _Groups(names, columns, place)
    texts, number_place = table.numbers(columns.coordinates, columns.names, 1)
    return groups.dataset(State.of_flat(texts, len(columns.coordinates), number_place), labels, labelled)


def dataset_of_frame(frame: Untyped, *, labelled: bool | None = True) -> Dataset:
    """The data set of a pandas (or polars) DataFrame with the columns of the CSV file."""
    columns = columns_of([str(name) for name in frame.columns], "DataFrame")
    arrays = [np.asarray(frame[name]) for name in frame.columns]
    if not len(frame):
        raise InvalidInput("DataFrame: expected at least one row, got none")

    def place(k: int) -> str:
        return f"DataFrame, row {k}"

    names = [_text(value) for value in arrays[columns.sequence].tolist()]
    labels = None if columns.label is None else arrays[columns.label].tolist()
    groups = _Groups(names, columns, place)
    chosen = [arrays[c] for c in columns.coordinates]
    return groups.dataset(_frame_points(chosen, columns, place), labels, labelled)


def _frame_points(columns: list[Array], found: Columns, place: PlaceOf) -> State:
    """The rows of numeric columns as exact points; columns of text are read as exact numbers."""
    kinds = {column.dtype.kind for column in columns}
    if len(kinds) == 1 and kinds <= set("iuf"):
        array = np.column_stack(columns)
        bad = np.argwhere(~np.isfinite(array)) if kinds == {"f"} else ()
        for i, j in bad:
            name = found.names[found.coordinates[j]]
            raise InvalidInput(f"{place(int(i))}, column {name}: expected a finite number, got {array[i, j]}")
        return State.of(array)
    width = len(columns)
    flat = [value for row in zip(*(column.tolist() for column in columns), strict=True) for value in row]
    return State.of_flat(
        flat, width, lambda k: f"{place(k // width)}, column {found.names[found.coordinates[k % width]]}"
    )


def _text(value: object) -> str:
    """A name or label as text; nothing for a missing value."""
    return "" if is_missing(value) else str(value).strip()


class _Groups:
    """Rows gathered into sequences: those with the same name, in the order in which they stand."""

    def __init__(self, names: list[str], columns: Columns, place: PlaceOf) -> None:
        if "" in names:
            column = f", column {columns.sequence + 1} (sequence)"
            raise InvalidInput(
                f"{place(names.index(''))}{column}: expected the name of a sequence, got an empty field; "
                "write it in every row"
            )
        known: dict[str, int] = {}
        ids = np.array([known.setdefault(name, len(known)) for name in names])
        self.columns, self.place, self.names, self.ids = columns, place, list(known), ids
        self.order = np.argsort(ids, kind="stable")
        self.offsets = np.concatenate([[0], np.cumsum(np.bincount(ids))])

    def dataset(self, points: State, labels: Sequence[object] | None, labelled: bool | None) -> Dataset:
        """The data set of the rows' points and labels."""
        columns = self.columns
        if labels is None and labelled:
            got = ",".join(columns.names)[:80]
            known = [n for n in columns.names if n.lower() in ("class", "target", "y", "category", "labels")]
            remedy = f"rename the column {known[0]!r} to label" if known else "add a column label"
            raise InvalidInput(f"{self.place(0)}: expected a label of every sequence, got the columns {got}; {remedy}")
        if labels is not None and labelled is False and not all(map(_text, labels)):
            labels = None
        remarks = tuple(f"left out the column {name or 'without a name'}" for name in columns.ignored)
        return Dataset.of_stacked(
            points.take(self.order),
            self.offsets,
            labels=None if labels is None else self._labels(labels),
            names=self.names,
            remarks=remarks,
        )

    def _labels(self, labels: Sequence[object]) -> list[object]:
        """One label a sequence; its rows must agree."""
        column = f", column {(self.columns.label or 0) + 1} (label)"
        first: dict[int, object] = {}
        for k, (j, label) in enumerate(zip(self.ids.tolist(), labels, strict=True)):
            if not _text(label):
                raise InvalidInput(
                    f"{self.place(k)}{column}: sequence {self.names[j]!r} has an empty label: is it missing? "
                    "Write it, or a word such as none if having no label is a class of its own"
                )
            if first.setdefault(j, label) != label:
                raise InvalidInput(
                    f"{self.place(k)}{column}: expected the label {first[j]!r} that sequence {self.names[j]!r} has, "
                    f"got {label!r}"
                )
        return list(first.values())
