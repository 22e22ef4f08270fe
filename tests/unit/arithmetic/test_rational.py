"""Tests of `exactformer.arithmetic.rational`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.arithmetic.rational import simplest_between
from exactformer.errors import InvalidInput


@pytest.mark.parametrize(
    ("low", "high", "simplest"),
    [
        (Fraction(3, 10), Fraction(1, 2), Fraction(1, 3)),
        (Fraction(-1, 2), Fraction(-3, 10), Fraction(-1, 3)),
        (0, 1, Fraction(1, 2)),
        (1, 2, Fraction(3, 2)),
        (-1, 1, Fraction(0)),
        (0, None, Fraction(1)),
        (None, 0, Fraction(-1)),
        (None, -3, Fraction(-4)),
        (None, None, Fraction(0)),
        (3, None, Fraction(4)),
        (Fraction(311, 100), Fraction(313, 100), Fraction(25, 8)),
        (2, 5, Fraction(3)),
        (-5, -2, Fraction(-3)),
    ],
)
def test_the_simplest_rational(low: Fraction | int | None, high: Fraction | int | None, simplest: Fraction) -> None:
    assert simplest_between(low, high) == simplest


@pytest.mark.parametrize("ends", [(1, 1), (2, 1)])
def test_an_empty_interval_has_no_rational(ends: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput):
        simplest_between(*ends)
