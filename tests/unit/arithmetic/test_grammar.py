"""Tests of `exactformer.arithmetic.grammar`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.arithmetic.algebraic import Algebraic, from_text
from exactformer.arithmetic.grammar import MAX_DEPTH, MAX_LENGTH, multiple_of_pi, parse, rational_value
from exactformer.arithmetic.number_field import MAX_DEGREE
from exactformer.arithmetic.text import MAX_DIGITS, exact
from exactformer.errors import Declined, InvalidInput

F = Fraction


def test_texts_are_read_up_to_their_limits() -> None:
    assert from_text("1" * MAX_LENGTH) == (10**MAX_LENGTH - 1) // 9
    with pytest.raises(InvalidInput, match="at most 2000 characters"):
        from_text("1+" * (MAX_LENGTH // 2) + "1")
    depth = MAX_DEPTH - 1  # the sum itself is the first
    assert from_text("(" * depth + "1" + ")" * depth) == 1
    with pytest.raises(InvalidInput, match="nested"):
        from_text("(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH)
    assert exact("1" * MAX_DIGITS) == (10**MAX_DIGITS - 1) // 9
    with pytest.raises(InvalidInput, match=f"at most {MAX_DIGITS} characters"):
        exact("1" * (MAX_DIGITS + 1))
    assert MAX_DEGREE == 64
    largest = from_text("2**(1/64)")
    assert isinstance(largest, Algebraic)
    assert largest.field.degree == 64
    with pytest.raises(Declined, match="degree 65"):
        from_text("2**(1/65)")


def test_multiples_of_pi_and_rational_values_are_those_of_the_text() -> None:
    for text, turns in (("pi", 1), ("3*pi/4", F(3, 4)), ("pi/3-pi/2", F(-1, 6)), ("0*5", 0), ("-(pi*2)/6", F(-1, 3))):
        assert multiple_of_pi(parse(text)) == turns
    for text in ("1", "pi*pi", "2/pi", "pi+1", "pi-1", "pi/0", "sqrt(pi)"):
        assert multiple_of_pi(parse(text)) is None
    assert [rational_value(parse(text)) for text in ("1/2+1/3", "2*3-7", "1/0", "sqrt(4)", "pi", "2*pi")] == [
        F(5, 6),
        -1,
        *[None] * 4,
    ]
