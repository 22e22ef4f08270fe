"""Certificates as Python values, sealed or broken on purpose, and transformers evaluated by definition in Fractions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from proofs_check import Answers, Part, Task, task_of
from proofs_check.fast.workers import answer, head_of

CORPUS = Path(__file__).resolve().parents[2] / "proofs_check" / "corpus"
#: the folders of the checker, and its sources in Python
TIERS = ("core", "softmax", "stages", "studies", "networks", "languages", "fast")
SOURCES = sorted(path for folder in ("", *TIERS) for path in (CORPUS.parent / folder).glob("*.py"))
Point = tuple[Fraction, ...]
Lines = list[Any]


def text(value: Any) -> Any:
    """The value with every Fraction as canonical text; tuples become lists. Plain integers stay counts."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, dict):
        return {key: text(item) for key, item in value.items()}
    return [text(item) for item in value] if isinstance(value, list | tuple) else value


def points(rows: Iterable[Iterable[Any]]) -> list[list[str]]:
    return [[str(Fraction(x)) for x in row] for row in rows]


def body(lines: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


def seal(before: bytes) -> bytes:
    return before + body([{"end": True, "sha256": hashlib.sha256(before).hexdigest()}])


def sealed(lines: Iterable[Any]) -> bytes:
    return seal(body(lines))


def opened(certificate: bytes) -> Lines:
    """The lines without the end line."""
    return [json.loads(line) for line in certificate.splitlines()[:-1]]


def header(claim: str, dim: int, **more: Any) -> dict[str, Any]:
    return {"exactformer": "certificate", "version": [1, 0], "claim": claim, "dim": dim, **more}


# ---- transformers by definition ----


def entries(M: Any, rows: int, columns: int) -> list[list[Fraction]]:
    if isinstance(M, list):
        return [[Fraction(x) for x in row] for row in M]
    if "outer" in M:
        return [[Fraction(x) * Fraction(y) for y in M["outer"][1]] for x in M["outer"][0]]
    c = Fraction(M.get("scalar", 0))
    return [[c if i == j else Fraction(0) for j in range(columns)] for i in range(rows)]


def dot(x: Sequence[Any], y: Sequence[Any]) -> Fraction:
    return sum((p * q for p, q in zip(x, y, strict=True)), Fraction(0))


def apply(M: list[list[Fraction]], x: Point) -> Point:
    return tuple(dot(row, x) for row in M)


def feed_forward(FF: Any, x: Point) -> Point:
    width, dim = len(FF["b"]), len(x)
    inner = apply(entries(FF["U"], width, dim), x)
    active = tuple(max(s + Fraction(b), Fraction(0)) for s, b in zip(inner, FF["b"], strict=True))
    out = apply(entries(FF["W"], dim, width), active)
    return tuple(Fraction(FF["eta"]) * p + q for p, q in zip(x, out, strict=True))


def argmax(scores: Sequence[Fraction]) -> list[int]:
    return [j for j, score in enumerate(scores) if score == max(scores)]


def mean(tokens: Sequence[Point], group: Sequence[int]) -> Point:
    return tuple(sum(column) / len(group) for column in zip(*[tokens[j] for j in group], strict=True))


def height(M: Any, dim: int) -> int:
    return len(M) if isinstance(M, list) else len(M["outer"][0]) if "outer" in M else dim


def self_attention(SA: Any, tokens: list[Point]) -> list[Point]:
    dim = len(tokens[0])
    h = height(SA["K"] if "zero" in SA["Q"] else SA["Q"], dim)
    Q, K, V = entries(SA["Q"], h, dim), entries(SA["K"], h, dim), entries(SA["V"], dim, dim)
    found = []
    for x in tokens:
        group = argmax([dot(apply(Q, x), apply(K, y)) for y in tokens])
        pulled = apply(V, mean(tokens, group))
        found.append(tuple(Fraction(SA["rho"]) * p + q for p, q in zip(x, pulled, strict=True)))
    return found


def outputs(blocks: list[Any], tokens: Iterable[Iterable[Any]]) -> list[Point]:
    """The output tokens of a transformer given by its block lines."""
    state = [tuple(Fraction(x) for x in row) for row in tokens]
    for block in blocks:
        if block["feed_forward"] is not None:
            state = [feed_forward(block["feed_forward"], x) for x in state]
        if block["self_attention"] is not None:
            state = self_attention(block["self_attention"], state)
    return state


def interpolation(dim: int, blocks: list[Any], sequences: list[Any], attention: str = "hardmax") -> Lines:
    """The lines of a certificate; block and sequence numbers are filled in, targets too where they are missing."""
    numbered = [{"block": b, "feed_forward": ff, "self_attention": sa} for b, (ff, sa) in enumerate(blocks)]
    rows = []
    for j, given in enumerate(sequences):
        row = {"sequence": j, "tokens": points(given["tokens"])}
        row["targets"] = points(given.get("targets") or sorted(set(outputs(numbered, given["tokens"]))))
        rows.append(row | ({"label": given["label"]} if "label" in given else {}))
    first = {"exactformer": "certificate", "version": [1, 0], "claim": "interpolation", "attention": attention}
    return [first | {"dim": dim, "blocks": len(blocks), "sequences": len(rows)}, *numbered, *rows]


# ---- pure attention by definition ----


def follows(A: list[list[Fraction]], tokens: list[Point]) -> list[list[int]]:
    return [argmax([dot(apply(A, x), y) for y in tokens]) for x in tokens]


def step(A: list[list[Fraction]], tokens: list[Point], g: Fraction) -> list[Point]:
    moved = []
    for x, group in zip(tokens, follows(A, tokens), strict=True):
        moved.append(tuple(p + g * (q - p) for p, q in zip(x, mean(tokens, group), strict=True)))
    return moved


def identity(dim: int) -> list[list[Fraction]]:
    return [[Fraction(int(i == j)) for j in range(dim)] for i in range(dim)]


def system(tokens: Any, A: Any = None, alpha: Any = 1) -> dict[str, Any]:
    dim = len(tokens[0])
    return {"A": points(A or identity(dim)), "alpha": str(Fraction(alpha)), "tokens": points(tokens)}


def states(line: dict[str, Any], layers: int) -> list[list[Point]]:
    A = [[Fraction(x) for x in row] for row in line["A"]]
    alpha = Fraction(line["alpha"])
    found = [[tuple(Fraction(x) for x in row) for row in line["tokens"]]]
    for _ in range(layers):
        found.append(step(A, found[-1], alpha / (1 + alpha)))
    return found


def orbit(tokens: Any, layers: int, A: Any = None, alpha: Any = 1) -> Lines:
    line = system(tokens, A, alpha)
    rows, leaders = [], set[int]()
    for k, state in enumerate(states(line, layers)):
        groups = follows([[Fraction(x) for x in row] for row in line["A"]], state)
        leaders |= {i for i, group in enumerate(groups) if group == [i]}
        rows.append({"layer": k, "tokens": points(state), "follows": groups, "leaders": sorted(leaders)})
    return [header("orbit", len(tokens[0]), tokens=len(tokens), layers=layers), line, *rows]


def elsewhere(task: Task, found: Iterator[Part]) -> Answers:
    """A crew that knows nothing but what it is sent: the lines before the second sequence, then parts."""
    file = task.subject.file
    other = task_of(head_of(task), file.budget.limits)
    for part in found:
        yield part, answer(other, part, file.budget.spent)
