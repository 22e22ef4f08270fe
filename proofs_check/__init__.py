"""An independent checker of certificates: standard library only, exact arithmetic, no search (see FORMAT.md)."""

from collections import Counter
from dataclasses import dataclass
from math import gcd
from typing import Any

from .counterexamples import STATEMENTS
from .data import sequences
from .dynamics import limit_claim, orbit_claim
from .envelope import Limits, Reader, Refusal, Vector, count, exact_keys, holds, indices, well_formed
from .geometry import projection, separation, vertex
from .transformer import transformer


@dataclass(frozen=True)
class Verdict:
    """accepted, rejected, malformed or declined; where and why; for accepted, why says what was proved."""

    verdict: str
    claim: str | None
    where: str | None
    why: str


def interpolation(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    """The set of outputs equals the set of targets, sequence by sequence."""
    attention, blocks, N = header["attention"], header["blocks"], header["sequences"]
    well_formed(attention in ("hardmax", "softmax"), "attention is hardmax or softmax")
    layers = transformer(reader, blocks, attention == "softmax")
    for j, (tokens, targets, _) in enumerate(sequences(reader, N, data, {"targets", "label"}, {"targets"})):
        for layer in layers:
            tokens = layer(tokens)
            reader.bits(max(map(max, tokens)), min(map(min, tokens)))
        holds(set(tokens) == targets, f"sequence {j}: the set of outputs is not the set of targets")
    about = f"{N} sequences in Q^{reader.dim}"
    return f"a {attention} transformer with {blocks} blocks maps each of {about} exactly onto its targets"


def measure(tokens: list[Vector]) -> dict[Vector, int]:
    counts = Counter(tokens)
    return {x: times // gcd(*counts.values()) for x, times in counts.items()}


def infeasible(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    """Two sequences that a map cannot tell apart have different targets, or one has too many targets."""
    condition, N, named = header["condition"], header["sequences"], indices(header["witness"], header["sequences"])
    well_formed(condition in ("measure", "set", "targets"), "the condition is measure, set or targets")
    well_formed(len(named) == (1 if condition == "targets" else 2), "the witness is two sequences, for targets one")
    kinds = [{"targets", "label"}, {"targets"}, {"label"}][: 2 if condition == "targets" else 3]
    rows = [row for j, row in enumerate(sequences(reader, N, data, *kinds)) if j in named]
    (first, *targets), (last, *others), reduced = rows[0], rows[-1], measure if condition == "measure" else set
    if condition == "targets":
        holds(len(rows[0][1]) > len(set(first)), "there are enough distinct tokens for the targets")
    else:
        holds(targets != others, "the two sequences have the same targets")
        holds(reduced(first) == reduced(last), f"the two sequences differ in the {condition} of their tokens")
    who = "map that sees only the set of tokens (not mean pooling)" if condition == "set" else "transformer"
    why = "too many targets" if condition == "targets" else f"the same {condition} of tokens and different targets"
    return f"no {who} interpolates the data: of {N} sequences in Q^{reader.dim}, {list(named)} have {why}"


LEAST = {
    "blocks": 0,
    "layers": 0,
    "layer": 0,
    "dim": 1,
    "sequences": 1,
    "tokens": 1,
    "points": 1,
    "left": 1,
    "right": 1,
}
CLAIMS: dict[str, tuple[str, Any]] = {  # further keys of the header, verification
    "interpolation": ("attention blocks sequences", interpolation),
    "infeasible": ("condition sequences witness", infeasible),
    "orbit": ("tokens layers", orbit_claim),
    "limit": ("tokens layer", limit_claim),
    "vertex": ("points vertex", vertex),
    "separation": ("left right separated", separation),
    "projection": ("points", projection),
}
WITHOUT_DATA = {"vertex", "separation", "projection", "frank-wolfe-negative", "exponentially-fast"}


def proved(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    """What the certificate proves, in words; raises Refusal if it does not."""
    well_formed(header.get("exactformer") == "certificate", "this is no header of a certificate")
    well_formed(repr(header.get("version")) == "[1, 0]", "the version is not [1,0]")
    refuting = header.get("claim") == "counterexample"
    table, name = (STATEMENTS, header.get("statement")) if refuting else (CLAIMS, header.get("claim"))
    well_formed(type(name) is str and name in table, "an unknown claim or statement")
    keys, verify = table[str(name)]
    exact_keys(header, "exactformer", "version", "claim", "dim", *keys.split())
    for key in LEAST.keys() & header.keys():
        count(header[key], LEAST[key])
    for key in {"vertex", "separated"} & header.keys():
        well_formed(type(header[key]) is bool, f'"{key}" must be true or false')
    reader.dim = header["dim"]
    if name in WITHOUT_DATA and data is not None:
        raise Refusal("declined", "--data: this claim has no data file to compare with")
    found = verify(reader, header) if name in WITHOUT_DATA else verify(reader, header, data)
    reader.end()
    instance = ", ".join(f"{key} {header[key]}" for key in keys.split()[1:])
    return f"counterexample to {name}: its conclusion fails here ({instance})" if refuting else str(found)


def check(path: str, data: str | None = None, limits: Limits | None = None) -> Verdict:
    """The verdict on the certificate in a file, about the caller's data file if one is given."""
    claim = None
    with open(path, "rb") as stream:
        reader = Reader(stream, limits or Limits())
        try:
            header = reader.value()
            well_formed(type(header) is dict, "this is no header of a certificate")
            claim = header["claim"] if type(header.get("claim")) is str else None
            words = proved(reader, header, data)
        except Refusal as refusal:
            verdict, why = refusal.args
            return Verdict(verdict, claim, f"line {reader.lines}", why)
    return Verdict("accepted", claim, None, f"{words}; subject sha256 {reader.subject.hexdigest()}")
