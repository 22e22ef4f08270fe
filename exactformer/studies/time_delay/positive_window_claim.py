"""The `positive-window` certificate: the least window of frozen positive attention for a characteristic polynomial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from exactformer.arithmetic.rational import RationalRow
from exactformer.certificates.envelope import CertificateLine, write_certificate
from exactformer.io.json_lines import PathLike


def write_positive_window(
    path: PathLike,
    polynomial: RationalRow,
    newest: Fraction,
    sign: int,
    weights: RationalRow,
    refuted: Sequence[tuple[RationalRow, RationalRow]],
) -> None:
    """Writes the certificate: `refuted[k]` are Farkas' vectors, for sign +1 and -1, that refute the window k + 2."""

    def lines() -> Iterator[CertificateLine]:
        yield {"polynomial": list(polynomial)}
        for k, (plus, minus) in enumerate(refuted):
            yield {"window": k + 2, "plus": list(plus), "minus": list(minus)}
        yield {"newest": newest, "sign": Fraction(sign), "weights": list(weights)}

    header = {"dim": 1, "degree": len(polynomial) - 1, "window": len(weights) + 1}
    write_certificate(path, "positive-window", header, lines())
