"""Compiling languages: expressions, programs and formulas decided, the counter otherwise, against definitions."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest
from kits.random_languages import LENGTH, random_formula, random_program, random_recogniser, some_text, words_of

import exactformer as ef
from exactformer.errors import Declined, InvalidInput
from exactformer.languages import cascade as cascade_module
from exactformer.languages import compiled
from exactformer.languages.automaton import Automaton
from exactformer.languages.compiled import Compiled, compile_language
from exactformer.languages.program_automaton import automaton_of_program
from exactformer.languages.programs import Program
from exactformer.languages.pumping import period_of, pumped_word
from exactformer.languages.recogniser import Polynomial, Ratio, Recogniser
from exactformer.languages.syntax import parse
from exactformer.languages.transitions import verify_counter
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock


def counts(d: Automaton) -> bool:
    """Whether some word moves a state round a cycle, by multiplying out all words: no code of the package but d."""
    moves = [tuple(row[k] for row in d.next) for k in range(len(d.letters))]
    found = set(moves)
    todo = list(found)
    for f in todo:
        power = f
        for _ in range(len(d)):
            power = tuple(f[q] for q in power)
        if tuple(f[q] for q in power) != power:
            return True
        for move in moves:
            product_ = tuple(move[q] for q in f)
            if product_ not in found:
                found.add(product_)
                todo.append(product_)
    return False


def verify_compiled(found: Compiled, members: set[tuple[str, ...]], most: int = LENGTH) -> None:
    """The weights, by definition, have the members among all short words; a counter counts."""
    if found.counter is not None:
        verify_counter(found.automaton, found.counter, found.period)
        return
    for n in range(most + 1):
        for word in product(found.automaton.letters, repeat=n):
            assert found.recogniser.verdict(word) == ("accept" if word in members else "reject"), word


def decide(text: str) -> Compiled:
    found = compile_language(text, letters="ab")
    assert found.possible != counts(found.automaton), text
    verify_compiled(found, words_of(parse(text), "ab"))
    return found


@pytest.mark.parametrize("seed", range(25))
def test_expressions_without_stars_compile(seed: int) -> None:
    assert decide(some_text(random.Random(seed), 3 + seed % 9, stars=False)).possible


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2000, 2200))
def test_200_expressions_without_stars_compile(seed: int) -> None:
    assert decide(some_text(random.Random(seed), 3 + seed % 12, stars=False)).possible


def counting_text(rng: random.Random) -> str:
    """A language that counts blocks modulo p, cut and changed by expressions that may undo it."""
    block = rng.choice(("a", "b", "ab", "(a|b)", "b*ab*", "a*ba*"))
    repeated = f"({block * rng.randint(2, 3)})*"
    return rng.choice((repeated, f"{some_text(rng, 2)}{repeated}", f"({repeated})|({some_text(rng, 3)})"))


@pytest.mark.parametrize("seed", range(25))
def test_expressions_that_may_count_are_decided(seed: int) -> None:
    decide(counting_text(random.Random(seed)))


@pytest.mark.slow
def test_100_expressions_that_count_have_no_recogniser() -> None:
    found = [decide(counting_text(random.Random(seed))) for seed in range(3000, 3200)]
    assert sum(not compiled.possible for compiled in found) >= 100


def verify_program(program: Program, most: int) -> None:
    found = compile_language(program)
    letters = program.letters
    members = {w for n in range(most + 1) for w in product(letters, repeat=n) if program.accepts(w)}
    assert found.possible
    verify_compiled(found, members, most)


@pytest.mark.parametrize("seed", range(12))
def test_programs_compile_to_past_heads(seed: int) -> None:
    verify_program(random_program(random.Random(seed), "ab", 3), 5)


@pytest.mark.parametrize("seed", range(12))
def test_formulas_compile_to_past_heads(seed: int) -> None:
    rng = random.Random(seed)
    found = compile_language(ltl=random_formula(rng, rng.randint(2, 5)), letters="ab")
    assert found.possible
    assert {head.mask for block in found.recogniser.blocks for head in block.heads} <= {"before"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1500))
def test_500_programs_compile_or_are_declined(seed: int) -> None:
    rng = random.Random(seed)
    try:
        verify_program(random_program(rng, "ab", rng.randint(1, 5)), 5)
    except Declined as problem:
        pytest.skip(str(problem))


@pytest.mark.parametrize(
    ("name", "period", "wanted"),
    [
        ("dyck-1-5", 1, 1),
        ("dyck-2-3", 1, 1),
        ("even-pairs", 1, 1),
        ("(aa)*", 1, None),
        ("(aa)*", 2, 2),
        ("(aa)*", 3, None),
        ("(aa)*", 4, 4),
        ("(aa)*", "any", 2),
        ("(abab)*", "any", 4),
        ("tomita-3", "any", 2),
        ("dyck-2-2", "any", 1),
        ("parity", "any", None),
        ("tomita-5", "any", None),
        ("tomita-6", "any", None),
    ],
)
def test_named_languages_and_periods(name: str, period: int, wanted: int | None) -> None:
    found = compile_language(name, period=period)
    assert found.possible == (wanted is not None)
    assert bool(found) == found.possible
    if wanted is not None:
        assert found.period == wanted
        verify_compiled(found, set(filter(found.automaton.accepts, found.automaton.words(4))), 4)
    else:
        assert found.period == (None if period == "any" else period)
        verify_counter(found.automaton, found.counter, found.period)  # type: ignore[arg-type]


def test_a_long_cascade_is_replaced_by_parts_side_by_side() -> None:
    letters = "abcdefgh"
    found = compile_language("&".join(f".*{a}.*" for a in letters))
    assert len(found.automaton) == 2 ** len(letters)
    assert found.accepts(letters)
    assert not found.accepts(letters[1:])
    assert found.json()["blocks"] == 2
    assert compile_language("dyck-1-8").recogniser.dim == 4


def test_a_program_whose_cascade_is_too_large_keeps_its_own_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade_module, "MOST_SETS", 10)
    found = compile_language(ltl="Y Y a", letters="ab")
    assert found.recogniser.dim > 4
    assert found.accepts("aab")
    with pytest.raises(Declined, match="more than 10 sets"):
        compile_language(".*a..", letters="ab")


def test_what_may_be_compiled(tmp_path: Path) -> None:
    file = tmp_path / "p.brasp"
    file.write_text("letters a b\nA = letter a\nv = rightmost before [A(j)] true : false\n")
    assert compile_language(str(file)).accepts("ab")
    assert compile_language(str(file), letters="abc").accepts("ab")
    assert not compile_language(str(file), letters="abc").accepts("ac")
    flip = Automaton(("a",), ((1,), (0,)), frozenset({0}))
    assert not compile_language(flip)
    with pytest.raises(InvalidInput, match="counts"):
        compile_language(flip).accepts("aa")
    for wrong in ({}, {"language": "a", "ltl": "a"}, {"language": flip, "letters": "ab"}):
        with pytest.raises(InvalidInput, match="expected"):
            compile_language(**wrong)  # type: ignore[arg-type]
    for period in (0, -1, True, 1.5, "all"):
        with pytest.raises(InvalidInput, match="a period of at least 1"):
            compile_language("a", period=period)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="not regular"):
        compile_language("majority")


def test_a_program_has_the_automaton_of_its_words() -> None:
    program = random_program(random.Random(7), "ab", 4)
    d = automaton_of_program(program)
    assert all(d.accepts(w) == program.accepts(w) for w in d.words(7))


@pytest.mark.parametrize("seed", range(30))
def test_every_recogniser_with_unique_ties_is_wrong_about_parity(seed: int) -> None:
    model = random_recogniser(random.Random(seed))
    parity = compile_language("parity", period="any")
    word = parity.refutation_of(model)
    assert word is not None
    assert model.is_wrong(model.verdict(word), word.count("1") % 2 == 1)


def test_pumping_says_nothing_outside_its_class() -> None:
    d = compile_language("parity").automaton
    mean = MultiHeadBlock(None, MultiHeadAttention(1, [Head([[1]], [[1]], [[1]])]))
    with pytest.raises(InvalidInput, match="ties first or last"):
        pumped_word(Recogniser("01", [[0], [1]], [mean], [1]), d)
    one = Polynomial({(0, 0): 1})
    with pytest.raises(InvalidInput, match="ratio"):
        period_of(Recogniser("01", [[0], [1]], [], [1], features=[Ratio(0, one, one)]))
    star_free = compile_language("1.*", letters="01").automaton
    assert pumped_word(Recogniser("01", [[0], [1]], [], [1]), star_free) is None


def test_the_public_names() -> None:
    assert ef.languages.compile("(ab)*").accepts("abab")


def test_periods_are_tried_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MOST_PERIOD", 2)
    assert compile_language("(aa)*", period=2).possible
    with pytest.raises(Declined, match="a period of 3; at most 2 are tried"):
        compile_language("(aa)*", period=3)
