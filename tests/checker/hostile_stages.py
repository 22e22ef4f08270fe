"""Limits in stages that would like to cost hours: long powers, many bases, long bases, many pairs and stages."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import Any

from checker_kit import Lines, header
from hostile import Case, primes, system

Terms = list[list[Any]]


def in_stages(tokens: list[list[str]], first: list[Any], *more: Any, alpha: str = "1", start: int = 10**6) -> Lines:
    """A certificate in stages that begins with these sets."""
    head = header("limit", len(tokens[0]), tokens=len(tokens), layer=0, stages=1 + len(more)) | {"version": [1, 1]}
    begin = {"stage": 0, "time": 0, "renewed": first, "cuts": []}
    return [head, system(tokens, alpha=alpha), begin, *more, {"from": start, "cuts": []}]


def stated_limit(terms: Terms) -> Lines:
    """One token, which stays at 1, with this number as its limit."""
    line = {"token": 0, "kind": "vertex", "limit": [[["1"], *terms]]}
    return [*in_stages([["1"]], [[0, [0]]]), line, {"leaders": [[0, 0]]}]


def cancelled_powers(bases: int, bits: int) -> Lines:
    """1 + sum of (b^2)^e - b^(2e): every power has so many bits, and each two cancel."""
    terms: Terms = []
    for b in primes(bases, 3):
        e = bits // (b * b).bit_length()
        terms += [["1", [str(b * b), e]], ["-1", [str(b), 2 * e]]]
    return stated_limit(terms)


def many_bases(count: int, terms: int = 1) -> Lines:
    """1 and products of so many powers, which cancel."""
    product = [[str(p), 1] for p in primes(count)]
    return stated_limit([[sign, *product] for sign in ("1", "-1") for _ in range(terms)])


def many_terms(count: int, digits: int) -> Lines:
    """1 and so many terms of one kind with long denominators."""
    return stated_limit([[f"1/{10**digits + 2 * k + 1}", ["2", 1]] for k in range(count)])


def many_pairs(count: int) -> Lines:
    """Two leaders, and tokens on the axis between them that follow both: no set is locked, all pairs are open."""
    inner = [[f"{i}/{count + 1}" if gcd(i, count + 1) == 1 else f"{i}", "0"] for i in range(1, count)]
    tokens = [[str(count), str(count)], [str(count), str(-count)], *inner]
    return in_stages(tokens, [[0, [0]], [1, [1]], *[[i, [0, 1]] for i in range(2, len(tokens))]])


def many_stages(count: int, stages: int) -> Lines:
    """Tokens that follow the largest one for ever, of which one is renewed over and over."""
    first = [[count - 1, [count - 1]], *[[i, [count - 1]] for i in range(count - 1)]]
    lines = [{"stage": s, "time": s, "renewed": [[0, [count - 1]]], "cuts": []} for s in range(1, stages)]
    return in_stages([[str(i)] for i in range(1, count + 1)], first, *lines)


def renewed_pairs(count: int, stages: int) -> Lines:
    """Open pairs, and stages in each of which the first follower is renewed."""
    lines = many_pairs(count)
    renewed = [{"stage": s, "time": s, "renewed": [[2, [0, 1]]], "cuts": []} for s in range(1, stages)]
    return [lines[0] | {"stages": stages}, *lines[1:3], *renewed, lines[3]]


def long_bases(count: int, digits: int) -> Lines:
    """As many_pairs, with a step that has so many digits."""
    lines = many_pairs(count)
    return [lines[0], lines[1] | {"alpha": f"1/{10**digits + 1}"}, *lines[2:]]


def chained(count: int, digits: int = 1) -> Lines:
    """Token i is 3^i (e_i + e_(i+1)) and follows the next one: powers of k that rise along the chain."""
    tokens = [[str(3**i) if j in (i, i + 1) else "0" for j in range(count + 1)] for i in range(count)]
    first = [[count - 1, [count - 1]], *[[i, [i + 1]] for i in range(count - 2, -1, -1)]]
    return in_stages(tokens, first, alpha=f"1/{10**digits + 1}")


def named_in_stages() -> Iterator[Case]:
    """The cases by hand."""
    yield "pairs of many tokens in stages", many_pairs(8_000)
    yield "many stages", many_stages(4_000, 12_000)
    yield "open pairs and many stages", renewed_pairs(900, 10_000)
    yield "powers that cancel in stages", cancelled_powers(45, 120_000)
    yield "many bases in one term", many_bases(5_000)
    yield "many bases in many terms", many_bases(60, 100)
    yield "many terms with long denominators", many_terms(3_000, 60)
    yield "long bases in stages", long_bases(40, 3_900)
    yield "a chain of followers", chained(300)
    yield "a chain of followers with long bases", chained(30, 600)
