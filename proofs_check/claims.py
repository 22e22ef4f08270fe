"""From the header to the verdict: which lines a claim needs, and what has been proved once they are read."""

from collections import Counter
from dataclasses import dataclass
from math import gcd
from typing import Any

from . import counterexamples, dynamics, geometry
from .data import sequences
from .envelope import Limits, Reader, Refusal, Vector, exact_keys, holds, indices, well_formed
from .transformer import transformer


@dataclass(frozen=True)
class Verdict:
    """accepted, rejected, malformed or declined; where and why; for accepted, why says what was proved."""

    verdict: str
    claim: str | None
    where: str | None
    why: str

    @property
    def exit_code(self) -> int:
        return {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}[self.verdict]


def interpolation(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    """The set of outputs equals the set of targets, sequence by sequence."""
    attention, blocks, N = header["attention"], header["blocks"], header["sequences"]
    well_formed(attention in ("hardmax", "softmax"), "attention is hardmax or softmax")
    evaluate = transformer(reader, blocks, attention == "softmax")
    for j, (tokens, targets, _) in enumerate(sequences(reader, N, data, {"targets", "label"}, {"targets"})):
        holds(
            evaluate(Counter(tokens)).keys() == targets, f"sequence {j}: the set of outputs is not the set of targets"
        )
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
    first, last, about = rows[0], rows[-1], f"sequences {named} of {N} in Q^{reader.dim} have"
    if condition == "targets":
        holds(len(first.targets or ()) > len(set(first.tokens)), "there are enough distinct tokens for the targets")
        return f"no transformer interpolates the data: {about} more targets than distinct tokens"
    holds(first[1:] != last[1:], "the two sequences have the same targets")
    if condition == "measure":
        holds(measure(first.tokens) == measure(last.tokens), "the two sequences have different measures")
        return f"no transformer interpolates the data: {about} the same measure and different targets"
    holds(set(first.tokens) == set(last.tokens), "the two sequences have different sets of tokens")
    return (
        f"no map that depends on the set of tokens only (the leader methods) interpolates the data: {about} the same set "
        "of tokens and different targets; this says nothing about transformers with mean pooling"
    )


LEAST = {
    "dim": 1,
    "blocks": 0,
    "sequences": 1,
    "tokens": 1,
    "layers": 0,
    "layer": 0,
    "points": 1,
    "left": 1,
    "right": 1,
}
CLAIMS: dict[str, tuple[str, Any]] = {
    "interpolation": ("attention blocks sequences", interpolation),
    "infeasible": ("condition sequences witness", infeasible),
    "orbit": ("tokens layers", dynamics.orbit_claim),
    "limit": ("tokens layer", dynamics.limit_claim),
    "vertex": ("points vertex", geometry.vertex),
    "separation": ("left right separated", geometry.separation),
    "projection": ("points", geometry.projection),
}
TOKENS = [*counterexamples.MATRIX, "leader-duplicates", *counterexamples.ORBITS, *counterexamples.LIMITS]
STATEMENTS: dict[str, tuple[str, Any]] = {
    **dict.fromkeys(TOKENS, ("statement tokens layers", counterexamples.token_statement)),
    "frank-wolfe-negative": ("statement tokens layers", counterexamples.frank_wolfe),
    "exponentially-fast": ("statement tokens", counterexamples.slow_steps),
    "one-block-suffices": ("statement sequences", counterexamples.one_block),
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
        well_formed(type(header[key]) is int and header[key] >= LEAST[key], f"{key}: expected at least {LEAST[key]}")
    reader.dim = header["dim"]
    if name in WITHOUT_DATA and data is not None:
        raise Refusal("declined", "--data: this claim has no data file to compare with")
    words = verify(reader, header) if name in WITHOUT_DATA else verify(reader, header, data)
    reader.end()
    return f"counterexample to {name}: {words}" if refuting else str(words)


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
            return Verdict(refusal.verdict, claim, f"line {reader.number_of_lines}", refusal.why)
    return Verdict("accepted", claim, None, f"{words}; subject sha256 {reader.subject.hexdigest()}")
