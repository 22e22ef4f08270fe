"""What certificates of recurrences and of windows say, for their pages."""

from __future__ import annotations

from collections.abc import Iterator

from exactformer.certificates.envelope import CertificateLine
from exactformer.io.canonical import from_canonical_row
from exactformer.report.mean_field_summary import NamedValue, ShownTable, SummaryParts


def recurrence_parts(header: CertificateLine, lines: Iterator[CertificateLine]) -> SummaryParts:
    """The least recurrence z_(k+p) = A_1 z_k + .. + A_p z_(k+p-1) [+ b] with its matrices, or that there is none."""
    series, *proofs = lines
    order = header["refuted"] + 1
    smaller = f"no linear recurrence of order 1 to {header['refuted']} holds on all rows" if header["refuted"] else ""
    holds = f"z_(k+{order}) is a linear function of the {order} rows before it, on all rows" if header["holds"] else ""
    facts: list[NamedValue] = [
        ("rows", header["rows"]),
        ("dimension", header["dim"]),
        ("with an intercept", header["intercept"]),
    ]
    tables: list[ShownTable] = []
    if header["holds"]:
        found = proofs[header["refuted"]]
        rows = [[f"A_{j + 1}", "; ".join(", ".join(row) for row in A)] for j, A in enumerate(found["coefficients"])]
        tables.append(("Coefficients", ["", "rows, oldest matrix first"], rows))
        facts.append(("unique", "minor" in proofs[-1]))
    tables.append(("Series", ["time", "row"], [[k, from_canonical_row(row)] for k, row in enumerate(series["series"])]))
    title = f"A linear recurrence of order {order}" if header["holds"] else "No linear recurrence"
    return title, "; ".join(text for text in (holds, smaller) if text) + ".", facts, tables


def positive_window_parts(header: CertificateLine, lines: Iterator[CertificateLine]) -> SummaryParts:
    """The least window of a recurrence whose older coefficients have one sign, and its weights."""
    polynomial, *_, found = lines
    rows = [[j + 1, from_canonical_row([weight])] for j, weight in enumerate(found["weights"])]
    words = (
        "Series with this characteristic polynomial obey a recurrence over this window whose older coefficients have "
        "one sign, and over no smaller one."
    )
    facts: list[NamedValue] = [
        ("polynomial, constant first", ", ".join(polynomial["polynomial"])),
        ("coefficient of the newest", found["newest"]),
        ("sign of the others", found["sign"]),
    ]
    title = f"The least window of frozen positive attention is {header['window']}"
    return title, words, facts, [("Weights", ["j", "a_j"], rows)]
