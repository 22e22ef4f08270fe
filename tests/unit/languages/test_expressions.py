"""Tests of `exactformer.languages.expressions`."""

from __future__ import annotations

import random
from typing import Any

import pytest
from kits.random_languages import all_words, some_text, words_of

from exactformer.errors import Declined, InvalidInput
from exactformer.languages import effort
from exactformer.languages.automaton import Automaton
from exactformer.languages.derivatives import by_derivatives
from exactformer.languages.expressions import expression_of, of_expression
from exactformer.languages.position_automaton import by_positions
from exactformer.languages.prove import prove
from exactformer.languages.recogniser import Periodic, Recogniser
from exactformer.languages.syntax import RegularExpression, parse, quoted
from exactformer.languages.transitions import is_star_free


def test_one_letter_goes_far():
    even = Recogniser("a", [[0]], [], [1], features=[Periodic(0, [-1, 1])], empty=True)
    assert prove(even, of_expression("(aa)*"), up_to=700).words == 701
    assert prove(even, of_expression("(aa)*")).product_states == 3
    with pytest.raises(InvalidInput, match="n >= 0"):
        prove(even, of_expression("(aa)*"), up_to=-1)


@pytest.mark.parametrize("seed", range(120))
def test_an_expression_has_the_words_of_its_definition(seed: int) -> None:
    text = some_text(random.Random(seed), 2 + seed % 8)
    tree = parse(text)
    wanted = words_of(tree, "ab")
    one, two = by_derivatives(tree, ("a", "b")), by_positions(tree, ("a", "b"))
    assert one == two, text
    assert {w for w in all_words("ab") if one.accepts(w)} == wanted, text
    back = expression_of(one)
    assert of_expression(back, "ab") == one, (text, back)


@pytest.mark.parametrize("seed", range(60))
def test_expressions_without_stars_are_star_free(seed: int) -> None:
    text = some_text(random.Random(seed), 3 + seed % 8, stars=False)
    assert is_star_free(of_expression(text, "ab")), text


def test_letters() -> None:
    long = of_expression("('push' 'pop')*")
    assert long.letters == ("pop", "push")
    assert long.accepts(["push", "pop"])
    assert of_expression("'('')'", "()").accepts("()")
    for letter in ("a", "ab", "'", "\\", " ", "*", "it's"):
        assert parse(quoted(letter)) == RegularExpression("letter", letter=letter)
    assert not of_expression("a", "ab").accepts("b")
    with pytest.raises(InvalidInput, match="got 'c'"):
        of_expression("abc", "ab")
    with pytest.raises(InvalidInput, match="`letters`"):
        of_expression("()")
    with pytest.raises(InvalidInput, match="empty alphabet"):
        Automaton((), ((),), frozenset(), 0)


@pytest.mark.slow
def test_an_exponential_expression_is_declined() -> None:
    with pytest.raises(Declined, match="transitions"):
        of_expression(".*a" + "." * 25, "ab")


@pytest.mark.parametrize("make", [by_derivatives, by_positions])
@pytest.mark.parametrize("text", ["a?" * 60, "(a|b)?" * 40, "~(.*a..b.*..c)", ".*a.b.*c&.*b.c.*a&.*c.a.*b"])
def test_what_takes_too_long_is_declined(text: str, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, letters = parse(text), ("a", "b", "c")
    make(tree, letters)
    monkeypatch.setattr(effort, "MOST_STEPS", 100)
    with pytest.raises(Declined, match="EXACTFORMER_MAX_STEPS"):
        make(tree, letters)
