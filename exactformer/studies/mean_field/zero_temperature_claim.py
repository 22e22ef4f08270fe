"""The `zero-temperature` certificate: the limit map of the mean field at zero temperature, and a rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Protocol

from exactformer.arithmetic.rational import RationalRow, RationalRows
from exactformer.certificates.envelope import CertificateLine, write_certificate
from exactformer.io.json_lines import PathLike


class LyapunovForm(Protocol):
    """All but k eigenvalues have real parts below `bound`: `form` rises along M - bound and is < 0 on `subspace`."""

    @property
    def bound(self) -> Fraction: ...
    @property
    def form(self) -> RationalRows: ...
    @property
    def subspace(self) -> tuple[RationalRow, ...]: ...


def write_zero_temperature(
    path: PathLike,
    matrices: tuple[RationalRows, RationalRows, RationalRows],
    dominance: Sequence[CertificateLine],
    shape: tuple[int, int],
    rate: tuple[Fraction, Fraction] | None,
) -> None:
    """Writes the certificate: (V, Q, K), the dominance lines with their (degree, multiplicity), and (norm, rate)."""

    def lines() -> Iterator[CertificateLine]:
        yield {key: rows_of(rows) for key, rows in zip("VQK", matrices, strict=True)}
        yield from dominance
        if rate is not None:
            yield {"norm": rate[0], "rate": rate[1]}

    header = {"dim": len(matrices[0]), "degree": shape[0], "multiplicity": shape[1]}
    write_certificate(path, "zero-temperature", header, lines())


def dominance_lines(
    polynomial: RationalRow,
    low: Fraction,
    eigenvectors: Sequence[RationalRow],
    below: LyapunovForm | None,
    projector: Sequence[RationalRows],
) -> list[CertificateLine]:
    """The lines that prove a real semisimple dominant eigenvalue and its projector, of version [1,1]."""
    form = [] if below is None else [form_line(below)]
    return [
        {"polynomial": list(polynomial), "low": low},
        {"eigenvectors": rows_of(eigenvectors)},
        *form,
        {"projector": [rows_of(part) for part in projector]},
    ]


def form_line(below: LyapunovForm) -> CertificateLine:
    """The line that proves that all but so many eigenvalues have small real parts."""
    return {"bound": below.bound, "form": rows_of(below.form), "subspace": rows_of(below.subspace)}


def rows_of(rows: Sequence[RationalRow]) -> list[list[Fraction]]:
    """Rows as lists of Fractions."""
    return [[Fraction(x) for x in row] for row in rows]
