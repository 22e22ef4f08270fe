"""A certificate of claim `interpolation` as a Rocq file whose `Qed` is the proof.

Limits are written by `rocq_limit`, recognisers and counters by `rocq_recognition`.

The certificate's JSON lines are transcribed number by number: `-3/2` becomes `(-3 # 2)`, a matrix keeps its form,
every block and every sequence is a definition of its own. The last line, `Qed`, runs the checker that
`proofs_check/rocq` proves sound. `rocq_literals` reads the file back and compares it with the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from exactformer.certificates.rocq_limit import limit_text
from exactformer.certificates.rocq_numbers import list_literal, number_literal, row_literal, rows_literal, verify_keys
from exactformer.certificates.rocq_recognition import no_recogniser_text, recognition_text
from exactformer.errors import InvalidInput, Malformed
from exactformer.io.json_lines import JsonObject, PathLike, read_lines, verify_header, write_atomically
from exactformer.io.untyped import JsonValue

INTEGERS = ("bigZ", "Z")

_HEAD = """\
(* The interpolation certificate with sha256 {digest}, as a theorem. *)
From Coq Require Import ZArith QArith List.
From Exactformer Require Import Semantics Certificate {module}.
Import ListNotations.
Open Scope Q_scope.

"""

_FOOT = """
Theorem certified : {claim} the_certificate.
Proof. apply check_{integers}{softmax}_sound. vm_cast_no_check (eq_refl true). Qed.
"""

#: what the frame says for each kind of attention; the softmax theorem is about every temperature, and hardmax too
_WORDS = {
    "hardmax": {"module": "Instances", "claim": "claim", "softmax": ""},
    "softmax": {"module": "Softmax", "claim": "softmax_claim", "softmax": "_softmax"},
}


def write_rocq(certificate: PathLike, path: PathLike, *, integers: str = "bigZ") -> None:
    """Writes the theorem that the transformer of the certificate interpolates its data, or that its limits are right.

    `integers` is the arithmetic of the proof: "bigZ" (fast, on Coq's primitive machine integers) or "Z" (no axiom).
    Raises Malformed for a file that is not a certificate, InvalidInput for another claim, Declined for a
    limit in stages.
    """
    text = rocq_text(list(read_lines(certificate)), _digest(certificate), str(certificate), integers)
    write_atomically(Path(path), text.encode("ascii"))


def rocq_text(lines: list[JsonObject], digest: str, where: str, integers: str = "bigZ") -> str:
    """The Rocq file of the certificate's lines (all but its end line)."""
    if integers not in INTEGERS:
        raise InvalidInput(f"expected integers bigZ or Z, got {integers!r}")
    verify_header(lines[0] if lines else {}, "certificate", where)
    if lines[0].get("claim") == "limit":
        return limit_text(lines, digest, where, integers)
    if lines[0].get("claim") == "recognition":
        return recognition_text(lines, digest, where)
    if lines[0].get("claim") == "no-recogniser":
        return no_recogniser_text(lines, digest)
    dim, blocks, sequences = _parts(lines, where)
    body = "".join(_definitions(dim, blocks, sequences, where))
    words = {**_WORDS[lines[0]["attention"]], "digest": digest, "integers": integers}
    return _HEAD.format(**words) + body + _FOOT.format(**words)


def _digest(certificate: PathLike) -> str:
    """The digest of the end line; `read_lines` has verified it."""
    last = Path(certificate).read_bytes().rstrip().rpartition(b"\n")[2]
    return last.decode().partition('"sha256":"')[2][:64]


def _parts(lines: list[JsonObject], where: str) -> tuple[int, list[JsonObject], list[JsonObject]]:
    """The dimension, the block lines and the sequence lines, as many as the header says."""
    header = lines[0]
    lines = [line for line in lines if line.keys() != {"margin"}]  # the theorem is about the data as they are
    if header.get("claim") != "interpolation":
        raise InvalidInput(
            f"{where}: expected claim interpolation, limit, recognition or no-recogniser, "
            f"got {header.get('claim')!r:.60}; "
            "proofs-check verifies the other claims"
        )
    counts = [header.get(key) for key in ("dim", "blocks", "sequences")]
    dim, blocks, sequences = (n if type(n) is int and n >= 0 else -1 for n in counts)
    if dim < 1 or blocks < 0 or sequences < 1 or len(lines) != 1 + blocks + sequences:
        raise Malformed(
            f"{where}: expected dim, blocks and sequences as in the header, got {counts}, {len(lines)} lines"
        )
    if "beta" in header:
        raise InvalidInput(f"{where}: softmax at a range of temperatures has no form in Rocq; proofs-check verifies it")
    if header.get("attention") not in _WORDS:
        raise Malformed(f"{where}: expected attention hardmax or softmax, got {header.get('attention')!r}")
    block_lines, sequence_lines = lines[1 : 1 + blocks], lines[1 + blocks :]
    for k, line in enumerate(block_lines):
        verify_keys(line, {"block", "feed_forward", "self_attention"}, f"{where}, block {k}", block=k)
        if header["attention"] == "softmax" and not _uniform(line["self_attention"]):
            raise Malformed(f"{where}, block {k}: softmax without a temperature needs Q or K zero")
    for j, line in enumerate(sequence_lines):
        verify_keys(line, {"sequence", "tokens", "targets"}, f"{where}, sequence {j}", {"label"}, sequence=j)
    return dim, block_lines, sequence_lines


def _uniform(attention: JsonObject | None) -> bool:
    """Whether all scores are zero, so that softmax at every temperature is the mean, as hardmax is."""
    return attention is None or _is_zero(attention.get("Q")) or _is_zero(attention.get("K"))


def _is_zero(matrix: JsonValue) -> bool:
    if isinstance(matrix, list):
        return all(number == "0" for row in matrix for number in row)
    if "outer" in matrix:
        return any(all(number == "0" for number in factor) for factor in matrix["outer"])
    return bool(matrix.get("zero")) or matrix.get("scalar") == "0"


def _definitions(dim: int, blocks: list[JsonObject], sequences: list[JsonObject], where: str) -> Iterator[str]:
    for k, line in enumerate(blocks):
        place = f"{where}, block {k}"
        ff, sa = line["feed_forward"], line["self_attention"]
        first = "None" if ff is None else f"(Some {_feed_forward(ff, place)})"
        second = "None" if sa is None else f"(Some {_attention(sa, dim, place)})"
        yield f"Definition block_{k} := BlockLiteral {first} {second}.\n"
    for j, line in enumerate(sequences):
        place = f"{where}, sequence {j}"
        tokens, targets = (rows_literal(line[key], place) for key in ("tokens", "targets"))
        yield f"Definition sequence_{j} := Sequence {tokens} {targets}.\n"
    names = [[f"{kind}_{i}" for i in range(len(part))] for kind, part in (("block", blocks), ("sequence", sequences))]
    yield f"Definition the_certificate := Certificate {dim} {list_literal(names[0])} {list_literal(names[1])}.\n"


def _feed_forward(value: JsonObject, where: str) -> str:
    verify_keys(value, {"eta", "U", "b", "W"}, where)
    u, w = _matrix(value["U"], where), _matrix(value["W"], where)
    return f"(FF {number_literal(value['eta'])} {u} {row_literal(value['b'], where)} {w})"


def _attention(value: JsonObject, dim: int, where: str) -> str:
    verify_keys(value, {"rho", "V", "Q", "K"}, where)
    heights = [_height(value[key], dim) for key in ("Q", "K")]
    height = next((h for h in heights if h is not None), 1)
    v, q, k = (_matrix(value[key], where) for key in ("V", "Q", "K"))
    return f"(SA {number_literal(value['rho'])} {v} {height} {q} {k})"


def _height(matrix: object, dim: int) -> int | None:
    """The number of rows a matrix has by itself; None for zero, which has the rows of its partner."""
    if isinstance(matrix, list):
        return len(matrix)
    if isinstance(matrix, dict) and "outer" in matrix:
        return len(matrix["outer"][0])
    return dim if isinstance(matrix, dict) and "scalar" in matrix else None


def _matrix(matrix: object, where: str) -> str:
    """The matrix in the form it has in the certificate."""
    if isinstance(matrix, list):
        return f"(Dense {rows_literal(matrix, where)})"
    if isinstance(matrix, dict) and len(matrix) == 1:
        ((form, value),) = matrix.items()
        if form == "zero" and value is True:
            return "Zero"
        if form == "scalar":
            return f"(Scalar {number_literal(value)})"
        if form == "outer" and isinstance(value, list) and len(value) == 2:
            return f"(Outer {row_literal(value[0], where)} {row_literal(value[1], where)})"
    raise Malformed(f"{where}: expected rows, outer, scalar or zero, got {matrix!r:.60}")
