"""Whether a Rocq file says what a certificate says: an independent reading of both.

The file is read back with a parser of its own, the certificate with plain `json`; nothing here is shared with the
writer. Equality means: the same frame (imports, theorem, proof), the same definitions, the same numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from exactformer.certificates.rocq_recognition_literals import RocqTerm, verify_recognition_literals
from exactformer.errors import Malformed
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.io.untyped import JsonValue

_TOKEN = re.compile(r"\s*(?:(-?0x[0-9a-f]+)|(-?[0-9]+)|([A-Za-z_][A-Za-z_0-9]*)|([][();#])(?:%nat)?)")
_DEFINITION = re.compile(r"Definition (\w+) := (.*)\.")
_FRAME = (
    r"\(\* The interpolation certificate with sha256 ([0-9a-f]{64}), as a theorem\. \*\)\n"
    r"From Coq Require Import ZArith QArith List\.\n"
    r"From Exactformer Require Import Semantics Certificate %s\.\n"
    r"Import ListNotations\.\nOpen Scope Q_scope\.\n\n"
    r"((?:Definition [^\n]*\n)*)"
    r"\nTheorem certified : %s the_certificate\.\n"
    r"Proof\. apply check_(?:Z|bigZ)%s_sound\. vm_cast_no_check \(eq_refl true\)\. Qed\.\n"
)
_LIMIT_FRAME = (
    r"\(\* The limit certificate with sha256 ([0-9a-f]{64}), as a theorem\. \*\)\n"
    r"From Coq Require Import ZArith QArith List\.\n"
    r"From Exactformer Require Import Semantics Certificate LimitCertificate LimitInstances\.\n"
    r"Import ListNotations\.\nOpen Scope Q_scope\.\n\n"
    r"((?:Definition [^\n]*\n)*)"
    r"\nTheorem certified : limit_claim the_certificate\.\n"
    r"Proof\. apply check_limit_(?:Z|bigZ)_sound\. vm_cast_no_check \(eq_refl true\)\. Qed\.\n"
)
#: the whole file for each kind of attention, and for limits
_FRAMES = {
    "hardmax": re.compile(_FRAME % ("Instances", "claim", "")),
    "softmax": re.compile(_FRAME % ("Softmax", "softmax_claim", "_softmax")),
    "limit": re.compile(_LIMIT_FRAME),
}


def verify_literals(certificate: PathLike, path: PathLike) -> int:
    """The number of literals compared; raises Malformed at the first place where file and certificate differ."""
    lines = Path(certificate).read_text("ascii").splitlines()
    header = json.loads(lines[0])
    if header["claim"] in ("recognition", "no-recogniser"):
        return verify_recognition_literals(certificate, path)
    frame = _FRAMES[header.get("attention", "limit")].fullmatch(Path(path).read_text("ascii"))
    if frame is None:
        raise Malformed(f"{path}: expected the frame of an exported certificate around its definitions")
    if json.loads(lines[-1])["sha256"] != frame[1]:
        raise Malformed(f"{path}: it names another certificate: its sha256 is not that of {certificate}")
    define = _expected_limit if header["claim"] == "limit" else _expected
    found, expected = iter(frame[2].splitlines()), define([json.loads(line) for line in lines[:-1]])
    count = 0
    for name, value in expected:
        match = _DEFINITION.fullmatch(next(found, ""))
        if match is None or match[1] != name or _parse(match[2]) != value:
            raise Malformed(f"{path}: the definition of {name} is not what {certificate} says")
        count += _size(value)
    if next(found, None) is not None:
        raise Malformed(f"{path}: more definitions than {certificate} has blocks and sequences")
    return count


def labels_agree(certificate: PathLike) -> bool:
    """Whether labels and target sets correspond one to one; the theorem itself is about targets only."""
    lines = [json.loads(line) for line in Path(certificate).read_text("ascii").splitlines()]
    pairs = {(line["label"], frozenset(map(tuple, line["targets"]))) for line in lines if "label" in line}
    return len(pairs) == len({label for label, _ in pairs}) == len({targets for _, targets in pairs})


def _size(term: RocqTerm) -> int:
    if isinstance(term, (list, tuple)):
        return sum(_size(part) for part in term)
    return isinstance(term, Fraction)


def _expected(lines: list[JsonObject]) -> Iterator[tuple[str, RocqTerm]]:
    """The definitions a certificate asks for, name by name."""
    header, blocks = lines[0], lines[0]["blocks"]
    for k in range(blocks):
        line = lines[1 + k]
        parts = (_ff(line["feed_forward"]), _sa(line["self_attention"], header["dim"]))
        yield f"block_{k}", ("BlockLiteral", *parts)
    for j in range(header["sequences"]):
        line = lines[1 + blocks + j]
        yield f"sequence_{j}", ("Sequence", _numbers(line["tokens"]), _numbers(line["targets"]))
    names = [[f"block_{k}" for k in range(blocks)], [f"sequence_{j}" for j in range(header["sequences"])]]
    yield "the_certificate", ("Certificate", Fraction(header["dim"]), *names)


def _expected_limit(lines: list[JsonObject]) -> Iterator[tuple[str, RocqTerm]]:
    """The definitions a certificate of limits asks for."""
    header, system, places, leaders = lines[0], lines[1], lines[2:-1], lines[-1]["leaders"]
    yield "the_tokens", _numbers(system["tokens"])
    for i, line in enumerate(places):
        kind = {"vertex": "true", "projection": "false"}[line["kind"]]
        weights = [("Weight", Fraction(j), _rational(w)) for j, w in line.get("weights", [])]
        face = (kind, _numbers(line.get("normal", [])), weights)
        yield f"place_{i}", ("Place", _numbers(line["limit"]), _evidence(line), *face)
    names = [f"place_{i}" for i in range(header["tokens"])]
    dim, layer, matrix = Fraction(header["dim"]), Fraction(header["layer"]), _numbers(system["A"])
    values = (dim, matrix, _rational(system["alpha"]), "the_tokens", layer, names, [Fraction(i) for i in leaders])
    yield "the_certificate", ("LimitCertificate", *values)


def _evidence(line: JsonObject) -> RocqTerm:
    """Locked, or the terms of the closed form and its k0."""
    if "lock" in line:
        return "Locked"
    terms = [("Term", _rational(t["base"]), Fraction(t["power"]), _numbers(t["vector"])) for t in line["form"]]
    return ("Form", terms, Fraction(line["from"]))


def _numbers(value: JsonValue) -> RocqTerm:
    """Lists of canonical text as lists of rationals."""
    return [_numbers(part) for part in value] if isinstance(value, list) else _rational(value)


def _rational(text: str) -> Fraction:
    p, _, q = text.partition("/")
    return Fraction(_decimal(p), _decimal(q or "1"))


def _decimal(digits: str) -> int:
    """The integer of decimal digits, block by block: Python's int() stops at 4,300 of them."""
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    value = 0
    for start in range(0, len(digits), 4000):
        block = digits[start : start + 4000]
        value = value * 10 ** len(block) + int(block)
    return sign * value


def _ff(value: JsonObject | None) -> RocqTerm:
    if value is None:
        return "None"
    return ("Some", ("FF", _rational(value["eta"]), _form(value["U"]), _numbers(value["b"]), _form(value["W"])))


def _sa(value: JsonObject | None, dim: int) -> RocqTerm:
    if value is None:
        return "None"
    q, k = _form(value["Q"]), _form(value["K"])
    heights = [{"Scalar": dim}.get(form[0]) or len(form[1]) for form in (q, k) if form != "Zero"]
    return ("Some", ("SA", _rational(value["rho"]), _form(value["V"]), Fraction((*heights, 1)[0]), q, k))


def _form(matrix: JsonObject | list[list[str]]) -> RocqTerm:
    if isinstance(matrix, list):
        return ("Dense", _numbers(matrix))
    if "outer" in matrix:
        return ("Outer", _numbers(matrix["outer"][0]), _numbers(matrix["outer"][1]))
    return ("Scalar", _rational(matrix["scalar"])) if "scalar" in matrix else "Zero"


def _parse(text: str) -> RocqTerm:
    """The term of a definition's body.

    >>> _parse("FF (-3 # 2) [1; 0x10] Zero")
    ('FF', Fraction(-3, 2), [Fraction(1, 1), Fraction(16, 1)], 'Zero')
    """
    tokens: list[RocqTerm] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise Malformed(f"expected a literal, a name or a bracket, got {text[position : position + 20]!r}")
        position = match.end()
        tokens.append(int(match[1], 16) if match[1] else _decimal(match[2]) if match[2] else match[3] or match[4])
    tokens.reverse()  # the next token is the last
    term = _application(tokens)
    if tokens:
        raise Malformed(f"expected the end of the definition, got {tokens[-1]!r}")
    return term


def _application(tokens: list[RocqTerm]) -> RocqTerm:
    """One atom, a quotient  p # q,  or a name and its arguments, up to a closing token."""
    parts = []
    while tokens and tokens[-1] not in (")", "]", ";"):
        parts.append(_atom(tokens))
    if len(parts) == 3 and parts[1] == "#":
        return Fraction(parts[0]) / parts[2]
    return parts[0] if len(parts) == 1 else tuple(parts)


def _atom(tokens: list[RocqTerm]) -> RocqTerm:
    token = tokens.pop()
    if token == "(":
        inner = _application(tokens)
        _close(tokens, ")")
        return inner
    if token == "[":
        items = []
        while tokens and tokens[-1] != "]":
            items.append(_application(tokens))
            if tokens and tokens[-1] == ";":
                tokens.pop()
        _close(tokens, "]")
        return items
    return Fraction(token) if isinstance(token, int) else token


def _close(tokens: list[RocqTerm], bracket: str) -> None:
    if not tokens or tokens.pop() != bracket:
        raise Malformed(f"expected {bracket}")
