"""The short cut for many feed-forward parts in a row that move few tokens each, with its lemma (see `short_cuts`).

| short cut | definition |
| --- | --- |
| `Run` | its parts, one after the other |
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ..core.budget import Budget, division_cost
from ..core.certificate import Along, Heads
from ..core.feed_forward import ParallelUnit
from ..core.numbers import Ratio
from ..core.points import bits, origin, plus, sum_cost

FEWEST = 4  # parts of a run
CHUNK = 64  # parts that are passed together
Ends = tuple[int, int]  # the floors of the ends of an interval times 2^shift


class Reach(NamedTuple):
    """Outside of low <= <u, x> <= high a part is the identity; high = None: on one side alone."""

    u: tuple[int, ...]
    low: Ratio
    high: Ratio | None


def reach_of(part: object, budget: Budget) -> Reach | None:
    """Where a part moves tokens at all, if it is x -> x + a sum of units that all rise along one u; else None.

    Lemma: the unit relu((t/r)*s + p/q) with t > 0 is 0 up to its turn s = -(p r)/(q t) and linear from there on. So the
    sum is 0 up to the first turn, and from the last one on it is s times the sum of (t/r)*column, plus that of
    (p/q)*column, which is 0 if both are.
    """
    along: Along = getattr(part, "along", None)
    if along is None or any(unit.t <= 0 for unit in along[1]):
        return None
    u, units = along
    dim = len(u)
    size = 3 * max([bits([*unit[:4], *unit.column]) for unit in units])
    budget.spend(len(units) * (80 + 2 * sum_cost(dim, size) + division_cost(2 * size)))
    slope = value = origin(dim)
    low, high = turn(units[0]), turn(units[0])
    for unit in units:
        slope, value = plus(unit.column, slope, unit.t, unit.r), plus(unit.column, value, unit.p, unit.q)
        p, q = turn(unit)
        low, high = (p, q) if p * low[1] < low[0] * q else low, (p, q) if p * high[1] > high[0] * q else high
    return Reach(u, low, None if any(slope[:-1]) or any(value[:-1]) else high)


def turn(unit: ParallelUnit) -> Ratio:
    """The number s at which a unit with t > 0 begins."""
    return -unit.p * unit.r, unit.q * unit.t


class Chunk:
    """Some parts of a run, each with the floors of the ends of its reach, and the union of all reaches."""

    def __init__(self, parts: Sequence[tuple[int, int | None, Any]]) -> None:
        self.parts = parts
        self.endless = min([low for low, high, _ in parts if high is None], default=None)
        self.starts, self.stops = list[int](), list[int]()
        for low, high in sorted([(low, high) for low, high, _ in parts if high is not None]):
            if self.stops and low <= self.stops[-1]:
                self.stops[-1] = max(self.stops[-1], high)
            else:
                self.starts.append(low)
                self.stops.append(high)

    def touches(self, ends: Ends) -> bool:
        """Whether an interval, by the floors of its ends, may meet the reach of any part."""
        first, last = ends
        before = bisect_right(self.starts, last)
        return (before > 0 and first <= self.stops[before - 1]) or (self.endless is not None and last >= self.endless)


class Run:
    """Parts x -> x + f_k(<u, x>) in a row, along one u; tokens out of reach of all parts of a chunk pass it at once.

    Lemma: a <= b has floor(a) <= floor(b). So an interval that meets a reach [low, high] begins at most at the floor of
    high and ends at least at the floor of low, and a state none of whose tokens does is not moved by that part.
    """

    def __init__(self, parts: Sequence[tuple[Reach, Any]], heads: Heads, budget: Budget) -> None:
        self.u, self.heads, self.budget = parts[0][0].u, heads, budget
        ends = [end for reach, _ in parts for end in (reach.low, reach.high) if end is not None]
        self.shift = max([q.bit_length() for _, q in ends])
        self.bits = max([p.bit_length() for p, _ in ends]) + self.shift
        budget.divisions(len(ends), self.bits, self.shift)
        budget.hold(len(ends), self.bits)
        found = [
            (self.floor(*low), None if high is None else self.floor(*high), part) for (_, low, high), part in parts
        ]
        self.chunks = [Chunk(found[i : i + CHUNK]) for i in range(0, len(found), CHUNK)]

    def floor(self, s: int, below: int) -> int:
        """The integer part of (s/below) * 2^shift."""
        return (s << self.shift) // below

    def ends(self, state: Any) -> list[Ends]:
        """The floors of the ends of <u, x> for every token of a state."""
        size = state.bits + bits(self.u) + self.shift
        self.budget.spend(self.heads.count(state) * (40 + 4 * len(self.u) + 2 * division_cost(size, state.bits)))
        return [
            (self.floor(low, below), self.floor(high, below)) for low, high, below in self.heads.ends(state, self.u)
        ]

    def __call__(self, state: Any) -> Any:
        """The state after all parts."""
        ends = self.ends(state)
        self.budget.spend(len(self.chunks) * len(ends) * (24 + (self.bits >> 4)))
        for chunk in self.chunks:
            if any(map(chunk.touches, ends)):
                state, ends = self.through(chunk, state, ends)
        return state

    def through(self, chunk: Chunk, state: Any, ends: list[Ends]) -> tuple[Any, list[Ends]]:
        """The state after the parts of a chunk, those left out that reach no token."""
        self.budget.spend(len(chunk.parts) * len(ends) * (8 + (self.bits >> 6)))
        for low, high, part in chunk.parts:
            if any(low <= last and (high is None or first <= high) for first, last in ends):
                state = part(state)
                ends = self.ends(state)
        return state, ends


def in_runs(parts: list[Any], heads: Heads, budget: Budget) -> list[Any]:
    """The parts in order, those in a row that have a reach along one u as runs."""
    found: list[Any] = []
    reaching = [(reach_of(part, budget), part) for part in parts]
    for u, group in groupby(reaching, lambda pair: pair[0] and pair[0].u):
        row = list(group)
        run = [(reach, part) for reach, part in row if reach is not None]
        found += [part for _, part in row] if u is None or len(run) < FEWEST else [Run(run, heads, budget)]
    return found
