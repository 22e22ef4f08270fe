"""Exact numbers, points and tables as HTML, for notebooks and pages; long ones are cut."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.text import canonical

#: longer numbers are shortened; the whole point stands in the title of its cell, unless it is very long
DIGITS = 36
TITLE = 2000
#: rows shown of a table
ROWS = 40


@dataclass(frozen=True)
class Markup:
    """Text that is HTML already."""

    text: str


def number(value: Any) -> str:
    """The canonical text of an exact number, or an approximation with its number of digits if it is long.

    >>> number(Fraction(6, 5)), number(Fraction(10**40 + 1, 3))
    ('6/5', '~3.33333e+39 (42 digits)')
    """
    text = whole(value)
    if len(text) <= DIGITS:
        return text
    return f"~{_approx(value)} ({len(text.replace('/', '').replace('-', ''))} digits)"


def whole(value: Any) -> str:
    """All digits of an exact number."""
    return str(value) if isinstance(value, Algebraic) else canonical(value)


def _approx(value: Any) -> str:
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "infinity"


def point(row: Iterable[Any]) -> str:
    """A point as (x, y, ..)."""
    return f"({', '.join(map(number, row))})"


def cell(value: Any) -> str:
    """The HTML of a cell: markup as it is, exact numbers and points set as numbers, everything else as text."""
    if isinstance(value, Markup):
        return value.text
    if isinstance(value, Fraction):
        return f'<span class="number">{escape(number(value))}</span>'
    if isinstance(value, tuple) and value and all(isinstance(v, (Fraction, Algebraic)) for v in value):
        full = ", ".join(map(whole, value))
        title = f' title="{escape(full)}"' if DIGITS < len(full) < TITLE else ""
        return f'<span class="number"{title}>{escape(point(value))}</span>'
    return escape(str(value))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, name: str = "") -> str:
    """A table of at most ROWS rows; it says how many were left out."""
    listed = list(rows)
    head = f"<tr>{''.join(f'<th>{escape(c)}</th>' for c in columns)}</tr>" if any(columns) else ""
    body = "".join(f"<tr>{''.join(f'<td>{cell(v)}</td>' for v in row)}</tr>" for row in listed[:ROWS])
    identity = f' data-table="{name}"' if name else ""
    rest = f'<p class="soft">{len(listed) - ROWS} more rows.</p>' if len(listed) > ROWS else ""
    return f'<div class="scroll"><table{identity}>{head}{body}</table></div>{rest}'


def download(name: str, content: bytes, kind: str = "application/jsonl") -> Markup:
    """A link that holds the file itself."""
    data = base64.b64encode(content).decode()
    size = f"{len(content):,} bytes"
    return Markup(f'<a download="{escape(name)}" href="data:{kind};base64,{data}">{escape(name)}</a> ({size})')
