"""The subject of a claim: sequence lines and the system line, and that they are the caller's (FORMAT.md, 2-4 and 7)."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from . import caller
from .certificate import Certificate, SequenceReader
from .lines import count, exact_keys, has_key
from .numbers import number
from .points import Point, State
from .shapes import read_points, read_state
from .verdict import Json, holds, well_formed


class Sequence(NamedTuple):
    """Tokens; targets, none if they are not given; the label, if there is one."""

    tokens: State
    targets: frozenset[Point]
    label: str | None


class System(NamedTuple):
    """The rows of A, the step a = alpha/(1+alpha), the tokens of layer 0."""

    A: list[Point]
    step: Fraction
    tokens: list[Point]


class Labels:
    """Equal labels have equal target sets, and different labels different ones."""

    def __init__(self) -> None:
        self.targets_of: dict[str | None, frozenset[Point]] = {}
        self.label_of: dict[frozenset[Point], str | None] = {}

    def verify(self, label: str | None, targets: frozenset[Point]) -> None:
        """The label condition, as far as a sequence with these."""
        holds(self.targets_of.setdefault(label, targets) == targets, "equal labels have different targets")
        holds(self.label_of.setdefault(targets, label) == label, "different labels have equal targets")


class SequenceLines:
    """The sequence lines, all with the keys of one kind, and that they are those of the caller's data set."""

    def __init__(self, file: Certificate, kinds: tuple[tuple[str, ...], ...]) -> None:
        self.file, self.kinds, self.labels = file, kinds, Labels()
        self.mine: Json = caller.dataset(file.data, file.budget) if type(file.data) is str else file.data
        right = self.mine is None or len(self.mine) == file.header["sequences"]
        holds(right, "the data file has another number of sequences")
        self.keys, self.held = tuple[str, ...](), file.budget.held
        self.reader: SequenceReader | None = None  # of the kind of the first line, once that is known

    def read(self, j: int) -> Sequence:
        """The next line, that of sequence j."""
        found = self.first(j) if self.reader is None else self.next(j, self.reader)
        if len(self.keys) == 2:
            self.labels.verify(found.label, found.targets)
        if self.mine is not None:
            verify_sequence_is_mine(j, found, self.mine[j])
        return found

    def first(self, j: int) -> Sequence:
        """The first line, which decides the kind of all."""
        row = self.file.lines.value(subject=True)
        self.keys = kind_of(row, self.kinds)
        found = read_sequence(row, j, self.keys, self.file)
        self.reader = self.file.ways.sequence_reader(self.keys, self.file.dim, self.file.budget.limits)
        return found

    def next(self, j: int, reader: SequenceReader) -> Sequence:
        """Any other line, piece by piece where it is not read at once."""
        lines = self.file.lines
        line = lines.next_line()
        found = reader(line, j)
        row = lines.parsed(line) if found is None else None
        lines.take(line, subject=True)
        return read_sequence(row, j, self.keys, self.file) if found is None else Sequence(*found)

    def forget(self) -> None:
        """Nothing of the last sequence is held any more."""
        self.file.budget.held = self.held


class Task(NamedTuple):
    """What is to be verified of every sequence."""

    subject: SequenceLines
    verify: Callable[[int, Sequence], None]

    def run(self, first: int, count: int) -> None:
        """Verifies so many sequence lines, the next ones, in order."""
        for j in range(first, first + count):
            self.verify(j, self.subject.read(j))
            self.subject.forget()


def sequences(file: Certificate, *kinds: tuple[str, ...]) -> Iterator[Sequence]:
    """The sequences of all lines, one after the other."""
    lines = SequenceLines(file, kinds)
    for j in range(file.header["sequences"]):
        yield lines.read(j)
        lines.forget()


def kind_of(row: object, kinds: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The first kind whose keys the line has; the first one of all if there is none, which is then refused."""
    return next((kind for kind in kinds if all(has_key(row, key) for key in kind)), kinds[0])


def read_sequence(row: Json, j: int, keys: tuple[str, ...], file: Certificate) -> Sequence:
    """Sequence line j: a point list of tokens, targets without repetition, a label without lone surrogates."""
    exact_keys(row, "sequence", "tokens", *keys)
    count(row["sequence"], j, j + 1)
    tokens, label, targets = read_state(row["tokens"], file), row.get("label"), frozenset[Point]()
    if "targets" in keys:
        targets = frozenset(file.budget.distinct(read_points(row["targets"], file)))
        well_formed(len(targets) == len(row["targets"]), "a target stands twice")
    if "label" in keys:
        whole = type(label) is str and not any("\ud800" <= c <= "\udfff" for c in label)
        well_formed(whole, "a label is a string without lone surrogates")
    return Sequence(tokens, targets, label)


def verify_sequence_is_mine(j: int, found: Sequence, mine: caller.Sequence) -> None:
    """The same list of tokens; the same targets, if the caller gives targets; the same label, if labels."""
    tokens, targets, label = mine
    holds(tokens == found.tokens.points(), f"sequence {j}: the data file has other tokens")
    same = targets in (frozenset(), found.targets) and label in (None, found.label)
    holds(same, f"sequence {j}: the data file has other targets or another label")


def system(file: Certificate) -> System:
    """The system line, alpha > 0, and that it is the caller's."""
    rows, step, tokens = file.lines.fields("A", "alpha", "tokens", subject=True)
    A, alpha = read_points(rows, file, file.dim), number(step, file.budget)
    found = read_points(tokens, file, file.header["tokens"])
    holds(alpha > 0, "alpha must be positive")
    if file.data is not None:
        mine = caller.tokens(file.data, file.dim, file.budget)
        holds(mine == (A, alpha, found), "the data file has another A, alpha or tokens")
    return System(A, alpha / (1 + alpha), found)
