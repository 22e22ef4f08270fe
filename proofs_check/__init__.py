"""An independent checker of certificates: standard library only, exact arithmetic, no search (see FORMAT.md)."""
import gc
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .counterexamples import STATEMENTS
from .dynamics import limit_claim, orbit_claim
from .envelope import Limits, Reader, Refusal, count, exact_keys, holds, indices, points, well_formed
from .geometry import projection, separation, vertex
from .transformer import transformer

__all__ = ["Limits", "Verdict", "check"]

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
    for j, (state, targets, _) in enumerate(reader.sequences(N, data, {"targets", "label"}, {"targets"})):
        for layer in layers:
            state = layer(*state)
        outputs = points([*zip(*set(zip(*state[0])))], state[1])
        holds({*outputs} == targets, f"sequence {j}: the set of outputs is not the set of targets")
    return f"a {attention} transformer with {blocks} blocks maps {N} sequences in Q^{reader.dim} onto their targets"

def infeasible(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    """Two sequences that a map cannot tell apart have different targets, or one has too many targets."""
    condition, N, named = header["condition"], header["sequences"], indices(header["witness"], header["sequences"])
    well_formed(condition in ("measure", "set", "targets"), "the condition is measure, set or targets")
    well_formed(len(named) == (1 if condition == "targets" else 2), "the witness is two sequences, for targets one")
    kinds = [{"targets"}] if condition == "targets" else [{"targets", "label"}, {"targets"}, {"label"}]
    subject = enumerate(reader.sequences(N, data, *kinds))
    rows = [(points(*state), (targets, label)) for j, (state, targets, label) in subject if j in named]
    (first, mine), (last, other) = rows[0], rows[-1]
    shares = [{x: Fraction(times, len(row[0])) for x, times in Counter(row[0]).items()} for row in rows]
    if condition == "targets":
        holds(len(mine[0]) > len(set(first)), "there are enough distinct tokens for the targets")
    else:
        holds(mine != other, "the two sequences have the same targets")
        holds(set(first) == set(last), "the two sequences have different tokens")
        holds(condition == "set" or shares[0] == shares[-1], "the two sequences have different measures")
    who = "map that sees only the set of tokens (not mean pooling)" if condition == "set" else "transformer"
    why = "too many targets" if condition == "targets" else f"the same {condition} of tokens and different targets"
    return f"no {who} interpolates the data: of {N} sequences in Q^{reader.dim}, {list(named)} have {why}"

COUNTS = ("dim", "sequences", "tokens", "points", "left", "right", "blocks", "layers", "layer")  # the first six >= 1
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

def proved(reader: Reader, header: Any, data: str | None) -> str:
    """What the certificate proves, in words; raises Refusal if it does not."""
    well_formed(type(header) is dict and header.get("exactformer") == "certificate", "no header of a certificate")
    well_formed(repr(header.get("version")) == "[1, 0]", "the version is not [1,0]")
    refuting = header.get("claim") == "counterexample"
    table, name = (STATEMENTS, header.get("statement")) if refuting else (CLAIMS, header.get("claim"))
    well_formed(type(name) is str and name in table, "an unknown claim or statement")
    keys, verify = table[str(name)]
    exact_keys(header, "exactformer", "version", "claim", "dim", *keys.split())
    for key in header.keys() & set(COUNTS):
        count(header[key], 1 if key in COUNTS[:6] else 0)
    for key in {"vertex", "separated"} & header.keys():
        well_formed(type(header[key]) is bool, f'"{key}" must be true or false')
    reader.dim = header["dim"]
    if name in WITHOUT_DATA and data is not None:
        raise Refusal("declined", "--data: this claim has no data file to compare with")
    found = verify(reader, header) if name in WITHOUT_DATA else verify(reader, header, data)
    reader.end()
    return f"{name} is false: its hypotheses hold and its conclusion fails on this instance" if refuting else str(found)

def check(path: str, data: str | None = None, limits: Limits | None = None) -> Verdict:
    """The verdict on the certificate in a file, about the caller's data file if one is given."""
    claim, collecting = None, gc.isenabled()
    with open(path, "rb") as stream:
        reader = Reader(stream, limits or Limits())
        try:
            gc.disable()  # nothing here forms cycles
            header = reader.value()
            claim = header["claim"] if type(header) is dict and type(header.get("claim")) is str else None
            words = proved(reader, header, data)
        except Refusal as refusal:
            return Verdict(refusal.args[0], claim, f"line {reader.lines}", refusal.args[1])
        finally:
            (gc.enable if collecting else gc.disable)()
    return Verdict("accepted", claim, None, f"{words}; subject sha256 {reader.subject.hexdigest()}")
