"""Tests of `exactformer.arithmetic.number`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest

from exactformer.arithmetic.algebraic import from_text
from exactformer.arithmetic.number import balls, exactly, mpmath_numbers
from exactformer.arithmetic.text import exact

F = Fraction


ROOT: Any = from_text("sqrt(2)")


def test_kinds_of_numbers_are_the_number_itself_a_ball_or_digits() -> None:
    assert exactly(ROOT) is ROOT
    assert (balls(90)(F(1, 3)).bits, balls(90)(F(1, 3)).contains(F(1, 3))) == (90, True)
    with mpmath.workdps(40):
        assert mpmath_numbers(40)(F(-2, 7)) == mpmath.mpf(-2) / 7
        assert abs(mpmath_numbers(40)(ROOT) ** 2 - 2) < mpmath.mpf(10) ** -38


@pytest.mark.parametrize("digits", [15, 50, 200])
def test_algebraic_numbers_have_all_their_digits_in_mpmath(digits: int) -> None:
    with mpmath.workdps(digits):
        convert = mpmath_numbers(digits)
        for text, value in (("sqrt(2)", mpmath.sqrt(2)), ("cos(2*pi/7)", mpmath.cos(2 * mpmath.pi / 7))):
            assert abs(convert(exact(text)) - value) < mpmath.mpf(10) ** (2 - digits)
        assert convert(F(1, 3)) == mpmath.mpf(1) / 3
