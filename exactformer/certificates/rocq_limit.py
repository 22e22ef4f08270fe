"""A certificate of claim `limit` as a Rocq file whose `Qed` is the proof, where every token is locked.

The theorem says for all layers at once what the certificate says: A is symmetric positive definite, the follower sets
of layer K never change, every token's way is a geometric progression towards its limit, the leaders are exactly those
listed, and every limit is the point of least norm of a face of the polytope of the leading positions. The face is the
one exposed by A times the limit; the normal and the weights of the certificate itself are not transcribed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exactformer.certificates.rocq_numbers import number_literal, row_literal, rows_literal, verify_keys
from exactformer.errors import Declined, Malformed

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


def limit_text(lines: list[dict[str, Any]], digest: str, where: str, integers: str) -> str:
    """The Rocq file of a limit certificate's lines (all but its end line).

    Raises Declined where a token has a closed form of its own (stage B): the Rocq checker knows locked tokens only.
    """
    header, system, *places = lines
    leaders = places.pop()
    verify_keys(system, {"A", "alpha", "tokens"}, f"{where}, system line")
    verify_keys(leaders, {"leaders"}, f"{where}, leaders line")
    if header.get("tokens") != len(places) or len(system["tokens"]) != len(places):
        raise Malformed(f"{where}: expected {header.get('tokens')} token lines as in the header, got {len(places)}")
    body = "".join(_definitions(header, system, places, leaders["leaders"], where))
    return _HEAD.format(digest=digest) + body + _FOOT.format(integers=integers)


def _definitions(
    header: dict[str, Any], system: dict[str, Any], places: list[dict[str, Any]], leaders: list[int], where: str
) -> Iterator[str]:
    yield f"Definition the_tokens := {rows_literal(system['tokens'], where)}.\n"
    for i, line in enumerate(places):
        place = f"{where}, token {i}"
        face = {"normal", "weights"} if line.get("kind") == "projection" else set()
        if "form" in line:
            raise Declined(
                f"{place}: it has a closed form (stage B), and the Rocq checker of limits knows locked tokens only; "
                "proofs-check verifies this certificate"
            )
        verify_keys(line, {"token", "kind", "limit", "lock"} | face, place, token=i)
        vertex = "true" if line["kind"] == "vertex" else "false"
        yield f"Definition place_{i} := Place {row_literal(line['limit'], place)} {vertex}.\n"
    names = "; ".join(f"place_{i}" for i in range(len(places)))
    indices = "; ".join(str(int(i)) for i in leaders)
    parts = (
        str(header["dim"]),
        rows_literal(system["A"], where),
        number_literal(system["alpha"]),
        "the_tokens",
        str(int(header["layer"])),
        f"[{names}]",
        f"[{indices}]%nat",
    )
    yield f"Definition the_certificate := LimitCertificate {' '.join(parts)}.\n"
