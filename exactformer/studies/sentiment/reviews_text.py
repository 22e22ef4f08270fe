"""Reviews as text: CSV or TSV tables `label,text`, and the folder `aclImdb` of the Large Movie Review Dataset."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.json_lines import read_bytes

#: how a label may be written, in lower case -> whether it is positive
LABELS = {"pos": True, "positive": True, "1": True, "neg": False, "negative": False, "0": False}
_FIELD = 10_000_000


def table_rows(path: Path) -> Iterator[tuple[bool, str]]:
    """(is positive, text) for every row of a CSV or TSV file; a first row `label,text` is a header."""
    text, where = _text(read_bytes(path), str(path)), str(path)
    tabs = path.suffix.lower() == ".tsv"
    for line, row in _tab_separated(text) if tabs else _comma_separated(text, where):
        if row and not (line == 1 and _is_header(row)):
            yield _row(row, f"{where}, line {line}", tabs)


def _tab_separated(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line, fields) for every line: a review is one line, and quotation marks in it are characters of the text."""
    for line, content in enumerate(text.split("\n"), 1):
        content = content.removesuffix("\r")
        yield line, [_unquoted(field) for field in content.split("\t")] if content else []


def _unquoted(field: str) -> str:
    """The content of a field that is quoted as a whole, every other one as it is.

    >>> [_unquoted(text) for text in ('"a ""b"" c"', '"a" and "b"', 'the 7" disc', '"')]
    ['a "b" c', '"a" and "b"', 'the 7" disc', '"']
    """
    whole = re.fullmatch(r'"((?:[^"]|"")*)"', field)
    return whole[1].replace('""', '"') if whole else field


def _comma_separated(text: str, where: str) -> Iterator[tuple[int, list[str]]]:
    previous = csv.field_size_limit(_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as problem:
        raise Malformed(
            f"{where}, line {reader.line_num}: expected a row label,text, got {problem}; a text with quotation marks "
            "stands between two of them, those inside doubled, or use tabs (.tsv), where they are plain characters"
        ) from problem
    finally:
        csv.field_size_limit(previous)


def folder_rows(path: Path) -> Iterator[tuple[bool, str]]:
    """(is positive, text) for every file of aclImdb/{train,test}/{neg,pos}, in the order of their numbers."""
    folders = [path / part / name for part in ("train", "test") for name in ("neg", "pos")]
    missing = [folder for folder in folders if not folder.is_dir()]
    if missing:
        raise InvalidInput(f"{path}: expected the folders train/neg, train/pos, test/neg, test/pos; no {missing[0]}")
    for folder in folders:
        for file in sorted(folder.glob("*.txt"), key=_number):
            yield folder.name == "pos", _text(read_bytes(file), str(file))


def _row(row: list[str], where: str, tabs: bool) -> tuple[bool, str]:
    if len(row) != 2:
        remedy = "one review a line, tabs and line breaks in a text as blanks" if tabs else "quote a text with commas"
        raise Malformed(f"{where}: expected two fields, label and text, got {len(row)}; {remedy}")
    label = row[0].strip().lower()
    if label not in LABELS:
        raise InvalidInput(f"{where}: expected a label pos/neg, positive/negative or 1/0, got {row[0]!r:.40}")
    return LABELS[label], row[1]


def _is_header(row: list[str]) -> bool:
    return len(row) == 2 and row[0].strip().lower() not in LABELS and row[1].strip().lower() in ("text", "review")


def _text(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Malformed(f"{where}: expected text in UTF-8, got {problem}; convert it with iconv -t UTF-8") from problem


def _number(file: Path) -> tuple[int, str]:
    head = file.stem.partition("_")[0]
    return (int(head) if head.isascii() and head.isdigit() and len(head) < 16 else 0, file.stem)
