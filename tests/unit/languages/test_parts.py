"""Tests of `exactformer.languages.parts`."""

from __future__ import annotations

import random

import pytest

from exactformer.errors import Declined
from exactformer.languages.automaton import Automaton
from exactformer.languages.expressions import of_expression
from exactformer.languages.parts import parts_of, recogniser_of_parts
from exactformer.languages.prove import prove


def forward_automaton(rng: random.Random, letters: str = "ab", most: int = 6) -> Automaton:
    """An automaton whose moves never go back."""
    n = rng.randint(2, most)
    rows = tuple(tuple(rng.randrange(q, n) for _ in letters) for q in range(n))
    return Automaton(tuple(letters), rows, frozenset(q for q in range(n) if rng.random() < 0.5)).minimal()


@pytest.mark.parametrize("seed", range(40))
def test_parts_determine_the_state_and_recognise_the_language(seed: int) -> None:
    d = forward_automaton(random.Random(seed))
    if len(d) == 1:
        return
    parts = parts_of(d)
    assert parts is not None
    states = {}
    for word in d.words(7):
        together = tuple(part.run(word) for part in parts)
        assert states.setdefault(together, d.run(word)) == d.run(word)
    assert prove(recogniser_of_parts(d), d).verdict == "all lengths"


def test_the_letters_that_occurred() -> None:
    d = of_expression("&".join(f".*{a}.*" for a in "abcde"))
    parts = parts_of(d)
    assert parts is not None
    assert [len(part) for part in parts] == [2] * 5
    recogniser = recogniser_of_parts(d)
    assert recogniser.dim == 2 + 3 * 5
    assert prove(recogniser, d).product_states == 32


def test_states_that_reach_each_other_have_no_parts() -> None:
    d = of_expression("(a|b)*a")  # both states lead to each other
    assert parts_of(d) is None
    with pytest.raises(Declined, match="small parts"):
        recogniser_of_parts(d)
    with pytest.raises(Declined, match="small parts"):
        recogniser_of_parts(of_expression(".*a.*&.*b.*"), 3)
