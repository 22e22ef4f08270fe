"""The envelope every certificate shares: a header with the claim, lines, an end line with the digest."""

from __future__ import annotations

from collections.abc import Iterable

from exactformer.io.json_lines import JsonLine, JsonObject, LineWriter, PathLike
from exactformer.io.versions import since

#: one line of a certificate as plain data: exact numbers, ints, text, lists
CertificateLine = JsonObject


def write_certificate(
    path: PathLike,
    claim: str,
    header: JsonObject,
    lines: Iterable[JsonLine],
    *,
    holds: str = "",
) -> None:
    """Writes the certificate of a claim; `lines` may be a generator, so that memory stays bounded.

    Exact scalars become canonical text, Python ints stay JSON integers. An exception while the lines
    are made leaves no file behind. The version is the first that knows the claim, its keys, the statement refuted, and
    what `holds` names of its lines (see `exactformer.io.versions`).
    """
    version = max(since(claim, *header, holds), since(str(header.get("statement"))))
    with LineWriter(path) as out:
        out.write({"exactformer": "certificate", "version": version, "claim": claim, **header})
        for line in lines:
            out.write(line)
