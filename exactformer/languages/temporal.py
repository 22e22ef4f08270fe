"""Linear temporal logic with strict operators: formulas, their truth by definition, and B-RASP programs of them.

    formula = side -> formula | side         side  = meet | meet ..        (the bar is "or")
    meet    = since & since ..               since = unary | unary S unary | unary U unary
    unary   = ! unary | Y unary | O unary | H unary | X unary | F unary | G unary | atom
    atom    = LETTER | . | ( formula )

An atom is a letter: one character, or quoted as in 'ab' or 'Y'; the dot is true. The present does not count for
Y (just before), O (once before), H (always before), p S q (q before, and p ever since), nor for their mirror images
X, F, G, p U q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from exactformer.errors import Declined, InvalidInput
from exactformer.languages.automaton import Word
from exactformer.languages.programs import And, Attend, BooleanVector, IsLetter, Not, Or, Program, Side
from exactformer.languages.syntax import DEEPEST, LONGEST
from exactformer.model.heads import Mask

_UNARY, _BINARY = "!YOHXFG", "SU"
_MARKS = frozenset(_UNARY + _BINARY + "&|->().'")


@dataclass(frozen=True)
class Formula:
    """A formula: `operation` is one of ! & | Y O H S X F G U, "letter", or "true"; -> is read as ! and |."""

    operation: str
    parts: tuple[Formula, ...] = ()
    letter: str = ""

    def letters(self) -> set[str]:
        """The letters that occur."""
        return {self.letter} - {""} | {letter for part in self.parts for letter in part.letters()}

    def holds(self, word: Word, i: int) -> bool:
        """The truth at position i of a word, by definition.

        >>> parse_formula("a S b").holds("baa", 2), parse_formula("O a").holds("a", 0)
        (True, False)
        """
        if not self.parts:
            return self.operation == "true" or word[i] == self.letter
        p, q = self.parts[0], self.parts[-1]
        if self.operation == "!":
            return not p.holds(word, i)
        if self.operation in "&|":
            return (all if self.operation == "&" else any)(part.holds(word, i) for part in self.parts)
        # the other positions on the side of the operator, nearest first
        others = range(i - 1, -1, -1) if self.operation in "YOHS" else range(i + 1, len(word))
        if self.operation in "YX":
            return any(p.holds(word, j) for j in others[:1])
        if self.operation in "HG":
            return all(p.holds(word, j) for j in others)
        if self.operation in "OF":
            return any(p.holds(word, j) for j in others)
        return any(q.holds(word, j) and all(p.holds(word, k) for k in others[:d]) for d, j in enumerate(others))


def parse_formula(text: str) -> Formula:
    """The formula of a text; InvalidInput with place and cause where it is none.

    >>> parse_formula("!a & O b").operation
    '&'
    """
    if len(text) > LONGEST:
        raise Declined(f"a formula of {len(text):,} characters; at most {LONGEST:,} are read")
    return _Reader(text).whole()


def program_of_formula(
    text: str, letters: Sequence[str] | None = None, *, at: Literal["first", "last"] = "last", empty: bool = False
) -> Program:
    """The program of the nonempty words where a formula holds at the last (first) position; the empty one if `empty`.

    The alphabet is that of the letters that occur, unless `letters` says more. One vector per different subformula
    (one or two more for S, U, H, G), one attention per temporal operator.

    >>> program_of_formula("b & O a").accepts("aab")
    True
    """
    formula = parse_formula(text)
    alphabet = tuple(sorted(formula.letters())) if letters is None else tuple(letters)
    if not alphabet:
        raise InvalidInput(f"formula {text!r:.60}: expected at least one letter, got none; say which letters there are")
    foreign = sorted(formula.letters() - set(alphabet))
    if foreign:
        raise InvalidInput(f"formula {text!r:.60}: expected letters of {list(alphabet)!r:.60}, got {foreign[0]!r}")
    writer = _Writer()
    last = writer.number(formula)
    same = () if last == len(writer.vectors) - 1 else (And((last,)),)
    return Program(alphabet, (*writer.vectors, *same), at, empty)


class _Writer:
    """Vectors of formulas, each different one written once."""

    def __init__(self) -> None:
        self.vectors: list[BooleanVector] = []
        self.numbers: dict[BooleanVector, int] = {}

    def put(self, vector: BooleanVector) -> int:
        if vector not in self.numbers:
            self.numbers[vector] = len(self.vectors)
            self.vectors.append(vector)
        return self.numbers[vector]

    def number(self, formula: Formula) -> int:
        """The number of the vector of a formula."""
        if formula.operation == "letter":
            return self.put(IsLetter(formula.letter))
        parts = tuple(self.number(part) for part in formula.parts)
        if formula.operation == "!":
            return self.put(Not(parts[0]))
        if formula.operation in ("true", "&"):
            return self.put(And(parts))
        return self.put(Or(parts)) if formula.operation == "|" else self.temporal(formula.operation, parts)

    def temporal(self, operation: str, parts: tuple[int, ...]) -> int:
        """One attention to the nearest position that decides.

        For p S q that is the nearest j with q or not p: if q(j), all since have p; if not, not p(j) refutes whatever
        is further away.
        """
        past = operation in "YOHS"
        side: Side = "rightmost" if past else "leftmost"
        mask: Mask = "before" if past else "after"
        false, p, q = self.put(Or(())), parts[0], parts[-1]
        if operation in "YX":
            return self.put(Attend(side, mask, ((None, None),), ((None, p),), false))
        if operation in "OF":
            return self.put(Attend(side, mask, ((None, p),), ((None, None),), false))
        if operation in "HG":
            return self.put(Attend(side, mask, ((None, self.put(Not(p))),), (), self.put(And(()))))
        decides = ((None, q), (None, self.put(Not(p))))
        return self.put(Attend(side, mask, decides, ((None, q),), false))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0

    def whole(self) -> Formula:
        found = self.implication()
        if self.peek():
            raise self.error("an operator or the end", "there is no ( before it" if self.peek() == ")" else "")
        return found

    def peek(self, size: int = 1) -> str:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at : self.at + size]

    def takes(self, mark: str) -> bool:
        if self.peek(len(mark)) != mark:
            return False
        self.at += len(mark)
        return True

    def error(self, expected: str, remedy: str = "") -> InvalidInput:
        got = repr(self.text[self.at]) if self.at < len(self.text) else "the end"
        return InvalidInput(
            f"formula {self.text!r:.60}, position {self.at}: expected {expected}, got {got}"
            + (f"; {remedy}" if remedy else "")
        )

    def implication(self) -> Formula:
        self.deeper()
        found = self.joined("|")
        if self.takes("->"):
            found = Formula("|", (Formula("!", (found,)), self.implication()))
        self.depth -= 1
        return found

    def joined(self, mark: str) -> Formula:
        parts = [self.joined("&") if mark == "|" else self.since()]
        while self.takes(mark):
            parts.append(self.joined("&") if mark == "|" else self.since())
        return parts[0] if len(parts) == 1 else Formula(mark, tuple(parts))

    def since(self) -> Formula:
        found = self.unary()
        mark = self.peek()
        if not mark or mark not in _BINARY:
            return found
        self.at += 1
        found = Formula(mark, (found, self.unary()))
        if self.peek() and self.peek() in _BINARY:
            raise self.error("one of S U at most", "use brackets, as in (a S b) S c")
        return found

    def unary(self) -> Formula:
        mark = self.peek()
        if not mark or mark not in _UNARY:
            return self.atom()
        self.at += 1
        self.deeper()
        found = Formula(mark, (self.unary(),))
        self.depth -= 1
        return found

    def atom(self) -> Formula:
        mark = self.peek()
        start = self.at
        if self.takes("("):
            found = self.implication()
            if not self.takes(")"):
                raise self.error(f"the ) of the ( at position {start}")
            return found
        if self.takes("."):
            return Formula("true")
        if self.takes("'"):
            return self.quote(start)
        if not mark or mark in _MARKS:
            quote = "" if not mark else f"as a letter it is quoted, '{mark}'"
            raise self.error("a letter, ( or one of ! Y O H X F G", quote)
        self.at += 1
        return Formula("letter", letter=mark)

    def quote(self, start: int) -> Formula:
        end = self.text.find("'", self.at)
        if end <= self.at:
            self.at = len(self.text) if end < 0 else end
            raise self.error(f"the end of a letter that is not empty, quoted from position {start} on")
        letter, self.at = self.text[self.at : end], end + 1
        return Formula("letter", letter=letter)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Declined(f"a formula nested deeper than {DEEPEST}, at position {self.at}")
