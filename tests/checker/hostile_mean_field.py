"""False statements about the mean field with much to compute, made longer from those of the corpus that are accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checker_kit import CORPUS, Lines, opened
from hostile import Case, primes


def accepted(name: str) -> Lines:
    """The lines of a counterexample of the corpus."""
    return opened((CORPUS / f"accept/false_meanfield_{name}.jsonl").read_bytes())


def with_tokens(name: str, tokens: list[list[str]]) -> Lines:
    """The same with these tokens in place of its own."""
    top, system, *rest = accepted(name)
    return [top | {"tokens": len(tokens)}, system | {"tokens": tokens}, *rest]


def mirrored(pairs: int, long: int) -> Lines:
    """Tokens in pairs, so many of them with denominators that have no common factor."""
    below = [*primes(long), *[1] * pairs][:pairs]
    places = [[f"{sign}1/{p}" if p > 1 else f"{sign}1", str(k + 2)] for k, p in enumerate(below) for sign in ("", "-")]
    return with_tokens("symmetric", [["0", "1"], *places])


def cone(count: int, long: int) -> Lines:
    """Tokens in a cone."""
    below = [*primes(long), *[1] * count][:count]
    return with_tokens("cone", [["10", "1"], *[["10", f"1/{p}" if p > 1 else "-1"] for p in below]])


def kernel(count: int, digits: int) -> Lines:
    """Tokens of which one is in the kernel."""
    long = 10**digits
    return with_tokens("kernel", [["1", "1"], ["0", "1"], *[[f"1/{long + 2 * k + 1}", "1"] for k in range(count)]])


def late(time: int, digits: int) -> Lines:
    """A bound at a time far away, with a rate that has so many digits."""
    top, system, shown = accepted("near_kernel")
    return [top, system | {"rate": f"{10**digits // 3}/{10**digits}"}, shown | {"time": str(time)}]


def decay(digits: int) -> Lines:
    top, system, shown = accepted("gap")
    return [top, system, shown | {"decay": f"1/{10**digits + 1}"}]


def plane(digits: int) -> Lines:
    """A plane that a matrix of long numbers turns."""
    top, system, *rest = accepted("pair_in_space")
    V: Any = [["1", "-2", "0"], ["2", "1", "0"], [f"5/{10**digits + 3}", "0", "1/2"]]
    return [top, system | {"V": V}, *rest]


def named_of_mean_fields() -> Iterator[Case]:
    """The cases by hand."""
    yield "mirrored tokens with a long denominator", mirrored(9_000, 3_000)
    yield "a cone of tokens with a long denominator", cone(9_000, 3_000)
