"""The envelope every certificate shares: a header with the claim, lines, an end line with the digest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exactformer.arithmetic.text import JsonObject
from exactformer.model.json_lines import VERSION, LineWriter, PathLike

#: one line of a certificate as plain data: exact numbers, ints, text, lists
CertificateLine = JsonObject


def write_certificate(
    path: PathLike,
    claim: str,
    header: JsonObject,
    lines: Iterable[CertificateLine],
    *,
    version: Sequence[int] = VERSION,
) -> None:
    """Writes the certificate of a claim; `lines` may be a generator, so that memory stays bounded.

    Exact scalars become canonical text, Python ints stay JSON integers. An exception while the lines
    are made leaves no file behind. Claims that came with version [1,1] say so.
    """
    with LineWriter(path) as out:
        out.write({"exactformer": "certificate", "version": version, "claim": claim, **header})
        for line in lines:
            out.write(line)
