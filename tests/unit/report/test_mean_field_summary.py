"""Tests of `exactformer.report.mean_field_summary`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import exactformer as ef
from exactformer.report.claim_summary import ClaimSummary, claim_summary
from exactformer.report.mean_field_summary import polynomial_text
from exactformer.studies.mean_field.families import sample_system
from exactformer.studies.mean_field.laplace import laplace_bound
from exactformer.studies.mean_field.system import System
from exactformer.studies.mean_field.zero_temperature import limit
from exactformer.studies.mean_field.zero_temperature import limit as zero_temperature


def told_in_tables(
    thing: Any, folder: Path, **options: Any
) -> tuple[ClaimSummary, dict[str, Any], dict[str, list[list[Any]]]]:
    """The account of what certifies itself, its facts and the rows of its tables."""
    thing.certify(folder / "c.jsonl", **options)
    account = claim_summary(folder / "c.jsonl")
    return account, dict(account.facts), {title: rows for title, _, rows in account.tables}


def test_the_mean_field(tmp_path: Path) -> None:
    square = ef.Tokens([[1, 0], [0, 1], [-1, 0], ["3/5", "4/5"]], A=[[2, 1], [1, 1]])
    bound = laplace_bound(square, ["3/5", "4/5"], 5)
    account, facts, tables = told_in_tables(bound, tmp_path)
    assert (facts["tokens"], tuple(facts["x"]), facts["beta >="]) == (4, bound.x, "5")
    assert facts["bound"] == str(bound.bound)
    low, high = bound.json()["bound"]
    assert 0 <= low <= bound.mean_distance[0] <= high == bound.bound
    assert "beta >= 5 the mean of the tokens with the weights e^(beta <A x, y>) differs from the" in account.words
    assert [tuple(row[1]) for row in tables["Tokens"]] == square.state.rows()
    assert [tuple(row[1]) for row in tables["A"]] == [tuple(row) for row in square.A]
    system = sample_system("metastable")
    found = limit(system)
    account, facts, tables = told_in_tables(found, tmp_path)
    assert facts["dimension of E"] == found.dimension
    assert facts["rate c"] == str(found.rate)
    assert f"with c = {found.rate} and" in account.words
    assert [row[1] for row in tables["Pi"]] == [", ".join(map(str, row)) for row in found.projector]
    for name in "VQK":
        assert [tuple(row[1]) for row in tables[name]] == [tuple(row) for row in getattr(system, name)]


@pytest.mark.parametrize(
    ("V", "title", "shown"),
    [
        (((2, 1), (0, 1)), "Pi", ["1, 1", "0, 0"]),
        (((1, 2), (1, 0)), "Pi", ["2/3, 2/3", "1/3, 1/3"]),
        (((1, 3), (1, 0)), "Pi times 2 lambda - 1", ["lambda, 3", "1, lambda - 1"]),
    ],
)
def test_rows_of_a_projector_that_is_not_symmetric(V: Any, title: str, shown: list[str], tmp_path: Path) -> None:
    identity = [[1, 0], [0, 1]]
    _, _, tables = told_in_tables(limit(System(V, identity, identity)), tmp_path)
    assert tables[title] == [[f"row {i}", entries] for i, entries in enumerate(shown)]


def told(thing: Any, folder: Path) -> ClaimSummary:
    thing.certify(folder / "c.jsonl")
    return claim_summary(folder / "c.jsonl")


def test_a_limit_at_zero_temperature_with_an_irrational_eigenvalue(tmp_path: Path) -> None:
    """M = V = ((1, 3), (1, 0)): the roots are (1 +- sqrt 13)/2, and (2 lambda - 1) Pi = M + (lambda - 1) I."""
    system = System([[1, 3], [1, 0]], [[0, 1], [2, 0]], [[0, 1], ["1/2", 0]])
    account = told(zero_temperature(system), tmp_path)
    assert [name for name, _ in account.facts] == [
        "dimension of E", "lambda, the largest root of", "lambda is at least", "rate c",
        "real parts of the others are below", "|B| <=",
    ]  # fmt: skip
    facts = {name: str(value) for name, value in account.facts}
    assert (facts["dimension of E"], facts["lambda, the largest root of"]) == ("1", "x^2 - x - 3")
    assert 2.2 < Fraction(facts["lambda is at least"]) < 2.3028
    assert -1.3028 < Fraction(facts["real parts of the others are below"]) < 0
    assert 0 < Fraction(facts["rate c"]) <= 3.6056
    assert 1 <= Fraction(facts["|B| <="]) < 1.1
    assert f"with c = {facts['rate c']} and" in account.words
    assert account.tables == [
        ("Pi times 2 lambda - 1", ["", "entries"], [["row 0", "lambda, 3"], ["row 1", "1, lambda - 1"]]),
        ("V", ["row", "entries"], [[0, (1, 3)], [1, (1, 0)]]),
        ("Q", ["row", "entries"], [[0, (0, 1)], [1, (2, 0)]]),
        ("K", ["row", "entries"], [[0, (0, 1)], [1, (Fraction(1, 2), 0)]]),
    ]
    still = told(zero_temperature(System([[2, 0], [0, 2]], [[1, 0], [0, 1]], [[1, 0], [0, 1]])), tmp_path)
    assert still.words.endswith("Here M is a multiple of the identity, and nothing moves.")
    assert [name for name, _ in still.facts] == [
        "dimension of E",
        "lambda, the largest root of",
        "lambda is at least",
    ]
    assert [value for _, value in still.facts] == [2, "x - 2", "2"]


def test_polynomials_in_words() -> None:
    assert polynomial_text(["1/2", "0", "-3", "1"]) == "x^3 - 3 x^2 + 1/2"
    assert polynomial_text(["0", "-1"]) == "-x"
    assert polynomial_text(["1"]) == "1"
    assert polynomial_text(["0"]) == "0"
