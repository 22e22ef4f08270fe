"""Tests of `exactformer.geometry.simplest`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.arithmetic.text import exact
from exactformer.geometry.simplest import simplest_offset


@pytest.mark.parametrize("root", [2, 3, 5, 6, 7, 10, 11])
def test_an_offset_lies_strictly_between_ends_that_floats_confuse(root: int) -> None:
    low = exact(f"sqrt({root})")
    for digits in range(10, 30):
        high = low + Fraction(1, 10**digits)
        assert low < simplest_offset(low, high) < high
        assert -high < simplest_offset(-high, -low) < -low


@pytest.mark.parametrize("high", [Fraction(-5, 2), -2, Fraction(-1, 3), 0, Fraction(1, 3), 1, Fraction(7, 2)])
def test_an_offset_below_a_point_alone_is_a_short_integer(high: Fraction | int) -> None:
    offset = simplest_offset(None, high)
    assert offset < high
    assert offset.denominator == 1
    assert offset == 0 or offset + 1 >= high
