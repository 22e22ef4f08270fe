"""The automaton of an expression by positions and subsets (Glushkov): a second way, to compare the first with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from exactformer.errors import Declined
from exactformer.languages.automaton import Automaton
from exactformer.languages.effort import keep, one_question, spend
from exactformer.languages.syntax import RegularExpression

#: the most pairs "position, position that may follow"
MOST_FOLLOWS = 2_000_000


@one_question()
def by_positions(expression: RegularExpression, letters: tuple[str, ...]) -> Automaton:
    """The minimal automaton of an expression, by positions and subsets.

    >>> from exactformer.languages.syntax import parse
    >>> by_positions(parse("(ab)*"), ("a", "b"))
    Automaton(3 states over 'ab')
    """
    return _Positions(letters).automaton(expression)


@dataclass(frozen=True)
class _Part:
    """The positions that words of a subexpression may begin with and end with, and whether it has the empty word."""

    nullable: bool
    first: frozenset[int]
    last: frozenset[int]


class _Positions:
    """Positions have a letter each, and followers; complements and intersections are automata of their own."""

    def __init__(self, letters: tuple[str, ...]) -> None:
        self.letters = letters
        self.letter: list[str] = []
        self.follow: list[set[int]] = []
        self.pairs = 0

    def automaton(self, e: RegularExpression) -> Automaton:
        if e.operation == "not":
            return (~self.fresh(e.parts[0])).minimal()
        if e.operation == "and":
            return reduce(Automaton.__and__, map(self.fresh, e.parts))
        whole = self.of(e)
        begin, letter = frozenset([-1]), self.letter  # -1: nothing read yet

        after: dict[frozenset[int], dict[str, set[int]]] = {}  # of one state: it is asked for letter by letter

        def step(at: frozenset[int], a: str) -> frozenset[int]:
            if at not in after:
                after.clear()
                after[at] = by_letter(at)
            return frozenset(after[at].get(a, ()))

        def by_letter(at: frozenset[int]) -> dict[str, set[int]]:
            reached = [whole.first if p < 0 else self.follow[p] for p in at]
            spend(3 * sum(map(len, reached)) + len(at))
            found: dict[str, set[int]] = {}
            for following in reached:
                for p in following:
                    found.setdefault(letter[p], set()).add(p)
            return found

        def ends(at: frozenset[int]) -> bool:
            return (whole.nullable and at == begin) or not whole.last.isdisjoint(at)

        return Automaton.of(self.letters, begin, step, ends).minimal()

    def fresh(self, e: RegularExpression) -> Automaton:
        return _Positions(self.letters).automaton(e)

    def of(self, e: RegularExpression) -> _Part:
        nothing: frozenset[int] = frozenset()
        if e.operation == "empty set":
            return _Part(False, nothing, nothing)
        if e.operation in ("letter", "any"):
            new = frozenset(self.position(a) for a in (self.letters if e.operation == "any" else (e.letter,)))
            return _Part(False, new, new)
        if e.operation in ("and", "not"):
            return self.embedded(self.automaton(e))
        if e.operation == "or":
            parts = [self.of(part) for part in e.parts]
            first, last = (nothing.union(*sets) for sets in ([p.first for p in parts], [p.last for p in parts]))
            return _Part(any(p.nullable for p in parts), first, last)
        if e.operation == "star":
            part = self.of(e.parts[0])
            self.link(part.last, part.first)
            return _Part(True, part.first, part.last)
        return reduce(self.concatenated, map(self.of, e.parts), _Part(True, nothing, nothing))

    def concatenated(self, one: _Part, two: _Part) -> _Part:
        self.link(one.last, two.first)
        spend(len(one.first) + len(two.first) + len(one.last) + len(two.last))
        first = one.first | two.first if one.nullable else one.first
        return _Part(one.nullable and two.nullable, first, one.last | two.last if two.nullable else two.last)

    def embedded(self, d: Automaton) -> _Part:
        """An automaton as positions: one per move."""
        moves = {(q, k): self.position(a) for q in range(len(d)) for k, a in enumerate(d.letters)}
        leaving = [frozenset(moves[q, k] for k in range(len(d.letters))) for q in range(len(d))]
        for (q, k), p in moves.items():
            self.link(frozenset([p]), leaving[d.next[q][k]])
        last = frozenset(p for (q, k), p in moves.items() if d.next[q][k] in d.accepting)
        return _Part(d.start in d.accepting, leaving[d.start], last)

    def position(self, letter: str) -> int:
        spend(20)
        keep(400)
        self.letter.append(letter)
        self.follow.append(set())
        return len(self.letter) - 1

    def link(self, ends: frozenset[int], begins: frozenset[int]) -> None:
        self.pairs += len(ends) * len(begins)
        if self.pairs > MOST_FOLLOWS:
            raise Declined(
                f"more than {MOST_FOLLOWS:,} pairs of positions that follow each other; shorten the expression"
            )
        spend(2 * len(ends) * len(begins))
        keep(40 * len(ends) * len(begins))
        for p in ends:
            self.follow[p] |= begins
