"""The short cuts of feed-forward parts, each with its lemma (see `short_cuts`); tests compare them with definitions.

| short cut | definition |
| --- | --- |
| `PiecewiseLinear` | `feed_forward.SumOfUnits`, unit by unit |
| `FewUnits` | `feed_forward.FeedForward.by_points`, point by point |
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from .budget import Budget, division_cost, product_cost
from .numbers import Ratio, common_denominator
from .points import Coordinates, Point, State, bits, lowest, origin, plus, settled, sum_cost
from .short_cuts import linear_form, merged


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


class IntegerUnit(NamedTuple):
    """s -> relu(t*s + p*c) * column in integers, s and c being those of a token with <u, x> = s/c."""

    t: int
    p: int
    column: tuple[int, ...]


class FewUnits:
    """x -> eta*x + a sum of units, for all tokens together: integers over the denominator of the state.

    Lemma: relu is homogeneous, so relu((t/r)*(s/c) + p/q) * column = relu(t*q*s + p*r*c) * column/(r*q*c). With e a
    common denominator of eta and of all column/(r*q) the image of x/c is e*eta*x + sum of relu(..) * e*column/(r*q),
    divided by e*c. Over one denominator equal tokens are equal integers.
    """

    def __init__(self, eta: Ratio, groups: dict[tuple[int, ...], list[ParallelUnit]], budget: Budget) -> None:
        units = {u: [integers_of(unit) for unit in parallel] for u, parallel in groups.items()}
        columns = [column for parallel in units.values() for *_, column in parallel]
        below = common_denominator([eta[1], *[column[-1] for column in columns]], budget)
        self.budget, self.below, self.eta = budget, below, eta[0] * (below // eta[1])
        self.parts = [
            (u, [IntegerUnit(t, p, tuple([n * (below // y[-1]) for n in y[:-1]])) for t, p, y in parallel])
            for u, parallel in units.items()
        ]
        dim = len(columns[0]) - 1
        self.terms = dim * (1 + len(units)) + (dim + 3) * len(columns)
        unit = max(sum(map(bits, (u, one[:2], one.column))) for u, parallel in self.parts for one in parallel)
        self.bits = bits([self.eta, below]) + unit

    def __call__(self, state: State, times: int) -> State:
        """The state after this part, so many times in a row; equal tokens kept as one."""
        while times:
            if self.below == 1 and len(state.times) == 1:
                state, times = self.steps(state, times)
            if times:
                state, times = self.step(state), times - 1
        return state

    def cost(self, state: State) -> int:
        """Operations of one time."""
        return 40 + 4 * len(state.times) * self.terms * product_cost(state.bits + self.bits, self.bits)

    def step(self, state: State) -> State:
        """The state after this part, once."""
        coordinates, common, times, size = state
        self.budget.spend(160 + self.cost(state))
        images: Coordinates = [[self.eta * n for n in x] for x in coordinates]
        for u, units in self.parts:
            heads = linear_form(u, coordinates)
            for t, p, column in units:
                shift = p * common
                active = [max(t * s + shift, 0) for s in heads]
                images = [[m + w * s for m, s in zip(x, active)] if w else x for x, w in zip(images, column)]
        return merged(settled(images, self.below * common, times, self.budget, size))

    def steps(self, state: State, times: int) -> tuple[State, int]:
        """One token, as many times as its integers do not become longer; how many times are left.

        Lemma: the denominator stays, and integers that are no longer than before are not brought to lowest terms.
        """
        cost, top, common = self.cost(state), 1 << state.bits, state.common
        token, left = [n for (n,) in state.coordinates], times
        while left:
            self.budget.spend(cost)
            image = [self.eta * n for n in token]
            for u, units in self.parts:
                head = sum(map(mul, u, token))
                for t, p, column in units:
                    active = t * head + p * common
                    if active > 0:
                        image = [m + w * active for m, w in zip(image, column)]
            if max(image) >= top or min(image) <= -top:
                break
            token, left = image, left - 1
        return state._replace(coordinates=[[n] for n in token]), left


def integers_of(unit: ParallelUnit) -> tuple[int, int, Point]:
    """(t, p, column) for which the unit is relu(t*s + p) * column, t and p coprime integers."""
    t, r, p, q, (*column, below) = unit
    factor = math.gcd(t * q, p * r) or 1
    return t * q // factor, p * r // factor, lowest((*[factor * n for n in column], r * q * below))
