"""Certificates of linear delay models: `recurrence` (least order, or that there is none) and `positive-window`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Protocol

from exactformer.arithmetic.rational import RationalRow, RationalRows
from exactformer.certificates.envelope import CertificateLine, write_certificate
from exactformer.io.json_lines import PathLike

#: a modulus for the minor: the checker wants every pivot to be invertible, not the modulus to be prime
MODULUS = 2**61 - 1


class Found(Protocol):
    """A recurrence: coefficients oldest first, intercept, and why no other, or that others exist."""

    @property
    def coefficients(self) -> tuple[RationalRows, ...]: ...
    @property
    def intercept(self) -> RationalRow: ...
    @property
    def minor(self) -> tuple[int, ...] | None: ...
    @property
    def kernel(self) -> RationalRow | None: ...


def write_recurrence(
    path: PathLike,
    rows: Sequence[RationalRow],
    intercept: bool,
    refuted: Sequence[Sequence[tuple[int, Fraction]]],
    found: Found | None,
) -> None:
    """Writes the certificate: `refuted[m-1]` are the weights that refute order m, `found` has the order after them."""
    header = {"dim": len(rows[0]), "rows": len(rows), "intercept": intercept, "refuted": len(refuted)}
    write_certificate(
        path,
        "recurrence",
        {**header, "holds": found is not None},
        _lines(rows, refuted, found),
    )


def _lines(
    rows: Sequence[RationalRow], refuted: Sequence[Sequence[tuple[int, Fraction]]], found: Found | None
) -> Iterator[CertificateLine]:
    yield {"series": [list(row) for row in rows]}
    for k, weights in enumerate(refuted):
        yield {"order": k + 1, "weights": [[row, weight] for row, weight in weights]}
    if found is None:
        return
    yield {"coefficients": [[list(row) for row in A] for A in found.coefficients], "intercept": list(found.intercept)}
    if found.minor is not None:
        yield {"minor": list(found.minor), "modulus": Fraction(MODULUS)}
    else:
        yield {"kernel": list(found.kernel or ())}


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
