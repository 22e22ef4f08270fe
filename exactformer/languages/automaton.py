"""Deterministic finite automata: runs, boolean operations, minimal automata, words that tell two apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from exactformer.display.verbs import Drawn, Listed
from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.io.json_lines import JsonObject
from exactformer.languages.effort import keep, spend

#: a word: its letters in order; a string where every letter is one character
Word = Sequence[str]
_Node = TypeVar("_Node", bound=Hashable)

#: bytes of a state, of a transition, and of a member of a state that is a set
_STATE, _TRANSITION, _MEMBER = 400, 10, 70
#: the largest automaton that is built or read, in transitions (states times letters)
MOST_TRANSITIONS = 1_000_000


@dataclass(frozen=True)
class Automaton(Listed, Drawn):
    """The automaton with moves q -> next[q][k] on letter k; a word is accepted if it leads from `start` to `accepting`.

    >>> even = Automaton(("a", "b"), ((1, 0), (0, 1)), frozenset({0}), 0)
    >>> even.accepts("abba"), even.accepts("ab")
    (True, False)
    """

    letters: tuple[str, ...]
    next: tuple[tuple[int, ...], ...]
    accepting: frozenset[int]
    start: int = 0

    def __post_init__(self) -> None:
        _verify_letters(self.letters)
        states = len(self.next)
        if any(len(row) != len(self.letters) or not all(0 <= q < states for q in row) for row in self.next):
            raise InvalidInput(f"expected {len(self.letters)} states below {states} in every row of the automaton")
        if not all(0 <= q < states for q in (self.start, *self.accepting)):
            raise InvalidInput(f"expected a start and accepting states below {states}")

    def __len__(self) -> int:
        return len(self.next)

    def __repr__(self) -> str:
        return f"Automaton({len(self)} states over {spell(self.letters)!r})"

    @staticmethod
    def of(
        letters: Sequence[str],
        start: _Node,
        step: Callable[[_Node, str], _Node],
        accepting: Callable[[_Node], bool],
    ) -> Automaton:
        """The automaton of the states that `step` reaches from `start`, numbered as breadth-first search meets them.

        >>> Automaton.of("ab", 0, lambda q, a: (q + (a == "a")) % 3, lambda q: q == 0)
        Automaton(3 states over 'ab')
        """
        letters = tuple(letters)
        _verify_letters(letters)
        number, found, rows = {start: 0}, [start], []
        for q in found:
            spend(10 + 5 * len(letters))
            keep(_STATE + _TRANSITION * len(letters))
            row = []
            for letter in letters:
                r = step(q, letter)
                if r not in number:
                    if isinstance(r, frozenset):
                        keep(_MEMBER * len(r))
                    number[r] = len(found)
                    found.append(r)
                row.append(number[r])
            rows.append(tuple(row))
            verify_size(len(found), len(letters))
        return Automaton(letters, tuple(rows), frozenset(k for k, q in enumerate(found) if accepting(q)), 0)

    @staticmethod
    def of_words(letters: Sequence[str], words: Iterable[Word]) -> Automaton:
        """The automaton that accepts exactly these words.

        >>> Automaton.of_words("ab", ["a", "ba"]).accepts("ba")
        True
        """
        kept = {tuple(word) for word in words}
        inside = {word[:n] for word in kept for n in range(len(word) + 1)}
        letters = tuple(letters)
        verify_size(len(inside) + 1, len(letters))

        def step(prefix: tuple[str, ...] | None, letter: str) -> tuple[str, ...] | None:
            longer = None if prefix is None else (*prefix, letter)
            return longer if longer in inside else None

        begin: tuple[str, ...] | None = () if kept else None
        return Automaton.of(letters, begin, step, lambda prefix: prefix in kept)

    def indices(self, word: Word) -> list[int]:
        """The indices of the letters of a word; InvalidInput where one is not a letter."""
        number = {letter: k for k, letter in enumerate(self.letters)}
        for at, letter in enumerate(word):
            if letter not in number:
                raise InvalidInput(
                    f"position {at}: expected a letter of {spell(self.letters)!r}, got {letter!r}; "
                    "words over letters of several characters are lists"
                )
        return [number[letter] for letter in word]

    def run(self, word: Word, state: int | None = None) -> int:
        """The state that a word leads to, from the start unless told otherwise."""
        q = self.start if state is None else state
        for k in self.indices(word):
            q = self.next[q][k]
        return q

    def moves(self, q: int) -> dict[int, list[str]]:
        """The states that follow q, each with the letters that lead there."""
        found: dict[int, list[str]] = {}
        for letter, r in zip(self.letters, self.next[q], strict=True):
            found.setdefault(r, []).append(letter)
        return found

    def accepts(self, word: Word) -> bool:
        """Whether the word leads to an accepting state."""
        return self.run(word) in self.accepting

    def minimal(self) -> Automaton:
        """The minimal automaton of the language, states in breadth-first order: equal for equal languages.

        >>> Automaton(("a",), ((1,), (2,), (3,), (0,)), frozenset({0, 2}), 0).minimal()
        Automaton(2 states over 'a')
        """
        from exactformer.languages.minimise import classes

        cls = classes(self)
        member = {c: q for q, c in cls.items()}
        number = {letter: k for k, letter in enumerate(self.letters)}
        return Automaton.of(
            self.letters,
            cls[self.start],
            lambda c, letter: cls[self.next[member[c]][number[letter]]],
            lambda c: member[c] in self.accepting,
        )

    def over(self, letters: Sequence[str]) -> Automaton:
        """The same words over letters that include its own; words with a new letter are rejected."""
        letters = tuple(letters)
        known = set(letters)
        missing = [letter for letter in self.letters if letter not in known]
        if missing:
            raise InvalidInput(f"expected letters that include {spell(missing)!r}, got {spell(letters)!r}")
        if letters == self.letters:
            return self
        number = {letter: k for k, letter in enumerate(self.letters)}
        sink = len(self)
        return Automaton.of(
            letters,
            self.start,
            lambda q, letter: self.next[q][number[letter]] if q != sink and letter in number else sink,
            lambda q: q in self.accepting,
        )

    def __invert__(self) -> Automaton:
        """All words over its letters that it rejects."""
        return Automaton(self.letters, self.next, frozenset(range(len(self))) - self.accepting, self.start)

    def __and__(self, other: Automaton) -> Automaton:
        """The words that both accept."""
        return self.combined(other, lambda p, q: p and q)

    def __or__(self, other: Automaton) -> Automaton:
        """The words that one of them accepts."""
        return self.combined(other, lambda p, q: p or q)

    def __sub__(self, other: Automaton) -> Automaton:
        """The words that this one accepts and the other rejects."""
        return self.combined(other, lambda p, q: p and not q)

    def __xor__(self, other: Automaton) -> Automaton:
        """The words on which the two differ."""
        return self.combined(other, lambda p, q: p != q)

    def combined(self, other: Automaton, verdict: Callable[[bool, bool], bool]) -> Automaton:
        """The minimal automaton of the words w with verdict(self.accepts(w), other.accepts(w))."""
        other = other.ordered(self.letters)
        number = {letter: k for k, letter in enumerate(self.letters)}
        return Automaton.of(
            self.letters,
            (self.start, other.start),
            lambda s, letter: (self.next[s[0]][number[letter]], other.next[s[1]][number[letter]]),
            lambda s: verdict(s[0] in self.accepting, s[1] in other.accepting),
        ).minimal()

    def difference(self, other: Automaton) -> tuple[str, ...] | None:
        """A shortest word that one accepts and the other rejects (the first in the order of letters), None if equal.

        >>> a = Automaton(("a",), ((1,), (0,)), frozenset({0}), 0)
        >>> a.difference(~a), a.difference(a)
        ((), None)
        """
        other = other.ordered(self.letters)
        begin = self.start, other.start
        way: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {begin: None}
        found = [begin]
        for at in found:
            spend(10 + 3 * len(self.letters))
            if (at[0] in self.accepting) != (at[1] in other.accepting):
                return tuple(self.letters[k] for k in _letters_to(at, way))
            for k, pair in enumerate(zip(self.next[at[0]], other.next[at[1]], strict=True)):
                if pair not in way:
                    way[pair] = at, k
                    found.append(pair)
            verify_size(len(found), len(self.letters))
        return None

    def ordered(self, letters: tuple[str, ...]) -> Automaton:
        """The same automaton with its letters in another order."""
        if letters == self.letters:
            return self
        if set(letters) != set(self.letters):
            raise InvalidInput(
                f"expected two automata over the same letters, got {spell(letters)!r} and {spell(self.letters)!r}; "
                "give both the same alphabet"
            )
        number = {letter: k for k, letter in enumerate(self.letters)}
        order = [number[letter] for letter in letters]
        return Automaton(letters, tuple(tuple(row[k] for k in order) for row in self.next), self.accepting, self.start)

    def access_moves(self) -> dict[int, tuple[int, int] | None]:
        """For every state that can be reached, nearest first: the last move (state, letter) of a shortest word to it.

        >>> Automaton(("a", "b"), ((1, 0), (0, 1)), frozenset({0}), 0).access_moves()
        {0: None, 1: (0, 0)}
        """
        moves: dict[int, tuple[int, int] | None] = {self.start: None}
        found = [self.start]
        for q in found:
            spend(5 + len(self.letters))
            for k, r in enumerate(self.next[q]):
                if r not in moves:
                    moves[r] = q, k
                    found.append(r)
        return moves

    def access_word(self, q: int, moves: Mapping[int, tuple[int, int] | None]) -> tuple[str, ...]:
        """The shortest word to a state that the moves of `access_moves` spell."""
        word = []
        while (move := moves[q]) is not None:
            q, k = move
            word.append(self.letters[k])
        return tuple(word[::-1])

    def words(self, most: int) -> Iterator[tuple[str, ...]]:
        """All words over its letters of at most so many letters, in length-lexicographic order."""
        layer: list[tuple[str, ...]] = [()]
        for n in range(most + 1):
            yield from layer
            layer = [(*word, letter) for word in layer for letter in self.letters] if n < most else []

    @property
    def is_commutative(self) -> bool:
        """Whether membership depends on the numbers of letters alone: qab = qba in the minimal automaton."""
        d = self.minimal()
        spend(len(d) * len(d.letters) ** 2)
        return all(d.next[row[a]][b] == d.next[row[b]][a] for row in d.next for a in range(len(row)) for b in range(a))

    def json(self) -> JsonObject:
        """The automaton as one line of a certificate."""
        return {
            "letters": list(self.letters),
            "next": [list(row) for row in self.next],
            "accepting": sorted(self.accepting),
            "start": self.start,
        }


def automaton_of_json(value: object, where: str) -> Automaton:
    """The automaton of {"letters": [..], "next": [[..], ..], "accepting": [..], "start": q}; Malformed otherwise."""
    keys = {"letters", "next", "accepting", "start"}
    if not isinstance(value, dict) or set(value) != keys:
        got = sorted(map(str, value)) if isinstance(value, dict) else type(value).__name__
        raise Malformed(f"{where}: expected an automaton with the keys {sorted(keys)}, got {got!s:.120}")
    letters, rows = value["letters"], value["next"]
    if not isinstance(letters, list) or not all(isinstance(a, str) for a in letters):
        raise Malformed(f"{where}, letters: expected a list of strings, got {letters!r:.60}")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
        raise Malformed(f"{where}, next: expected one list of states per state, got {rows!r:.60}")
    verify_size(len(rows), len(letters))
    for q, row in enumerate(rows):
        if len(row) != len(letters):
            raise Malformed(f"{where}, next[{q}]: expected {len(letters)} states, one per letter, got {len(row)}")
        _verify_states(row, len(rows), f"{where}, next[{q}]")
    accepting = value["accepting"]
    if not isinstance(accepting, list):
        raise Malformed(f"{where}, accepting: expected a list of states, got {accepting!r:.60}")
    _verify_states(accepting, len(rows), f"{where}, accepting")
    _verify_states([value["start"]], len(rows), f"{where}, start")
    try:
        return Automaton(tuple(letters), tuple(map(tuple, rows)), frozenset(accepting), value["start"])
    except InvalidInput as problem:
        raise Malformed(f"{where}: {problem}") from problem


def spell(word: Word) -> str | list[str]:
    """A word as a string of letters, as a list where a letter has several characters."""
    return "".join(word) if all(len(letter) == 1 for letter in word) else list(word)


def verify_size(states: int, letters: int) -> None:
    """Raises Declined where an automaton is larger than this package builds."""
    if states * letters > MOST_TRANSITIONS:
        raise Declined(
            f"an automaton with more than {MOST_TRANSITIONS:,} transitions ({states:,} states, {letters:,} letters); "
            "give a smaller expression or fewer letters"
        )


def _verify_letters(letters: tuple[str, ...]) -> None:
    if not letters:
        raise InvalidInput("expected at least one letter, got an empty alphabet; give letters such as ab")
    if len(set(letters)) < len(letters) or not all(letters):
        raise InvalidInput(f"expected letters that differ and are not empty, got {list(letters)!r:.80}")


def _verify_states(values: list[object], states: int, where: str) -> None:
    for q in values:
        if isinstance(q, bool) or not isinstance(q, int) or not 0 <= q < states:
            raise Malformed(f"{where}: expected states 0 to {states - 1}, got {q!r:.60}")


def _letters_to(at: tuple[int, int], way: dict[tuple[int, int], tuple[tuple[int, int], int] | None]) -> list[int]:
    letters = []
    step = way[at]
    while step is not None:
        letters.append(step[1])
        step = way[step[0]]
    return letters[::-1]
