"""The automaton of an expression by Brzozowski's derivatives: the state after w is the expression of {v : wv in L}."""

from __future__ import annotations

from collections.abc import Iterable

from exactformer.languages.automaton import Automaton
from exactformer.languages.effort import keep, one_question, spend
from exactformer.languages.syntax import RegularExpression

#: an operation with its parts by number, or with a letter
_Node = tuple[str, tuple[int, ...], str]


@one_question()
def by_derivatives(expression: RegularExpression, letters: tuple[str, ...]) -> Automaton:
    """The minimal automaton of an expression, by derivatives.

    >>> from exactformer.languages.syntax import parse
    >>> by_derivatives(parse("(ab)*"), ("a", "b"))
    Automaton(3 states over 'ab')
    """
    algebra = _Algebra(letters)
    start = algebra.of(expression)
    return Automaton.of(letters, start, algebra.derive, lambda r: algebra.nullable[r]).minimal()


class _Algebra:
    """Expressions up to simple laws, each stored once: equal ones have equal numbers."""

    def __init__(self, letters: tuple[str, ...]) -> None:
        self.nodes: list[_Node] = []
        self.nullable: list[bool] = []
        self.number: dict[_Node, int] = {}
        self.known: dict[tuple[int, str], int] = {}
        self.empty, self.unit = self.put("or", ()), self.put("concatenation", ())
        self.everything = self.put("not", (self.empty,))
        self.any = self.join("or", [self.put("letter", (), letter) for letter in letters])

    def put(self, operation: str, parts: tuple[int, ...], letter: str = "") -> int:
        spend(10 + 2 * len(parts))
        node = operation, parts, letter
        if node not in self.number:
            spend(30)
            keep(400 + 16 * len(parts))
            self.number[node] = len(self.nodes)
            self.nodes.append(node)
            inside = [self.nullable[part] for part in parts]
            self.nullable.append(
                {
                    "letter": False,
                    "or": any(inside),
                    "and": all(inside),
                    "concatenation": all(inside),
                    "not": not any(inside),
                    "star": True,
                }[operation]
            )
        return self.number[node]

    def of(self, e: RegularExpression) -> int:
        parts = [self.of(part) for part in e.parts]
        if e.operation in ("or", "and"):
            return self.join(e.operation, parts)
        if e.operation == "concatenation":
            return self.chain(parts)
        if e.operation == "not":
            return self.complement(parts[0])
        if e.operation == "star":
            return self.star(parts[0])
        if e.operation == "letter":
            return self.put("letter", (), e.letter)
        return self.any if e.operation == "any" else self.empty

    def join(self, operation: str, parts: Iterable[int]) -> int:
        """OR or AND: associative, commutative, idempotent, with unit and zero."""
        unit, zero = (self.empty, self.everything) if operation == "or" else (self.everything, self.empty)
        kept: set[int] = set()
        for part in parts:
            kept |= set(self.nodes[part][1]) if self.nodes[part][0] == operation else {part}
        spend(4 * len(kept))
        kept.discard(unit)
        if zero in kept:
            return zero
        if len(kept) <= 1:
            return kept.pop() if kept else unit
        return self.put(operation, tuple(sorted(kept)))

    def chain(self, parts: Iterable[int]) -> int:
        flat: list[int] = []
        for part in parts:
            flat += self.nodes[part][1] if self.nodes[part][0] == "concatenation" else [part]
        spend(len(flat))
        if self.empty in flat:
            return self.empty
        return flat[0] if len(flat) == 1 else self.put("concatenation", tuple(flat))

    def complement(self, part: int) -> int:
        operation, parts, _ = self.nodes[part]
        return parts[0] if operation == "not" else self.put("not", (part,))

    def star(self, part: int) -> int:
        if part in (self.empty, self.unit):
            return self.unit
        return part if self.nodes[part][0] == "star" else self.put("star", (part,))

    def derive(self, r: int, letter: str) -> int:
        if (r, letter) not in self.known:
            keep(200)
            self.known[r, letter] = self.derived(r, letter)
        return self.known[r, letter]

    def derived(self, r: int, letter: str) -> int:
        operation, parts, own = self.nodes[r]
        if operation == "letter":
            return self.unit if own == letter else self.empty
        if operation in ("or", "and"):
            return self.join(operation, [self.derive(part, letter) for part in parts])
        if operation == "not":
            return self.complement(self.derive(parts[0], letter))
        if operation == "star":
            return self.chain([self.derive(parts[0], letter), r])
        terms = []
        for k, part in enumerate(parts):
            terms.append(self.chain([self.derive(part, letter), *parts[k + 1 :]]))
            if not self.nullable[part]:
                break
        return self.join("or", terms)
