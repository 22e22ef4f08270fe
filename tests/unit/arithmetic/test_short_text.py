"""Tests of `exactformer.arithmetic.short_text`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.arithmetic.short_text import cut, show, spoken
from exactformer.arithmetic.text import brief, exact
from exactformer.io.canonical import canonical, integer_of, integer_text

F = Fraction


def test_numbers_are_shown_whole_up_to_a_length() -> None:
    assert brief(2**79 - 1) == str(2**79 - 1)
    assert brief(2**79) == "~6.0446291e+23"
    assert brief(F(1, 2**79 - 1)) == f"1/{2**79 - 1}"
    assert brief(F(-1, 2**79)) == "~-1.6543612e-24"
    assert brief(1234, digits=2) == "~1234.0000"
    assert brief(63, digits=2) == "63"
    assert show([F(1, 3), (1, "x")], digits=2) == "(1/3, (1, x))"
    assert show({"a": [1, 2, 3]}, most=2) == "{a: (1, 2, ..)}"
    assert (spoken(0, "token"), spoken(1, "token"), spoken(2, "token")) == ("0 tokens", "1 token", "2 tokens")
    for n in (10**4299, 10**4300, -(10**4300), 2**13_999, 2**14_001):
        assert integer_of(integer_text(n)) == n
        assert canonical(F(n, 3)) == f"{integer_text(n)}/3"
    assert integer_of("+" + "7" * 5000) == 7 * (10**5000 - 1) // 9


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("sqrt(2)", "1.41421356237..."),
        ("-sqrt(2)/10**299", "-1.41421356237e-299..."),
        ("sqrt(2)*10**400", "1.41421356237e+400..."),
        ("-sqrt(3)/10**400", "-1.73205080757e-400..."),
        ("10**320*(sqrt(2) - 1)", "4.14213562373e+319..."),
    ],
)
def test_algebraic_numbers_beyond_floats_are_shown_with_their_digits(text: str, shown: str) -> None:
    number = exact(text)
    assert (repr(number), show(number)) == (shown, shown)


def test_lists_are_cut_beyond_their_most_entries_only() -> None:
    for n in range(5):
        texts = [str(k) for k in range(n)]
        assert cut(texts, None) == ", ".join(texts)
        assert cut(texts, 3) == ", ".join(texts[:3] + ([".."] if n > 3 else []))
    assert show((True, 1, [False], {"a": F(1, 2)})) == "(True, 1, (False), {a: 1/2})"
