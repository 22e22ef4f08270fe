"""The transition monoid of an automaton, counters in it, and whether the language is star-free."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import Declined, InvalidInput
from exactformer.languages.automaton import Automaton, Word
from exactformer.languages.effort import keep, one_question, spend

#: bytes of a transformation, apart from its images
_ELEMENT = 500
#: the most transformations that one search meets, and the most images of states in all of them
MOST_ELEMENTS, MOST_IMAGES = 200_000, 100_000_000


@dataclass(frozen=True)
class Counter:
    """Words that count: q = start x, q u^p = q, q u != q with p > 1, and exactly one of x z, x u z is in the language.

    With `e` (as long as u, fixing every state q u^i) it counts whatever the period (Theorem 3 (d)).
    """

    x: tuple[str, ...]
    u: tuple[str, ...]
    p: int
    z: tuple[str, ...]
    e: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Transformation:
    """What a word does to all states at once, with a shortest such word as a chain of letters."""

    images: Array
    before: Transformation | None = None
    letter: int = -1

    def word(self, automaton: Automaton) -> tuple[str, ...]:
        """The word."""
        letters, at = [], self
        while at.before is not None:
            letters.append(automaton.letters[at.letter])
            at = at.before
        return tuple(reversed(letters))


def monoid(automaton: Automaton, period: int = 1) -> Iterator[tuple[Transformation, int]]:
    """The transformations of words with their length modulo `period`, shortest words first; Declined past the limit.

    >>> flip = Automaton(("a", "b"), ((1, 0), (0, 1)), frozenset({0}), 0)
    >>> [t.word(flip) for t, _ in monoid(flip)]
    [(), ('a',)]
    """
    moves = _moves(automaton)
    identity = Transformation(np.arange(len(automaton), dtype=np.int32))
    seen = {(identity.images.tobytes(), 0)}
    found = [(identity, 0)]
    for at, length in found:
        yield at, length
        _spend_on_images(automaton, 1)
        for k, move in enumerate(moves):
            images = move[at.images]
            key = images.tobytes(), (length + 1) % period
            if key not in seen:
                keep(_ELEMENT + 8 * len(automaton))
                seen.add(key)
                found.append((Transformation(images, at, k), key[1]))
        _verify_work(len(found), len(automaton))


def _verify_work(elements: int, states: int) -> None:
    if elements > MOST_ELEMENTS or elements * states > MOST_IMAGES:
        raise Declined(
            f"more than {elements:,} transformations of {states:,} states: whether an automaton counts is "
            "PSPACE-complete, and this one is too large; give a smaller language"
        )


def counter(automaton: Automaton, period: int = 1) -> Counter | None:
    """A counter of the minimal automaton with period | |u|, u as short as possible; None if there is none.

    None with period 1 is the proof that the language is star-free (Schuetzenberger; McNaughton and Papert).

    >>> counter(Automaton(("a",), ((1,), (0,)), frozenset({0}), 0))
    Counter(x=(), u=('a',), p=2, z=(), e=None)
    """
    d = automaton.minimal()
    for at, length in monoid(d, period):
        if length == 0:
            for cycle in _cycles(at.images):
                return _separated(d, cycle, at.word(d), None)
    return None


@one_question()
def is_star_free(automaton: Automaton) -> bool:
    """Whether the minimal automaton has no counter.

    >>> is_star_free(Automaton(("a",), ((1,), (0,)), frozenset({0}), 0))
    False
    """
    return counter(automaton) is None


def counter_for_every_period(automaton: Automaton) -> Counter | int:
    """Words x, u, e, z that count for every period; or the least period that no counter stands against.

    T_n, the transformations of words of length n, repeats in n. A counter for every period shows itself in some T_n
    as f with a cycle and e that fixes it (Theorem 3 (d)); if none does, some period is without counter.

    >>> counter_for_every_period(Automaton(("a",), ((1,), (0,)), frozenset({0}), 0))
    2
    """
    d = automaton.minimal()
    moves = _moves(d)
    layer = {b"": Transformation(np.arange(len(d), dtype=np.int32))}
    seen: dict[frozenset[bytes], int] = {}
    work = 0
    while (key := frozenset(layer)) not in seen:
        seen[key] = len(seen)
        longer: dict[bytes, Transformation] = {}
        _spend_on_images(d, len(layer))
        for at in layer.values():
            for k, move in enumerate(moves):
                images = move[at.images]
                longer.setdefault(images.tobytes(), Transformation(images, at, k))
        layer = longer
        keep(len(layer) * (_ELEMENT + 8 * len(d)))
        work += len(layer)
        _verify_work(work, len(d))
        found = _fixed_cycle(d, list(layer.values()))
        if found is not None:
            return found
    return next(m for m in range(1, len(seen) + 1) if counter(d, m) is None)


def separator(automaton: Automaton, p: int, q: int) -> tuple[str, ...]:
    """A shortest word that is accepted from exactly one of two states of a minimal automaton."""
    one = Automaton(automaton.letters, automaton.next, automaton.accepting, p)
    word = one.difference(Automaton(automaton.letters, automaton.next, automaton.accepting, q))
    return () if word is None else word


def refuting_words(found: Counter, blocks: int, period: int = 1) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """x w^n z and x w^(n+1) z: a recogniser of the period with so many attention blocks is wrong on one of them.

    w is u if the period m divides |u|, else u e^(m-1): it is m |u| long and moves the cycle as u does (Theorem 3 (d)).
    n is the least multiple of p that is at least max(1, 2 blocks) (Theorem 3 (a)).

    >>> refuting_words(Counter((), ("a",), 2, (), ("b",)), 1, period=2)
    (('a', 'b', 'a', 'b'), ('a', 'b', 'a', 'b', 'a', 'b'))
    """
    if period < 1:
        raise InvalidInput(f"expected a period of at least 1, got {period}")
    w = found.u
    if len(w) % period:
        if found.e is None:
            raise InvalidInput(f"expected a counter with e, or with |u| a multiple of {period}, got |u| = {len(w)}")
        w += found.e * (period - 1)
    n = max(1, 2 * blocks)
    n += -n % found.p
    return (*found.x, *w * n, *found.z), (*found.x, *w * (n + 1), *found.z)


def _spend_on_images(automaton: Automaton, elements: int) -> None:
    """The work of multiplying so many transformations by every letter."""
    spend(elements * len(automaton.letters) * (20 + len(automaton) // 20))


def _moves(automaton: Automaton) -> list[Array]:
    table = np.array(automaton.next, dtype=np.int32)
    return [np.ascontiguousarray(table[:, k]) for k in range(len(automaton.letters))]


def _cycles(images: Array) -> Iterator[list[int]]:
    """The cycles q, f(q), .. of f with at least two states."""
    power = images
    for _ in range(len(images).bit_length()):
        power = power[power]  # f^(2^k) maps everything into cycles once 2^k >= n
    left = set(power[images[power] != power].tolist())
    while left:
        cycle = [min(left)]
        while (at := int(images[cycle[-1]])) != cycle[0]:
            cycle.append(at)
        left.difference_update(cycle)
        yield cycle


def _separated(d: Automaton, cycle: list[int], u: tuple[str, ...], e: tuple[str, ...] | None) -> Counter:
    """The counter of a cycle, beginning where x is shortest."""
    moves = d.access_moves()
    depth: dict[int, int] = {}
    for q, move in moves.items():
        depth[q] = 0 if move is None else depth[move[0]] + 1
    k = min(range(len(cycle)), key=lambda k: (depth[cycle[k]], k))
    q, following = cycle[k], cycle[(k + 1) % len(cycle)]
    return Counter(d.access_word(q, moves), u, len(cycle), separator(d, q, following), e)


def _fixed_cycle(d: Automaton, layer: list[Transformation]) -> Counter | None:
    """A counter (x, u, e, p, z) with u and e among words of one length."""
    spend(len(layer) * (300 + len(d) // 5))
    keep(5 * len(layer) * len(d))
    fixes = np.array([t.images for t in layer]) == np.arange(len(d), dtype=np.int32)
    tried = set()
    for at in layer:
        for cycle in _cycles(at.images):
            if frozenset(cycle) in tried:
                continue
            tried.add(frozenset(cycle))
            spend(len(layer) * len(cycle) // 20 + len(cycle))
            fixing = np.flatnonzero(fixes[:, cycle].all(axis=1))
            if len(fixing):
                return _separated(d, cycle, at.word(d), layer[int(fixing[0])].word(d))
    return None


def verify_counter(automaton: Automaton, found: Counter, period: int | None) -> None:
    """Raises ValueError unless the words count, by running the automaton: what the checker verifies, too."""
    q = automaton.run(found.x)
    states = [q]
    for _ in range(found.p):
        states.append(automaton.run(found.u, states[-1]))
    if found.p < 2 or states[-1] != q or states[1] == q:
        raise ValueError("u does not move the state of x round a cycle")
    if period is None:
        if found.e is None or len(found.e) != len(found.u) or any(automaton.run(found.e, s) != s for s in states):
            raise ValueError("e does not fix the cycle of u, or is not as long as u")
    elif len(found.u) % period:
        raise ValueError(f"the length of u is not a multiple of {period}")
    if _accepts_from(automaton, q, found.z) == _accepts_from(automaton, states[1], found.z):
        raise ValueError("z does not separate")


def _accepts_from(automaton: Automaton, state: int, word: Word) -> bool:
    return automaton.run(word, state) in automaton.accepting
