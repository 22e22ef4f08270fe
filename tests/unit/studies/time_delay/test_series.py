"""Tests of `exactformer.studies.time_delay.series`."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exactformer.errors import InvalidInput, Malformed
from exactformer.studies.time_delay.fit import SeriesParts
from exactformer.studies.time_delay.series import Series

F = Fraction


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n3,x\n", "line 3, column 2"),
        ("a,b\n1,2\n?,4\n", r"line 3, column 1 \(a\): expected a number, got the missing value '\?'"),
        ("1,NaN\n2,3\n", "line 1, column 2: expected a number, got the missing value 'NaN'"),
        ("a,\n1,2\n", "line 1, column 1|line 1, column 2"),
        ("null\n1\n", "line 1, column 1: expected a number, got the missing value"),
        ("t,z\n12:30,5\n", r"line 2, column 1 \(t\): expected a number, got the date or time '12:30'"),
        ("t,z\n5,3/4/2020\n", r"line 2, column 2 \(z\): expected a number, got the date or time"),
        ("a,b\n", "expected at least one row of numbers, got none"),
    ],
)
def test_series_files_are_refused_at_their_place(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises((InvalidInput, Malformed), match=words):
        Series.read(tmp_path / "s.csv")


# fits -------------------------------------------------------------------------------------------------
def test_a_series_is_cut_at_six_and_at_eight_tenths_and_must_be_long_enough() -> None:
    rows = [[math.sin(k), k] for k in range(47)]
    parts = SeriesParts.of(Series.of(np.array(rows)), 2)
    assert [len(part) for part in (parts.train, parts.validation, parts.test)] == [28, 9, 10]
    assert parts.mean == pytest.approx(np.mean(rows[:28], axis=0))
    assert parts.scale == pytest.approx(np.std(rows[:28], axis=0))
    assert parts.validation * parts.scale + parts.mean == pytest.approx(np.array(rows[28:37]))
    assert len(SeriesParts.of(Series.of(np.array(rows[:40])), 2).train) == 24
    with pytest.raises(InvalidInput, match="at least 40 rows for a window of 2, got 39"):
        SeriesParts.of(Series.of(np.array(rows[:39])), 2)
    late = [[k, 1 if k < 30 else 2] for k in range(50)]
    for names, told in (((), "column 2"), (("a", "b"), "column b")):
        with pytest.raises(InvalidInput, match=f"{told}: it is constant"):
            SeriesParts.of(Series.of(late, names), 2)
    assert SeriesParts.of(Series.of([[k, 1 if k < 29 else 2] for k in range(50)]), 2)


# series, windows and studies --------------------------------------------------------------------------
def test_series_of_arrays_lists_and_files(tmp_path: Path) -> None:
    assert Series.of(np.array([0.5, 1.25])).rows() == [(F(1, 2),), (F(5, 4),)]
    assert Series.of([[1, "1/3"], (2, "0.1")]).rows() == [(F(1), F(1, 3)), (F(2), F(1, 10))]
    with pytest.raises(InvalidInput, match="rational"):
        Series.of(["sqrt(2)"])
    for text, names in (("t,u\n1,2\n3,4\n", ("t", "u")), ("1,2\n3,4\n", ())):
        (tmp_path / "s.csv").write_text(text)
        found = Series.read(tmp_path / "s.csv")
        assert (found.names, found.rows(), found.dim, len(found)) == (names, [(1, 2), (3, 4)], 2, 2)
    for field, told in (
        ("2020-01-31", "date"),
        ("31.1.2020", "date"),
        ("1/2/2020", "date"),
        ("2020-01-31T10:00", "date"),
        ("12:30", "date"),
        ("12:30:59", "date"),
        ("null", "missing"),
        ("?", "missing"),
        ("-", "missing"),
        ("NA", "missing"),
    ):
        (tmp_path / "s.csv").write_text(f"t,u\n1,2\n3,{field}\n")
        with pytest.raises(InvalidInput, match=rf"line 3, column 2 \(u\): .*{told}"):
            Series.read(tmp_path / "s.csv")
    Series.of([1, 2, 3]).verify_length(1, 3)
    with pytest.raises(InvalidInput):
        Series.of([1, 2, 3]).verify_length(1, 4)


def test_columns_are_chosen_by_name_or_number(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("day,lift,drag\n2020-01-01,1,5\n2020-01-02,1,7\n2020-01-03,2,4\n")
    assert Series.read(path, ["lift"]).rows() == [(1,), (1,), (2,)]
    assert Series.read(path, ["3", "lift"]).rows() == [(5, 1), (7, 1), (4, 2)]
    assert Series.read(path, ["3", "lift"]).names == ("drag", "lift")
    with pytest.raises(InvalidInput, match="got the date or time '2020-01-01'"):
        Series.read(path)
    for wrong in ("0", "4", "nose"):
        with pytest.raises(InvalidInput, match=r"a name \(day, lift, drag\) or a number from 1 to 3"):
            Series.read(path, [wrong])


@pytest.mark.parametrize(
    ("rows", "counter"),
    [
        ([[0, 5], [1, 7], [2, 4]], 0),
        ([[5, "1/2"], [7, "3/4"], [4, 1]], 1),
        ([[0], [1], [2]], None),
        ([[3, 5], [3, 7], [3, 4]], None),
        ([[0, 5], [1, 7]], None),
    ],
)
def test_a_column_that_counts_the_rows_is_found(rows: list[list[object]], counter: int | None) -> None:
    assert Series.of(rows).counter == counter
