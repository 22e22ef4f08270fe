"""Reading `.brasp` files: B-RASP programs with one vector per line, under a name.

    file    = lines; blank lines and lines that begin with # are skipped
    line    = letters LETTER ..             the alphabet, separated by blanks; before every vector, once
            | at first | at last            the accepting position; last if not said
            | empty accept | empty reject   the empty word; rejected if not said
            | NAME = vector
    vector  = letter LETTER | true | false | NAME | not NAME
            | NAME and NAME .. | NAME or NAME ..
            | side mask [ pairs ] pairs : default
    side    = leftmost | rightmost
    mask    = all | before | upto | after | from   (j anywhere, j < i, j <= i, j > i, j >= i)
    pairs   = true | false | pair | pair ..
    pair    = NAME(i) | NAME(j) | NAME(i) & NAME(j)
    default = NAME | true | false

In `pairs` the bar is "or". The attention at i is the pairs behind the bracket, at the leftmost or rightmost j that the
mask shows and the bracket allows; the default at i if there is none. Names are those of lines above, and the last
line decides. The words with an a somewhere before a last letter b:

    letters a b
    A = letter a
    B = letter b
    seen = rightmost before [A(j)] true : false
    verdict = B and seen
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.json_lines import PathLike, read_bytes
from exactformer.languages.programs import And, Attend, BooleanVector, IsLetter, Not, Or, PairTerm, Program, Side
from exactformer.model.heads import Mask

_MASKS: dict[str, Mask] = {"all": None, "before": "before", "upto": "upto", "after": "after", "from": "from"}
_RESERVED = {"letter", "letters", "true", "false", "not", "and", "or", "leftmost", "rightmost", "at", "empty"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_ATTEND = re.compile(r"(leftmost|rightmost)\s+(\w+)\s*\[([^\]]*)\]([^:]*):(.*)")


def read_program(path: PathLike) -> Program:
    """The program of a `.brasp` file; Malformed with line and cause where it is none."""
    try:
        text = read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise Malformed(f"{path}: expected text in UTF-8, got the byte {error.object[error.start]:#x}") from None
    return program_of_text(text, str(path))


def program_of_text(text: str, where: str = "program") -> Program:
    """The program that a text in the grammar of this module describes.

    >>> program_of_text("letters a b\\nA = letter a\\nv = leftmost all [true] A(j) : false").accepts("ab")
    True
    """
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                reader.line(line.strip())
            except InvalidInput as error:
                raise Malformed(f"{where}, line {number}: {error}") from None
    if reader.last is None:
        raise Malformed(f"{where}: expected at least one vector, as in: A = letter a; got none")
    # the last line may be another name of an earlier vector
    same = () if reader.last == len(reader.vectors) - 1 else (And((reader.last,)),)
    return Program(reader.letters, (*reader.vectors, *same), reader.at, reader.empty)


def text_of_program(program: Program) -> str:
    """The text of a program, vector k under the name vk; InvalidInput where the grammar has no line for a vector.

    >>> print(text_of_program(program_of_text("letters a b\\nA = letter a\\nv = leftmost all [true] A(j) : A")))
    letters a b
    v0 = letter a
    v1 = leftmost all [true] v0(j) : v0
    """
    lines = [f"letters {' '.join(program.letters)}"]
    lines += ["at first"] if program.at == "first" else []
    lines += ["empty accept"] if program.empty else []
    return "\n".join([*lines, *(f"v{k} = {_line(vector)}" for k, vector in enumerate(program.vectors))])


def _line(vector: BooleanVector) -> str:
    if isinstance(vector, IsLetter):
        return f"letter {vector.letter}"
    if isinstance(vector, Not):
        return f"not v{vector.part}"
    if isinstance(vector, Attend):
        mask = "all" if vector.mask is None else vector.mask
        return f"{vector.side} {mask} [{_pairs(vector.score)}] {_pairs(vector.value)} : v{vector.default}"
    word = "and" if isinstance(vector, And) else "or"
    if not vector.parts:
        return "true" if word == "and" else "false"
    if len(vector.parts) == 1:
        raise InvalidInput(f"expected a gate of two or more parts, got one of vector {vector.parts[0]} alone")
    return f" {word} ".join(f"v{p}" for p in vector.parts)


def _pairs(terms: tuple[PairTerm, ...]) -> str:
    if not terms or (None, None) in terms:
        return "true" if terms else "false"
    return " | ".join(
        " & ".join(f"v{p}({at})" for p, at in zip(term, "ij", strict=True) if p is not None) for term in terms
    )


class _Reader:
    def __init__(self) -> None:
        self.letters: tuple[str, ...] = ()
        self.alphabet: set[str] = set()
        self.vectors: list[BooleanVector] = []
        self.names: dict[str, int] = {}
        self.last: int | None = None
        self.at: Literal["first", "last"] = "last"
        self.empty = False
        self.headers: set[str] = set()

    def line(self, text: str) -> None:
        words = text.split()
        if words[0] in ("letters", "at", "empty"):
            self.header(words[0], words[1:])
            return
        name, equals, content = (part.strip() for part in text.partition("="))
        if not equals:
            raise InvalidInput(f"expected NAME = vector, or letters, at or empty, got {text!r:.60}")
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise InvalidInput(f"expected a name of letters, digits and _ that is no keyword, got {name!r:.60}")
        if name in self.names:
            raise InvalidInput(f"expected a new name, got {name!r}, which a line above has")
        if not self.letters:
            raise InvalidInput("expected the alphabet before the first vector, as in: letters a b")
        self.last = self.names[name] = self.vector(content)

    def header(self, kind: str, words: list[str]) -> None:
        if kind in self.headers:
            raise InvalidInput(f"expected one line {kind!r}, got a second")
        self.headers.add(kind)
        if kind == "letters":
            if not words or len(set(words)) < len(words):
                raise InvalidInput(f"expected letters that differ, at least one, got {' '.join(words)!r:.60}")
            self.letters, self.alphabet = tuple(words), set(words)
        elif kind == "at" and words in (["first"], ["last"]):
            self.at = "first" if words == ["first"] else "last"
        elif kind == "empty" and words in (["accept"], ["reject"]):
            self.empty = words == ["accept"]
        else:
            expected = "at first or at last" if kind == "at" else "empty accept or empty reject"
            raise InvalidInput(f"expected {expected}, got {' '.join([kind, *words])!r:.60}")

    def vector(self, text: str) -> int:
        words = text.split()
        if words[:1] == ["letter"] and len(words) == 2:
            if words[1] not in self.alphabet:
                raise InvalidInput(f"expected a letter of {' '.join(self.letters)!r}, got {words[1]!r:.60}")
            return self.put(IsLetter(words[1]))
        if words[:1] in (["leftmost"], ["rightmost"]):
            return self.attend(text)
        if words[:1] == ["not"] and len(words) == 2:
            return self.put(Not(self.named(words[1])))
        if len(words) == 1:
            return self.default(words[0])
        joined = set(words[1::2])
        if joined not in ({"and"}, {"or"}) or len(words) % 2 == 0:
            raise InvalidInput(
                "expected letter LETTER, not NAME, NAMEs joined by and alone or by or alone, or an attention as in "
                f"rightmost before [p(j)] q(j) : false; got {text!r:.60}"
            )
        parts = tuple(self.named(word) for word in words[::2])
        return self.put(And(parts) if joined == {"and"} else Or(parts))

    def attend(self, text: str) -> int:
        found = _ATTEND.fullmatch(text)
        if found is None:
            raise InvalidInput(f"expected side mask [pairs] pairs : default, got {text!r:.60}")
        side: Side = "leftmost" if found[1] == "leftmost" else "rightmost"
        if found[2] not in _MASKS:
            raise InvalidInput(f"expected a mask all, before, upto, after or from, got {found[2]!r:.60}")
        score, value = self.pairs(found[3]), self.pairs(found[4])
        return self.put(Attend(side, _MASKS[found[2]], score, value, self.default(found[5].strip())))

    def pairs(self, text: str) -> tuple[PairTerm, ...]:
        if text.strip() in ("true", "false"):
            return ((None, None),) if text.strip() == "true" else ()
        return tuple(self.pair(part.strip()) for part in text.split("|"))

    def pair(self, text: str) -> PairTerm:
        found: dict[str, int] = {}
        for part in text.split("&"):
            read = re.fullmatch(r"(\w+)\s*\(\s*([ij])\s*\)", part.strip())
            if read is None or read[2] in found:
                raise InvalidInput(f"expected NAME(i), NAME(j) or NAME(i) & NAME(j), got {text!r:.60}")
            found[read[2]] = self.named(read[1])
        return found.get("i"), found.get("j")

    def default(self, text: str) -> int:
        if text in ("true", "false"):
            return self.put(And(()) if text == "true" else Or(()))
        return self.named(text)

    def named(self, name: str) -> int:
        if name not in self.names:
            known = ", ".join(islice(self.names, 20)) or "none yet"
            raise InvalidInput(f"expected the name of a line above ({known:.80}), got {name!r:.60}")
        return self.names[name]

    def put(self, vector: BooleanVector) -> int:
        self.vectors.append(vector)
        return len(self.vectors) - 1
