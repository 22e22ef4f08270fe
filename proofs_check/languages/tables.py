"""The tables of a head: queries, values, pairs and summaries (FORMAT.md, section 17, rules 5 and 9).

A summary says, for every query, what the head would choose among some positions: nothing, or a score and a value.
"""

import marshal
from fractions import Fraction

from ..core.budget import product_cost
from ..core.certificate import Certificate
from ..core.lines import count, entries
from ..core.numbers import number
from ..core.points import Point, bits
from ..core.verdict import Json, holds, well_formed
from .matrices import read_numbers
from .recognisers import Head

ENTRY = 25 * 64  # bits of memory taken by an entry of a table that is not written in the file
Score = int | Fraction
Entry = tuple[Score, int] | None
Summary = tuple[Entry, ...]


class Table:
    """The table of one head; `mixed` is the index of the value null, a mean of different ones (-1: there is none)."""

    def __init__(self, head: Head, file: Certificate, b: int, h: int) -> None:
        keys = ("block", "head", "queries", "values", "pairs", "summaries", "guessed")
        index, place, queries, values, pairs, summaries, guessed = file.lines.fields(*keys)
        count(index, b, b + 1)
        count(place, h, h + 1)
        self.head, self.budget, height = head, file.budget, head.Q.height
        self.queries = [read_numbers(entries(q, height), file) for q in listed(queries)]
        self.query = numbered(list(map(name, self.queries)), "queries")
        self.vectors = [None if v is None else read_numbers(entries(v, file.dim), file) for v in listed(values)]
        self.value = numbered(list(map(name, self.vectors)), "values")
        self.mixed = self.value.get(name(None), -1)
        well_formed(self.mixed < 0 or head.ties == "all", "the value null is for ties all")
        self.pairs = [self.read_pair(p, height, file) for p in listed(pairs)]
        self.pair = numbered(list(map(name, self.pairs)), "pairs")
        self.summaries = [self.read_summary(s, file) for s in entries(summaries)]
        file.budget.distinct(self.summaries)
        self.number = numbered(self.summaries, "summaries")
        well_formed(not any(self.summaries[0]), "summary 0 must be the empty one")
        least, most = (0, 0) if head.kind == "past" else (1, len(self.summaries))
        self.guesses = range(count(guessed, least, most + 1))
        self.predecessors: dict[tuple[int, int], list[int]] = {}
        self.forget()

    def forget(self) -> None:
        """Scores and extensions are computed again when they are needed."""
        self.scores: dict[int, list[Score]] = {}
        self.grown: dict[tuple[int, int, bool], int | None] = {}

    def read_pair(self, value: object, height: int, file: Certificate) -> tuple[Point, int]:
        """A key and the index of a value that is not null."""
        key, v = entries(value, 2)
        found = count(v, 0, len(self.vectors))
        well_formed(found != self.mixed, "the value of a pair is not null")
        return read_numbers(entries(key, height), file), found

    def read_summary(self, value: Json, file: Certificate) -> Summary:
        """For every query null, or a score and the index of a value."""
        well_formed(len(listed(value)) == len(self.queries), "a summary has one entry for every query")
        return tuple([None if e is None else self.read_entry(e, file) for e in value])

    def read_entry(self, value: object, file: Certificate) -> Entry:
        """A score and the index of a value."""
        score, v = entries(value, 2)
        return plain(number(score, file.budget)), count(v, 0, len(self.vectors))

    def scores_of(self, p: int) -> list[Score]:
        """The scores of a pair, one for every query, made once."""
        found, (key, _) = self.scores.get(p), self.pairs[p]
        if found is None:
            size = bits(key) + max([bits(q) for q in self.queries], default=0)
            self.budget.spend(len(self.queries) * (60 + len(key) * (2 + product_cost(size))))
            self.budget.hold(len(self.queries), 256 + 2 * size)
            found = self.scores[p] = [
                plain(Fraction(sum([m * n for m, n in zip(q[:-1], key)]), q[-1] * key[-1])) for q in self.queries
            ]
        return found

    def extended(self, s: int, p: int, right: bool) -> int | None:
        """The number of the summary with one more position at its right or left end; None if it is not listed."""
        key = s, p, right
        if key not in self.grown:
            scores, v = self.scores_of(p), self.pairs[p][1]
            self.budget.spend(100 + 12 * len(scores))
            self.budget.hold(1, ENTRY)
            entries_ = tuple([self.one(e, x, v, right) for e, x in zip(self.summaries[s], scores)])
            self.grown[key] = self.number.get(entries_)
        return self.grown[key]

    def one(self, entry: Entry, score: Score, v: int, right: bool) -> Entry:
        """What is chosen for one query when a position with this score and value is added."""
        if entry is None or score > entry[0]:
            return score, v
        if score < entry[0]:
            return entry
        if self.head.ties == "all":
            return entry if entry[1] == v else (score, self.mixed)
        return (score, v) if (self.head.ties == "last") == right else entry

    def verify_guesses(self) -> None:
        """The guesses are closed under one more position, at the left for the future, at the right for the whole."""
        self.budget.spend(len(self.guesses) * len(self.pairs) * 20)
        self.budget.hold(len(self.guesses) * len(self.pairs), ENTRY)
        for g in self.guesses:
            for p in range(len(self.pairs)):
                found = self.extended(g, p, self.head.kind == "whole")
                holds(found is not None and found in self.guesses, "the guesses of a head are not closed")
                self.predecessors.setdefault((int(found or 0), p), []).append(g)


def listed(value: object) -> Json:
    """A list, perhaps empty."""
    well_formed(type(value) is list, "expected a list")
    return value


def name(value: Json) -> bytes:
    """Integers as bytes, by which they are found again: what hash integers have, a file could foresee."""
    return marshal.dumps(value, 2)  # since version 3 equal values may have different bytes


def numbered(found: list[Json], what: str) -> dict[Json, int]:
    """The place of every entry of a list; they differ."""
    places = {one: k for k, one in enumerate(found)}
    well_formed(len(places) == len(found), f"{what} must differ")
    return places


def plain(x: Fraction) -> Score:
    """The same number, an int if it is whole: these are compared faster."""
    return x.numerator if x.denominator == 1 else x
