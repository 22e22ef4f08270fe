"""Tests of `exactformer.io.canonical`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.arithmetic.algebraic import Algebraic, from_text
from exactformer.errors import Malformed, NotExact
from exactformer.io.canonical import MAX_CANONICAL, canonical, from_canonical


def root(text: str) -> Algebraic:
    number = from_text(text)
    assert isinstance(number, Algebraic)
    return number


def test_canonical_text_and_nothing_else() -> None:
    for number in (Fraction(0), Fraction(-3, 2), Fraction(10**5000 + 1, 3), Fraction(7)):
        assert from_canonical(canonical(number)) == number
    for text in ("+1", "01", "-0", "2/4", "1/1", "1/-2", "1.5", " 1", "1 ", "1/0", "", "1/", "/2", "--1", "١"):
        with pytest.raises(Malformed):
            from_canonical(text)
    with pytest.raises(NotExact):
        canonical(root("sqrt(2)"))


def test_canonical_numbers_are_read_up_to_their_longest() -> None:
    assert from_canonical("1" * MAX_CANONICAL) == (10**MAX_CANONICAL - 1) // 9
    with pytest.raises(Malformed, match="characters"):
        from_canonical("1" * (MAX_CANONICAL + 1))
