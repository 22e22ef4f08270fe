"""The transition monoid of an automaton, counters in it, and whether the language is star-free.

A cycle of states lies inside a strongly connected component, so words are multiplied out on every component alone: what
leaves it is dead. A component has far fewer transformations than the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice

import networkx as nx
import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import Declined, InvalidInput
from exactformer.languages.automaton import Automaton, Word
from exactformer.languages.effort import keep, one_question, spend

#: bytes of a transformation, apart from its images
_ELEMENT = 500
#: the most transformations that one search meets, and the most images of states in all of them
MOST_ELEMENTS, MOST_IMAGES = 200_000, 100_000_000


#: a word u, its cycle of states, and a word e of the same length that fixes every state of the cycle
_Fixed = tuple[tuple[int, ...], list[int], tuple[int, ...]]


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

    def word(self) -> tuple[int, ...]:
        """The numbers of the word's letters."""
        letters, at = [], self
        while at.before is not None:
            letters.append(at.letter)
            at = at.before
        return tuple(reversed(letters))


def monoid(moves: list[Array], period: int = 1) -> Iterator[tuple[Transformation, int]]:
    """The transformations of words with their length modulo `period`, shortest words first; Declined past the limit.

    `moves` are the images of all states under every letter.

    >>> [t.word() for t, _ in monoid([np.array([1, 0])])]
    [(), (0,)]
    """
    moves = [np.asarray(move, dtype=np.int32) for move in moves]  # states are told apart by their bytes
    states = len(moves[0])
    identity = Transformation(np.arange(states, dtype=np.int32))
    seen = {(identity.images.tobytes(), 0)}
    found = [(identity, 0)]
    for at, length in found:
        yield at, length
        _spend_on_images(moves, 1)
        for k, move in enumerate(moves):
            images = move[at.images]
            key = images.tobytes(), (length + 1) % period
            if key not in seen:
                keep(_ELEMENT + 8 * states)
                seen.add(key)
                found.append((Transformation(images, at, k), key[1]))
        _verify_work(len(found), states)


def _verify_work(elements: int, states: int) -> None:
    if elements > MOST_ELEMENTS or elements * states > MOST_IMAGES:
        raise Declined(
            f"more than {elements:,} transformations of {states:,} states: whether an automaton counts is "
            "PSPACE-complete, and this one is too large; give a smaller language"
        )


def counter(automaton: Automaton, period: int = 1) -> Counter | None:
    """A counter of the minimal automaton with period | |u|; None if there is none.

    u is as short as possible, unless a component is too large to search while another has a counter.
    None with period 1 is the proof that the language is star-free (Schuetzenberger; McNaughton and Papert).

    >>> counter(Automaton(("a",), ((1,), (0,)), frozenset({0}), 0))
    Counter(x=(), u=('a',), p=2, z=(), e=None)
    """
    d = automaton.minimal()
    words: list[tuple[int, ...]] = []
    why: Declined | None = None
    for _, moves in _components(d):
        counting = (t.word() for t, length in monoid(moves, period) if length == 0 and _cycles(t.images))
        try:
            words += list(islice(counting, 1))
        except Declined as problem:
            why = problem
    if words:
        u = min(words, key=lambda word: (len(word), word))
        return _separated(d, _cycles(_images_of(u, _moves(d)))[0], u, None)
    if why is not None:
        raise why
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
    found = [fixed for states, moves in _components(d) if (fixed := _fixed_cycle(states, moves)) is not None]
    if found:
        u, cycle, e = min(found, key=lambda fixed: (len(fixed[0]), fixed))
        return _separated(d, cycle, u, e)
    return next(m for m in count(1) if counter(d, m) is None)


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


def _spend_on_images(moves: list[Array], elements: int) -> None:
    """The work of multiplying so many transformations by every letter."""
    spend(elements * len(moves) * (20 + len(moves[0]) // 20))


def _moves(automaton: Automaton) -> list[Array]:
    table = np.array(automaton.next, dtype=np.int32)
    return [np.ascontiguousarray(table[:, k]) for k in range(len(automaton.letters))]


def _components(d: Automaton) -> Iterator[tuple[list[int], list[Array]]]:
    """The strongly connected components of at least two states, with their moves; one more state is all the others."""
    spend(20 * len(d) * len(d.letters))
    graph = nx.DiGraph((q, r) for q, row in enumerate(d.next) for r in row)
    whole = _moves(d)
    for component in nx.strongly_connected_components(graph):
        if len(component) > 1:
            states = sorted(component)
            place = np.full(len(d), len(states), dtype=np.int32)
            place[states] = np.arange(len(states), dtype=np.int32)
            yield states, [np.append(place[move[states]], np.int32(len(states))) for move in whole]


def _images_of(word: Iterable[int], moves: list[Array]) -> Array:
    images = np.arange(len(moves[0]), dtype=np.int32)
    for k in word:
        images = moves[k][images]
    return images


def _cycles(images: Array) -> list[list[int]]:
    """The cycles q, f(q), .. of f with at least two states."""
    power = images
    for _ in range(len(images).bit_length()):
        power = power[power]  # f^(2^k) maps everything into cycles once 2^k >= n
    left, found = set(power[images[power] != power].tolist()), []
    while left:
        cycle = [min(left)]
        while (at := int(images[cycle[-1]])) != cycle[0]:
            cycle.append(at)
        left.difference_update(cycle)
        found.append(cycle)
    return found


def _separated(d: Automaton, cycle: list[int], u: Iterable[int], e: Iterable[int] | None) -> Counter:
    """The counter of a cycle, beginning where x is shortest."""
    moves = d.access_moves()
    depth: dict[int, int] = {}
    for q, move in moves.items():
        depth[q] = 0 if move is None else depth[move[0]] + 1
    k = min(range(len(cycle)), key=lambda k: (depth[cycle[k]], k))
    q, following = cycle[k], cycle[(k + 1) % len(cycle)]
    fixing = None if e is None else tuple(d.letters[k] for k in e)
    spelt = tuple(d.letters[k] for k in u)
    return Counter(d.access_word(q, moves), spelt, len(cycle), separator(d, q, following), fixing)


def _fixed_cycle(states: list[int], moves: list[Array]) -> _Fixed | None:
    """A word u, a cycle of it inside a component, and a word e of the same length that fixes the cycle; None if none.

    T_n, the transformations of words of length n, repeats in n: all of them are tried.
    """
    layer = {b"": Transformation(np.arange(len(moves[0]), dtype=np.int32))}
    seen: set[frozenset[bytes]] = set()
    work = 0
    while (key := frozenset(layer)) not in seen:
        seen.add(key)
        longer: dict[bytes, Transformation] = {}
        _spend_on_images(moves, len(layer))
        for at in layer.values():
            for k, move in enumerate(moves):
                images = move[at.images]
                longer.setdefault(images.tobytes(), Transformation(images, at, k))
        layer = longer
        keep(len(layer) * (_ELEMENT + 8 * len(moves[0])))
        work += len(layer)
        _verify_work(work, len(moves[0]))
        found = _fixed_in_layer(list(layer.values()))
        if found is not None:
            u, cycle, e = found
            return u, [states[q] for q in cycle], e
    return None


def _fixed_in_layer(layer: list[Transformation]) -> _Fixed | None:
    """u, its cycle and e among words of one length."""
    size = len(layer[0].images)
    spend(len(layer) * (300 + size // 5))
    keep(5 * len(layer) * size)
    fixes = np.array([t.images for t in layer]) == np.arange(size, dtype=np.int32)
    tried = set()
    for at in layer:
        for cycle in _cycles(at.images):
            if frozenset(cycle) in tried:
                continue
            tried.add(frozenset(cycle))
            spend(len(layer) * len(cycle) // 20 + len(cycle))
            fixing = np.flatnonzero(fixes[:, cycle].all(axis=1))
            if len(fixing):
                return at.word(), cycle, layer[int(fixing[0])].word()
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
