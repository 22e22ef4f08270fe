"""Reviews as text: CSV or TSV tables `label,text`, and the folder `aclImdb` of the Large Movie Review Dataset."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from exactformer.errors import InvalidInput, Malformed
from exactformer.model.json_lines import read_bytes

#: how a label may be written, in lower case -> whether it is positive
LABELS = {"pos": True, "positive": True, "1": True, "neg": False, "negative": False, "0": False}
_FIELD = 10_000_000


def table_rows(path: Path) -> Iterator[tuple[bool, str]]:
    """(is positive, text) for every row of a CSV or TSV file; a first row `label,text` is a header."""
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    stream = io.StringIO(_text(read_bytes(path), str(path)), newline="")
    previous = csv.field_size_limit(_FIELD)
    try:
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        for row in reader:
            if not row or (reader.line_num == 1 and _is_header(row)):
                continue
            yield _row(row, f"{path}, line {reader.line_num}", delimiter)
    except csv.Error as problem:
        raise Malformed(f"{path}: expected a table label,text, got {problem}") from problem
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


def _row(row: list[str], where: str, delimiter: str) -> tuple[bool, str]:
    if len(row) != 2:
        quoting = "; a text with commas stands in quotation marks" if delimiter == "," else ""
        raise Malformed(f"{where}: expected two fields, label and text, got {len(row)}{quoting}")
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
