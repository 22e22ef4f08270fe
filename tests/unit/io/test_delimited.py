"""Tests of `exactformer.io.delimited`."""

from __future__ import annotations

import pytest

from exactformer.errors import Malformed
from exactformer.io.delimited import columns_of, is_name, read_table


def test_names_of_columns_are_no_values() -> None:
    for name in ("x", "alpha", "_a", "x1", "pix", "nano", "Einfluss", "sqrt", "cosine"):
        assert is_name(name), name
    for value in ("1", "", "-x", "nan", "NA", "Inf", "infinity", "sqrt(2)", "cos (pi/5)", "pi", "pi/2", "true", "None"):
        assert not is_name(value), value


@pytest.mark.parametrize(
    ("header", "coordinates", "ignored"),
    [
        ("sequence,label,x0,x1", [2, 3], []),
        ("sequence,label,x_1,x_2", [2, 3], []),
        ("X2,Sequence,LABEL,X1", [3, 0], []),
        ("Unnamed: 0,sequence,label,height", [3], ["Unnamed: 0"]),
        (",sequence,label,height", [3], [""]),
        ("sequence,label,x1,time", [2], ["time"]),
        ("sequence,a,b", [1, 2], []),
        (",".join(["sequence", *(f"x{k}" for k in range(12, 0, -1))]), list(range(12, 0, -1)), []),
    ],
)
def test_columns_are_found_by_their_names(header: str, coordinates: list[int], ignored: list[str]) -> None:
    found = columns_of(header.split(","), "d.csv")
    assert (found.coordinates, found.ignored) == (coordinates, ignored)


@pytest.mark.parametrize(
    "header", ["sequence,x2,x3", "sequence,x0,x2", "sequence,x1,x01", "sequence,x1,x_1,x2", "sequence,a,A", "x1,x2"]
)
def test_columns_that_could_mean_two_things_are_refused(header: str) -> None:
    with pytest.raises(Malformed):
        columns_of(header.split(","), "d.csv")


@pytest.mark.timeout(30)  # counting every name by a search took minutes
def test_a_header_may_have_very_many_columns() -> None:
    names = [f"x{k}" for k in range(1, 125_001)]
    assert len(columns_of(["sequence", *names], "d.csv").coordinates) == len(names)
    with pytest.raises(Malformed, match="the column 'x7' 2 times"):
        columns_of(["sequence", *names, "x7"], "d.csv")


def test_separators_inside_quotes_do_not_separate() -> None:
    assert read_table(b'"a;b",c\n"1;2",3\n', "t").rows == [["a;b", "c"], ["1;2", "3"]]
    assert read_table(b'"a,b";c\n1;2\n', "t").separator == ";"
    assert read_table(b"1 2\n\n3 4\n", "t").lines == [1, 3]
