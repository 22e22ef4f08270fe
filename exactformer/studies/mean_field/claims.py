"""Certificates of the mean field: `zero-temperature` (the limit map and a rate), `laplace` (softmax means near their
direction at every low temperature), and `counterexample` (what fails without one hypothesis). Arguments are plain data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Protocol

from exactformer.arithmetic.rational import RationalRow, RationalRows
from exactformer.certificates.envelope import CertificateLine, write_certificate
from exactformer.dynamics.orbit_claim import Numbers
from exactformer.io.json_lines import JsonObject, PathLike


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


def write_laplace(
    path: PathLike,
    A: Sequence[Numbers],
    tokens: Sequence[Numbers],
    x: RationalRow,
    beta: Fraction,
    bound: Fraction,
    bits: int,
) -> None:
    """Writes the certificate: for every inverse temperature >= beta the mean at x is within `bound` of A x/|A x|."""
    subject = {"A": [list(row) for row in A], "tokens": [list(row) for row in tokens], "x": list(x)}
    header = {"dim": len(x), "tokens": len(tokens), "bits": bits}
    write_certificate(path, "laplace", header, [subject, {"beta": beta, "bound": bound}])


#: V and B
Matrices = tuple[RationalRows, RationalRows]


def _write(path: PathLike, statement: str, header: JsonObject, lines: Sequence[CertificateLine]) -> None:
    write_certificate(path, "counterexample", {"statement": statement, **header}, lines, holds="mean field")


def _subject(matrices: Matrices, tokens: RationalRows = ()) -> CertificateLine:
    line: CertificateLine = {"V": rows_of(matrices[0]), "B": rows_of(matrices[1])}
    return line | ({"tokens": rows_of(tokens)} if tokens else {})


def write_complex_pair(
    path: PathLike,
    matrices: Matrices,
    vector: RationalRow,
    polynomial: tuple[Fraction, Fraction],
    below: LyapunovForm | None,
) -> None:
    """M^2 p = t M p - n p with (t, n) = `polynomial`, t^2 < 4n: a pair that is not real; the others lie below."""
    pair = {"vector": list(vector), "trace": polynomial[0], "determinant": polynomial[1]}
    lines = [_subject(matrices), pair, *([] if below is None else [form_line(below)])]
    _write(path, "meanfield-complex-pair", {"dim": len(vector), "rational": True}, lines)


def write_leading_pair(
    path: PathLike,
    matrices: Matrices,
    below: LyapunovForm,
    above: RationalRow,
    polynomial: Sequence[Fraction],
    positive: tuple[Fraction, int],
) -> None:
    """All but 2 eigenvalues lie below the bound a, the form is > 0 `above`, and no real one is >= a.

    The last because (1 + x)^N f(a + s x) has positive coefficients, f(M) = 0, for `positive` = (s, N).
    """
    real = {"above": list(above), "polynomial": list(polynomial), "scale": positive[0], "exponent": positive[1]}
    header = {"dim": len(matrices[0]), "rational": False}
    _write(path, "meanfield-complex-pair", header, [_subject(matrices), form_line(below), real])


def write_jordan_block(
    path: PathLike,
    matrices: Matrices,
    eigenvalue: Fraction,
    generalised: Sequence[RationalRow],
    below: LyapunovForm | None,
) -> None:
    """`generalised` spans ker(M - lambda)^k, of dimension k, where M - lambda is not 0; the others lie below."""
    block = {"eigenvalue": eigenvalue, "generalised": rows_of(generalised)}
    lines = [_subject(matrices), block, *([] if below is None else [form_line(below)])]
    _write(path, "meanfield-jordan-block", {"dim": len(matrices[0]), "multiplicity": len(generalised)}, lines)


def write_dominated(
    path: PathLike,
    statement: str,
    matrices: Matrices,
    tokens: RationalRows,
    shape: tuple[int, int],
    dominance: Sequence[CertificateLine],
    witness: CertificateLine,
) -> None:
    """A statement about tokens and a dominant eigenvalue: its dominance lines, of this (degree, multiplicity)."""
    header = {"dim": len(tokens[0]), "tokens": len(tokens), "degree": shape[0], "multiplicity": shape[1]}
    _write(path, statement, header, [_subject(matrices, tokens), *dominance, witness])


def write_circle(
    path: PathLike, statement: str, V: RationalRows, constants: dict[str, Fraction], witness: dict[str, Fraction]
) -> None:
    """A bound with constants that a law on the circle violates at the time that the witness tells; B = I."""
    _write(path, statement, {"dim": len(V)}, [{"V": rows_of(V), **constants}, witness])
