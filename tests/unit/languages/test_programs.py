"""B-RASP programs: the interpreter against compiled weights on all short words, files, and bad input."""

from __future__ import annotations

import itertools
import random

import pytest
from kits.random_languages import random_program

from exactformer.errors import Declined, InvalidInput
from exactformer.languages.program_files import program_of_text
from exactformer.languages.program_weights import MOST_QUERIES, recogniser_of_program
from exactformer.languages.programs import And, Attend, BooleanVector, IsLetter, Not, Or, Program
from exactformer.model.heads import MASKS


def words(letters: str, most: int) -> list[str]:
    return ["".join(w) for n in range(most + 1) for w in itertools.product(letters, repeat=n)]


def verify_same(program: Program, most: int) -> None:
    recogniser = recogniser_of_program(program)
    for word in words("".join(program.letters), most):
        assert recogniser.verdict(word) == ("accept" if program.accepts(word) else "reject"), (program, word)


@pytest.mark.parametrize("seed", range(25))
def test_compiled_weights_agree_with_the_interpreter(seed: int) -> None:
    verify_same(random_program(random.Random(seed), "ab", 4), 5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1500))
def test_compiled_weights_agree_with_the_interpreter_500_times(seed: int) -> None:
    rng = random.Random(seed)
    letters = rng.choice(("ab", "ab", "abc"))
    verify_same(random_program(rng, letters, rng.randint(1, 6)), 5 if letters == "ab" else 3)


@pytest.mark.parametrize("side", ["leftmost", "rightmost"])
@pytest.mark.parametrize("mask", MASKS)
def test_every_mask_and_side(side: str, mask: str) -> None:
    """The chosen neighbour decides, and nothing visible falls back to the default."""
    attend = Attend(side, mask, ((0, 1), (1, None)), ((0, 0), (None, 1)), 0)  # type: ignore[arg-type]
    verify_same(Program(("a", "b"), (IsLetter("a"), IsLetter("b"), attend)), 5)
    verify_same(Program(("a", "b"), (IsLetter("a"), IsLetter("b"), attend), "first"), 5)


def test_a_program_known_by_its_language() -> None:
    """Just before the last position there is an a."""
    just_before = Attend("rightmost", "before", ((None, None),), ((None, 0),), 1)
    program = Program(("a", "b"), (IsLetter("a"), Or(()), just_before))
    assert [w for w in words("ab", 5) if program.accepts(w)] == [w for w in words("ab", 5) if w[-2:-1] == "a"]


@pytest.mark.parametrize(
    ("letters", "vectors", "message"),
    [
        ("", (And(()),), "letters that differ"),
        ("aa", (And(()),), "letters that differ"),
        ("ab", (), "at least one vector"),
        ("ab", (IsLetter("c"),), "vector 0: expected a letter of 'ab', got 'c'"),
        ("ab", (Not(0),), "vector 0: expected vectors before it"),
        ("ab", (IsLetter("a"), Attend("leftmost", None, ((None, 1),), (), 0)), "vector 1: expected vectors before it"),
    ],
)
def test_programs_that_are_none(letters: str, vectors: tuple[BooleanVector, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Program(tuple(letters), vectors)


def test_limits_and_foreign_letters() -> None:
    program = Program(("a",), (IsLetter("a"),))
    with pytest.raises(InvalidInput, match="position 1: expected a letter of 'a', got 'z'"):
        program.accepts("az")
    many = tuple((k, 0) for k in range(MOST_QUERIES + 1))
    wide = Attend("leftmost", None, many, (), 0)
    with pytest.raises(Declined, match="at most 8 are compiled"):
        recogniser_of_program(Program(("a",), (*[IsLetter("a")] * len(many), wide)))
    long = Attend("leftmost", None, ((None, 0),), ((None, 0),), 0)
    with pytest.raises(Declined, match="more than 2,000 coordinates"):
        recogniser_of_program(Program(("a",), (IsLetter("a"), *[long] * 400)))


def test_large_alphabets_are_declined() -> None:
    letters = [f"x{k}" for k in range(5001)]
    with pytest.raises(Declined, match="5,001 letters; at most 5,000"):
        recogniser_of_program(Program(tuple(letters), (IsLetter("x1"),)))


def test_long_programs_are_declined() -> None:
    gates = [f"v{k} = not {'A' if k == 0 else f'v{k - 1}'}" for k in range(600)]
    program = program_of_text("\n".join(["letters a b", "A = letter a", *gates]))
    with pytest.raises(Declined, match="600 layers in 601 coordinates; give a shorter one"):
        recogniser_of_program(program)
