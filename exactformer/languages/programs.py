"""Boolean RASP (B-RASP): programs whose vectors are true or false at every position, and their runs by definition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from exactformer.errors import InvalidInput
from exactformer.languages.automaton import Word, spell
from exactformer.model.heads import Mask, seen_positions

#: p(i) and q(j), the numbers of two earlier vectors; None is true
PairTerm = tuple[int | None, int | None]
Side = Literal["leftmost", "rightmost"]


@dataclass(frozen=True)
class IsLetter:
    """True where the word has this letter."""

    letter: str


@dataclass(frozen=True)
class Not:
    """True where vector `part` is false."""

    part: int


@dataclass(frozen=True)
class And:
    """True where all `parts` are; of no parts: everywhere."""

    parts: tuple[int, ...]


@dataclass(frozen=True)
class Or:
    """True where one of `parts` is; of no parts: nowhere."""

    parts: tuple[int, ...]


@dataclass(frozen=True)
class Attend:
    """At i: V(i, j) for the leftmost or rightmost visible j with S(i, j); D(i) if there is none.

    S = `score` and V = `value` are disjunctions of terms p(i) and q(j); D = `default` is an earlier vector.
    """

    side: Side
    mask: Mask
    score: tuple[PairTerm, ...]
    value: tuple[PairTerm, ...]
    default: int

    def reads(self) -> list[int]:
        """The vectors that are read."""
        terms = (*self.score, *self.value)
        return [p for term in terms for p in term if p is not None] + [self.default]


BooleanVector = IsLetter | Not | And | Or | Attend


@dataclass(frozen=True)
class Program:
    """The words whose last vector is true at the last (first) position; `empty` says whether the empty word is one.

    >>> a_before = Attend("rightmost", "before", ((None, 0),), ((None, 0),), 1)
    >>> program = Program(("a", "b"), (IsLetter("a"), Or(()), a_before))
    >>> program.accepts("ab"), program.accepts("ba")
    (True, False)
    """

    letters: tuple[str, ...]
    vectors: tuple[BooleanVector, ...]
    at: Literal["first", "last"] = "last"
    empty: bool = False

    def __post_init__(self) -> None:
        if not self.letters or len(set(self.letters)) < len(self.letters) or not all(self.letters):
            raise InvalidInput(f"expected letters that differ and are not empty, got {list(self.letters)!r:.80}")
        if not self.vectors:
            raise InvalidInput("expected a program of at least one vector, got none")
        letters = set(self.letters)
        for k, vector in enumerate(self.vectors):
            if isinstance(vector, IsLetter):
                if vector.letter not in letters:
                    raise InvalidInput(
                        f"vector {k}: expected a letter of {spell(self.letters)!r}, got {vector.letter!r}"
                    )
            elif not all(0 <= p < k for p in reads(vector)):
                raise InvalidInput(f"vector {k}: expected vectors before it, got {reads(vector)}")

    @property
    def size(self) -> int:
        """The vectors that all vectors read, and the vectors themselves."""
        return sum(3 + len(reads(vector)) for vector in self.vectors)

    def steps(self, n: int) -> int:
        """The steps of a run on a word of n letters, about."""
        pairs = sum(3 + len(reads(vector)) for vector in self.vectors if isinstance(vector, Attend))
        return n * (n * pairs + self.size)

    def run(self, word: Word) -> list[list[bool]]:
        """The values of every vector at every position, by definition."""
        for i, letter in enumerate(word):
            if letter not in self.letters:
                raise InvalidInput(f"position {i}: expected a letter of {spell(self.letters)!r}, got {letter!r}")
        values: list[list[bool]] = []
        for vector in self.vectors:
            values.append([_value(vector, values, word, i) for i in range(len(word))])
        return values

    def accepts(self, word: Word) -> bool:
        """Whether the last vector is true at the accepting position."""
        values = self.run(word)[-1]
        return values[-1 if self.at == "last" else 0] if values else self.empty


def reads(vector: BooleanVector) -> Sequence[int]:
    """The numbers of the vectors that a vector reads.

    >>> reads(And((0, 2)))
    (0, 2)
    """
    if isinstance(vector, IsLetter):
        return ()
    if isinstance(vector, Not):
        return (vector.part,)
    return vector.reads() if isinstance(vector, Attend) else vector.parts


def _value(vector: BooleanVector, values: list[list[bool]], word: Word, i: int) -> bool:
    if isinstance(vector, IsLetter):
        return word[i] == vector.letter
    if isinstance(vector, Not):
        return not values[vector.part][i]
    if isinstance(vector, And):
        return all(values[p][i] for p in vector.parts)
    if isinstance(vector, Or):
        return any(values[p][i] for p in vector.parts)
    matches = [j for j in seen_positions(vector.mask, i, len(word)) if _holds(vector.score, values, i, j)]
    if not matches:
        return values[vector.default][i]
    return _holds(vector.value, values, i, matches[0 if vector.side == "leftmost" else -1])


def _holds(terms: Iterable[PairTerm], values: list[list[bool]], i: int, j: int) -> bool:
    return any((p is None or values[p][i]) and (q is None or values[q][j]) for p, q in terms)
