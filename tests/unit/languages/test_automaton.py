"""Tests of `exactformer.languages.automaton`."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.languages import automaton
from exactformer.languages.automaton import Automaton, automaton_of_json, spell
from exactformer.languages.transitions import monoid


def some_automaton(rng: random.Random, letters: str = "ab", most: int = 6) -> Automaton:
    n = rng.randint(1, most)
    rows = tuple(tuple(rng.randrange(n) for _ in letters) for _ in range(n))
    return Automaton(tuple(letters), rows, frozenset(q for q in range(n) if rng.random() < 0.5), rng.randrange(n))


def cycle(n: int, accepting: set[int]) -> Automaton:
    return Automaton(("a",), tuple(((q + 1) % n,) for q in range(n)), frozenset(accepting), 0)


@pytest.mark.parametrize("seed", range(60))
def test_the_minimal_automaton_has_the_same_words_and_no_two_equivalent_states(seed: int) -> None:
    d = some_automaton(random.Random(seed), "abc"[: 1 + seed % 3], 8)
    m = d.minimal()
    assert all(d.accepts(w) == m.accepts(w) for w in d.words(7 if len(d.letters) < 3 else 5))
    seen = {tuple(m.run(w, q) in m.accepting for w in m.words(len(m))) for q in range(len(m))}
    assert len(seen) == len(m), "two states accept the same words"
    assert m.minimal() == m


@pytest.mark.parametrize("seed", range(40))
def test_boolean_operations_and_difference(seed: int) -> None:
    rng = random.Random(seed)
    d, e = some_automaton(rng), some_automaton(rng)
    e = Automaton(("b", "a"), e.next, e.accepting, e.start)  # letters in another order
    for w in d.words(6):
        p, q = d.accepts(w), e.accepts(w)
        assert (d & e).accepts(w) == (p and q)
        assert (d | e).accepts(w) == (p or q)
        assert (d - e).accepts(w) == (p and not q)
        assert (d ^ e).accepts(w) == (p != q)
        assert (~d).accepts(w) == (not p)
    word = d.difference(e)
    shorter = [w for w in d.words(9) if d.accepts(w) != e.accepts(w)]
    assert word == (shorter[0] if shorter else None)


def test_long_chains_are_minimised_quickly() -> None:
    n = 30_000
    chain = Automaton(("a",), tuple((min(q + 1, n - 1),) for q in range(n)), frozenset({n - 1}), 0)
    assert len(chain.minimal()) == n
    assert len(cycle(n, {0, n // 2}).minimal()) == n // 2


def test_more_letters() -> None:
    even = cycle(2, {0})
    wide = even.over("ab")
    assert [w for w in wide.words(3) if wide.accepts(w)] == [(), ("a", "a")]
    with pytest.raises(InvalidInput, match="include 'a'"):
        even.over("b")
    with pytest.raises(InvalidInput, match="same letters"):
        even.difference(wide)


def test_files_and_their_errors() -> None:
    d = some_automaton(random.Random(1))
    assert automaton_of_json(d.json(), "a.json") == d
    good = cycle(2, {0}).json()
    bad = [
        ([], "keys"),
        ({**good, "more": 1}, "keys"),
        ({**good, "letters": "a"}, "letters"),
        ({**good, "letters": []}, "next"),
        ({**good, "letters": ["a", "a"], "next": [[0, 0]], "accepting": []}, "differ"),
        ({**good, "letters": [""]}, "not empty"),
        ({**good, "next": []}, "next"),
        ({**good, "next": [[1], [True]]}, r"next\[1\]"),
        ({**good, "next": [[1], [2]]}, r"next\[1\]"),
        ({**good, "next": [[1], [0, 1]]}, r"next\[1\]"),
        ({**good, "accepting": 0}, "accepting"),
        ({**good, "accepting": [-1]}, "accepting"),
        ({**good, "start": 2}, "start"),
        ({**good, "start": None}, "start"),
    ]
    for value, match in bad:
        with pytest.raises(Malformed, match=match):
            automaton_of_json(value, "a.json")
    with pytest.raises(Malformed, match="empty alphabet"):
        automaton_of_json({"letters": [], "next": [[]], "accepting": [], "start": 0}, "a.json")
    with pytest.raises(InvalidInput, match="position 2"):
        cycle(2, {0}).accepts("aab")


def test_limits() -> None:
    with pytest.raises(Declined, match="transitions"):
        Automaton.of("a", 0, lambda q, a: q + 1, lambda q: False)
    shift = tuple((q + 1) % 12 for q in range(12))
    idempotent = tuple(0 if q == 1 else q for q in range(12))
    swap = tuple({0: 1, 1: 0}.get(q, q) for q in range(12))
    with pytest.raises(Declined, match="PSPACE"):
        for _ in monoid([np.array(move) for move in (shift, idempotent, swap)]):  # all 12^12 transformations
            pass


def test_words_in_order() -> None:
    words = list(cycle(2, {0}).over("ab").words(3))
    assert len(words) == 15
    assert all((len(v), v) < (len(w), w) for v, w in pairwise(words))


def test_words_of_long_letters_are_lists() -> None:
    assert spell(("a", "b")) == "ab"
    assert spell(()) == ""
    assert spell(("ab", "c")) == ["ab", "c"]


def test_automata_of_files_are_declined_by_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    value = cycle(3, {0}).json()
    assert automaton_of_json(value, "here") == cycle(3, {0})
    monkeypatch.setattr(automaton, "MOST_TRANSITIONS", 2)
    with pytest.raises(Declined, match="3 states, 1 letters"):
        automaton_of_json(value, "here")
