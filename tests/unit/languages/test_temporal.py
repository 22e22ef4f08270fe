"""Temporal formulas: their definition against programs and compiled weights on all short words, and bad input."""

from __future__ import annotations

import itertools
import random

import pytest
from kits.random_languages import random_formula

from exactformer.errors import Declined, InvalidInput
from exactformer.languages.program_weights import recogniser_of_program
from exactformer.languages.temporal import parse_formula, program_of_formula

WORDS = ["".join(w) for n in range(6) for w in itertools.product("ab", repeat=n)]


def verify_same(text: str, at: str) -> None:
    """Definition, program and weights agree on all words up to length 5."""
    program = program_of_formula(text, "ab", at=at)  # type: ignore[arg-type]
    recogniser, formula = recogniser_of_program(program), parse_formula(text)
    for word in WORDS:
        wanted = word != "" and formula.holds(word, len(word) - 1 if at == "last" else 0)
        assert program.accepts(word) == wanted, (text, word)
        assert recogniser.verdict(word) == ("accept" if wanted else "reject"), (text, word)


@pytest.mark.parametrize("seed", range(20))
def test_definition_program_and_weights_agree(seed: int) -> None:
    rng = random.Random(seed)
    verify_same(random_formula(rng, rng.randint(2, 5)), rng.choice(("first", "last")))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1500))
def test_definition_program_and_weights_agree_500_times(seed: int) -> None:
    rng = random.Random(seed)
    verify_same(random_formula(rng, rng.randint(2, 8)), rng.choice(("first", "last")))


@pytest.mark.parametrize(
    ("text", "at", "wanted"),
    [
        ("a", "last", lambda w: w.endswith("a")),
        ("Y a", "last", lambda w: w[-2:-1] == "a"),
        ("O a", "last", lambda w: "a" in w[:-1]),
        ("H a", "last", lambda w: w != "" and "b" not in w[:-1]),
        ("a S b", "last", lambda w: "b" in w[:-1]),
        ("!Y. & a", "last", lambda w: w == "a"),
        ("X a", "first", lambda w: w[1:2] == "a"),
        ("F a", "first", lambda w: "a" in w[1:]),
        ("G a", "first", lambda w: w != "" and "b" not in w[1:]),
        ("b U a", "first", lambda w: "a" in w[1:]),
        ("(b & !X.) U a", "first", lambda w: w[1:2] == "a"),
        ("a -> b -> a", "last", lambda w: w != ""),
        ("!a | b & a", "last", lambda w: w.endswith("b")),
        ("a S b & a", "last", lambda w: "b" in w[:-1] and w.endswith("a")),
        ("a & (H(a -> Y b | !Y.) & b | b | a)", "last", lambda w: w.endswith("a")),
    ],
)
def test_formulas_known_by_their_language(text: str, at: str, wanted) -> None:  # type: ignore[no-untyped-def]
    program = program_of_formula(text, "ab", at=at)  # type: ignore[arg-type]
    assert [word for word in WORDS if program.accepts(word)] == [word for word in WORDS if wanted(word)]


def test_letters_of_several_characters_and_the_empty_word() -> None:
    program = program_of_formula("Y 'ab' & 'Y'", empty=True)
    assert program.letters == ("Y", "ab")
    assert [program.accepts(word) for word in (["ab", "Y"], [], ["Y", "Y"])] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "position 0: expected a letter, .* got the end"),
        ("a &", "position 3: expected a letter, .* got the end"),
        ("a b", "position 2: expected an operator or the end, got 'b'"),
        ("a)", r"position 1: expected an operator or the end, got '\)'; there is no \( before it"),
        ("(a", r"position 2: expected the \) of the \( at position 0, got the end"),
        ("S a", "position 0: expected a letter, .* got 'S'; as a letter it is quoted, 'S'"),
        ("a S b U a", "position 6: expected one of S U at most, got 'U'; use brackets"),
        ("a - b", "position 2: expected an operator or the end, got '-'"),
        ("''", "position 1: expected the end of a letter that is not empty"),
        ("a | 'b", "position 6: expected the end of a letter .* quoted from position 4 on, got the end"),
        (".", "expected at least one letter, got none"),
    ],
)
def test_texts_that_are_no_formula(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        program_of_formula(text)


def test_foreign_letters_and_limits() -> None:
    with pytest.raises(InvalidInput, match=r"expected letters of .* got 'c'"):
        program_of_formula("a | c", "ab")
    for deep in ("!" * 200 + "a", "(" * 200 + "a" + ")" * 200, "a->" * 200 + "a"):
        with pytest.raises(Declined, match="nested deeper than 100"):
            parse_formula(deep)
    with pytest.raises(Declined, match="at most 10,000 are read"):
        parse_formula("a" * 10_001)
