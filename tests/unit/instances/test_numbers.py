"""Tests of `exactformer.instances.numbers`."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactformer.arithmetic.rational import RationalRows
from exactformer.instances.numbers import cost, integral_rows, nudged, rounded_rows, simpler_numbers

F = Fraction


def rows_of(*rows: Any) -> RationalRows:
    return tuple(tuple(map(F, row)) for row in rows)


def test_rows_are_rounded_and_made_integral_by_one_factor() -> None:
    rows = rows_of(["1/2", "-3/4"], ["3/2", 0])
    assert rounded_rows(rows, 2) == rows_of([1, -1], [2, 0])
    assert rounded_rows(rows, 6) == rows_of([2, -3], [6, 0])
    assert integral_rows(rows) == rows_of([2, -3], [6, 0])
    assert rounded_rows(rows_of([0, 0]), 3) == rows_of([0, 0])


def test_nudged_numbers_are_near() -> None:
    rng = Random(6)
    found = {nudged(F(5, 3), rng) for _ in range(300)}
    assert {F(-5, 3), F(5, 6), F(4, 3), F(2), F(1, 1), F(7, 3), F(2, 3), F(11, 6)} <= found
    assert all(y == F(-5, 3) or abs(y - F(5, 3)) <= 2 for y in found)


@pytest.mark.parametrize(
    ("x", "digits"),
    [("0", 0), ("1", 2), ("-1", 3), ("2", 4), ("3", 4), ("4", 6), ("1/2", 8), ("-1/2", 9), ("7/12", 18)],
)
def test_what_numbers_cost_on_a_blackboard(x: str, digits: int) -> None:
    assert cost(F(x)) == digits


def test_simpler_numbers_are_cheaper() -> None:
    rng = Random(8)
    for _ in range(200):
        x = Fraction(rng.randint(-99, 99), rng.randint(1, 30))
        assert all(
            (cost(y), abs(y.numerator) + y.denominator) < (cost(x), abs(x.numerator) + x.denominator)
            for y in simpler_numbers(x)
        )
