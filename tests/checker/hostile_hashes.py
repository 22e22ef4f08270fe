"""Numbers that Python's hash does not tell apart: the hash of an integer is its remainder by 2^61 - 1."""

from __future__ import annotations

from collections.abc import Iterator

import hostile as h
import hostile_languages as languages
import hostile_stages as stages
from checker_kit import Lines, header

PRIME = 2**61 - 1


def multiples(count: int) -> list[list[str]]:
    """Different points on a line, all with one hash."""
    return [[str(k * PRIME)] for k in range(1, count + 1)]


def tokens(count: int, blocks: int) -> Lines:
    """Short tokens over a common denominator that gives all of them one hash, in so many blocks."""
    steps = [(None, h.attention(rho=str(2 + b))) for b in range(blocks)]
    return h.network(1, steps, [[str(k)] for k in range(1, count + 1)] + [[f"1/{PRIME}"]])


def targets(count: int) -> Lines:
    lines = h.network(1, [], [["1"]])
    return [*lines[:-1], lines[-1] | {"targets": multiples(count)}]


def heads(count: int) -> Lines:
    """Tokens that a feed-forward part looks up by <u, x>."""
    part = {"eta": "0", "U": [["1"]] * 8, "b": [f"-1/{k + 2}" for k in range(8)], "W": [["1"] * 8]}
    return h.network(1, [(part, None)], multiples(count))


def softmax(count: int, blocks: int) -> Lines:
    """Points in boxes."""
    lines = h.network(1, [(None, h.attention(rho=str(2 + b))) for b in range(blocks)], multiples(count))
    return [lines[0] | {"version": [1, 1], "attention": "softmax", "beta": ["1", "2"], "bits": 32}, *lines[1:]]


def divisors(count: int) -> list[int]:
    """Numbers with a common multiple of some 60 bits."""
    found = [1]
    for p, most in ((2, 6), (3, 4), (5, 2), (7, 2), *[(p, 1) for p in (11, 13, 17, 19, 23, 29, 31)]):
        found = [d * p**e for d in found for e in range(most + 1)]
    return sorted(found)[:count]


def denominators(count: int, blocks: int) -> Lines:
    """Points in boxes whose denominators have one hash and a short common multiple, in so many blocks."""
    places = [[f"{37**17 * (k + 1) // PRIME * d * PRIME + 1}/{d * PRIME}"] for k, d in enumerate(divisors(count))]
    lines = h.network(1, [(None, h.attention())] * blocks, places)
    return [lines[0] | {"version": [1, 1], "attention": "softmax", "beta": ["1", "2"], "bits": 32}, *lines[1:]]


def directions(units: int) -> Lines:
    """Rows with hashes of their own, in directions that have one."""
    U = [[str(k * (k + 1) * PRIME), str(k + 1)] for k in range(1, units + 1)]
    return h.network(2, [(h.feed_forward(U, units, {"outer": [["1", "1"], ["1"] * units]}), None)], [["1", "2"]])


def equal_measures(count: int) -> Lines:
    """The same tokens twice, in another order."""
    rows = multiples(count)
    lines = [{"sequence": s, "tokens": rows[:: 1 - 2 * s], "targets": [[str(s)]]} for s in range(2)]
    return [header("infeasible", 1, condition="measure", sequences=2, witness=[0, 1]), *lines]


def decision(count: int) -> Lines:
    return h.decision(multiples(count), "1", 1)


def statement(count: int) -> Lines:
    return h.statement("leader-duplicates", 0, h.system(multiples(count)))


def one_block(count: int) -> Lines:
    """Sequences of one token each, and one of all."""
    rows = multiples(count)
    alone = [{"sequence": s, "tokens": [x], "targets": [["1"]]} for s, x in enumerate(rows)]
    last = {"sequence": count, "tokens": rows, "targets": [["2"]]}
    top = header("counterexample", 1, statement="one-block-suffices", sequences=count + 1)
    return [top, *alone, last, {"normal": ["1"]}]


def bases(count: int) -> Lines:
    """A number of so many terms."""
    return stages.stated_limit([["1", [x, 1]] for [x] in multiples(count)])


def forms(count: int) -> Lines:
    """A closed form of so many terms."""
    terms = [{"base": f"1/{x}", "power": 0, "vector": ["1"]} for [x] in multiples(count)]
    line = {"token": 0, "kind": "vertex", "limit": ["1"], "form": terms, "from": 1}
    return h.limit(0, h.system([["1"]]), line, {"leaders": [0]})


def letters(count: int, blocks: int) -> Lines:
    """A recogniser with so many letters, whose tokens stay where they are."""
    zero = {"V": {"zero": True}, "Q": {"zero": True}, "K": {"zero": True}, "mask": "upto", "ties": "last"}
    table = {"queries": [["0"]], "values": [["0"]], "pairs": [[["0"], 0]], "summaries": [[None], [["0", 0]]]}
    tables = [{"block": b, "head": 0, **table, "guessed": 0} for b in range(blocks)]
    held = [(0, None), (1, "accept")]
    states = [{"state": s, "heads": [s] * blocks, "out": out, "residue": 0, "automaton": 0} for s, out in held]
    block = (None, languages.attention(zero, rho="1"))
    more = {"tokens": multiples(count), "letters": count, "scope": "all", "product": 2}
    return languages.recogniser(1, [block] * blocks, [*tables, *states], **more)


def named_by_hash() -> Iterator[tuple[str, Lines]]:
    """The cases by hand, each of which took minutes or hours when sets and dictionaries were not charged."""
    yield "tokens with one hash", tokens(40_000, 3)
    yield "targets with one hash", targets(30_000)
    yield "heads with one hash", heads(30_000)
    yield "points in boxes with one hash", softmax(30_000, 9)
    yield "bases with one hash", bases(300)
    yield "forms with one hash", forms(9_000)
    yield "letters with one hash", letters(9_000, 9)
    yield "denominators with one hash", denominators(12_000, 50)
    yield "directions with one hash", directions(16_000)
    yield "measures with one hash", equal_measures(16_000)
    yield "a decision with one hash", decision(24_000)
    yield "a statement with one hash", statement(30_000)
    yield "one block with one hash", one_block(9_000)
