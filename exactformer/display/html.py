"""Exact numbers, points and tables as HTML, for notebooks and pages; long ones are cut.

`html` is the one place where text becomes HTML: whatever is put into a template is escaped, unless it is markup
that came out of a template itself.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from html import escape
from string import Formatter
from typing import LiteralString

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.short_text import MOST, show
from exactformer.arithmetic.text import Exact
from exactformer.display.plain_text import visible
from exactformer.io.canonical import canonical

#: characters of the longest text that stands in a title
TITLE = 2000
#: longer numbers are folded away behind their leading digits; still longer ones are given by their leading digits only
FOLD = 12
DIGITS = 400
#: rows shown of a table
ROWS = 40


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


class _Escaping(Formatter):
    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, Markup) and not format_spec:
            return value
        return escape(visible(format(value, format_spec), keep="\n\t"))


def html(template: LiteralString, **values: object) -> Markup:
    """The template with its fields {name} filled in: text escaped, markup as it is.

    >>> html('<b title="{how}">{text}</b>', how='"x"', text="<i>")
    '<b title="&quot;x&quot;">&lt;i&gt;</b>'
    """
    return Markup(_Escaping().format(template, **values))


def join(parts: Iterable[Markup]) -> Markup:
    """Pieces of HTML one after the other."""
    return Markup("".join(parts))


def json_content(value: object) -> Markup:
    """JSON for a <script type="application/json">: no `<` in it, so that nothing in it ends the script."""
    return Markup(json.dumps(value).replace("<", "\\u003c"))


def asset(text: str) -> Markup:
    """A style sheet or script of the package itself, as it is."""
    return Markup(text)


def number(value: Exact | int) -> str:
    """The canonical text of an exact number, or an approximation with its number of digits if it is long.

    >>> number(Fraction(6, 5)), number(Fraction(10**400 + 1, 3))
    ('6/5', '~inf (402 digits)')
    """
    text = whole(value)
    if len(text) <= DIGITS:
        return text
    return f"~{float_of(value):.6g} ({len(text.replace('/', '').replace('-', ''))} digits)"


def whole(value: Exact | int) -> str:
    """All digits of an exact number."""
    return str(value) if isinstance(value, Algebraic) else canonical(value)


def short(value: Exact | int) -> str:
    """The canonical text of an exact number of at most FOLD characters; its leading digits after ~ otherwise.

    >>> short(Fraction(6, 5)), short(Fraction(10**20 + 1, 3 * 10**20))
    ('6/5', '~0.333333')
    """
    text = whole(value)
    return text if len(text) <= FOLD else f"~{float_of(value):.6g}"


def point_text(row: Iterable[Exact | int]) -> str:
    """A point as (x, y, ..)."""
    return f"({', '.join(map(number, row))})"


def cell(value: object) -> Markup:
    """The HTML of a cell: markup as it is, exact numbers and points set as numbers, everything else as text."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, Fraction):
        return _folded(short(value), number(value))
    if isinstance(value, tuple) and value and all(isinstance(v, (Fraction, Algebraic)) for v in value):
        return _folded(f"({', '.join(map(short, value))})", point_text(value))
    if isinstance(value, int) and abs(value) >= 10**DIGITS:
        return html("{value}", value=show(value))
    try:
        return html("{value}", value=str(value))
    except ValueError:  # Python does not write integers beyond some digits, 4,300 unless it was told otherwise
        return html("{value}", value=show(value))


def _folded(brief: str, full: str) -> Markup:
    """A number, or a short form of it that unfolds to the whole."""
    if brief == full:
        return html('<span class="number">{full}</span>', full=full)
    return html(
        '<details class="number"><summary>{brief}</summary>{full}</details>',
        brief=brief,
        full=full,
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, name: str = "") -> Markup:
    """A table of at most ROWS rows; it says how many were left out."""
    listed = list(rows)
    head = join(html("<th>{column}</th>", column=column) for column in columns if any(columns))
    body = join(
        html("<tr>{cells}</tr>", cells=join(html("<td>{cell}</td>", cell=cell(value)) for value in row))
        for row in listed[:ROWS]
    )
    return html(
        '<div class="scroll"><table{identity}>{head}{body}</table></div>{rest}',
        identity=html(' data-table="{name}"', name=name) if name else "",
        head=html("<tr>{head}</tr>", head=head) if head else "",
        body=body,
        rest=html('<p class="soft">{left} more rows.</p>', left=len(listed) - ROWS) if len(listed) > ROWS else "",
    )


def listed(content: Mapping[str, object]) -> Markup:
    """Plain data as a table of two columns: objects and lists of objects as tables of their own, long lists cut.

    >>> listed({"runs": [{"eps": 1}]}).count("<table")
    2
    """
    return table(["", ""], [(key, _nested(value)) for key, value in content.items()])


def _nested(value: object) -> object:
    if isinstance(value, Mapping):
        return listed(value)
    if not isinstance(value, (list, tuple)):
        return value
    if value and all(isinstance(v, Mapping) for v in value):
        columns = list(dict.fromkeys(key for v in value for key in v))
        return table(columns, [[_nested(v.get(key, "")) for key in columns] for v in value])
    exact = isinstance(value, tuple) and all(isinstance(v, Fraction) for v in value)  # folds, as numbers do
    return value if exact and len(value) <= MOST else show(value, most=MOST)


def download(name: str, content: bytes, kind: str = "application/jsonl") -> Markup:
    """A link that holds the file itself."""
    return html(
        '<a download="{name}" href="data:{kind};base64,{data}">{name}</a> ({size:,} bytes)',
        name=name,
        kind=kind,
        data=base64.b64encode(content).decode(),
        size=len(content),
    )
