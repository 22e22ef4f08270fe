"""The holonomy cascade of an automaton without counters: a state as a chain of coordinates that only stay or are reset.

The sets are the images Q w of all states and the singletons. S is below T if S lies in some T w; the height is 0 for
singletons, else one more than the largest height strictly below. The bricks of a set are its maximal proper subsets
among the sets. A state is a chain Q > .. > {q}: where the height of the current set is k, coordinate k names a brick of
it; other levels are skipped. Section 4 of the page on languages proves that on a letter a coordinate stays, or is reset
to a value that depends on the letter and on the coordinates of greater height alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx

from exactformer.errors import Declined
from exactformer.languages.automaton import Automaton
from exactformer.languages.effort import keep, spend

#: bytes of a chain, apart from its moves
_CHAIN = 1_000
#: the most sets, and the most chains, that are made
MOST_SETS, MOST_CHAINS = 3_000, 20_000

#: a set of states, bit q for state q
_States = int
#: per level, from the greatest height down, the number of a brick; 0 where the level is skipped
Chain = tuple[int, ...]


@dataclass(frozen=True)
class Cascade:
    """Chains with their letters: `start` is all zeros, `moves[chain][k]` the chain after letter k.

    `resets[chain][k][level]` is None where the coordinate stays, else its new value; it depends on the coordinates
    before `level` and on k alone. `state_of` is the state of the automaton that a chain stands for. With a period,
    letter (k, r) has the number r * letters + k, and chains have the moves of their own residue only.
    """

    start: Chain
    moves: dict[Chain, dict[int, Chain]]
    resets: dict[Chain, dict[int, tuple[int | None, ...]]]
    state_of: dict[Chain, int]

    @property
    def radices(self) -> tuple[int, ...]:
        """Per level the number of values."""
        return tuple(1 + max(values) for values in zip(*self.moves, strict=True))


def cascade(automaton: Automaton, period: int = 1) -> Cascade | None:
    """The cascade of an automaton, with a feature of the period; Declined where it is too large.

    None where chains fail to follow the automaton, which shows that it has a counter u with period | |u|.

    >>> from exactformer.languages.expressions import of_expression
    >>> len(cascade(of_expression("(ab)*")).moves), cascade(of_expression("(aa)*"))
    (4, None)
    """
    if period * len(automaton) > MOST_SETS:
        raise Declined(f"{len(automaton):,} states with the period {period:,}: more than {MOST_SETS:,} sets")
    try:
        found = _Holonomy(_moves_of(automaton, period), len(automaton), period).cascade(automaton.start)
    except _NoBrickError:
        return None
    return found if _follows(found, automaton) else None


def _follows(found: Cascade, automaton: Automaton) -> bool:
    """Whether chains move as the automaton does, and resets depend on the coordinates of greater height alone."""
    known: dict[tuple[int, Chain, int], int | None] = {}
    for chain, moves in found.moves.items():
        spend(6 * len(moves) * (1 + len(chain)))
        keep(len(moves) * len(chain) * (60 + 4 * len(chain)))
        for k, new in moves.items():
            if automaton.next[found.state_of[chain]][k % len(automaton.letters)] != found.state_of[new]:
                return False
            for level, reset in enumerate(found.resets[chain][k]):
                if known.setdefault((level, chain[:level], k), reset) != reset:
                    return False
                if new[level] != (chain[level] if reset is None else reset):
                    return False
    return True


def _moves_of(automaton: Automaton, period: int) -> list[list[int]]:
    """Per letter (k, r) the image of every state (q, r), numbered r * states + q; the last state is a sink."""
    n = len(automaton)
    if period == 1:
        return [[row[k] for row in automaton.next] for k in range(len(automaton.letters))]
    sink = n * period
    moves = []
    for r in range(period):
        for k in range(len(automaton.letters)):
            move = [sink] * (sink + 1)
            for q, row in enumerate(automaton.next):
                move[r * n + q] = (r + 1) % period * n + row[k]
            moves.append(move)
    return moves


class _NoBrickError(Exception):
    """The image of a set lies in no brick of the next one: the automaton counts."""


class _Holonomy:
    """Sets, heights, and the bricks of every set, numbered alike within a class of sets."""

    def __init__(self, moves: list[list[int]], states: int, period: int) -> None:
        self.moves, self.states, self.period = moves, states, period
        self.full: _States = (1 << len(moves[0])) - 1
        self.images: dict[_States, list[_States]] = {}
        self.bricks: dict[_States, list[_States]] = {}
        self.height: dict[_States, int] = {}
        self._find_sets()
        self._find_heights()

    def _image(self, states: _States, move: Sequence[int]) -> _States:
        spend(5 + 4 * states.bit_count())
        image = 0
        while states:
            lowest = states & -states
            image |= 1 << move[lowest.bit_length() - 1]
            states ^= lowest
        return image

    def _find_sets(self) -> None:
        found = [self.full, *(1 << q for q in range(len(self.moves[0])))]
        known = set(found)
        for states in found:
            keep((len(self.moves) + 2) * (40 + len(self.moves[0]) // 8))
            self.images[states] = [self._image(states, move) for move in self.moves]
            for image in self.images[states]:
                if image not in known:
                    known.add(image)
                    found.append(image)
            if len(found) > MOST_SETS:
                raise Declined(f"the cascade has more than {MOST_SETS:,} sets of states; give a smaller language")

    def _find_heights(self) -> None:
        """Classes of sets that are images of one another, their bricks, and the longest way down to a singleton."""
        keep(400 * len(self.images) * (1 + len(self.moves)))
        spend(30 * len(self.images) * (1 + len(self.moves)))
        graph = nx.DiGraph((s, image) for s, images in self.images.items() for image in images)
        smaller = sorted(self.images, key=lambda s: -s.bit_count())
        for members in nx.strongly_connected_components(graph):
            first = min(members)
            spend(2 * len(smaller))
            inside = [s for s in smaller if s != first and s & first == s]
            self._number_bricks(first, members, _maximal(inside))
        below = nx.DiGraph(graph)
        below.add_edges_from((s, brick) for s, bricks in self.bricks.items() for brick in bricks)
        condensed = nx.condensation(below)
        height: dict[int, int] = {}
        for c in reversed(list(nx.topological_sort(condensed))):
            members = condensed.nodes[c]["members"]
            lower = max((height[d] for d in condensed.successors(c)), default=-1)
            height[c] = 0 if next(iter(members)).bit_count() == 1 else 1 + lower
            self.height.update(dict.fromkeys(members, height[c]))

    def _number_bricks(self, first: _States, members: set[_States], bricks: list[_States]) -> None:
        """The bricks of every member as the images of those of the first, in the same order."""
        self.bricks[first] = bricks
        keep(len(members) * len(bricks) * (40 + len(self.moves[0]) // 8))
        found = [first]
        for states in found:
            for move, image in zip(self.moves, self.images[states], strict=True):
                if image in members and image not in self.bricks:
                    self.bricks[image] = [self._image(brick, move) for brick in self.bricks[states]]
                    found.append(image)

    def cascade(self, start: int) -> Cascade:
        """All chains that words reach, with moves, resets and states."""
        top = self.height[self.full]
        begin = self._chain_of(start)
        # the start and skipped levels get the coordinate 0, which is what attention to nothing adds
        names = [{b: 0, -1: 0} for b in begin]

        moves: dict[Chain, dict[int, Chain]] = {}
        resets: dict[Chain, dict[int, tuple[int | None, ...]]] = {}
        state_of: dict[Chain, int] = {}
        number = {begin: (0,) * top}
        for chain in (found := [begin]):
            name, sets = number[chain], self._sets_of(chain)
            work = len(self.moves) // self.period * (5 + top)
            spend(5 * work)
            keep(_CHAIN + 20 * work)
            state = sets[-1].bit_length() - 1
            state_of[name] = state % self.states
            moves[name], resets[name] = {}, {}
            for k in self._letters_at(state):
                new, reset = self._step(chain, sets, k)
                if new not in number:
                    number[new] = tuple(_named(b, names[level]) for level, b in enumerate(new))
                    found.append(new)
                moves[name][k] = number[new]
                resets[name][k] = tuple(None if b is None else names[v][b] for v, b in enumerate(reset))
            if len(found) > MOST_CHAINS:
                raise Declined(f"the cascade has more than {MOST_CHAINS:,} chains; give a smaller language")
        return Cascade((0,) * top, moves, resets, state_of)

    def _letters_at(self, state: int) -> range:
        count = len(self.moves) // self.period
        residue = state // self.states
        return range(residue * count, (residue + 1) * count)

    def _chain_of(self, state: int) -> Chain:
        """A chain down to a singleton: at every level the first brick with the state; -1 where it is skipped."""
        current, chain = self.full, []
        for k in range(self.height[self.full], 0, -1):
            if self.height[current] != k:
                chain.append(-1)
                continue
            chain.append(next(b for b, brick in enumerate(self.bricks[current]) if brick >> state & 1))
            current = self.bricks[current][chain[-1]]
        return tuple(chain)

    def _sets_of(self, chain: Chain) -> list[_States]:
        """The sets of a chain, from the full one down to the singleton."""
        sets = [self.full]
        for b in chain:
            sets.append(sets[-1] if b < 0 else self.bricks[sets[-1]][b])
        return sets

    def _step(self, chain: Chain, sets: list[_States], k: int) -> tuple[Chain, list[int | None]]:
        """The chain after letter k, and per level the new value, or None where the coordinate stays."""
        current, new, resets = self.full, [], list[int | None]()
        for level, height in enumerate(range(len(chain), 0, -1)):
            image = self.images[sets[level]][k]
            if self.height[current] != height:
                b, reset = -1, None if chain[level] < 0 else -1
            elif image == current:
                b, reset = chain[level], None
            else:
                spend(2 * len(self.bricks[current]))
                inside = [b for b, brick in enumerate(self.bricks[current]) if image & brick == image]
                if not inside:
                    raise _NoBrickError
                b = reset = inside[0]
            new.append(b)
            resets.append(reset)
            current = current if b < 0 else self.bricks[current][b]
        return tuple(new), resets


def _named(b: int, names: dict[int, int]) -> int:
    return names.setdefault(b, 1 + max(names.values()))


def _maximal(sets: list[_States]) -> list[_States]:
    """The sets that lie in no other; larger ones come first."""
    found: list[_States] = []
    for s in sets:
        spend(2 + 2 * len(found))
        if not any(s & other == s for other in found):
            found.append(s)
    return found
