"""Whether a Rocq file about a recogniser says what its certificate says: an independent reading of both.

Nothing here is shared with the writer: the file is read with a parser of its own, the certificate with plain `json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from exactformer.errors import Malformed
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.io.untyped import JsonValue

#: a number, a name, an application (name, arguments..) or a list
RocqTerm: TypeAlias = Any

_TOKEN = re.compile(r"\s*(?:(-?0x[0-9a-f]+|-?[0-9]+)|([A-Za-z_][A-Za-z_0-9]*)|(%nat)|([][();,#]))")
_DEFINITION = re.compile(r"Definition (\w+) : ([^:=]*) := (.*)\.")
_OPENING = (
    r"\(\* The (recognition|no-recogniser) certificate with sha256 ([0-9a-f]{64}), as a theorem\. \*\)\n"
    r"From Coq Require Import ZArith QArith List\.\n"
    r"From Exactformer Require Import Recogniser RecogniserInstances\.\n"
    r"Import ListNotations\.\nOpen Scope Q_scope\.\n\n((?:Definition [^\n]*\n)*)\n"
)
_CLOSING = {
    "recognition": (
        "Theorem certified : forall w, Forall (fun k => (k < length (tokens Q the_recogniser))%nat) w ->\n"
        "  right LENIENT (rational_verdict the_recogniser w) (accepts the_automaton w) = true.\nProof.\n"
        "apply (rational_check_sound LENIENT the_recogniser the_automaton the_tables the_nodes).\n"
        "vm_cast_no_check (eq_refl true).\nQed.\n"
    ),
    "no-recogniser": (
        "Theorem certified : forall r, ~ (forall w, Forall (fun k => (k < letters the_automaton)%nat) w ->\n"
        "  right true (rational_verdict r w) (accepts the_automaton w) = true).\nProof.\n"
        "apply (rational_no_recogniser the_automaton the_x the_u the_z the_p). vm_cast_no_check (eq_refl true).\nQed.\n"
    ),
}


def verify_recognition_literals(certificate: PathLike, path: PathLike) -> int:
    """The number of literals compared; raises Malformed at the first place where file and certificate differ."""
    lines = [json.loads(line) for line in Path(certificate).read_text("ascii").splitlines()]
    text = Path(path).read_text("ascii")
    frame = re.match(_OPENING, text)
    claim = lines[0]["claim"]
    if frame is None or frame[1] != claim or frame[2] != lines[-1]["sha256"]:
        raise Malformed(f"{path}: expected the frame of the exported certificate {certificate}")
    lenient = "true" if claim == "recognition" and lines[2]["zero"] == "rejected" else "false"
    if text[frame.end() :] != _CLOSING[claim].replace("LENIENT", lenient):
        raise Malformed(f"{path}: expected the theorem of an exported certificate at the end")
    found = [_DEFINITION.fullmatch(line) for line in frame[3].splitlines()]
    expected = list((_recognition if claim == "recognition" else _counter)(lines[:-1]))
    said = [None if match is None else (match[1], match[2], _Reader(match[3]).whole()) for match in found]
    for want, got in zip(expected, said, strict=False):
        if want != got:
            raise Malformed(f"{path}: the definition of {want[0]} is not what {certificate} says")
    if len(said) != len(expected):
        raise Malformed(f"{path}: expected {len(expected)} definitions, got {len(said)}")
    return sum(_numbers_in(term) for _, _, term in expected)


def _numbers_in(term: RocqTerm) -> int:
    return sum(map(_numbers_in, term)) if isinstance(term, list | tuple) else isinstance(term, Fraction)


class _Reader:
    """Terms: numbers, names, lists [a; b], pairs (a, b) as ("pair", a, b), applications as (name, arguments..)."""

    def __init__(self, text: str) -> None:
        self.tokens, at = [], 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise Malformed(f"expected a term, got {text[at : at + 40]!r}")
            self.tokens.append(match[0].strip())
            at = match.end()
        self.tokens = [token for token in self.tokens if token != "%nat"]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, token: str = "") -> str:
        if not self.peek() or (token and self.peek() != token):
            raise Malformed(f"expected {token or 'a term'}, got {self.peek()!r}")
        self.at += 1
        return self.tokens[self.at - 1]

    def whole(self) -> RocqTerm:
        found = self.term()
        return found if not self.peek() else self.take("the end")

    def term(self) -> RocqTerm:
        parts = [self.atom()]
        while self.peek() not in ("", ")", "]", ";", ",", "#"):
            parts.append(self.atom())
        if self.peek() == "#":
            self.take()
            return Fraction(parts[0], self.atom())
        return parts[0] if len(parts) == 1 else tuple(parts)

    def atom(self) -> RocqTerm:
        token = self.take()
        if token == "[":
            items = []
            while self.peek() != "]":
                items.append(self.term())
                if self.peek() == ";":
                    self.take()
            self.take("]")
            return items
        if token == "(":
            found = self.term()
            while self.peek() == ",":
                self.take()
                found = ("pair", found, self.term())
            self.take(")")
            return found
        return Fraction(int(token, 0)) if token.lstrip("-")[:1].isdigit() else token


# ---- what the certificate asks for ----


def _recognition(lines: list[JsonObject]) -> Iterator[tuple[str, str, RocqTerm]]:
    header, automaton, model = lines[:3]
    d, blocks = header["dim"], lines[3 : 3 + header["blocks"]]
    for k, line in enumerate(blocks):
        yield f"block_{k}", "block Q", _block(line, d)
    names = [f"block_{k}" for k in range(len(blocks))]
    begin = "None" if model["begin"] is None else ("Some", _vector(model["begin"]))
    ends = {True: "Accept", False: "Reject", None: "Zero"}[model["empty"]]
    values = (_vectors(model["tokens"]), begin, _vector(model["accept"]), Fraction(model["threshold"]), ends)
    yield "the_recogniser", "recogniser Q", ("Recogniser", "Q", names, *values)
    yield _automaton(automaton)
    heads = [
        (k, h) for k, line in enumerate(blocks) for h in range(len((line["self_attention"] or {"heads": []})["heads"]))
    ]
    tables = dict(zip(heads, lines[3 + len(blocks) :], strict=False))
    yield (
        "the_tables",
        "list (table Q)",
        [[_vectors(tables[b, h]["queries"]) for b, h in heads if b == k] for k in range(len(blocks))],
    )
    states = lines[3 + len(blocks) + len(heads) :]
    for k, line in enumerate(states):
        held = [
            [_summary(tables[b, h], line["heads"][i]) for i, (b, h) in enumerate(heads) if b == n]
            for n in range(len(blocks))
        ]
        out = ends if line["out"] is None else line["out"].capitalize()
        yield f"node_{k}", "node Q", ("pair", ("pair", held, out), Fraction(line["automaton"]))
    yield "the_nodes", "list (node Q)", [f"node_{k}" for k in range(len(states))]


def _counter(lines: list[JsonObject]) -> Iterator[tuple[str, str, RocqTerm]]:
    yield _automaton(lines[1])
    for key in "xuz":
        yield f"the_{key}", "list nat", [Fraction(n) for n in lines[2][key]]
    yield "the_p", "nat", Fraction(lines[2]["p"])


def _automaton(line: JsonObject) -> tuple[str, str, RocqTerm]:
    rows = [[Fraction(q) for q in row] for row in line["next"]]
    return (
        "the_automaton",
        "automaton",
        ("Automaton", rows, [Fraction(q) for q in line["accepting"]], Fraction(line["start"])),
    )


def _vector(row: list[str]) -> list[Fraction]:
    return [Fraction(x) for x in row]


def _vectors(rows: list[list[str]]) -> list[list[Fraction]]:
    return [_vector(row) for row in rows]


def _summary(table: JsonObject, number: int) -> list[RocqTerm]:
    entries = table["summaries"][number]
    return [
        "None" if e is None else ("Some", ("pair", Fraction(e[0]), _vector(table["values"][e[1]]))) for e in entries
    ]


def _block(line: JsonObject, d: int) -> RocqTerm:
    ff, sa = line["feed_forward"], line["self_attention"]
    fed: RocqTerm = "None"
    if ff is not None:
        w = len(ff["b"])
        fed = (
            "Some",
            (
                "FeedForward",
                "Q",
                Fraction(ff["eta"]),
                _entries(ff["U"], w, d),
                _vector(ff["b"]),
                _entries(ff["W"], d, w),
            ),
        )
    if sa is None:
        return ("Block", "Q", fed, Fraction(1), [])
    heads = []
    for head in sa["heads"]:
        heights = [_rows_of(head[key], d) for key in "QK"]
        h = heights[0] or heights[1] or 1
        matrices = (_entries(head["V"], d, d), _entries(head["Q"], h, d), _entries(head["K"], h, d))
        heads.append(("Head", "Q", *matrices, head["mask"], f"to_{head['ties']}"))
    return ("Block", "Q", fed, Fraction(sa["rho"]), heads)


def _rows_of(M: JsonValue, d: int) -> int:
    """The height of a matrix, 0 for one of any height."""
    if isinstance(M, list):
        return len(M)
    if "zero" in M or "scalar" in M:
        return 0 if "zero" in M else d
    return len(M["rows"] if "rows" in M else M["outer"][0])


def _entries(M: JsonValue, height: int, width: int) -> list[list[Fraction]]:
    found = [[Fraction(0)] * width for _ in range(height)]
    for r in range(height):
        for c in range(width):
            if isinstance(M, list):
                found[r][c] = Fraction(M[r][c])
            elif "outer" in M:
                found[r][c] = Fraction(M["outer"][0][r]) * Fraction(M["outer"][1][c])
            elif "scalar" in M and r == c:
                found[r][c] = Fraction(M["scalar"])
    if isinstance(M, dict) and "rows" in M:
        for r, row in enumerate(M["rows"]):
            for c, x in row:
                found[r][c] = Fraction(x)
    return found
