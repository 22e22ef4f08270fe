"""Sequences and token systems, in the certificate and in the caller's own file (FORMAT.md, sections 2, 3, 4, 7)."""

import json
import os
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from .envelope import Reader, Vector, count, exact_keys, holds, items, parse, unique, well_formed, within

Sequence = tuple[list[Vector], frozenset[Vector], str | None]  # tokens, targets (empty: not given), label
System = tuple[list[Vector], Fraction, list[Vector]]  # A, a = alpha/(1+alpha), tokens
USER = re.compile(r"[+-]?[0-9]+(?:/0*[1-9][0-9]*|(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?)")


FORGIVING = json.JSONDecoder(object_pairs_hook=unique, parse_int=str, parse_float=str, parse_constant=str)


def amounts(rows: Any, reader: Reader) -> list[Vector]:
    """The exact values of rows of numbers in the caller's file."""
    for text in [text for row in items(rows) for text in items(row)]:
        well_formed(type(text) is str and USER.fullmatch(text) is not None, f"data file: no number: {text!r:.60}")
        within(len(text), reader.limits.digits, "digits")
    ratios = [zip(*[Fraction(text).as_integer_ratio() for text in row]) for row in rows]
    return [reader.over_common(*row) for row in ratios]


def load(path: str, kind: str, reader: Reader) -> dict[str, Any]:
    """The caller's JSON file of the given kind, its numbers not yet read."""
    within(os.path.getsize(path), reader.limits.bytes, "bytes")
    with open(path, "rb") as stream:
        content = parse(stream.read(), FORGIVING)
    good = type(content) is dict and content.pop("exactformer", None) == kind
    well_formed(good and content.pop("version", None) == ["1", "0"], f"data file: no {kind} file of version [1,0]")
    return content  # type: ignore[no-any-return]


def user_sequences(path: str, reader: Reader) -> list[Sequence]:
    rows, found = items(exact_keys(load(path, "dataset", reader), "sequences")["sequences"]), []
    labels = type(rows[0]) is dict and "label" in rows[0]
    for row in rows:
        exact_keys(row, "tokens", "label" if labels else "targets")
        well_formed(not labels or type(row["label"]) is str, "data file: a label is no string")
        targets = frozenset() if labels else frozenset(amounts(row["targets"], reader))
        found.append((amounts(row["tokens"], reader), targets, row.get("label")))
    return found


def sequences(reader: Reader, total: int, data: str | None, *kinds: set[str]) -> Iterator[Sequence]:
    """The sequence lines; all have the keys of one kind, labels and targets correspond, and they are the caller's."""
    mine = [] if data is None else user_sequences(data, reader)
    holds(data is None or len(mine) == total, "the data file has another number of sequences")
    keys, targets_of, label_of = set[str](), dict[str, frozenset[Vector]](), dict[frozenset[Vector], str]()
    for j in range(total):
        row = reader.value(subject=True)
        keys = keys or next((kind for kind in kinds if type(row) is dict and row.keys() > kind), kinds[0])
        exact_keys(row, "sequence", "tokens", *keys)
        count(row["sequence"], j, j + 1)
        tokens, label, given = reader.vectors(row["tokens"]), row.get("label"), "targets" in keys
        targets = frozenset(reader.vectors(row["targets"]) if given else ())
        well_formed(not given or len(targets) == len(row["targets"]), "a target stands twice")
        good = "label" not in keys or (type(label) is str and not any("\ud800" <= c <= "\udfff" for c in label))
        well_formed(good, "a label is a string without lone surrogates")
        if keys == {"label", "targets"}:
            holds(targets_of.setdefault(label, targets) == targets, "equal labels have different targets")
            holds(label_of.setdefault(targets, label) == label, "different labels have equal targets")
        if data is not None:
            holds(mine[j][0] == tokens, f"sequence {j}: the data file has other tokens")
            holds(mine[j][1] == targets or not mine[j][1], f"sequence {j}: the data file has other targets")
            holds(mine[j][2] in (None, label), f"sequence {j}: the data file has another label")
        yield tokens, targets, label


def system(reader: Reader, n: int, data: str | None) -> System:
    """The system line, and that it is the caller's."""
    rows, step, points = reader.line("A", "alpha", "tokens", subject=True)
    A, alpha, tokens = reader.vectors(rows, reader.dim), reader.number(step), reader.vectors(points, n)
    holds(alpha > 0, "alpha must be positive")
    if data is not None:
        identity = [[str(int(i == j)) for j in range(reader.dim)] for i in range(reader.dim)]
        mine = exact_keys({"A": identity, "alpha": "1", **load(data, "tokens", reader)}, "A", "alpha", "tokens")
        holds(amounts(mine["A"], reader) == A, "the data file has another A")
        holds(amounts([[mine["alpha"]]], reader) == [alpha.as_integer_ratio()], "the data file has another alpha")
        holds(amounts(mine["tokens"], reader) == tokens, "the data file has other tokens")
    return A, alpha / (1 + alpha), tokens
