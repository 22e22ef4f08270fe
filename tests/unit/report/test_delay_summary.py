"""Tests of `exactformer.report.delay_summary`, through the summaries of certificates."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from exactformer.report.claim_summary import ClaimSummary, claim_summary
from exactformer.studies.time_delay.positive_window import least_window, polynomial_of_tones
from exactformer.studies.time_delay.recurrence import Recurrence, least_order
from exactformer.studies.time_delay.series import Series
from exactformer.studies.time_delay.systems import tones


def told(thing: Any, folder: Path) -> ClaimSummary:
    """The summary of the certificate that a thing writes."""
    thing.certify(folder / "c.jsonl")
    return claim_summary(folder / "c.jsonl")


def test_the_weights_of_a_window_are_numbered_from_one(tmp_path: Path) -> None:
    found = least_window(polynomial_of_tones([Fraction(4, 5), Fraction(-3, 5)]))
    account = told(found, tmp_path)
    ((title, columns, rows),) = account.tables
    assert (title, columns) == ("Weights", ["j", "a_j"])
    assert rows == [[j, (weight,)] for j, weight in enumerate(found.weights, start=1)]
    assert len(rows) == found.window - 1 >= 2
    polynomial = ", ".join(map(str, polynomial_of_tones([Fraction(4, 5), Fraction(-3, 5)])))
    assert account.facts[0] == ("polynomial, constant first", polynomial)


def test_a_series_without_a_recurrence_and_one_with(tmp_path: Path) -> None:
    account = told(least_order(Series.of([[1], [2], [4], [9], [1], [7]]), cap=2), tmp_path)
    assert account.title == "No linear recurrence"
    assert account.words == "no linear recurrence of order 1 to 2 holds on all rows."
    assert account.facts == [("rows", 6), ("dimension", 1), ("with an intercept", False)]
    assert [table[0] for table in account.tables] == ["Series"]
    account = told(least_order(Series.of([[1], [1], [2], [3], [5], [8], [13]])), tmp_path)
    assert account.title == "A linear recurrence of order 2"
    assert account.words == (
        "z_(k+2) is a linear function of the 2 rows before it, on all rows; no linear recurrence of order 1 to 1 holds "
        "on all rows."
    )
    coefficients, series = account.tables
    assert coefficients[2] == [["A_1", "1"], ["A_2", "1"]]
    assert series[2][:4] == [[0, (1,)], [1, (1,)], [2, (2,)], [3, (3,)]]


def test_accounts_of_recurrences_and_windows(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    for series, unique in ((tones(2, 30), True), (Series.of([[2**k, 2**k] for k in range(9)]), False)):
        found = least_order(series)
        assert isinstance(found, Recurrence)
        found.certify(path)
        account = claim_summary(path)
        facts = dict(account.facts)
        assert account.title == f"A linear recurrence of order {found.order}"
        assert facts["unique"] is unique is (found.minor is not None)
        assert (facts["rows"], facts["dimension"]) == (len(series), series.dim)
        listed = [row[1] for row in account.tables[0][2]]
        assert listed == ["; ".join(", ".join(map(str, row)) for row in A) for A in found.coefficients]
    for cosine in (Fraction(4, 5), Fraction(-3, 5)):
        window = least_window(polynomial_of_tones([cosine]))
        window.certify(path)
        facts = dict(claim_summary(path).facts)
        assert int(facts["sign of the others"]) == window.sign == -1
        assert facts["coefficient of the newest"] == str(window.newest)
