"""Automata and words (FORMAT.md, section 17, rules 2 and 7)."""

from collections.abc import Iterable
from typing import NamedTuple

from ..core.certificate import Certificate
from ..core.lines import count, entries, exact_keys, indices
from ..core.verdict import Json, Refusal, well_formed

KEYS = ("letters", "next", "accepting", "start")


class Automaton(NamedTuple):
    """Letter k leads from state q to next[q][k]."""

    letters: list[str]
    next: list[list[int]]
    accepting: frozenset[int]
    start: int

    def run(self, q: int, word: Iterable[int]) -> int:
        """The state that a word leads to from q."""
        for k in word:
            q = self.next[q][k]
        return q


def automaton_of(value: object, k: int, s: int) -> Automaton:
    """The automaton of a line with k letters and s states (rule 2)."""
    found = exact_keys(value, *KEYS)
    letters = entries(found["letters"], k)
    well_formed(all(type(a) is str for a in letters) and len(set(letters)) == k, "letters are strings that differ")
    rows = [[count(r, 0, s) for r in entries(row, k)] for row in entries(found["next"], s)]
    return Automaton(letters, rows, frozenset(indices(found["accepting"], s)), count(found["start"], 0, s))


def read_automaton(file: Certificate) -> Automaton:
    """The automaton line."""
    return automaton_of(file.lines.value(subject=True), file.header["letters"], file.header["states"])


def read_word(value: Json, letters: int, length: int | None = None) -> list[int]:
    """A list of indices of letters, perhaps empty."""
    well_formed(type(value) is list and length in (None, len(value)), "a word is a list of indices of letters")
    return [count(k, 0, letters) for k in value]


def verify_scope(scope: object, known: tuple[str, ...]) -> None:
    """The scope is one of those that go with the keys of the header."""
    if scope not in known:
        raise Refusal("malformed", f'"scope" must be one of {", ".join(known)}')
