"""The holonomy cascade: it follows every automaton that does not count, fails on every one that does, and is weights."""

from __future__ import annotations

import random

import pytest

from exactformer.errors import Declined
from exactformer.languages import cascade as module
from exactformer.languages.automaton import Automaton
from exactformer.languages.cascade import cascade
from exactformer.languages.cascade_weights import recogniser_of_cascade
from exactformer.languages.named import language
from exactformer.languages.transitions import counter


def some_automaton(rng: random.Random) -> Automaton:
    n, letters = rng.randint(1, 5), "abc"[: rng.randint(1, 3)]
    rows = tuple(tuple(rng.randrange(n) for _ in letters) for _ in range(n))
    return Automaton(tuple(letters), rows, frozenset(q for q in range(n) if rng.random() < 0.5)).minimal()


@pytest.mark.parametrize("seed", range(60))
def test_it_fails_exactly_on_automata_that_count_and_is_right_on_words(seed: int) -> None:
    rng = random.Random(seed)
    d, period = some_automaton(rng), rng.choice((1, 1, 2, 3))
    found = cascade(d, period)
    assert (found is None) == (counter(d, period) is not None)
    if found is None:
        return
    recogniser = recogniser_of_cascade(found, d, period)
    for word in d.words(6 if len(d.letters) < 3 else 4):
        assert recogniser.verdict(word) == ("accept" if d.accepts(word) else "reject"), (d, period, word)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1020))
def test_it_fails_exactly_on_automata_that_count_2000_times(seed: int) -> None:
    for k in range(100):
        test_it_fails_exactly_on_automata_that_count_and_is_right_on_words(100 * seed + k)


def test_the_form_of_the_weights() -> None:
    """One past head per block with attention, ties to the last, four coordinates, no marks: Theorem 3 (b)."""
    d = language("dyck-2-2")
    found = cascade(d)
    assert found is not None
    r = recogniser_of_cascade(found, d)
    heads = [head for block in r.blocks for head in block.heads]
    assert {(head.mask, head.ties) for head in heads} == {("before", "last")}
    assert (r.dim, r.begin, r.end, r.features) == (4, None, None, ())
    assert len(heads) == len(r.blocks) - 1 == len(found.radices)
    assert r.empty is True


def test_resets_depend_on_greater_heights_alone() -> None:
    found = cascade(language("dyck-2-3"))
    assert found is not None
    known: dict[object, int | None] = {}
    for chain, moves in found.moves.items():
        for k in moves:
            for level, reset in enumerate(found.resets[chain][k]):
                assert known.setdefault((level, chain[:level], k), reset) == reset


def test_a_cascade_that_is_too_large_is_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CHAINS", 1_000)
    with pytest.raises(Declined, match="more than 1,000 chains"):
        cascade(language("&".join(f".*{a}.*" for a in "abcdefg")))
    monkeypatch.setattr(module, "MOST_SETS", 5)
    with pytest.raises(Declined, match="sets"):
        cascade(language("dyck-1-3"))
    with pytest.raises(Declined, match="period"):
        cascade(language("(aa)*"), 7)
