"""Reading regular expressions: | & ~ * + ? . ( ), () the empty word, [] the empty set, 'ab' a longer letter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from exactformer.errors import Declined, InvalidInput

Operation = Literal["letter", "any", "empty set", "concatenation", "or", "and", "not", "star"]

#: the longest text and the deepest nesting that are read
LONGEST, DEEPEST = 10_000, 100
_MARKS = frozenset("|&~*+?.()[]'")
#: what other dialects of expressions give a meaning: letters only in quotes
_OTHER_MARKS = {
    "{": "a number of times is written out, as in aaa",
    "}": "a number of times is written out, as in aaa",
    "\\": "a letter that is a mark is quoted, as in '*'",
    "^": "an expression is about whole words, without ^ and $",
    "$": "an expression is about whole words, without ^ and $",
}


@dataclass(frozen=True)
class RegularExpression:
    """A syntax tree; the empty word is the concatenation of nothing."""

    operation: Operation
    parts: tuple[RegularExpression, ...] = ()
    letter: str = ""

    def letters(self) -> set[str]:
        """The letters that occur."""
        return {self.letter} - {""} | {letter for part in self.parts for letter in part.letters()}


def parse(text: str) -> RegularExpression:
    """The syntax tree of a text; InvalidInput with place and cause where it is not an expression.

    `~` binds weaker than `* + ?` and stronger than juxtaposition, then come `&` and `|`. Blanks are skipped.

    >>> parse("a|b").operation
    'or'
    """
    if len(text) > LONGEST:
        raise Declined(f"an expression of {len(text):,} characters; at most {LONGEST:,} are read")
    return _Reader(text).whole()


def quoted(letter: str) -> str:
    """A letter as it is written in an expression."""
    plain = len(letter) == 1 and letter not in _MARKS and letter not in _OTHER_MARKS and not letter.isspace()
    return letter if plain else "'" + letter.replace("\\", "\\\\").replace("'", "\\'") + "'"


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0

    def whole(self) -> RegularExpression:
        found = self.alternatives()
        if self.peek():
            raise self.error("an operator or the end", "there is no ( before it" if self.peek() == ")" else "")
        return found

    def peek(self) -> str:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def takes(self, mark: str) -> bool:
        if self.peek() != mark:
            return False
        self.at += 1
        return True

    def error(self, expected: str, remedy: str = "") -> InvalidInput:
        got = repr(self.text[self.at]) if self.at < len(self.text) else "the end"
        return InvalidInput(
            f"expression {self.text!r:.60}, position {self.at}: expected {expected}, got {got}"
            + (f"; {remedy}" if remedy else "")
        )

    def alternatives(self) -> RegularExpression:
        parts = [self.intersection()]
        while self.takes("|"):
            parts.append(self.intersection())
        return parts[0] if len(parts) == 1 else RegularExpression("or", tuple(parts))

    def intersection(self) -> RegularExpression:
        parts = [self.concatenation()]
        while self.takes("&"):
            parts.append(self.concatenation())
        return parts[0] if len(parts) == 1 else RegularExpression("and", tuple(parts))

    def concatenation(self) -> RegularExpression:
        parts = []
        while self.peek() not in ("", "|", "&", ")", "]"):
            parts.append(self.complement())
        if not parts:
            raise self.error("a letter or (", "write () for the empty word, [] for the empty set")
        return parts[0] if len(parts) == 1 else RegularExpression("concatenation", tuple(parts))

    def complement(self) -> RegularExpression:
        if not self.takes("~"):
            return self.repeated()
        self.deeper()
        found = RegularExpression("not", (self.complement(),))
        self.depth -= 1
        return found

    def repeated(self) -> RegularExpression:
        found = self.atom()
        mark = self.peek()
        if mark not in ("*", "+", "?"):
            return found
        self.at += 1
        if self.peek() in ("*", "+", "?"):
            raise self.error("one of * + ? at most", "use brackets, as in (a+)?")
        if mark == "?":
            return RegularExpression("or", (found, RegularExpression("concatenation")))
        star = RegularExpression("star", (found,))
        return star if mark == "*" else RegularExpression("concatenation", (found, star))

    def atom(self) -> RegularExpression:
        mark = self.peek()
        if mark in ("*", "+", "?"):
            raise self.error("a letter or (", f"there is nothing before {mark} to repeat")
        if mark in ("", "|", "&", ")", "]"):
            raise self.error("a letter or (")
        if mark in _OTHER_MARKS:
            raise self.error("a letter or (", f"{_OTHER_MARKS[mark]}; if it is a letter, quote it")
        start, self.at = self.at, self.at + 1
        if mark == "(":
            return self.bracket(start)
        if mark == "[":
            if not self.takes("]"):
                raise self.error("]", "[] is the empty set; alternatives are written (a|b)")
            return RegularExpression("empty set")
        if mark == "'":
            return self.quote(start)
        return RegularExpression("any") if mark == "." else RegularExpression("letter", letter=mark)

    def bracket(self, start: int) -> RegularExpression:
        if self.takes(")"):
            return RegularExpression("concatenation")
        self.deeper()
        found = self.alternatives()
        self.depth -= 1
        if not self.takes(")"):
            raise self.error(f"the ) of the ( at position {start}")
        return found

    def quote(self, start: int) -> RegularExpression:
        letter = ""
        while self.at < len(self.text) and self.text[self.at] != "'":
            self.at += self.text[self.at] == "\\"
            letter += self.text[self.at : self.at + 1]
            self.at += 1
        if self.at >= len(self.text) or not letter:
            raise self.error(f"the end of a letter that is not empty, quoted from position {start} on")
        self.at += 1
        return RegularExpression("letter", letter=letter)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Declined(f"an expression nested deeper than {DEEPEST}, at position {self.at}")
