"""Words of every length: the states of a certificate are closed (FORMAT.md, section 17, rules 6 and 8 to 13).

A state says what every head holds, the verdict so far, the residue of the position, and the state of the automaton.
Nothing is searched: every step from a state that is listed must lead to states that are listed.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from typing import NamedTuple

from ..core.certificate import Certificate
from ..core.lines import count
from ..core.points import Point
from ..core.verdict import Json, Refusal, holds, well_formed
from .automata import Automaton
from .matrices import plus
from .recognisers import Block, Recogniser
from .tables import ENTRY, Table, name

OUTS = ("accept", "reject", "zero", None)
Held = int | tuple[int, int]  # of the past or the future a summary; of the whole a guess and what was read
Heads = tuple[Held, ...]
Read = tuple[int, int]  # of a head at a token: the numbers of its query and of its pair


class State(NamedTuple):
    """What every head holds, the verdict so far, the residue of the position, the state of the automaton."""

    heads: Heads
    out: str | None
    residue: int
    automaton: int


class Stage:
    """One block: what it does to a token, with the tables of its heads. Tokens are known by their numbers."""

    def __init__(self, block: Block, tables: list[Table], first: int) -> None:
        self.block, self.tables = block, tables
        self.of = slice(first, first + len(tables))
        self.forget()

    def forget(self) -> None:
        """Nothing is known about tokens."""
        self.number: dict[bytes, int] = {}
        self.reads: list[tuple[Point, list[Read]]] = []
        self.results: dict[tuple[int, Heads], list[tuple[Heads, int]]] = {}


class Closure:
    """The states of a certificate, and the steps between them."""

    def __init__(self, file: Certificate, automaton: Automaton, recogniser: Recogniser) -> None:
        self.budget, self.automaton, self.recogniser = file.budget, automaton, recogniser
        self.stages: list[Stage] = []
        self.tables: list[Table] = []
        for b, block in enumerate(recogniser.blocks):
            tables = [Table(head, file, b, h) for h, head in enumerate(block.heads)]
            self.stages.append(Stage(block, tables, len(self.tables)))
            self.tables += tables
        self.states = dict.fromkeys(self.read_state(file, k) for k in range(file.header["product"]))
        well_formed(len(self.states) == file.header["product"], "states must differ")
        self.forget()

    def forget(self) -> None:
        """Nothing is known about tokens: what was remembered is computed again when it is needed."""
        for stage in self.stages:
            stage.forget()
        for table in self.tables:
            table.forget()
        self.outputs: dict[bytes, int] = {}  # tokens after the last block
        self.said: list[str] = []
        self.read: dict[tuple[int, int], int] = {}

    def read_state(self, file: Certificate, k: int) -> State:
        """A state line (rule 6)."""
        index, heads, out, residue, q = file.lines.fields("state", "heads", "out", "residue", "automaton")
        count(index, k, k + 1)
        well_formed(type(heads) is list and len(heads) == len(self.tables), "a state has one entry for every head")
        held = tuple([read_held(value, table) for value, table in zip(heads, self.tables)])
        well_formed(out in OUTS and (out is None or type(out) is str), '"out" is a verdict or null')
        place = count(residue, 0, self.recogniser.period), count(q, 0, len(self.automaton.next))
        return State(held, out, *place)

    # ---- rule 11: the step ----

    def number_of(self, stage: int, x: Point) -> int:
        """The number of a token that enters a block, or leaves the last one; what its heads read is verified here."""
        at = None if stage == len(self.stages) else self.stages[stage]
        known, key = self.outputs if at is None else at.number, name(x)
        if key not in known:
            self.budget.hold(2 * len(x) + 40, 256)
            if at is None:
                self.said.append(self.recogniser.sign(x, self.budget))
            else:
                at.reads.append(self.reads_of(at, x))
            known[key] = len(known)
        return known[key]

    def reads_of(self, at: Stage, x: Point) -> tuple[Point, list[Read]]:
        """The token after the feed-forward part; for every head its query and pair, which are in the tables.

        That holds for all tokens that enter the block, before branches are cut: the proof rests on it.
        """
        ff, found = at.block.feed_forward, []
        y = x if ff is None else ff(x, self.budget)
        for table in at.tables:
            query, key, value = (M.times(y, self.budget) for M in (table.head.Q, table.head.K, table.head.V))
            self.budget.spend(200 + 4 * (len(query) + len(key) + len(value)))
            pair = name((key, table.value.get(name(value), -1)))
            holds(name(query) in table.query, "a query is not in its table")
            holds(pair in table.pair, "a pair is not in its table")
            found.append((table.query[name(query)], table.pair[pair]))
        return y, found

    def results(self, b: int, x: int, held: Heads) -> list[tuple[Heads, int]]:
        """What the heads of block b hold after token x, and the token after the block, in every branch."""
        at = self.stages[b]
        known = at.results.get((x, held))
        if known is not None:
            return known
        y, reads = at.reads[x]
        options = [options_of(*one) for one in zip(at.tables, held, reads)]
        branches = prod([len(one) for one in options])
        self.budget.spend(700 + branches * (60 + 10 * len(options)))
        self.budget.hold(branches + 1, ENTRY)
        found = []
        for choice in product(*options):
            z = y if at.block.rho == (1, 1) else plus(y, (0,) * (len(y) - 1) + (1,), at.block.rho, self.budget)
            for table, (_, entry) in zip(at.tables, choice):
                if entry is not None:
                    vector = table.vectors[entry[1]]
                    if vector is None:
                        raise Refusal("rejected", "tied positions with different values are averaged")
                    z = plus(vector, z, (1, 1), self.budget)
            found.append((tuple([new for new, _ in choice]), self.number_of(b + 1, z)))
        at.results[x, held] = found
        return found

    def steps(self, state: State, kind: int) -> Iterator[tuple[Heads, str]]:
        """What the heads hold after one more token, and the verdict so far, in every branch.

        The token is that of a letter, or of the begin mark (-1) or the end mark (-2).
        """
        branches: list[tuple[Heads, int]] = [((), self.entering(kind, state.residue))]
        for b, stage in enumerate(self.stages):
            held = state.heads[stage.of]
            found = [(new, self.results(b, x, held)) for new, x in branches]
            total = sum([len(results) for _, results in found])
            self.budget.spend(40 * (len(found) + total))
            held_for_good = self.budget.held
            self.budget.hold(total, 800 + 64 * len(state.heads))
            self.budget.held = held_for_good  # the branches of one step are forgotten
            branches = [(new + more, y) for new, results in found for more, y in results]
        for heads, x in branches:
            first = state.out is None or self.recogniser.at == "last"
            yield heads, self.said[x] if first else str(state.out)

    def entering(self, kind: int, residue: int) -> int:
        """The number of the token of a letter or mark at a position with this residue."""
        key = kind, residue
        if key not in self.read:
            r = self.recogniser
            x = r.begin if kind == -1 else r.end if kind == -2 else r.tokens[kind]
            self.budget.hold(1, ENTRY)
            self.read[key] = self.number_of(0, r.token(x or (), residue, 0, self.budget))
        return self.read[key]

    # ---- rules 10, 12, 13 ----

    def beginnings(self) -> Iterable[State]:
        """Every combination of guesses, with nothing read."""
        options = [[0] if t.head.kind == "past" else list(t.guesses) for t in self.tables]
        for choice in product(*options):
            pairs = zip(self.tables, choice)
            heads: Heads = tuple([(g, 0) if table.head.kind == "whole" else g for table, g in pairs])
            yield State(heads, None, 0, self.automaton.start)

    def verify_beginnings(self) -> None:
        """What is there before the first letter is a state (rule 10)."""
        guesses = prod([max(1, len(table.guesses)) for table in self.tables])
        self.budget.spend(guesses * (60 + 10 * len(self.tables)))
        for state in self.beginnings():
            if self.recogniser.begin is None:
                holds(state in self.states, "an initial state is missing")
                continue
            for heads, out in self.steps(state, -1):
                after = State(heads, out, 1 % self.recogniser.period, state.automaton)
                holds(after in self.states, "a state after the begin mark is missing")

    def verify_verdict(self, state: State) -> None:
        """Where a word may end, the verdict is the automaton's (rule 12)."""
        ends: Iterable[tuple[Heads, str | None]] = [(state.heads, state.out)]
        if self.recogniser.end is not None:
            ends = self.steps(state, -2)
        member = state.automaton in self.automaton.accepting
        for heads, out in ends:
            if self.came_true(heads):
                holds(self.recogniser.is_right(out, member), "a final state has the wrong verdict")

    def came_true(self, heads: Heads) -> bool:
        """Nothing more is expected: guesses of the future are empty, those of the whole are what was read."""
        self.budget.spend(4 * len(heads))
        kinds = zip(self.tables, heads)
        return all(t.head.kind == "past" or (h[0] == h[1] if isinstance(h, tuple) else h == 0) for t, h in kinds)

    def verify_moves(self, state: State) -> None:
        """Every letter leads to states (rule 13)."""
        residue = (state.residue + 1) % self.recogniser.period
        for k, q in enumerate(self.automaton.next[state.automaton]):
            for heads, out in self.steps(state, k):
                self.budget.spend(40 + 4 * len(heads))
                holds(State(heads, out, residue, q) in self.states, "the states are not closed under a letter")


def options_of(table: Table, held: Held, read: Read) -> list[tuple[Held, tuple[Json, int] | None]]:
    """What a head may hold after one more token, with what it finds; for the future, every guess that fits."""
    query, pair = read
    if isinstance(held, tuple):
        return [((held[0], listed_extension(table, held[1], pair)), table.summaries[held[0]][query])]
    if table.head.kind == "past":
        new = listed_extension(table, held, pair)
        return [(new, table.summaries[held if table.head.mask == "before" else new][query])]
    before = table.predecessors.get((held, pair), [])
    after = table.head.mask == "after"
    return [(r, table.summaries[r if after else held][query]) for r in before]


def listed_extension(table: Table, s: int, pair: int) -> int:
    """The summary with one more position at its right end, which is listed."""
    found = table.extended(s, pair, True)
    if found is None:
        raise Refusal("rejected", "a summary is not in its table")
    return found


def read_held(value: Json, table: Table) -> Held:
    """What a head holds: a summary, a guess, or a guess of the whole and what was read."""
    if table.head.kind == "whole":
        well_formed(type(value) is list and len(value) == 2, "a head without a mask holds [whole, read]")
        return count(value[0], 0, len(table.guesses)), count(value[1], 0, len(table.summaries))
    most = len(table.summaries) if table.head.kind == "past" else len(table.guesses)
    return count(value, 0, most)


def verify_closed(file: Certificate, automaton: Automaton, recogniser: Recogniser) -> None:
    """The verdict of the recogniser is the automaton's on words of every length."""
    closure = Closure(file, automaton, recogniser)
    for table in closure.tables:
        table.verify_guesses()
    closure.verify_beginnings()
    held = file.budget.held
    for state in closure.states:
        closure.verify_verdict(state)
        closure.verify_moves(state)
        if file.budget.held > file.budget.limits.memory // 2:
            closure.forget()
            file.budget.held = held
