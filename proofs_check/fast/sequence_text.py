"""The short cut for sequence lines, with its lemma (see `short_cuts`); tests compare it with its definition.

| short cut | definition |
| --- | --- |
| `SequenceText.read` | `lines.parse`, then `subject.read_sequence` |
"""

import json
import math
import re
from collections.abc import Sequence
from itertools import compress, repeat
from operator import mul

from ..core.budget import Limits
from ..core.certificate import SequenceReader
from ..core.points import Point, State, points
from .short_cuts import POSSESSIVE

# numbers of at most 18 digits, and common denominators below 2^60: nothing of it is charged
NUMBER = f"(?:0|-?+[1-9][0-9]{{0,17}}+(?:/(?:[2-9][0-9]{{0,17}}+|1[0-9]{{1,17}}+))?{POSSESSIVE})"
LABEL = r'"([ !#-\[\]-~]*+)"'  # printable ASCII without quotes and backslashes: it denotes itself
LONGEST = 37  # characters of a number
DENOMINATOR = re.compile(rb'/([0-9]++)"')
MARKS = [bytes([i]) for i in range(1, 32)]  # no line has such characters
UNMARKED = bytes(1)
NOT_MARK = b"-[]0123456789"
NOT_INTEGER = b'"[]' + b"".join(MARKS)
DECODER = json.JSONDecoder()
Found = tuple[State, frozenset[Point], str | None]


class SequenceText:
    """Reads sequence lines written without spaces, their keys in the usual order, their numbers short.

    Lemma: a line that has the form below is a JSON object with these keys, each once, nested three deep; its numbers
    are strings in canonical form but perhaps not in lowest terms, its lists of points have the right dimension, and its
    label is what stands between its quotes. So it denotes what its parts denote.
    """

    def __init__(self, keys: Sequence[str], dim: int, limits: Limits) -> None:
        point = rf'\["{NUMBER}"(?:,"{NUMBER}"){{{dim - 1}}}\]'
        several = rf"(\[{point}(?:,{point})*{POSSESSIVE}\])"
        members = {"tokens": several, "targets": several, "label": LABEL}
        self.order = ["tokens", *(key for key in ("targets", "label") if key in keys)]
        listed = ",".join(f'"{key}":{members[key]}' for key in self.order)
        self.form = re.compile(rf'\{{"sequence":(0|[1-9][0-9]{{0,14}}+),{listed}\}}\n'.encode())
        self.usable = limits.digits >= LONGEST and limits.bits >= 64
        self.numerators = Numerators(dim)
        self.known: dict[bytes, frozenset[Point] | None] = {}  # the target sets of labelled sequences, by their text

    def read(self, line: bytes, j: int) -> Found | None:
        """Tokens, targets and label of the line of sequence j; None where the definition is to be asked."""
        match = self.form.fullmatch(line) if self.usable else None
        if match is None or match[1] != b"%d" % j:
            return None
        parts = dict(zip(self.order, match.groups()[1:]))
        tokens = self.numerators.read(parts["tokens"])
        targets = self.targets(parts["targets"], "label" in parts) if "targets" in parts else frozenset[Point]()
        if tokens is None or targets is None:
            return None
        coordinates, common, longest = tokens
        state = State(coordinates, common, (1,) * len(coordinates[0]), longest)
        return state, targets, parts["label"].decode() if "label" in parts else None

    def targets(self, text: bytes, labelled: bool) -> frozenset[Point] | None:
        """The set of the points of a text; None if one stands twice. Labelled sequences share their target sets."""
        if text in self.known:
            return self.known[text]
        if b"/" in text:
            read = self.numerators.read(text)
            listed = [] if read is None else points(*read[:2])
        else:
            listed = list(zip(*[iter(integers(text))] * self.numerators.dim, repeat(1)))
        different = frozenset(listed)
        found = different if listed and len(different) == len(listed) else None
        if labelled:
            self.known[text] = found
        return found


def sequence_reader(keys: Sequence[str], dim: int, limits: Limits) -> SequenceReader:
    """The short cut as a reader of lines."""
    return SequenceText(keys, dim, limits).read


class Numerators:
    """Lists of points as integers over their least common denominator.

    With q_1, q_2, .. the denominators of a text and c their least common multiple, the mark i stands for /q_i. Then the
    text without its marks lists the numerators p, and the marks alone say by what each is to be multiplied: by c/q_i,
    and by c where there is none, which the mark 0 says.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.usual = marks_for([])  # the denominators of a line before

    def read(self, text: bytes) -> tuple[list[tuple[int, ...]], int, int] | None:
        """(coordinates, c, bits of the longest integer); None where a number is not in lowest terms, or denominators
        are many or long.
        """
        if b"/" not in text:
            return self.by_coordinate(integers(text), 1)
        marked, below = self.marked(text)
        common = math.lcm(*below)
        if b"/" in marked or common >> 60:
            return None
        above, marks = integers(marked), marks_of(marked)
        if max(map(math.gcd, compress(above, marks), map(below.__getitem__, filter(None, marks)))) > 1:
            return None
        factors = [common // q for q in below]
        return self.by_coordinate(list(map(mul, above, map(factors.__getitem__, marks))), common)

    def by_coordinate(self, found: list[int], common: int) -> tuple[list[tuple[int, ...]], int, int]:
        """The integers by their coordinate, the denominator, and the bits of the longest."""
        longest = max(common, max(found), -min(found)).bit_length()
        return [tuple(found[i :: self.dim]) for i in range(self.dim)], common, longest

    def marked(self, text: bytes) -> tuple[bytes, list[int]]:
        """The text with a mark for every /q, and the q of every mark."""
        found = with_marks(text, self.usual)
        if b"/" in found[0]:
            self.usual = marks_for(sorted(set(DENOMINATOR.findall(text))))
            found = with_marks(text, self.usual)
        return found


def marks_for(denominators: Sequence[bytes]) -> list[tuple[bytes, bytes, int]]:
    """Of those denominators, as many as there are marks: how each ends a number, its mark there instead, and itself."""
    return [(b'/%b"' % q, mark + b'"', int(q)) for mark, q in zip(MARKS, denominators)]


def with_marks(text: bytes, usual: list[tuple[bytes, bytes, int]]) -> tuple[bytes, list[int]]:
    """The text with those marks, and the q of every mark: 1 where it does not stand there."""
    below = [1]
    for written, mark, q in usual:
        length, text = len(text), text.replace(written, mark)
        below.append(q if len(text) < length else 1)
    return text, below


def integers(text: bytes) -> list[int]:
    """The integers of a list of points, their marks left out."""
    found: list[int] = DECODER.raw_decode(f"[{text.translate(None, NOT_INTEGER).decode()}]")[0]
    return found


def marks_of(marked: bytes) -> bytes:
    """The mark of every number, 0 where there is none: one byte a number.

    Lemma: without digits, signs and brackets a number is two quotes, with its mark between them if it has one, and
    numbers have a comma between them, so that two quotes are neighbours only around nothing.
    """
    return marked.translate(None, NOT_MARK).replace(b'""', UNMARKED).translate(None, b'",')
