"""Series: z_0, .., z_{T-1} in Q^d, one time step per row, read as the numbers that are written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from warnings import warn

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput
from exactformer.io.delimited import Table, is_name, read_table
from exactformer.io.json_lines import PathLike, read_bytes, reading_file
from exactformer.io.untyped import Given

_MISSING = {"", "na", "nan", "null", "none", "missing", "?", "-"}
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}:\d{2}(:\d{2}.*)?")


@dataclass(frozen=True)
class Series:
    """The rows of a series, exact, with the names of its columns where the file has them."""

    state: State
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: Given, names: Sequence[str] = ()) -> Series:
        """The series of rows of numbers, of an array or data frame (exact dyadics), of a file, or of numbers for d = 1.

        >>> Series.of([1, 1, 2, 3, 5]).dim
        1
        """
        if isinstance(rows, Series):
            return rows
        if isinstance(rows, (str, os.PathLike)):
            return cls.read(rows, names)
        framed = hasattr(rows, "columns") and hasattr(rows, "to_numpy")
        if framed:
            rows, names = rows.to_numpy(), names or [str(name) for name in rows.columns]
        if isinstance(rows, np.ndarray):
            rows = rows.reshape(-1, 1) if rows.ndim == 1 else rows
        elif not isinstance(rows, State):
            if not isinstance(rows, Iterable):
                raise InvalidInput(f"series: expected rows of numbers, an array, a frame or a file, got {rows!r:.60}")
            rows = [row if isinstance(row, (list, tuple)) else [row] for row in rows]
        state = State.of(rows, "series")
        if not state.is_rational:
            raise InvalidInput("series: expected rational numbers, got an algebraic one; write it as a decimal or p/q")
        series = cls(state, tuple(names))
        if framed and series.counter is not None:
            warn(f"column {names[series.counter]!r} only counts the rows and is used as data; drop it", stacklevel=2)
        return series

    @classmethod
    def read(cls, path: PathLike, columns: Sequence[str] = ()) -> Series:
        """The series of a CSV file, one time step per row, with or without a row of names.

        `columns` are those to use, each by its name or its number from 1; all of them unless given.
        """
        with reading_file(path):
            return _series(read_table(read_bytes(path), str(path)), columns)

    @property
    def counter(self) -> int | None:
        """The first column that only counts the rows (equal steps that are not 0), beside others that do not.

        >>> Series.of([[0, 5], [1, 7], [2, 4]]).counter
        0
        """
        counts = [k for k in range(self.dim) if _counts(self.state.numerators[:, k].tolist())]
        return counts[0] if counts and len(counts) < self.dim else None

    def __len__(self) -> int:
        return len(self.state)

    @property
    def dim(self) -> int:
        """The dimension d of a row."""
        return self.state.dim

    def rows(self) -> list[tuple[Fraction, ...]]:
        """The rows as exact numbers."""
        below = self.state.denominator
        return [tuple(Fraction(x, below) for x in row) for row in self.state.numerators.tolist()]

    def floats(self) -> Array:
        """The rows in float64 (not exact)."""
        return self.state.floats()

    def verify_length(self, window: int, needed: int) -> None:
        """Raises InvalidInput unless the series has at least so many rows."""
        if len(self) < needed:
            raise InvalidInput(
                f"series: expected at least {needed} rows for a window of {window}, got {len(self)}; "
                "choose a smaller window or give more rows"
            )


def _counts(column: list[int]) -> bool:
    steps = {later - former for former, later in pairwise(column)}
    return len(column) > 2 and len(steps) == 1 and steps != {0}


def _series(table: Table, wanted: Sequence[str]) -> Series:
    header = bool(table.rows) and any(map(is_name, table.rows[0])) and not _is_missing(table.rows[0])
    names, first = (table.rows[0] if header else []), int(header)
    if len(table.rows) == first:
        raise InvalidInput(f"{table.where}: expected at least one row of numbers, got none")
    width = len(table.rows[0])
    table.verify_width(width, first)
    columns = [_column(table.where, names, width, text) for text in wanted] or [*range(width)]
    _verify_fields(table, names, columns, first)
    texts, place = table.numbers(columns, names, first)
    return Series(State.of_flat(texts, len(columns), place), tuple(names[k] for k in columns) if names else ())


def _column(where: str, names: list[str], width: int, text: str) -> int:
    """The index of a column, by its name or its number from 1."""
    if text in names:
        return names.index(text)
    if text.isascii() and text.isdecimal() and 1 <= int(text) <= width:
        return int(text) - 1
    known = f"a name ({', '.join(names[:8])}) or " if names else ""
    raise InvalidInput(f"column: expected {known}a number from 1 to {width}, got {text!r:.60} for {where}")


def _is_missing(row: list[str]) -> bool:
    return any(field.lower() in _MISSING for field in row)


def _verify_fields(table: Table, names: list[str], columns: list[int], first: int) -> None:
    """Raises InvalidInput at the first missing value or date, with what to do about it."""
    for line, row in zip(table.lines[first:], table.rows[first:], strict=True):
        for column in columns:
            field = row[column]
            place = f"{table.where}, line {line}, column {column + 1}" + (f" ({names[column]})" if names else "")
            if field.lower() in _MISSING:
                raise InvalidInput(
                    f"{place}: expected a number, got the missing value {field!r}; a series has no gaps: leave out the "
                    "rows before or after it, or fill it in"
                )
            if _DATE.fullmatch(field):
                raise InvalidInput(
                    f"{place}: expected a number, got the date or time {field!r}; rows are equidistant time steps: "
                    "leave out the column of times (choose the others with `column`)"
                )
