"""A certificate of claim `limit` as a Rocq file whose `Qed` is the proof: locked tokens and closed forms.

The theorem says for all layers at once what the certificate says: A is symmetric positive definite, the follower sets
of layer K never change, every token's way is its closed form and tends to its limit, the leaders are exactly those
listed, and every limit is a leading position, or the point of least norm of the face with the normal stated.
"""

from __future__ import annotations

from collections.abc import Iterator

from exactformer.certificates.rocq_numbers import list_literal, number_literal, row_literal, rows_literal, verify_keys
from exactformer.errors import Declined, Malformed
from exactformer.io.json_lines import JsonObject

_HEAD = """\
(* The limit certificate with sha256 {digest}, as a theorem. *)
From Coq Require Import ZArith QArith List.
From Exactformer Require Import Semantics Certificate LimitCertificate LimitInstances.
Import ListNotations.
Open Scope Q_scope.

"""

_FOOT = """
Theorem certified : limit_claim the_certificate.
Proof. apply check_limit_{integers}_sound. vm_cast_no_check (eq_refl true). Qed.
"""


def limit_text(lines: list[JsonObject], digest: str, where: str, integers: str) -> str:
    """The Rocq file of a limit certificate's lines (all but its end line).

    Raises Declined for a limit in stages (version [1,1]), whose sets change after layer K.
    """
    if "stages" in lines[0]:
        raise Declined(
            f"{where}: a limit in stages is not written as a Rocq file, which would need its closed forms; "
            "proofs-check and proofs-check-verified, the checker proved correct, verify this certificate"
        )
    header, system, *places = lines
    leaders = places.pop()
    verify_keys(system, {"A", "alpha", "tokens"}, f"{where}, system line")
    verify_keys(leaders, {"leaders"}, f"{where}, leaders line")
    if header.get("tokens") != len(places) or len(system["tokens"]) != len(places):
        raise Malformed(f"{where}: expected {header.get('tokens')} token lines as in the header, got {len(places)}")
    body = "".join(_definitions(header, system, places, leaders["leaders"], where))
    return _HEAD.format(digest=digest) + body + _FOOT.format(integers=integers)


def _definitions(
    header: JsonObject, system: JsonObject, places: list[JsonObject], leaders: list[int], where: str
) -> Iterator[str]:
    yield f"Definition the_tokens := {rows_literal(system['tokens'], where)}.\n"
    for i, line in enumerate(places):
        place = f"{where}, token {i}"
        yield f"Definition place_{i} := {_place(line, i, place)}.\n"
    names = list_literal([f"place_{i}" for i in range(len(places))])
    indices = list_literal([str(int(i)) for i in leaders])
    parts = (
        str(header["dim"]),
        rows_literal(system["A"], where),
        number_literal(system["alpha"]),
        "the_tokens",
        str(int(header["layer"])),
        names,
        f"{indices}%nat",
    )
    yield f"Definition the_certificate := LimitCertificate {' '.join(parts)}.\n"


def _place(line: JsonObject, i: int, where: str) -> str:
    """The limit of a token, its evidence, its kind, and the normal and the weights of its face."""
    proof = {"form", "from"} if "form" in line else {"lock"}
    face = {"normal", "weights"} if line.get("kind") == "projection" else set()
    verify_keys(line, {"token", "kind", "limit"} | proof | face, where, token=i)
    evidence = "Locked" if "lock" in line else _form(line, where)
    vertex, normal, weights = (
        ("false", row_literal(line["normal"], where), line["weights"]) if face else ("true", "[]", [])
    )
    parts = list_literal([f"Weight {int(j)} {number_literal(w)}" for j, w in weights])
    return f"Place {row_literal(line['limit'], where)} {evidence} {vertex} {normal} {parts}"


def _form(line: JsonObject, where: str) -> str:
    """The terms of a closed form and its k0."""
    for term in line["form"]:
        verify_keys(term, {"base", "power", "vector"}, where)
    terms = [
        f"Term {number_literal(term['base'])} {int(term['power'])} {row_literal(term['vector'], where)}"
        for term in line["form"]
    ]
    return f"(Form {list_literal(terms)} {int(line['from'])})"
