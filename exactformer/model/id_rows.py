"""Inputs of trained networks: rows of token ids, from a text table, from JSON, or from texts and a tokeniser."""

from __future__ import annotations

import re

from exactformer.errors import InvalidInput, Malformed, MissingExtra
from exactformer.io.delimited import read_table
from exactformer.io.file_kind import file_kind
from exactformer.io.json_lines import PathLike, read_bytes, strict_json

_ID = re.compile(r"\d{1,7}", re.ASCII)


def read_id_rows(path: PathLike) -> list[list[int]]:
    """The rows of ids of a CSV file (one input a row, lengths may differ) or of a JSON file `[[ids], ..]`.

    Whether a network takes them is for `Network.verify_ids` to say. Raises InvalidInput with the place of what is not
    an id, or where there is no row.
    """
    kind = file_kind(path)
    if kind not in ("csv", "json"):
        raise InvalidInput(f"{path}: expected ids as CSV or JSON, got {kind}")
    rows = _of_text(path) if kind == "csv" else _of_json(path)
    if not rows:
        raise InvalidInput(f"{path}: expected at least one input, a row of token ids, got none")
    return rows


def read_texts(path: PathLike, tokenizer: PathLike) -> list[list[int]]:
    """The rows of ids that a tokeniser gives to the lines of a text file; its marks included, nothing padded or cut.

    `tokenizer` is a file of the library tokenizers, tokenizer.json. Empty lines are left out.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as problem:
        raise MissingExtra("tokenizers is not installed: pip install 'exactformer[text]'") from problem
    content, lines = read_bytes(tokenizer), _lines(path)
    try:
        found = Tokenizer.from_buffer(content)
    except Exception as problem:  # the library raises Exception itself
        raise Malformed(f"{tokenizer}: expected a tokenizer.json, got {str(problem)[:80]!r}") from problem
    found.no_padding()
    found.no_truncation()
    encoded = [(k, found.encode(line)) for k, line in enumerate(lines, 1) if line.strip()]
    if not encoded:
        raise InvalidInput(f"{path}: expected at least one line of text, got none")
    for k, one in encoded:
        if not one.ids or any(one.type_ids):
            raise InvalidInput(
                f"{path}, line {k}: expected ids of one token type, got {one.ids[:8]} {one.type_ids[:8]}"
            )
    return [list(one.ids) for _, one in encoded]


def _lines(path: PathLike) -> list[str]:
    try:
        return read_bytes(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise Malformed(f"{path}: expected a text file (UTF-8) with one text a line, got other bytes") from None


def _of_text(path: PathLike) -> list[list[int]]:
    table = read_table(read_bytes(path), str(path))
    rows = []
    for line, row in zip(table.lines, table.rows, strict=True):
        while row and not row[-1]:  # shorter rows of a spreadsheet end in empty fields
            row = row[:-1]
        for column, field in enumerate(row, 1):
            if not _ID.fullmatch(field):
                raise InvalidInput(f"{path}, line {line}, column {column}: expected a token id, got {field!r:.40}")
        rows.append([int(field) for field in row])
    return rows


def _of_json(path: PathLike) -> list[list[int]]:
    found = strict_json(read_bytes(path), str(path))
    if not isinstance(found, list):
        raise Malformed(f"{path}: expected rows of ids such as [[1, 2], [3]], got {type(found).__name__}")
    for i, row in enumerate(found):
        if not isinstance(row, list):
            raise Malformed(f"{path}, input {i}: expected a list of token ids, got {row!r:.40}")
        for j, value in enumerate(row):
            if type(value) is not int or not 0 <= value < 10**7:
                raise InvalidInput(f"{path}, input {i}, id {j}: expected a token id, got {value!r:.40}")
    return found
