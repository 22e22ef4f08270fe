"""Tables as a person sees them, taken apart again: the same command asked for a table and for --json."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from exactformer.cli.main import code


class Shown(NamedTuple):
    """A table on stdout: the lines before it, its columns, its rows (all blanks taken out) and the lines after it."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    note: str


class Asked(NamedTuple):
    """What a command answers with --json, and what it prints without: the tables, all of stdout, all of stderr."""

    answer: Any
    tables: list[Shown]
    out: str
    err: str


def asked(capsys: pytest.CaptureFixture[str], *command: object, exit_code: int = 0) -> Asked:
    """Asks both ways; both have the same exit code."""
    given = [str(word) for word in command]
    capsys.readouterr()
    assert code([*given, "--json"]) == exit_code
    answer = json.loads(capsys.readouterr().out)
    assert code(given) == exit_code
    said = capsys.readouterr()
    return Asked(answer, tables_of(said.out), said.out, said.err)


def flat(value: object) -> str:
    """A text without blanks: lines of a cell are broken anywhere."""
    return "".join(str(value).split())


def point(coordinates: list[Any]) -> str:
    """A list of numbers as tables show it."""
    return flat(f"({', '.join(map(str, coordinates))})")


def tables_of(out: str) -> list[Shown]:
    """The tables of an output; a line whose first cell is empty goes on with the row above it."""
    found: list[Shown] = []
    before: list[str] = []
    for line in out.splitlines():
        cells = [flat(cell) for cell in line.strip("│┃").split("┃" if line[:1] == "┃" else "│")]
        if line[:1] == "┏":
            found.append(Shown("\n".join(before), [], [], ""))
            before = []
        elif line[:1] == "┃":
            columns = found[-1].columns
            columns[:] = [a + b for a, b in zip(columns, cells, strict=True)] if columns else cells
        elif line[:1] == "│" and found[-1].rows and not cells[0]:
            found[-1].rows[-1] = [a + b for a, b in zip(found[-1].rows[-1], cells, strict=True)]
        elif line[:1] == "│":
            found[-1].rows.append(cells)
        elif line[:1] not in ("┡", "└"):
            before.append(line)
            if found:
                found[-1] = found[-1]._replace(note="\n".join(before))
    return found
