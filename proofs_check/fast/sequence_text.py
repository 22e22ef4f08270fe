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
from ..core.points import Point, State
from .short_cuts import POSSESSIVE

# numbers of at most 18 digits, and common denominators below 2^60: nothing of it is charged
NUMBER = f"(?:0|-?+[1-9][0-9]{{0,17}}+(?:/(?:[2-9][0-9]{{0,17}}+|1[0-9]{{1,17}}+))?{POSSESSIVE})"
LABEL = r'"[ !#-\[\]-~]*+"'  # printable ASCII without quotes and backslashes: it denotes itself
LONGEST = 37  # characters of a number
FEW = 128  # numbers whose product is still short
DENOMINATOR = re.compile(rb'/([0-9]++)"')
MARKS = [bytes([i]) for i in range(1, 32)]  # no line has such characters
NOT_MARK = b",-[]0123456789"
UNMARKED = bytes.maketrans(b'"', b"\0")
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
        several = rf"\[{point}(?:,{point})*{POSSESSIVE}\]"
        members = {"tokens": several, "targets": several, "label": LABEL}
        self.targeted, self.labelled = "targets" in keys, "label" in keys
        order = ["tokens", *(key for key in ("targets", "label") if key in keys)]
        listed = ",".join(f'"{key}":(?P<{key}>{members[key]})' for key in order)
        self.form = re.compile(rf'\{{"sequence":(0|[1-9][0-9]{{0,14}}+),{listed}\}}\n'.encode())
        self.usable = limits.digits >= LONGEST and limits.bits >= 64
        self.numerators = Numerators(dim)
        self.known: dict[bytes, frozenset[Point] | None] = {}  # the target sets of labelled sequences, by their text

    def read(self, line: bytes, j: int) -> Found | None:
        """Tokens, targets and label of the line of sequence j; None where the definition is to be asked."""
        match = self.form.fullmatch(line) if self.usable else None
        if match is None or match[1] != b"%d" % j:
            return None
        state = self.numerators.read(match["tokens"])
        targets = self.targets(match["targets"]) if self.targeted else frozenset[Point]()
        if state is None or targets is None:
            return None
        return state, targets, match["label"][1:-1].decode() if self.labelled else None

    def targets(self, text: bytes) -> frozenset[Point] | None:
        """The set of the points of a text; None if one stands twice. Labelled sequences share their target sets."""
        if text in self.known:
            return self.known[text]
        if b"/" in text:
            read = self.numerators.read(text)
            listed = [] if read is None else read.points()
        else:
            listed = list(zip(*[iter(integers(text))] * self.numerators.dim, repeat(1)))
        different = frozenset(listed)
        found = different if listed and len(different) == len(listed) else None
        if self.labelled:
            self.known[text] = found
        return found


def sequence_reader(keys: Sequence[str], dim: int, limits: Limits) -> SequenceReader:
    """The short cut as a reader of lines."""
    return SequenceText(keys, dim, limits).read


class Numerators:
    """Lists of points as integers over their least common denominator.

    With q_1, q_2, .. the denominators of a text and c their least common multiple, the mark i stands for /q_i and the
    quote behind it. Then the text without its marks lists the numerators p, and the marks alone say by what each is to
    be multiplied: by c/q_i, and by c where there is none, which the mark 0 says.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.usual = marks_for([])  # the denominators of a line before

    def read(self, text: bytes) -> State | None:
        """The points as tokens; None where a number is not in lowest terms, or denominators are many or long."""
        if b"/" not in text:
            return self.state(integers(text), 1)
        marked, below = self.marked(text)
        common = math.lcm(*below)
        if b"/" in marked or common >> 60:
            return None
        above, marks = integers(marked), marks_of(marked)
        if not self.lowest(above, marks, below, common):
            return None
        factors = [common // q for q in below]
        each = marks.translate(bytes(factors).ljust(256)) if common < 256 else map(factors.__getitem__, marks)
        return self.state(list(map(mul, above, each)), common)

    def lowest(self, above: list[int], marks: bytes, below: list[int], common: int) -> bool:
        """Whether all fractions are in lowest terms.

        Lemma: they are, if the product of their numerators is coprime to all their denominators.
        """
        if len(above) <= FEW and math.gcd(math.prod(compress(above, marks)), common) == 1:
            return True
        return max(map(math.gcd, compress(above, marks), map(below.__getitem__, filter(None, marks)))) == 1

    def state(self, found: list[int], common: int) -> State:
        """The points whose integers over that denominator are listed."""
        longest, dim = max(common, max(found), -min(found)).bit_length(), self.dim
        coordinates = [tuple(found[i::dim]) for i in range(dim)]
        return State(coordinates, common, (1,) * len(coordinates[0]), longest)

    def marked(self, text: bytes) -> tuple[bytes, list[int]]:
        """The text with a mark for every /q, and the q of every mark."""
        found = with_marks(text, self.usual)
        if b"/" in found[0]:
            self.usual = marks_for(sorted(set(DENOMINATOR.findall(text))))
            found = with_marks(text, self.usual)
        return found


def marks_for(denominators: Sequence[bytes]) -> list[tuple[bytes, bytes, int]]:
    """Of those denominators, as many as there are marks: how each ends a number, the mark there instead, and itself."""
    return [(b'/%b"' % q, mark, int(q)) for mark, q in zip(MARKS, denominators)]


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

    Lemma: without digits, signs, brackets and commas a number is two bytes, of which the second is its mark if it has
    one, and a quote otherwise.
    """
    return marked.translate(None, NOT_MARK)[1::2].translate(UNMARKED)
