"""Random transformers, their images by the definition of FORMAT.md token by token in Fractions, and mutants of both."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

Point = tuple[Fraction, ...]
Rows = list[list[Fraction]]


def write(folder: Path, texts: Iterable[bytes]) -> list[Path]:
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{number:05}.jsonl")
        paths[-1].write_bytes(text)
    return paths


def sealed(body: bytes) -> bytes:
    return body + b'{"end":true,"sha256":"%s"}\n' % hashlib.sha256(body).hexdigest().encode()


def certificate(lines: Iterable[Any]) -> bytes:
    return sealed(b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines))


def rows_of(matrix: Any, height: int, width: int) -> Rows:
    """Entry (i, j) of a matrix in any of the four forms."""
    if isinstance(matrix, list):
        return [[Fraction(x) for x in row] for row in matrix]
    if "outer" in matrix:
        column, row = matrix["outer"]
        return [[Fraction(x) * Fraction(y) for y in row] for x in column]
    scalar = Fraction(matrix.get("scalar", 0))
    return [[scalar if i == j else Fraction(0) for j in range(width)] for i in range(height)]


def times(matrix: Rows, x: Sequence[Fraction]) -> list[Fraction]:
    return [sum((a * b for a, b in zip(row, x, strict=True)), Fraction(0)) for row in matrix]


def feed_forward(part: Any, tokens: list[Point], dim: int) -> list[Point]:
    bias = [Fraction(x) for x in part["b"]]
    up, down, eta = rows_of(part["U"], len(bias), dim), rows_of(part["W"], dim, len(bias)), Fraction(part["eta"])
    images = []
    for x in tokens:
        hidden = [max(s + b, Fraction(0)) for s, b in zip(times(up, x), bias, strict=True)]
        images.append(tuple(eta * s + t for s, t in zip(x, times(down, hidden), strict=True)))
    return images


def self_attention(part: Any, tokens: list[Point], dim: int) -> list[Point]:
    scored = {"zero": True} not in (part["Q"], part["K"])
    query, key = (rows_of(part[name], dim, dim) if scored else [[Fraction(0)] * dim] for name in "QK")
    value, rho = rows_of(part["V"], dim, dim), Fraction(part["rho"])
    keys, images = [times(key, x) for x in tokens], []
    for x in tokens:
        q = times(query, x)
        scores = [sum((a * b for a, b in zip(q, k, strict=True)), Fraction(0)) for k in keys]
        leaders = [y for y, score in zip(tokens, scores, strict=True) if score == max(scores)]
        mean = [sum(column, Fraction(0)) / len(leaders) for column in zip(*leaders, strict=True)]
        images.append(tuple(rho * s + t for s, t in zip(x, times(value, mean), strict=True)))
    return images


def outputs(blocks: list[Any], tokens: list[list[str]], dim: int) -> set[Point]:
    state = [tuple(Fraction(x) for x in token) for token in tokens]
    for block in blocks:
        if block["feed_forward"] is not None:
            state = feed_forward(block["feed_forward"], state, dim)
        if block["self_attention"] is not None:
            state = self_attention(block["self_attention"], state, dim)
    return set(state)


def texts(points: Iterable[Point]) -> list[list[str]]:
    return [[str(x) for x in point] for point in sorted(points)]


def number(rng: random.Random) -> str:
    return str(Fraction(rng.choice([-3, -2, -1, -1, 0, 0, 1, 1, 2, 5]), rng.choice([1, 1, 1, 2, 3, 7])))


def matrix(rng: random.Random, height: int, width: int) -> Any:
    form = rng.choice(["dense", "dense", "outer", "parallel", "zero"] + ["scalar"] * (height == width))
    if form == "dense":
        return [[number(rng) for _ in range(width)] for _ in range(height)]
    if form == "scalar":
        return {"scalar": number(rng)}
    if form == "zero":
        return {"zero": True}
    outer = [[number(rng) for _ in range(length)] for length in (height, width)]
    if form == "outer":
        return {"outer": outer}
    return [[str(x) for x in row] for row in rows_of({"outer": outer}, height, width)]


def random_block(rng: random.Random, index: int, dim: int, softmax: bool) -> dict[str, Any]:
    ff, sa = None, None
    if rng.random() < 0.8:
        units = rng.choice([1, 2, 3, dim, 12])
        ff = {"eta": number(rng), "U": matrix(rng, units, dim), "b": [number(rng) for _ in range(units)]}
        ff["W"] = matrix(rng, dim, units)
    if rng.random() < 0.7:
        height = rng.choice([1, 2, dim])
        sa = {"rho": number(rng), "V": matrix(rng, dim, dim), "Q": matrix(rng, height, dim)}
        sa["K"] = {"zero": True} if softmax else matrix(rng, height, dim)
    return {"block": index, "feed_forward": ff, "self_attention": sa}


def random_lines(rng: random.Random) -> list[Any]:
    """The lines of a true certificate: the targets are what the definition gives."""
    dim, depth, softmax = rng.randint(1, 3), rng.randint(0, 3), rng.random() < 0.2
    blocks = [random_block(rng, index, dim, softmax) for index in range(depth)]
    labels: dict[str, str] = {}
    labelled, sequences = rng.random() < 0.3, []
    for index in range(rng.randint(1, 4)):
        tokens = [[number(rng) for _ in range(dim)] for _ in range(rng.randint(1, 5))]
        tokens += rng.sample(tokens, rng.randint(0, len(tokens)))
        targets = texts(outputs(blocks, tokens, dim))
        sequences.append({"sequence": index, "tokens": tokens, "targets": targets})
        if labelled:
            sequences[-1]["label"] = labels.setdefault(json.dumps(targets), f"l\u00e4bel \U0001d53d {len(labels)}")
    header = {"exactformer": "certificate", "version": [1, 0], "claim": "interpolation", "dim": dim}
    header |= {"attention": "softmax" if softmax else "hardmax", "blocks": depth, "sequences": len(sequences)}
    return [header, *blocks, *sequences]


def claim_is_true(lines: list[Any]) -> bool:
    """The claim of a well-formed interpolation certificate, by definition."""
    header, blocks = lines[0], lines[1 : 1 + lines[0]["blocks"]]
    attentions = [block["self_attention"] for block in blocks if block["self_attention"] is not None]
    if header["attention"] == "softmax" and not all(zero(sa["Q"]) or zero(sa["K"]) for sa in attentions):
        return False
    pairs = set()
    for line in lines[1 + header["blocks"] :]:
        targets = {tuple(Fraction(x) for x in point) for point in line["targets"]}
        if outputs(blocks, line["tokens"], header["dim"]) != targets:
            return False
        pairs.add((line.get("label"), frozenset(targets)))
    labels, sets = ({pair[side] for pair in pairs} for side in (0, 1))
    return labels == {None} or len(pairs) == len(labels) == len(sets)


def zero(matrix: Any) -> bool:
    return not any(any(row) for row in rows_of(matrix, 1, 1))


def mutate(rng: random.Random, value: Any) -> Any:
    """One change somewhere in a line that keeps it well formed more often than not."""
    if isinstance(value, dict):
        key = rng.choice([key for key in value if key not in ("exactformer", "version", "claim")])
        return value | {key: mutate(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        index = rng.randrange(len(value))
        return [*value[:index], mutate(rng, value[index]), *value[index + 1 :]]
    if isinstance(value, list):
        return rng.choice([value[:-1], value + value[-1:], value[::-1]])
    if isinstance(value, str):
        return rng.choice([number(rng), number(rng), "-" + value, value + "0", value + "/2", "softmax", ""])
    return rng.choice([None, 0, 1, 2, True, "0", {"zero": True}, {"scalar": "1"}])


def well_formed(lines: list[Any], original: list[Any]) -> bool:
    """Whether a mutant differs from its original in canonical numbers and labels only."""

    def same(a: Any, b: Any, key: str = "") -> bool:
        if isinstance(a, str) and isinstance(b, str) and key not in ("attention", "exactformer", "claim"):
            return key == "label" or canonical(a)
        if type(a) is not type(b):
            return False
        if isinstance(a, dict):
            return a.keys() == b.keys() and all(same(a[name], b[name], name) for name in a)
        if isinstance(a, list):
            return len(a) == len(b) and all(map(same, a, b))
        return bool(a == b) or (key == "attention" and a == "softmax")

    distinct = all(len(set(map(tuple, line.get("targets", [])))) == len(line.get("targets", [])) for line in lines)
    return distinct and same(lines, original)


def canonical(text: str) -> bool:
    try:
        return text.isascii() and str(Fraction(text)) == text
    except (ValueError, ZeroDivisionError):
        return False


def mutants(rng: random.Random, count: int) -> Iterator[tuple[list[Any], str | None]]:
    """Mutants of true certificates and the verdict each must get; None where it may be malformed."""
    for _ in range(count):
        original = random_lines(rng)
        index = rng.randrange(len(original))
        lines = [*original[:index], mutate(rng, original[index]), *original[index + 1 :]]
        known = well_formed(lines, original)
        yield lines, ("accepted" if claim_is_true(lines) else "rejected") if known else None


def disagreements(cases: Iterable[tuple[list[Any], str | None]], found: Iterable[str]) -> list[Any]:
    """The mutants with another verdict than they must get; an accepted one must be true."""
    return [
        (want, got, lines)
        for (lines, want), got in zip(cases, found, strict=True)
        if got != want and (want is not None or (got == "accepted" and not claim_is_true(lines)))
    ]
