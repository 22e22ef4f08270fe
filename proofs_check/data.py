"""Sequences and token systems, in the certificate and in the caller's own file (FORMAT.md, sections 2, 3, 4, 7)."""

import json
import os
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from .envelope import Reader, Refusal, Vector, exact_keys, holds, items, numbered, parse, unique, well_formed, within

USER = re.compile(r"[+-]?[0-9]+(?:/[0-9]+|(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?)")


class Sequence(NamedTuple):
    tokens: list[Vector]
    targets: frozenset[Vector] | None
    label: str | None


class System(NamedTuple):
    A: list[Vector]
    alpha: Fraction
    tokens: list[Vector]


class Raw(str):
    """A JSON number as written, told apart from a JSON string."""


FORGIVING = json.JSONDecoder(object_pairs_hook=unique, parse_int=Raw, parse_float=Raw, parse_constant=Raw)


def amount(text: Any, reader: Reader) -> Fraction:
    """The exact value of a number in the caller's file."""
    well_formed(isinstance(text, str) and USER.fullmatch(text) is not None, f"data file: no number: {text!r:.60}")
    within(len(text), reader.limits.digits, "digits")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):  # more digits than Python converts, or p/0
        raise Refusal("malformed", f"data file: no number: {text!r:.60}") from None


def amounts(rows: Any, reader: Reader) -> list[Vector]:
    ratios = [[amount(text, reader).as_integer_ratio() for text in items(row)] for row in items(rows)]
    return [reader.over_common([p for p, _ in row], [q for _, q in row]) for row in ratios]


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
        targets = None if labels else frozenset(amounts(row["targets"], reader))
        found.append(Sequence(amounts(row["tokens"], reader), targets, row.get("label")))
    return found


def sequences(reader: Reader, total: int, data: str | None, *kinds: set[str]) -> Iterator[Sequence]:
    """The sequence lines; all have the keys of one kind, labels and targets correspond, and they are the caller's."""
    mine = None if data is None else user_sequences(data, reader)
    holds(mine is None or len(mine) == total, "the data file has another number of sequences")
    keys: set[str] = set()
    targets_of: dict[str, frozenset[Vector]] = {}
    label_of: dict[frozenset[Vector], str] = {}
    for j in range(total):
        row = reader.value(subject=True)
        keys = keys or next((kind for kind in kinds if type(row) is dict and row.keys() > kind), kinds[0])
        exact_keys(row, "sequence", "tokens", *keys)
        numbered(row["sequence"], j)
        tokens, label = reader.vectors(row["tokens"]), row.get("label")
        targets = frozenset(reader.vectors(row["targets"])) if "targets" in keys else None
        well_formed(targets is None or len(targets) == len(row["targets"]), "a target stands twice")
        if "label" in keys:
            well_formed(type(label) is str and not any("\ud800" <= c <= "\udfff" for c in label), "no label")
        if targets is not None and label is not None:
            holds(targets_of.setdefault(label, targets) == targets, "equal labels have different targets")
            holds(label_of.setdefault(targets, label) == label, "different labels have equal targets")
        if mine is not None:
            holds(mine[j].tokens == tokens, f"sequence {j}: the data file has other tokens")
            holds(mine[j].targets in (None, targets), f"sequence {j}: the data file has other targets")
            holds(mine[j].label in (None, label), f"sequence {j}: the data file has another label")
        yield Sequence(tokens, targets, label)


def system(reader: Reader, n: int, data: str | None) -> System:
    """The system line (A, alpha, tokens), and that it is the caller's."""
    A, alpha, tokens = reader.line("A", "alpha", "tokens", subject=True)
    found = System(reader.vectors(A, reader.dim), reader.number(alpha), reader.vectors(tokens, n))
    holds(found.alpha > 0, "alpha must be positive")
    if data is not None:
        identity = [[str(int(i == j)) for j in range(reader.dim)] for i in range(reader.dim)]
        content = {"A": identity, "alpha": "1", **load(data, "tokens", reader)}
        exact_keys(content, "A", "alpha", "tokens")
        mine = (amounts(content["A"], reader), amount(content["alpha"], reader), amounts(content["tokens"], reader))
        holds(mine == found, "the data file has another A, alpha or tokens")
    return found
