"""The answer of a verb on stdout: as JSON, or as the lines and tables that a person reads."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import click

from exactformer.cli.common import echo
from exactformer.display.plain_text import visible

if TYPE_CHECKING:
    from rich.text import Text


@dataclass(frozen=True)
class AnswerTable:
    """Rows below the names of their columns, between a title and a note."""

    title: str
    columns: Sequence[str]
    rows: Iterable[Sequence[object]]
    note: str = ""


#: what a person reads: lines and tables, made only when they are printed
Shown: TypeAlias = Iterable[str | AnswerTable]


def present(as_json: bool, answer: object | Callable[[], object], shown: Shown) -> None:
    """The answer on stdout, as one JSON value (given, or made when it is asked for) or as a person reads it."""
    if as_json:
        print_json(answer() if callable(answer) else answer)
    else:
        print_shown(shown)


def print_shown(shown: Shown) -> None:
    """Lines and tables on stdout."""
    for part in shown:
        if isinstance(part, AnswerTable):
            _print_table(part)
        else:
            echo(part)


def print_json(answer: object) -> None:
    """One JSON value on stdout; exact numbers as canonical text, algebraic ones in their output form."""
    from exactformer.arithmetic.algebraic import json_number

    click.echo(json.dumps(answer, default=json_number))


def _print_table(shown: AnswerTable) -> None:
    """A table on stdout; plain where stdout is not a terminal or NO_COLOR is set."""
    from rich.console import Console
    from rich.table import Table

    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 120, highlight=False)
    # a title of the table itself would be broken at the table's width
    console.print(_text(shown.title, keep="\n"), style="bold")
    table = Table(header_style="bold")
    for column in shown.columns:
        table.add_column(_text(column), overflow="fold")
    for row in shown.rows:
        table.add_row(*(_text(show(cell)) for cell in row))
    console.print(table)
    if shown.note:
        console.print(_text(shown.note, keep="\n"))


def _text(text: str, keep: str = "") -> Text:
    """A cell that shows its text as it is: brackets are no markup, colons no emoji, control characters visible."""
    from rich.text import Text

    return Text(visible(text, keep=keep))


def show(value: object, *, digits: int = 24) -> str:
    """A short text of a value: long exact numbers are cut and followed by an approximation."""
    if isinstance(value, str):
        return value
    from exactformer.arithmetic.short_text import show as shown

    return shown(value, digits=digits)
