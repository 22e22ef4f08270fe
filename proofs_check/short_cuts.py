"""The short cuts, each with the lemma by which it gives what its definition gives; tests compare the two.

| short cut | definition |
| --- | --- |
| `brackets_outside_strings` | `STRING` and `NO_BRACKET` below, taken out |
| `read_ratios` | `numbers.ratio`, one by one |
| `counted`, `merged` | the same layers without them |
| `along` | `attention.maximisers`, from all scores |
| `PiecewiseLinear` | `feed_forward.SumOfUnits`, unit by unit |
"""

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .budget import Budget, division_cost
from .numbers import Ratios
from .points import Coordinates, Followers, Point, State, bits, lowest, origin, plus, sum_cost
from .verdict import Refusal, well_formed

# ---- reading ----

STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
NO_MARK = bytes(set(range(256)) - set(b'"[]{}'))
SQUARE = bytes.maketrans(b"{}", b"[]")
NUMBER = "0|-?+[1-9][0-9]*+(?:/(?:[2-9][0-9]*+|1[0-9]++))?+"
NUMBERS = re.compile(f"(?:{NUMBER})(?:,(?:{NUMBER}))*+")


def brackets_outside_strings(text: bytes) -> bytes:
    """The brackets of a JSON text that do not stand inside strings, all as square ones.

    Lemma: without backslashes every quote opens or closes a string, so a bracket stands inside one if and only if an
    odd number of quotes precedes it; taking out two neighbouring quotes changes no such parity.
    """
    if b"\\" in text:
        return STRING.sub(b"", text).translate(SQUARE, NO_BRACKET)
    return b"".join(text.translate(SQUARE, NO_MARK).replace(b'""', b"").split(b'"')[::2])


def read_ratios(texts: list[Any], budget: Budget) -> Ratios:
    """Numerators and denominators of canonical numbers, at least one, all matched at once.

    Lemma: a number has no comma. If the texts joined by commas are numbers joined by commas, and there are as many
    commas as joints, then every text is a number. JSON reads integers as Python does.
    """
    try:
        joined = ",".join(texts)
    except TypeError:
        raise Refusal("malformed", "a number must be a string in canonical form") from None
    if len(joined) > budget.limits.digits:
        budget.within(max(map(len, texts)), "digits")
    canonical = NUMBERS.fullmatch(joined) is not None and joined.count(",") == len(texts) - 1
    well_formed(canonical, "a number is not in canonical form")
    if "/" not in joined:
        return tuple(json.loads(f"[{joined}]")), (1,) * len(texts)
    pairs = json.loads(f"[{','.join([text if '/' in text else text + '/1' for text in texts])}]".replace("/", ","))
    above, below = tuple(pairs[::2]), tuple(pairs[1::2])
    well_formed(max(map(math.gcd, above, below)) == 1, "a fraction is not in lowest terms")
    return above, below


# ---- attention ----


def counted(tokens: Iterable[Point], times: Iterable[int]) -> dict[Point, int]:
    """How often every point stands among tokens that stand there so many times.

    Lemma: the image of a token depends on the token and on how often every point occurs, not on the order, and equal
    tokens have equal images; the claim is about the set of outputs. So equal tokens may be kept as one.
    """
    found: dict[Point, int] = {}
    for x, more in zip(tokens, times):
        found[x] = found.get(x, 0) + more
    return found


def merged(state: State) -> State:
    """The same tokens, equal ones kept as one."""
    tokens = list(zip(*state.coordinates))
    if len(set(tokens)) == len(tokens):
        return state
    found = counted(tokens, state.times)
    return State(list(zip(*found)), state.common, tuple(found.values()), state.bits)


def linear_form(u: Sequence[int], coordinates: Coordinates) -> list[int]:
    """<u, x> for every token x."""
    return list(map(sum, zip(*[[c * n for n in x] for c, x in zip(u, coordinates)])))


def along(left: Sequence[int], right: Sequence[int], coordinates: Coordinates) -> Followers:
    """C_i for the scores <left, x_j> * <right, x_i>.

    Lemma: the maximisers of c * t_j over j are those of t_j for c > 0, those of -t_j for c < 0, and all j for c = 0.
    """
    tails, heads = linear_form(left, coordinates), linear_form(right, coordinates)
    highest, smallest = max(tails), min(tails)
    everything = tuple(range(len(tails)))
    above = tuple([j for j, tail in enumerate(tails) if tail == highest])
    below = tuple([j for j, tail in enumerate(tails) if tail == smallest])
    return Followers([everything, above, below], [(head > 0) + 2 * (head < 0) for head in heads])


# ---- feed-forward ----


class ParallelUnit(NamedTuple):
    """s -> relu((t/r)*s + p/q) * column: a unit whose row of U is t/r times a direction u, at s = <u, x>."""

    t: int
    r: int
    p: int
    q: int
    column: Point


class Breakpoint(NamedTuple):
    """At s = p/q the slope of a sum of units grows by (t/r) * column, t > 0."""

    p: int
    q: int
    t: int
    r: int
    column: Point


class Piece(NamedTuple):
    """s -> value + slope * (s - p/q); slope is None where it is 0."""

    p: int
    q: int
    value: Point
    slope: Point | None


class PiecewiseLinear:
    """The sum of parallel units as a function of s, tabulated at its breakpoints.

    Lemma: the sum is linear between neighbouring breakpoints -(p/q)/(t/r), t != 0. Towards minus infinity a unit is
    active if t < 0, or t = 0 and p > 0. At its breakpoint the slope grows by |t/r| * column: a unit with t > 0 becomes
    active there, one with t < 0 ceases to be.
    """

    def __init__(self, units: Sequence[ParallelUnit], dim: int, budget: Budget) -> None:
        self.dim, self.budget, self.bits = dim, budget, 0
        budget.spend(4 * len(units) * sum_cost(dim, 0))
        turns = breakpoints(units)
        self.shift = 2 * max([turn.q.bit_length() for turn in turns], default=0)
        longest = max([turn.p.bit_length() for turn in turns], default=0) + self.shift
        budget.divisions(2 * len(turns), longest, self.shift)
        budget.hold(len(turns), longest)
        floors = [self.floor(turn.p, turn.q) for turn in turns]
        order = sorted(range(len(turns)), key=floors.__getitem__)
        self.floors = [floors[i] for i in order]
        self.pieces = self.table([turns[i] for i in order], *self.leftmost(units))

    def floor(self, s: int, below: int) -> int:
        """The integer part of (s/below) * 2^shift.

        Lemma: two different breakpoints have denominators below 2^(shift/2), so they differ by more than 2^-shift, and
        their floors are different. Hence only breakpoints equal to one another share the floor of s.
        """
        return (s << self.shift) // below

    def leftmost(self, units: Sequence[ParallelUnit]) -> tuple[Point, Point]:
        """(slope, value): the sum is slope*s + value towards minus infinity."""
        slope = value = origin(self.dim)
        for t, r, p, q, column in units:
            if t < 0 or (t == 0 and p > 0):
                slope, value = plus(column, slope, t, r), plus(column, value, p, q)
                self.charge(slope, value)
        return slope, value

    def table(self, turns: Sequence[Breakpoint], slope: Point, value: Point) -> list[Piece]:
        """The piece that ends at each breakpoint, and the one that begins at the last."""
        pieces, p, q = list[Piece](), 0, 1
        for turn in turns:
            steep = any(slope[:-1])
            if steep:
                value = plus(slope, value, turn.p * q - p * turn.q, q * turn.q)
            p, q = turn.p, turn.q
            pieces.append(Piece(p, q, value, slope if steep else None))
            slope = plus(turn.column, slope, turn.t, turn.r)
            self.charge(slope, value)
        return [*pieces, Piece(p, q, value, slope if any(slope[:-1]) else None)]

    def charge(self, slope: Point, value: Point) -> None:
        """Charges two sums of long points, and their place in the table."""
        size = bits(slope + value)
        if size > self.bits:
            self.bits = size
        if size > 64:
            self.budget.within(size, "bits")
            self.budget.spend(2 * sum_cost(self.dim, size))
            self.budget.hold(2 * self.dim + 2, size)

    def at(self, heads: Sequence[int], below: int) -> dict[int, Point]:
        """The value at s/below for every s of a list."""
        size = max(below, max(heads), -min(heads)).bit_length()
        self.budget.spend(len(heads) * (division_cost(size + self.shift, size) + sum_cost(self.dim, self.bits + size)))
        shift, floors, pieces, found = self.shift, self.floors, self.pieces, dict[int, Point]()
        for s in set(heads):
            floor = (s << shift) // below
            i = bisect_left(floors, floor)
            p, q, value, slope = pieces[i]
            if s * q > p * below:  # this breakpoint lies before s and has the same floor, or is the last
                p, q, value, slope = pieces[bisect_right(floors, floor, i)]
            found[s] = plus(slope, value, s * q - p * below, q * below) if slope else value
        return found


def breakpoints(units: Sequence[ParallelUnit]) -> list[Breakpoint]:
    """The breakpoints of the units with t != 0, in their order."""
    found = []
    for t, r, p, q, column in units:
        if t:
            above, below = lowest(((-p if t > 0 else p) * r, q * abs(t)))
            found.append(Breakpoint(above, below, abs(t), r, column))
    return found
