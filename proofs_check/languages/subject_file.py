"""--data: a recogniser file or an automaton file of the caller's (FORMAT.md, section 17, Data)."""

from io import BytesIO

from ..core.certificate import Certificate
from ..core.lines import Lines, entries, has_key, parse
from ..core.verdict import Json, holds, well_formed
from .automata import KEYS, Automaton, automaton_of
from .recognisers import Recogniser, read_recogniser


def verify_data(file: Certificate, automaton: Automaton, recogniser: Recogniser | None) -> None:
    """The caller's file, if there is one, is the automaton, or the recogniser with its letters, entry by entry."""
    if file.data is None:
        return
    with open(file.data, "rb") as stream:
        text = stream.read(file.budget.limits.bytes + 1)
    file.budget.within(len(text), "bytes")
    if is_recogniser(text):
        well_formed(recogniser is not None, "data file: this claim is about an automaton alone")
        letters, mine = caller_recogniser(text, file)
        holds(letters == automaton.letters and mine == recogniser, "the recogniser is not that of the data file")
        return
    value = parse(text)
    shaped = type(value) is dict and value.keys() == set(KEYS)
    well_formed(shaped, "data file: neither a recogniser nor an automaton")
    mine_ = automaton_of(value, len(entries(value["letters"])), len(entries(value["next"])))
    holds(mine_ == automaton, "the automaton is not that of the data file")


def is_recogniser(text: bytes) -> bool:
    """Whether the first line is the header of a recogniser file."""
    first = text.split(b"\n", 1)[0]
    return b"exactformer" in first and has_key(parse(first), "exactformer")


def caller_recogniser(text: bytes, file: Certificate) -> tuple[Json, Recogniser]:
    """The letters and the recogniser of the caller's file."""
    lines = Lines(BytesIO(text), file.budget, file.ways.outside_strings)
    kind, version, dim, blocks, letters = lines.fields("exactformer", "version", "dim", "blocks", "letters")
    right = kind == "recogniser" and repr(version) == "[1, 2]" and type(dim) is int and type(blocks) is int
    well_formed(right and dim == file.dim, f"data file: no recogniser file of version [1,2] in dimension {file.dim}")
    mine = Certificate({"blocks": blocks}, file.dim, lines, file.budget, file.ways)
    found = read_recogniser(mine, len(entries(letters)), periodic=False)
    lines.end()
    return letters, found
