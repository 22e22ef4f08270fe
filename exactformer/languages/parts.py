"""An automaton as several small ones side by side, for languages whose cascade is too long: "all letters occurred".

For a state q the states that can be reached from q are a set that is never left. The words that lead into it have a
minimal automaton, often a small one, and the states of a few of these together determine the state of the whole where
no two states reach each other. Each part has a cascade of its own, and the cascades run in parallel: a head each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from exactformer.errors import Declined
from exactformer.geometry.points import dot
from exactformer.languages.automaton import Automaton
from exactformer.languages.cascade import MOST_CHAINS, Cascade, Chain, cascade
from exactformer.languages.cascade_weights import MOST_EVALUATIONS, changes_of_slope
from exactformer.languages.effort import spend
from exactformer.languages.recogniser import Recogniser
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Sparse

#: the most sets of states that are tried as parts, and the most parts
MOST_TRIED, MOST_PARTS = 200, 40
#: the coordinates that all parts share, and those of part p: 2 + 3 p + these
LETTER, ONE, SHARED = 0, 1, 2
CHAIN, RESET, VALUE = range(3)

_Row = dict[int, Fraction | int]


def parts_of(automaton: Automaton) -> list[Automaton] | None:
    """Automata whose states together determine that of a minimal automaton; None where sets never left do not do it.

    >>> from exactformer.languages.expressions import of_expression
    >>> parts_of(of_expression(".*a.*&.*b.*"))
    [Automaton(2 states over 'ab'), Automaton(2 states over 'ab')]
    """
    parts: list[Automaton] = []
    classes: list[tuple[int, ...]] = [()] * len(automaton)
    for part in _candidates(automaton):
        spend(20 * len(automaton) * (len(automaton.letters) + len(parts)))
        states = _states_of(part, automaton)
        refined = [(*old, new) for old, new in zip(classes, states, strict=True)]
        if len(set(refined)) > len(set(classes)):
            parts.append(part)
            classes = refined
        if len(set(classes)) == len(automaton):
            return parts
        if len(parts) >= MOST_PARTS:
            return None
    return None


def _candidates(automaton: Automaton) -> Iterator[Automaton]:
    """The automata of the sets that are never left, those of states near the start first."""
    for q in list(automaton.access_moves())[1 : MOST_TRIED + 1]:
        reached = Automaton(automaton.letters, automaton.next, frozenset(), q).access_moves()
        yield Automaton(automaton.letters, automaton.next, frozenset(reached), automaton.start).minimal()


def _states_of(part: Automaton, automaton: Automaton) -> list[int]:
    """Per state of the automaton the state that the part is in."""
    part = part.ordered(automaton.letters)
    state: dict[int, int] = {}
    for q, move in automaton.access_moves().items():
        state[q] = part.start if move is None else part.next[state[move[0]]][move[1]]
    return [state[q] for q in range(len(automaton))]


def recogniser_of_parts(automaton: Automaton, most: int = MOST_CHAINS) -> Recogniser:
    """The recogniser of the automaton's language by cascades side by side: heads `before`, ties `last`.

    Declined where the automaton has no such parts, or where their cascades have `most` chains in all.
    """
    parts = parts_of(automaton)
    found = [] if parts is None else [cascade(part) for part in parts]
    cascades = [one for one in found if one is not None]
    if parts is None or len(cascades) < len(parts) or sum(len(one.moves) for one in cascades) >= most:
        raise Declined("the automaton is not made of small parts that only go forwards")
    return _Weights(automaton, cascades).recogniser()


class _Weights:
    def __init__(self, automaton: Automaton, cascades: Sequence[Cascade]) -> None:
        self.automaton, self.cascades = automaton, cascades
        self.letters = len(automaton.letters)
        self.dim = SHARED + 3 * len(cascades)
        self.levels = [[k for k, radix in enumerate(c.radices) if radix > 1] for c in cascades]

    def recogniser(self) -> Recogniser:
        """One block per level, with a head per part that has one, and one block for the verdict."""
        depth = max(len(levels) for levels in self.levels)
        blocks = [self._block(b) for b in range(depth)]
        blocks.append(MultiHeadBlock(self._verdict(), None))
        tokens = [[k, *[0] * (self.dim - 1)] for k in range(self.letters)]
        accept = [int(c == self._place(0, VALUE)) for c in range(self.dim)]
        empty = self.automaton.start in self.automaton.accepting
        return Recogniser(self.automaton.letters, tokens, blocks, accept, empty=empty)

    def _place(self, part: int, coordinate: int) -> int:
        return SHARED + 3 * part + coordinate

    def _number(self, part: int, chain: Chain, done: int) -> int:
        """The coordinates of the first `done` levels as one integer in mixed radix."""
        number, weight = 0, 1
        for level in self.levels[part][:done]:
            number += weight * chain[level]
            weight *= self.cascades[part].radices[level]
        return number

    def _block(self, b: int) -> MultiHeadBlock:
        """Level b of every part: where it is reset and to what, and the heads that look for it."""
        writer, heads = _Writer(self.dim, len(self.cascades)), []
        for p, found in enumerate(self.cascades):
            if b >= len(self.levels[p]):
                continue
            level, table = self.levels[p][b], {}
            for chain, moves in found.moves.items():
                for k in moves:
                    value = found.resets[chain][k][level]
                    at = k + self.letters * self._number(p, chain, b)
                    table[at] = (0, 0) if value is None else (1, value)
            form = {LETTER: 1, self._place(p, CHAIN): self.letters}
            for column, coordinate in enumerate((RESET, VALUE)):
                writer.write(self._place(p, coordinate), form, {at: row[column] for at, row in table.items()})
            weight = 1
            for done in self.levels[p][:b]:
                weight *= found.radices[done]
            heads.append(self._head(p, weight))
        return MultiHeadBlock(writer.layer(), MultiHeadAttention(1, heads))

    def _head(self, p: int, weight: int) -> Head:
        chain, reset, value = (self._place(p, c) for c in (CHAIN, RESET, VALUE))
        V = Sparse([{value: weight} if c == chain else {} for c in range(self.dim)], self.dim)
        return Head(V, Sparse([{ONE: 1}], self.dim), Sparse([{reset: 1}], self.dim), "before", "last")

    def _verdict(self) -> FeedForward:
        """1 where the last letter leads to an accepting state, else -1: a function of one integer for all parts."""
        weights, weight = [], self.letters
        for p, found in enumerate(self.cascades):
            weights.append(weight)
            for level in self.levels[p]:
                weight *= found.radices[level]
        table = {}
        for state, chains in self._reached():
            numbers = [self._number(p, chain, len(self.levels[p])) for p, chain in enumerate(chains)]
            at = dot(weights, numbers)
            for k, new in enumerate(self.automaton.next[state]):
                table[at + k] = 1 if new in self.automaton.accepting else -1
        writer = _Writer(self.dim, len(self.cascades))
        form = {LETTER: 1, **{self._place(p, CHAIN): w for p, w in enumerate(weights)}}
        writer.write(self._place(0, VALUE), form, table)
        layer = writer.layer()
        if layer.width * len(table) > MOST_EVALUATIONS:
            raise Declined(f"parts with {len(table):,} states and letters, too many to be proved")
        return layer

    def _reached(self) -> list[tuple[int, tuple[Chain, ...]]]:
        """The states with the chains of all parts."""
        begin = self.automaton.start, tuple(c.start for c in self.cascades)
        found, known = [begin], {begin}
        for state, chains in found:
            for k, new in enumerate(self.automaton.next[state]):
                after = new, tuple(c.moves[chain][k] for c, chain in zip(self.cascades, chains, strict=True))
                if after not in known:
                    known.add(after)
                    found.append(after)
            if len(found) > MOST_CHAINS:
                raise Declined(f"parts with more than {MOST_CHAINS:,} states together")
        return found


class _Writer:
    """A feed-forward part that keeps the letter and the chains, writes 1, and functions of linear forms."""

    def __init__(self, dim: int, parts: int) -> None:
        kept = [LETTER, *(SHARED + 3 * p + CHAIN for p in range(parts))]
        self.dim = dim
        self.inputs: list[_Row] = [{}]
        self.inputs += [{c: 1} for c in kept]
        self.biases = [1, *[0] * len(kept)]
        self.outputs: list[_Row] = [{} for _ in range(dim)]
        self.outputs[ONE] = {0: 1}
        for unit, c in enumerate(kept, 1):
            self.outputs[c] = {unit: 1}
        self.units: dict[tuple[tuple[tuple[int, int], ...], int], int] = {}

    def write(self, coordinate: int, form: dict[int, int], table: dict[int, int]) -> None:
        """The function of the form with these values: f(least) + changes of slope * relu(form - point)."""
        points = sorted(table)
        row = self.outputs[coordinate]
        for point, change in changes_of_slope(points, [table[p] for p in points]).items():
            key = tuple(sorted(form.items())), point
            if key not in self.units:
                self.units[key] = len(self.inputs)
                self.inputs.append(dict(form))
                self.biases.append(-point)
            row[self.units[key]] = change
        if table[points[0]]:
            row[0] = table[points[0]]

    def layer(self) -> FeedForward:
        """The feed-forward part."""
        return FeedForward(0, Sparse(self.inputs, self.dim), self.biases, Sparse(self.outputs, len(self.inputs)))
