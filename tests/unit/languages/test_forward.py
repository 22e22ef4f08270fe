"""Tests of `exactformer.languages.forward`."""

from __future__ import annotations

import random

import pytest

from exactformer.errors import Declined
from exactformer.languages.automaton import Automaton
from exactformer.languages.compiled import compile_language
from exactformer.languages.expressions import of_expression
from exactformer.languages.forward import depth_of, recogniser_of_forward
from exactformer.languages.prove import prove
from exactformer.languages.transitions import is_star_free


def some_forward(rng: random.Random) -> Automaton:
    """States that are left for later ones only, some with loops."""
    n = rng.randint(1, 7)
    rows = tuple(tuple(rng.randint(q, n - 1) for _ in "abc") for q in range(n))
    return Automaton(("a", "b", "c"), rows, frozenset(q for q in range(n) if rng.random() < 0.5), rng.randrange(n))


@pytest.mark.parametrize("seed", range(60))
def test_the_language_of_a_forward_automaton_is_recognised(seed: int) -> None:
    d = some_forward(random.Random(seed))
    depth = depth_of(d)
    assert depth is not None
    recogniser = recogniser_of_forward(d)
    assert len(recogniser.blocks) == depth + 1
    assert prove(recogniser, d).verdict == "all lengths"
    assert all(recogniser.accepts(w) == d.accepts(w) for w in d.words(3))


def test_other_cycles_are_declined() -> None:
    d = of_expression("(ab)*")
    assert depth_of(d) is None
    with pytest.raises(Declined, match="more than a loop"):
        recogniser_of_forward(d)


@pytest.mark.parametrize(
    ("text", "letters", "member"),
    [
        ("a" * 100, "ab", "a" * 100),
        ("".join(f".*{a}" for a in "abcabcbacbacbca") + ".*", "abc", "abcabcbacbacbca"),
        ("|".join(f"{k:07b}" for k in range(0, 128, 3)), "01", "0000011"),
    ],
)
def test_long_words_and_subwords_compile(text: str, letters: str, member: str) -> None:
    found = compile_language(text, letters=letters)
    assert found.accepts(member)
    assert not found.accepts(member[1:])
    assert sum(block.parameters for block in found.recogniser.blocks) < 5_000


def test_only_components_are_searched_for_counters() -> None:
    """The transition monoid of this automaton has more than 200,000 elements; its components have one state each."""
    assert is_star_free(of_expression("".join(f".*{a}" for a in "abcabcbacbacbcaabcab") + ".*", "abc"))
