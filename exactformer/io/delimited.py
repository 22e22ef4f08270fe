"""Text tables as people save them: separated by commas, semicolons, tabs or blanks, decimals with point or comma.

What can mean one thing only is read; what cannot is answered with the line, the column and the remedy.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from exactformer.errors import InvalidInput, Malformed

_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?(/\d+)?", re.ASCII)
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_VALUE = re.compile(r"(sqrt|sin|cos)\s*\(|pi\s*[-+*/]|(pi|nan|na|inf|infinity|true|false|null|none)$", re.IGNORECASE)


@dataclass(frozen=True)
class Table:
    """The rows of a file that are not blank, fields without surrounding blanks, each with its line (from 1)."""

    where: str
    separator: str
    lines: list[int]
    rows: list[list[str]]

    def verify_width(self, width: int, first: int = 0) -> None:
        """Raises InvalidInput at the first row, from row `first` on, without exactly `width` fields."""
        for line, row in zip(self.lines[first:], self.rows[first:], strict=True):
            if len(row) != width:
                raise InvalidInput(
                    f"{self.where}, line {line}: expected {width} fields as in the first row, got {len(row)}"
                    + self._remedy(row, width)
                )

    def _remedy(self, row: list[str], width: int) -> str:
        if self.separator == "," and len(row) > width:
            return "; numbers with decimal commas need columns separated by semicolons or tabs, or decimal points"
        return f"; the columns of this file are separated by {_NAMES[self.separator]}"

    def numbers(self, columns: list[int], names: list[str], first: int = 0) -> tuple[list[str], Callable[[int], str]]:
        """(texts, place): the fields of the columns row by row, decimal commas as points; place(k) words where k is."""

        def place(k: int) -> str:
            row, column = divmod(k, len(columns))
            at = columns[column]
            name = f" ({names[at]})" if names else ""
            return f"{self.where}, line {self.lines[first + row]}, column {at + 1}{name}"

        texts = [row[c] for row in self.rows[first:] for c in columns]
        if "" in texts:
            raise InvalidInput(f"{place(texts.index(''))}: expected a number, got an empty field")
        return (self._with_points(texts, place) if any("," in t for t in texts) else texts), place

    def _with_points(self, texts: list[str], place: Callable[[int], str]) -> list[str]:
        first = next(k for k, text in enumerate(texts) if "," in text)
        if self.separator == ",":
            raise InvalidInput(
                f"{place(first)}: {texts[first]!r} may be a decimal or thousands in a file separated by commas; "
                "write a decimal point, or separate the columns by semicolons"
            )
        for k, text in enumerate(texts):
            if "," in text and not _COMMA.fullmatch(text):
                raise InvalidInput(f"{place(k)}: expected a number such as 1,5 or 1.5, got {text!r:.60}")
            if "." in text:
                raise InvalidInput(
                    f"{place(k)}: got the decimal point of {text!r:.60}, but {place(first)} has a decimal comma; "
                    "write all numbers of a file one way, without thousands"
                )
        return [text.replace(",", ".") for text in texts]


def read_table(data: bytes, where: str) -> Table:
    """The table of a text file; Malformed where it is no UTF-8 text."""
    try:
        text = data.decode("utf-8-sig")
        separator = _separator(text)
        pairs = list(_rows(text, separator))
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise Malformed(
            f"{where}, line {line}: expected CSV text in UTF-8, got {problem.reason}; save it as UTF-8"
        ) from problem
    except csv.Error as problem:
        raise Malformed(f"{where}: expected CSV text in UTF-8, got {problem}") from problem
    return Table(where, separator, [line for line, _ in pairs], [row for _, row in pairs])


def _separator(text: str) -> str:
    """What separates the columns: ; tab | or a comma of the first line that is not blank, or blanks between numbers.

    >>> _separator("alpha lift\\n 8.2 0.90\\n"), _separator("a b,c\\n1 2,3\\n")
    (' ', ',')
    """
    lines = [re.sub(r'"[^"]*"', "", line) for line in text.splitlines()[:100] if line.strip()][:2]
    first = lines[0] if lines else ""
    for separator in (";", "\t", "|", ","):
        if separator in first:
            return separator
    fields = lines[-1].split() if lines else []  # of the second line: the first one may have names
    return " " if len(first.split()) == len(fields) > 1 and all(map(_PLAIN.fullmatch, fields)) else ","


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    if separator == " ":
        yield from ((k, line.split()) for k, line in enumerate(text.splitlines(), 1) if line.strip())
        return
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    for row in reader:
        fields = [field.strip() for field in row]
        if any(fields):
            yield reader.line_num, fields


def is_name(field: str) -> bool:
    """Whether a field names a column: it starts with a letter and is no value, such as nan or sqrt(2)."""
    return (field[:1].isalpha() or field[:1] == "_") and not _VALUE.match(field)


@dataclass(frozen=True)
class Columns:
    """Which columns of a table of sequences hold what; `ignored` are names of columns that are left out."""

    names: list[str]
    sequence: int
    label: int | None
    coordinates: list[int]
    ignored: list[str]


def columns_of(header: list[str], where: str) -> Columns:
    """The columns sequence, label and x1..xd (or every other one) of a header, in any order.

    >>> found = columns_of(["label", "x2", "x1", "sequence", "time"], "data.csv")
    >>> found.sequence, found.label, found.coordinates, found.ignored
    (3, 0, [2, 1], ['time'])
    """
    names = [name.strip() for name in header]
    lower = [name.lower() for name in names]
    wanted = "expected the header sequence,label,x1,..,xd in any order"
    for name, times in Counter(lower).items():
        if name and times > 1:
            raise Malformed(f"{where}: {wanted}, got the column {name!r} {times} times")
    if "sequence" not in lower:
        raise Malformed(f"{where}: {wanted}, got {','.join(names)[:80]!r}{_hint(lower)}")
    sequence = lower.index("sequence")
    label = lower.index("label") if "label" in lower else None
    others = [k for k in range(len(names)) if k not in (sequence, label)]
    numbers = sorted((int(m[1]), k) for k in others if (m := re.fullmatch(r"x_?(\d{1,9})", lower[k])))
    numbered, coordinates = [i for i, _ in numbers], [k for _, k in numbers]
    if numbered and numbered not in ([*range(len(numbered))], [*range(1, len(numbered) + 1)]):
        got = ",".join(names[k] for k in coordinates)
        raise Malformed(f"{where}: expected the coordinates x1,..,xd without a gap and each once, got {got[:80]}")
    if not numbered:  # coordinates with names of their own; a column without a name is an index someone saved along
        coordinates = [k for k in others if lower[k] and not lower[k].startswith("unnamed:")]
    if not coordinates:
        raise Malformed(f"{where}: {wanted}, got no coordinate in {','.join(names)[:80]!r}")
    taken = set(coordinates)
    return Columns(names, sequence, label, coordinates, [names[k] for k in others if k not in taken])


def _hint(lower: list[str]) -> str:
    if any(map(_PLAIN.fullmatch, lower)):
        return "; the first row must name the columns (tokens alone, without sequences, are for simulate and limit)"
    near = [n for n in lower if n in ("id", "seq", "sequence_id", "sequences", "series", "sample", "group")]
    if near:
        return f"; rename the column {near[0]!r} to sequence"
    return "; one row per token, with the name of its sequence in the column sequence"
