"""The `counterexample` certificates of the mean field: what fails without one hypothesis. Every argument is plain data.

A Lyapunov form, where one is needed, is the line that `zero_temperature.form_line` makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactformer.arithmetic.rational import RationalRow, RationalRows
from exactformer.certificates.envelope import CertificateLine, write_certificate
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.studies.mean_field.zero_temperature_claim import LyapunovForm, form_line, rows_of

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
