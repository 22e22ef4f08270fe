"""Recognisers under a megabyte that would like to cost hours or gigabytes: certificates of `recognition`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checker_kit import Lines, header

ZERO: dict[str, Any] = {"zero": True}
HEAD = {"V": {"scalar": "1"}, "Q": ZERO, "K": ZERO, "mask": "upto", "ties": "last"}


def recogniser(
    dim: int, blocks: list[Any], tail: Lines, *, tokens: Any = None, features: Any = (), letters: int = 2, **more: Any
) -> Lines:
    """A certificate with an automaton of one state that accepts everything."""
    first = header("recognition", dim, blocks=len(blocks), letters=letters, states=1, **more) | {"version": [1, 2]}
    automaton = {
        "letters": [f"l{k}" for k in range(letters)],
        "next": [[0] * letters],
        "accepting": [0],
        "start": 0,
    }
    model = {
        "tokens": tokens or [[str(k + 1)] * dim for k in range(letters)],
        "begin": None,
        "end": None,
        "features": list(features),
        "at": "last",
        "accept": ["1"] + ["0"] * (dim - 1),
        "threshold": "0",
        "zero": "rejected",
        "empty": True,
    }
    lines = [{"block": b, "feed_forward": ff, "self_attention": sa} for b, (ff, sa) in enumerate(blocks)]
    return [first, automaton, model, *lines, *tail]


def attention(*heads: Any, rho: str = "0") -> dict[str, Any]:
    return {"rho": rho, "heads": list(heads)}


def up_to(length: int, dim: int, blocks: list[Any], **more: Any) -> Lines:
    return recogniser(dim, blocks, [], scope="upto", length=length, **more)


def word(length: int, dim: int, blocks: list[Any], **more: Any) -> Lines:
    return recogniser(dim, blocks, [{"word": [0] * length}], scope="word", length=length, **more)


def guesses(count: int, heads: int) -> Lines:
    """So many heads of the future, each with so many guesses; the tables are closed."""
    head = {"V": {"scalar": "1"}, "Q": ZERO, "K": ZERO, "mask": "after", "ties": "first"}
    values = [[str(v + 1)] for v in range(count - 1)]
    table = {
        "queries": [["0"]],
        "values": values,
        "pairs": [[["0"], v] for v in range(count - 1)],
        "summaries": [[None], *([["0", v]] for v in range(count - 1))],
        "guessed": count,
    }
    tables = [{"block": 0, "head": h, **table} for h in range(heads)]
    state = {"state": 0, "heads": [0] * heads, "out": None, "residue": 0, "automaton": 0}
    block = (None, attention(*[head] * heads))
    return recogniser(1, [block], [*tables, state], scope="all", product=1)


def named_languages() -> Iterator[tuple[str, Lines]]:
    squares = {"eta": "0", "U": [["1"]], "b": ["0"], "W": [["9" * 3000]]}
    copy = (None, attention(HEAD))
    yield "words of a thousand letters", up_to(1000, 1, [copy])
    yield "words of 10^14 letters", up_to(10**14, 1, [copy])
    yield "one letter, 10^12 times", up_to(10**12, 1, [copy], letters=1)
    yield "a word of 50,000 letters", word(50_000, 1, [copy])
    yield "numbers that grow in every block", word(1, 1, [(squares, None)] * 200)
    yield "zero matrices in high dimension", word(3, 20_000, [(None, attention({**HEAD, "V": ZERO}))] * 2000)
    yield "scalars in high dimension", word(3, 20_000, [(None, attention(HEAD))] * 2000)
    yield (
        "an outer product in high dimension",
        word(
            2,
            20_000,
            [({"eta": "1", "U": {"outer": [["1"] * 20_000, ["1"] * 20_000]}, "b": ["0"] * 20_000, "W": ZERO}, None)],
        ),
    )
    primes = [p for p in range(2, 20_000) if all(p % q for q in range(2, int(p**0.5) + 1))]
    yield (
        "features of many denominators",
        word(
            200,
            1,
            [],
            features=[{"coordinate": 0, "ratio": [[["1", 0, 0]], [[str(p), 0, 0], ["1", 1, 1]]]} for p in primes],
        ),
    )
    long = [[f"1/{p}" for p in primes]] * 2
    yield "a vector of many denominators", word(2, len(primes), [(None, attention(HEAD))] * 30, tokens=long)
    polynomial = [["9" * 300, a, b] for a in range(33) for b in range(33)]
    yield (
        "polynomials of 1,089 terms",
        word(40_000, 1, [], features=[{"coordinate": 0, "ratio": [polynomial, [["1", 0, 0]]]}]),
    )
    yield "guesses of ten heads", guesses(90, 10)
    yield "guesses of two heads", guesses(5000, 2)
    yield "many pairs and guesses", guesses(9000, 1)
