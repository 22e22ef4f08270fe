"""Tests of `exactformer.languages.transitions`."""

from __future__ import annotations

import random

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.languages.automaton import Automaton
from exactformer.languages.transitions import (
    Counter,
    counter,
    counter_for_every_period,
    is_star_free,
    monoid,
    refuting_words,
    verify_counter,
)


def some_automaton(rng: random.Random, letters: str = "ab", most: int = 6) -> Automaton:
    n = rng.randint(1, most)
    rows = tuple(tuple(rng.randrange(n) for _ in letters) for _ in range(n))
    return Automaton(tuple(letters), rows, frozenset(q for q in range(n) if rng.random() < 0.5), rng.randrange(n))


def cycle(n: int, accepting: set[int]) -> Automaton:
    return Automaton(("a",), tuple(((q + 1) % n,) for q in range(n)), frozenset(accepting), 0)


def brute_counter(d: Automaton, period: int) -> bool:
    """Whether a word of the monoid, its length a multiple of the period, moves a state round a cycle, by definition."""
    d = d.minimal()
    for t, length in monoid([np.array([row[k] for row in d.next]) for k in range(len(d.letters))], period):
        for q in range(len(d)):
            orbit = [q]
            while (r := int(t.images[orbit[-1]])) not in orbit:
                orbit.append(r)
            if length == 0 and r == q and len(orbit) > 1:
                return True
    return False


@pytest.mark.parametrize("seed", range(150))
def test_counters_are_found_and_count(seed: int) -> None:
    d = some_automaton(random.Random(seed), most=5)
    for period in (1, 2, 3):
        found = counter(d, period)
        assert (found is not None) == brute_counter(d, period)
        if found is not None:
            verify_counter(d.minimal(), found, period)
            one, two = refuting_words(found, 3, period)
            assert d.accepts(one) != d.accepts(two)
            assert len(two) - len(one) == len(found.u)


@pytest.mark.parametrize("seed", range(80))
def test_some_period_works_or_none_does(seed: int) -> None:
    d = some_automaton(random.Random(seed), most=4)
    found = counter_for_every_period(d)
    if isinstance(found, Counter):
        verify_counter(d.minimal(), found, None)
        assert all(counter(d, m) is not None for m in range(1, 7))
        for m in range(1, 7):
            one, two = refuting_words(found, 2, m)
            assert d.accepts(one) != d.accepts(two)
            assert (len(two) - len(one)) % m == 0
    else:
        assert counter(d, found) is None
        assert all(counter(d, m) is not None for m in range(1, found))


def test_known_counters() -> None:
    assert counter_for_every_period(cycle(2, {0})) == 2
    assert counter_for_every_period(cycle(6, {0})) == 6
    parity = Automaton(("a", "b"), ((1, 0), (0, 1)), frozenset({1}), 0)
    assert counter_for_every_period(parity) == Counter((), ("a",), 2, (), ("b",))
    assert not is_star_free(parity)
    assert is_star_free(Automaton(("a", "b"), ((1, 2), (2, 0), (2, 2)), frozenset({0}), 0))  # (ab)*


def test_a_false_counter_is_refused() -> None:
    parity = Automaton(("a", "b"), ((1, 0), (0, 1)), frozenset({1}), 0)
    right = Counter((), ("a",), 2, (), ("b",))
    wrong = [
        Counter((), ("b",), 2, ()),
        Counter((), ("a", "a"), 2, ()),
        Counter((), ("a",), 3, ()),
        Counter((), ("a",), 1, ()),
    ]
    verify_counter(parity, right, None)
    verify_counter(parity, right, 1)
    for false in wrong:
        with pytest.raises(ValueError, match="cycle"):
            verify_counter(parity, false, 1)
    with pytest.raises(ValueError, match="multiple of 2"):
        verify_counter(parity, right, 2)
    with pytest.raises(ValueError, match="fix"):
        verify_counter(parity, Counter((), ("a",), 2, (), ("a",)), None)
    three = cycle(3, {0})
    with pytest.raises(ValueError, match="separate"):
        verify_counter(three, Counter(("a",), ("a",), 3, ()), 1)


def test_refuting_words_need_a_counter_of_the_period() -> None:
    found = Counter((), ("a",), 2, ())
    with pytest.raises(InvalidInput, match=r"expected a counter with e, or with \|u\| a multiple of 2"):
        refuting_words(found, 1, 2)
    with pytest.raises(InvalidInput, match="a period of at least 1, got 0"):
        refuting_words(found, 1, 0)
