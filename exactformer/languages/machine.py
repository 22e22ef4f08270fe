"""A recogniser with unique ties as a finite automaton, made block by block; mathematics/languages#theorem-1.

A state holds, for a head that sees the past, the summary of what was read; for one that sees the future, a guess of
the summary of what comes; for one that sees everything, a guess of the whole and the summary of what was read. A final
state is one whose guesses came true. Tokens are numbers; their vectors are computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from math import lcm, prod

from exactformer.errors import Declined
from exactformer.languages.effort import keep, spend
from exactformer.languages.live_blocks import LiveBlock, LiveVector, height_of_rows, live_blocks, rational_of, value_of
from exactformer.languages.recogniser import Periodic, Recogniser, WordVerdict
from exactformer.languages.summaries import HeadTable
from exactformer.model.matrix import Row

#: the most states, summaries of a head, and guesses at the start
MOST = 200_000
#: bytes of a move, and of a state
_MOVE, _STATE = 200, 400
#: per head: a summary or a guess, or (guess of the whole, summary of what was read)
Component = tuple[int | tuple[int, int], ...]
#: (token after the block, next state) of every branch
Branches = list[tuple[int, int]]


@dataclass
class Machine:
    """States by number: `moves[s][k]` are the branches on letter k, then on the end mark where there is one.

    With a begin mark the states of `start` have one move only, that of the mark.
    """

    start: list[int]
    moves: list[list[Branches]]
    final: list[bool]
    tokens: list[LiveVector]
    stages: list[BlockStage] = field(default_factory=list)

    def components(self, s: int) -> tuple[int, list[int | tuple[int, int]]]:
        """The state before the first block that s is made of, and what every head holds in s, in order."""
        held: list[int | tuple[int, int]] = []
        for stage in reversed(self.stages):
            s, component = stage.states[s]
            held[:0] = component
        return s, held


@dataclass
class BlockStage:
    """What one block added to a machine: the tables of its heads, and per state (state before it, component)."""

    tables: list[HeadTable]
    states: list[tuple[int, Component]]


def machine_of(recogniser: Recogniser, most: int = MOST, *, whole: bool = False) -> Machine:
    """The automaton of all blocks, on the coordinates that are read or (`whole`) on all.

    Declined where a limit is reached or tied positions are averaged.
    """
    coordinates, blocks = live_blocks(recogniser, whole=whole)
    machine = _of_positions(recogniser, coordinates)
    for block in blocks:
        machine = _Staging(machine, block, most).machine()
    return machine


def verdicts_of(machine: Machine, recogniser: Recogniser) -> list[WordVerdict]:
    """The verdict of every token after the last block."""
    width = len(machine.tokens[0]) if machine.tokens else 0
    whole = width == recogniser.dim  # then every coordinate is there, else those that are read
    form = tuple(enumerate(rational_of(a) for a in recogniser.accept if a or whole))
    values = [value_of(form, x) - rational_of(recogniser.threshold) for x in machine.tokens]
    return ["accept" if v > 0 else "reject" if v < 0 else "zero" for v in values]


def _of_positions(recogniser: Recogniser, coordinates: list[int]) -> Machine:
    """The machine before the first block: a state per residue of the position, and those of the marks."""
    if not all(isinstance(f, Periodic) for f in recogniser.features):
        raise Declined(
            "a feature that is a ratio has infinitely many values: no proof for all lengths; try `up_to` n, or a period"
        )
    period = lcm(*(len(f.values) for f in recogniser.features if isinstance(f, Periodic)))
    if period > MOST:
        raise Declined(f"the periods have the common multiple {period:,}, more than {MOST:,}; try `up_to` n")
    spend(period * (1 + len(recogniser.tokens)) * (10 + 4 * (len(coordinates) + len(recogniser.features))))
    keep(period * (1 + len(recogniser.tokens)) * (_MOVE + 8 * len(coordinates)))
    tokens: dict[LiveVector, int] = {}

    def token(x: Row, i: int) -> int:
        moved = recogniser.with_features(x, i, 0)
        return tokens.setdefault(tuple(rational_of(moved[c]) for c in coordinates), len(tokens))

    moves: list[list[Branches]] = [
        [[(token(x, r), (r + 1) % period)] for x in recogniser.tokens] for r in range(period)
    ]
    if recogniser.end is not None:
        for r in range(period):
            moves[r].append([(token(recogniser.end, r), period)])
        moves.append([])
    if recogniser.begin is None:
        return Machine([0], moves, [True] * len(moves), list(tokens))
    moves.append([[(token(recogniser.begin, 0), 1 % period)]])
    return Machine([len(moves) - 1], moves, [True] * len(moves), list(tokens))


class _Staging:
    """One more block: the machine before it, the tables of its heads, and what they do to a token."""

    def __init__(self, before: Machine, block: LiveBlock, most: int) -> None:
        self.before, self.block, self.most = before, block, most
        self.tables = [HeadTable(head, most) for head in block.heads]
        height = height_of_rows(before.tokens)
        rows = len(block.outputs) + sum(len(m) for head in block.heads for m in (head.Q, head.K, head.V))
        spend(len(before.tokens) * (20 + 5 * rows + block.steps(height)))
        keep(len(before.tokens) * rows * (height + block.growth).size)
        self.fed = [block.feed(x) for x in before.tokens]
        # every token of the machine before is read from some state, so these are all queries and pairs there are
        self.reads = [
            [
                table.note(*(tuple(value_of(row, y) for row in m) for m in (head.Q, head.K, head.V)))
                for table, head in zip(self.tables, block.heads, strict=True)
            ]
            for y in self.fed
        ]
        for table in self.tables:
            table.close(height + block.growth)
        self.tokens: dict[LiveVector, int] = {}
        self.carried: dict[tuple[int, tuple[int | None, ...]], int] = {}
        self.results: dict[tuple[int, Component], list[tuple[int, Component]]] = {}

    def machine(self) -> Machine:
        """The machine of the blocks so far: all states that can be reached, by breadth-first search."""
        states: dict[tuple[int, Component], int] = {}
        listed: list[tuple[int, Component]] = []

        def number(s: int, component: Component) -> int:
            found = states.setdefault((s, component), len(listed))
            if found == len(listed):
                listed.append((s, component))
                if found >= self.most:
                    raise Declined(f"more than {self.most:,} states: too many to prove all lengths; try `up_to` n")
            return found

        start = [number(s, component) for s in self.before.start for component in self._first()]
        moves: list[list[Branches]] = []
        for s, component in listed:
            spend(_STATE // 4 + 20 * len(self.before.moves[s]))
            keep(_STATE + 16 * len(component) + _MOVE * len(self.before.moves[s]))
            moves.append(
                [
                    [(y, number(t, new)) for x, t in branches for y, new in self._after(x, component)]
                    for branches in self.before.moves[s]
                ]
            )
        final = [self.before.final[s] and self._came_true(component) for s, component in listed]
        stages = [*self.before.stages, BlockStage(self.tables, listed)]
        return Machine(start, moves, final, list(self.tokens), stages)

    def _first(self) -> list[Component]:
        """Nothing was read, and every guess is possible."""
        options: list[list[int | tuple[int, int]]] = []
        count = 1
        for table in self.tables:
            guesses: list[int | tuple[int, int]] = [(g, 0) if table.is_whole else g for g in table.guesses]
            options.append([0] if table.is_past else guesses)
            count *= len(options[-1])
            if count > self.most:
                raise Declined(f"more than {self.most:,} guesses at the start: too many to prove; try `up_to` n")
        spend(count * len(options))
        keep(count * (_STATE + 8 * len(options)))
        return list(product(*options))

    def _came_true(self, component: Component) -> bool:
        """Whether nothing more is expected: guesses of the future empty, guesses of the whole what was read."""
        return all(
            table.is_past or (c[0] == c[1] if isinstance(c, tuple) else c == 0)
            for table, c in zip(self.tables, component, strict=True)
        )

    def _after(self, x: int, component: Component) -> list[tuple[int, Component]]:
        """(token after the block, new component) of every branch on token x."""
        found = self.results.get((x, component))
        if found is None:
            options = [
                self._options(table, c, *read)
                for table, c, read in zip(self.tables, component, self.reads[x], strict=True)
            ]
            choices = prod(map(len, options))
            spend(20 * (1 + choices) * (1 + len(options)))
            keep(_MOVE + choices * (_MOVE + 40 * len(options)))
            found = self.results[x, component] = [
                (self._carry(x, tuple(value for _, value in choice)), tuple(new for new, _ in choice))
                for choice in product(*options)
            ]
        return found

    def _options(
        self, table: HeadTable, c: int | tuple[int, int], query: int, pair: int
    ) -> list[tuple[int | tuple[int, int], int | None]]:
        """What the head holds afterwards and the value it finds, for every guess that fits."""
        if isinstance(c, tuple):
            whole, read = c
            return [((whole, table.extended(read, pair, right=True)), table.looked_up(whole, query))]
        if table.is_past:
            new = table.extended(c, pair, right=True)
            return [(new, table.looked_up(c if table.head.mask == "before" else new, query))]
        return [
            (rest, table.looked_up(rest if table.head.mask == "after" else c, query))
            for rest in table.predecessors.get((c, pair), ())
        ]

    def _carry(self, x: int, values: tuple[int | None, ...]) -> int:
        found = self.carried.get((x, values))
        if found is None:
            spend(20 + 4 * len(self.block.carried) * (1 + len(values)))
            keep(_MOVE + 40 * len(self.block.carried) + 8 * len(values))
            pairs = zip(self.tables, values, strict=True)
            vector = self.block.carry(self.fed[x], [table.vectors[v] for table, v in pairs if v is not None])
            found = self.carried[x, values] = self.tokens.setdefault(vector, len(self.tokens))
        return found
