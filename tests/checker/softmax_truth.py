"""Is a claim about softmax true? Judged by definition in mpmath at temperatures of its range, and exactly for hardmax."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
from checker_kit import Lines, entries, height, outputs

F = Fraction
Rows = list[list[Any]]


def number(x: Any) -> Any:
    value = F(x)
    return mpmath.mpf(value.numerator) / value.denominator


def apply(M: list[list[F]], x: list[Any]) -> list[Any]:
    return [mpmath.fsum(number(c) * v for c, v in zip(row, x, strict=True)) for row in M]


def feed_forward(FF: Any, x: list[Any]) -> list[Any]:
    width, dim = len(FF["b"]), len(x)
    inner = apply(entries(FF["U"], width, dim), x)
    active = [max(s + number(b), mpmath.mpf(0)) for s, b in zip(inner, FF["b"], strict=True)]
    return [number(FF["eta"]) * p + q for p, q in zip(x, apply(entries(FF["W"], dim, width), active), strict=True)]


def self_attention(SA: Any, tokens: Rows, beta: Any) -> Rows:
    dim = len(tokens[0])
    h = height(SA["K"] if "zero" in SA["Q"] else SA["Q"], dim)
    Q, K, V = entries(SA["Q"], h, dim), entries(SA["K"], h, dim), entries(SA["V"], dim, dim)
    keys, found = [apply(K, y) for y in tokens], []
    for x in tokens:
        query = apply(Q, x)
        scores = [mpmath.fdot(query, key) for key in keys]
        weights = [mpmath.exp(beta * (s - max(scores))) for s in scores]
        mean = [mpmath.fdot(weights, column) / mpmath.fsum(weights) for column in zip(*tokens, strict=True)]
        found.append([number(SA["rho"]) * p + q for p, q in zip(x, apply(V, mean), strict=True)])
    return found


def images(blocks: list[Any], tokens: Any, beta: Any) -> Rows:
    state = [[number(v) for v in row] for row in tokens]
    for block in blocks:
        if block["feed_forward"] is not None:
            state = [feed_forward(block["feed_forward"], x) for x in state]
        if block["self_attention"] is not None:
            state = self_attention(block["self_attention"], state, beta)
    return state


def onto(found: Rows, targets: Any) -> bool:
    """Every output near a target and every target near an output, to 60 digits."""
    wanted = [[number(v) for v in y] for y in targets]
    gaps = [[max(abs(a - b) for a, b in zip(x, y, strict=True)) for y in wanted] for x in found]
    size = 1 + max(abs(v) for y in wanted for v in y)
    worst = max([min(row) for row in gaps] + [min(column) for column in zip(*gaps, strict=True)])
    return bool(worst < mpmath.mpf(10) ** -60 * size)


def interpolates(lines: Lines) -> bool:
    """Whether the outputs are the targets at both ends of the range (and far beyond, and with hardmax)."""
    top, blocks, sequences = lines[0], lines[1 : 1 + lines[0]["blocks"]], lines[1 + lines[0]["blocks"] :]
    low, high = (None if end is None else F(end) for end in top["beta"])
    assert low is not None
    betas = [low, 10 * low, 1000 * low] if high is None else [low, (low + high) / 2, high]
    with mpmath.workdps(160):
        for row in sequences:
            if not all(onto(images(blocks, row["tokens"], number(beta)), row["targets"]) for beta in betas):
                return False
    wanted = [{tuple(F(v) for v in y) for y in row["targets"]} for row in sequences]
    return high is not None or all(
        set(outputs(blocks, r["tokens"])) == y for r, y in zip(sequences, wanted, strict=True)
    )


def squares(part: Any, dim: int) -> F:
    """The sum of the squares of all numbers of a part, matrices multiplied out."""
    if part is None:
        return F(0)
    width = len(part.get("b", [])) or height(part["K"] if "zero" in part["Q"] else part["Q"], dim)
    shapes = {"U": (width, dim), "W": (dim, width), "V": (dim, dim), "Q": (width, dim), "K": (width, dim)}
    numbers = [part.get("eta", "0"), part.get("rho", "0"), *part.get("b", [])]
    total = sum((F(x) ** 2 for x in numbers), F(0))
    for name in part.keys() & shapes.keys():
        total += sum((x * x for row in entries(part[name], *shapes[name]) for x in row), F(0))
    return total


def hausdorff2(found: Rows, targets: Rows) -> Any:
    """The square of the Hausdorff distance of two finite sets."""
    table = [[mpmath.fsum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for y in targets] for x in found]
    return max([min(row) for row in table] + [min(column) for column in zip(*table, strict=True)])


def regularised_loss(lines: Lines, beta: Any) -> F:
    """E + eps|Theta|^2 at one temperature, to some 100 digits."""
    top, blocks, sequences = lines[0], lines[1 : 1 + lines[0]["blocks"]], lines[1 + lines[0]["blocks"] :]
    norm = sum(
        (squares(block[key], top["dim"]) for block in blocks for key in ("feed_forward", "self_attention")), F(0)
    )
    with mpmath.workdps(160):
        apart = [
            hausdorff2(images(blocks, row["tokens"], number(beta)), [[number(v) for v in y] for y in row["targets"]])
            for row in sequences
        ]
        mean = mpmath.fsum(apart) / len(sequences)
        return F(int(mpmath.floor(mean * 10**100)), 10**100) + F(top["eps"]) * norm


def on_its_side(lines: Lines) -> bool:
    """Whether the regularised loss is on the stated side of the bound, at temperatures of the range."""
    top = lines[0]
    low, high = (None if end is None else F(end) for end in top["beta"])
    assert low is not None
    values = [regularised_loss(lines, beta) for beta in ([low, 100 * low] if high is None else [low, high])]
    if "below" in top:
        return all(value < F(top["below"]) for value in values)
    return all(value > F(top["above"]) - F(1, 10**90) for value in values)
