"""Claims about boxes that would like to cost hours: many units, boxes, pieces, tokens and bits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checker_kit import Lines
from hostile import ZERO, Case, attention, loss, network, primes, softened

SOFT: dict[str, Any] = {"version": [1, 1], "attention": "softmax", "beta": ["1", "1"], "bits": 6}


def margin(lines: Lines, radius: str) -> Lines:
    """The same network and tokens in a claim about a margin."""
    return [lines[0] | {"version": [1, 1]}, {"margin": radius}, *lines[1:]]


def parallel(width: int) -> dict[str, Any]:
    """Units of x - y, which no translate notices, with different turns."""
    ones = ["1"] * width
    biases = [str(-k) for k in range(1, width + 1)]
    return {"eta": "0", "U": {"outer": [ones, ["1", "-1"]]}, "b": biases, "W": {"outer": [["1", "1"], ones]}}


def undecided(width: int, tokens: int) -> Lines:
    """Boxes in which every one of so many parallel units is undecided."""
    places = [[str(k), str(k + 5)] for k in range(tokens)]
    return margin(network(2, [(parallel(width), None)], places), "100000")


def cancelling(width: int, tokens: int) -> Lines:
    """The same in one dimension: units that cancel two by two."""
    biases = [str(-k) for k in range(1, width // 2 + 1) for _ in range(2)]
    weights = {"outer": [["1"], ["1", "-1"] * (width // 2)]}
    part = {"eta": "0", "U": {"outer": [["1"] * len(biases), ["1"]]}, "b": biases, "W": weights}
    return margin(network(1, [(part, None)], [[str(k)] for k in range(tokens)]), "100000")


def pieces(width: int, tokens: int, claim: str = "soft") -> Lines:
    """Units in as many directions, all decided, on as many points: a piece of its own for every point."""
    rows = [[str(p), "1"] for p in primes(width)]
    part = {"eta": "0", "U": rows, "b": [str(-p) for p in primes(width)], "W": {"outer": [["1", "1"], ["1"] * width]}}
    lines = network(2, [(part, None)], [[str(k), str(k % 7)] for k in range(tokens)])
    return loss(lines, [["0", "0"]]) if claim == "loss" else softened(lines, SOFT, [["0", "0"]])


def one_direction(width: int, tokens: int) -> Lines:
    """Parallel units in one direction and many points, each between other turns."""
    lines = network(2, [(parallel(width), None)], [[str(3 * k), str(k)] for k in range(tokens)])
    return softened(lines, SOFT, [["0", "0"]])


def scores(tokens: int, beta: list[str | None], dim: int = 1, bits: int = 6) -> Lines:
    """One attention over so many tokens."""
    places = [[str(k), *["1"] * (dim - 1)] for k in range(tokens)]
    ones = attention(*[{"scalar": "1"}] * 3)
    return softened(network(dim, [(None, ones)], places), {**SOFT, "beta": beta, "bits": bits}, [["0"] * dim])


def means(tokens: int, blocks: int, rho: str = "1") -> Lines:
    """Blocks of uniform attention over so many tokens."""
    part = attention(V={"scalar": "1"}, Q=ZERO, K=ZERO, rho=rho)
    return softened(network(1, [(None, part)] * blocks, [[str(k)] for k in range(tokens)]), SOFT)


def long_places(tokens: int) -> Lines:
    """Points with a long common denominator."""
    return softened(network(1, [], [[f"1/{p}"] for p in primes(tokens)]), SOFT)


def named_on_boxes() -> Iterator[Case]:
    """The cases by hand."""
    yield "many undecided units on many boxes", undecided(30_000, 40)
    yield "undecided units that cancel", cancelling(30_000, 2_000)
    yield "few undecided units on many boxes", undecided(100, 9_000)
    yield "pieces of many directions", pieces(6_000, 9_000)
    yield "pieces of many directions in a loss", pieces(6_000, 9_000, "loss")
    yield "pieces of one direction", one_direction(9_000, 9_000)
    yield "softmax over 9,000 tokens", scores(9_000, ["1", None])
    yield "softmax over 9,000 tokens in two dimensions", scores(9_000, ["1", None], 2)
    yield "softmax over 9,000 tokens at one temperature", scores(9_000, ["1", "1"], 2)
    yield "softmax over a range of temperatures", scores(9_000, ["1/1000", "1"], 1, 40)
    yield "softmax over scores of many bits", scores(2_000, ["1/1000", "1/999"], 1, 3_000)
    yield "uniform softmax of many tokens and blocks", means(9_000, 3_000)
    yield "boxes with a long common denominator", long_places(9_000)
