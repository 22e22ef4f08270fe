"""What certificates of the mean field say, for their pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exactformer.certificates.envelope import CertificateLine
from exactformer.io.canonical import canonical, from_canonical_row
from exactformer.io.json_lines import JsonObject

#: a name and its value
NamedValue = tuple[str, object]
#: title, columns, rows
ShownTable = tuple[str, list[str], Sequence[Sequence[object]]]
#: title, words, facts, tables
SummaryParts = tuple[str, str, list[NamedValue], list[ShownTable]]


def zero_temperature_parts(header: JsonObject, lines: Iterator[CertificateLine]) -> SummaryParts:
    """The limit map, its eigenvalue and its rate."""
    system, polynomial, *rest = lines
    projector = next(line["projector"] for line in rest if "projector" in line)
    facts: list[NamedValue] = [
        ("dimension of E", header["multiplicity"]),
        ("lambda, the largest root of", polynomial_text(polynomial["polynomial"])),
        ("lambda is at least", polynomial["low"]),
    ]
    words = (
        "The matrix M = V(Q'K)' has a real dominant eigenvalue lambda, semisimple, with the projector Pi onto its "
        "eigenspace E. At zero temperature every token x with Pi x != 0 tends to Pi x/|Pi x|."
    )
    if "rate" in rest[-1]:
        words += f" The error is at most C e^(-ct) with c = {rest[-1]['rate']} and a constant C that depends on x."
        below = next(line["bound"] for line in rest if "bound" in line)
        facts += [
            ("rate c", rest[-1]["rate"]),
            ("real parts of the others are below", below),
            ("|B| <=", rest[-1]["norm"]),
        ]
    else:
        words += " Here M is a multiple of the identity, and nothing moves."
    rows = [[f"row {i}", ", ".join(entries)] for i, entries in enumerate(_entries(projector))]
    name = "Pi" if len(projector) == 1 else f"Pi times {_in_powers(_slope(polynomial['polynomial']), 'lambda')}"
    tables: list[ShownTable] = [
        (name, ["", "entries"], rows),
        *(matrix_table(name, system[name]) for name in ("V", "Q", "K")),
    ]
    return "The limit at zero temperature", words, facts, tables


def laplace_parts(header: JsonObject, lines: Iterator[CertificateLine]) -> SummaryParts:
    """The bound, its temperature, the point and the tokens."""
    subject, bound = lines
    words = (
        f"For every inverse temperature beta >= {bound['beta']} the mean of the tokens with the weights "
        f"e^(beta <A x, y>) differs from the direction A x/|A x| by at most {bound['bound']}."
    )
    facts = [("tokens", header["tokens"]), ("x", from_canonical_row(subject["x"])), ("beta >=", bound["beta"])]
    tokens = [[i, from_canonical_row(row)] for i, row in enumerate(subject["tokens"])]
    tables: list[ShownTable] = [("Tokens", ["token", "lies at"], tokens), matrix_table("A", subject["A"])]
    return "The Laplace bound on a measure", words, [*facts, ("bound", bound["bound"])], tables


def instance_tables(first: CertificateLine) -> list[ShownTable]:
    """The matrices and tokens of a counterexample about the mean field."""
    tables = [matrix_table(name, first[name]) for name in ("V", "B") if name in first]
    if "tokens" in first:
        rows = [[i, from_canonical_row(row)] for i, row in enumerate(first["tokens"])]
        tables.append(("Tokens, as directions", ["token", "points along"], rows))
    return tables


def matrix_table(name: str, rows: list[list[str]]) -> ShownTable:
    """A matrix, row by row."""
    return name, ["row", "entries"], [[i, from_canonical_row(row)] for i, row in enumerate(rows)]


def polynomial_text(coefficients: list[str]) -> str:
    """c_0 + c_1 x + .. without the terms that are zero, the highest power first.

    >>> polynomial_text(["-1", "-1", "1"])
    'x^2 - x - 1'
    """
    return _in_powers(coefficients, "x")


def _slope(coefficients: list[str]) -> list[str]:
    """The coefficients of the derivative of a polynomial."""
    return [canonical(i * c) for i, c in enumerate(from_canonical_row(coefficients))][1:]


def _entries(parts: list[list[list[str]]]) -> list[list[str]]:
    """The entries of sum_i lambda^i P_i."""
    size = range(len(parts[0]))
    return [[_in_powers([part[i][j] for part in parts], "lambda") for j in size] for i in size]


def _in_powers(coefficients: list[str], name: str) -> str:
    text = ""
    for power, c in reversed(list(enumerate(coefficients))):
        if c == "0":
            continue
        symbol = "" if power == 0 else name if power == 1 else f"{name}^{power}"
        size = c.removeprefix("-")
        body = symbol if size == "1" and symbol else f"{size} {symbol}".strip()
        sign = "-" if c.startswith("-") else "+"
        text += f" {sign} {body}" if text else body if sign == "+" else f"-{body}"
    return text or "0"
