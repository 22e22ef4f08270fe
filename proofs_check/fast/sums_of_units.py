"""The short cuts of feed-forward parts, each with its lemma (see `short_cuts`); tests compare them with definitions.

| short cut | definition |
| --- | --- |
| `PiecewiseLinear` | `feed_forward.SumOfUnits`, unit by unit |
| `FewUnits` | `feed_forward.FeedForward.by_points`, point by point |
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import add, mul
from typing import NamedTuple

from ..core.budget import Budget, division_cost, product_cost
from ..core.certificate import Along
from ..core.feed_forward import FeedForward, FunctionOfHeads, Groups, ParallelUnit, SumOfUnits
from ..core.numbers import Ratio, common_denominator
from ..core.points import (
    Coordinates,
    Point,
    State,
    bits,
    linear_form,
    lowest,
    origin,
    plus,
    settled,
    state_of,
    sum_cost,
)
from .short_cuts import counted, merged

#: (p, q, t, r, column): at s = p/q the slope of a sum of units grows by (t/r) * column, t > 0
Breakpoint = tuple[int, int, int, int, Point]
#: (p, q, value, slope): s -> value + slope * (s - p/q); slope is None where it is 0
Piece = tuple[int, int, Point, Point | None]


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
        self.shift = 2 * max([q.bit_length() for _, q, *_ in turns], default=0)
        longest = max([p.bit_length() for p, *_ in turns], default=0) + self.shift
        budget.divisions(2 * len(turns), longest, self.shift)
        budget.hold(len(turns), longest)
        floors = [(p << self.shift) // q for p, q, *_ in turns]
        order = sorted(range(len(turns)), key=floors.__getitem__)
        self.floors = [floors[i] for i in order]
        self.pieces = self.table([turns[i] for i in order], *self.leftmost(units))

    def leftmost(self, units: Sequence[ParallelUnit]) -> tuple[Point, Point]:
        """(slope, value): the sum is slope*s + value towards minus infinity."""
        slope = value = origin(self.dim)
        for t, r, p, q, column in units:
            if t < 0 or (t == 0 and p > 0):
                slope, value = plus(column, slope, t, r), plus(column, value, p, q)
                self.charge(slope, value)
        return slope, value

    def table(self, turns: Sequence[Breakpoint], slope: Point, value: Point) -> list[Piece]:
        """The piece that ends at each breakpoint, and the one that begins at the last.

        Lemma: a point whose integers were below the longest so far is as short as it was, so that only new ones are
        looked at; from 2^64 on every long point is charged at every breakpoint.
        """
        pieces, p, q = list[Piece](), 0, 1
        steep, top = any(slope[:-1]), 1 << min(self.bits, 64)
        long_slope, long_value = is_long(slope, top), is_long(value, top)
        for above, below, t, r, column in turns:
            if steep:
                value = plus(slope, value, above * q - p * below, q * below)
                long_value = max(value) >= top or min(value) <= -top
            p, q = above, below
            pieces.append((p, q, value, slope if steep else None))
            slope = turned(slope, steep, column, t, r)
            steep = any(slope[:-1])
            long_slope = steep and is_long(slope, top)
            if long_slope or long_value:
                self.charge(slope, value)
                top = 1 << min(self.bits, 64)
                long_slope, long_value = is_long(slope, top), is_long(value, top)
        return [*pieces, (p, q, value, slope if steep else None)]

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
        """The value at s/below for every s of a list; of those on one flat piece one is looked up."""
        size = max(below, max(heads), -min(heads)).bit_length()
        self.budget.spend(len(heads) * (division_cost(size + self.shift, size) + sum_cost(self.dim, self.bits + size)))
        order, done, last = sorted(self.budget.distinct(heads)), 0, len(self.floors)
        found = dict[int, Point]()
        while done < len(order):
            s = order[done]
            i = self.piece(s, below)
            p, q, value, slope = self.pieces[i]
            if slope:
                found[s] = plus(slope, value, s * q - p * below, q * below)
                done += 1
            else:  # the same value up to the end of the piece
                until = len(order) if i == last else bisect_right(order, p * below // q, done)
                found |= dict.fromkeys(order[done:until], value)
                done = until
        return found

    def piece(self, s: int, below: int) -> int:
        """The number of the first piece that does not end before s/below.

        Lemma: with floor(x) the integer part of x * 2^shift, two different breakpoints have denominators below
        2^(shift/2), so they differ by more than 2^-shift, and their floors are different. Hence only breakpoints equal
        to one another share the floor of s/below.
        """
        floor = (s << self.shift) // below
        i = bisect_left(self.floors, floor)
        p, q, _, _ = self.pieces[i]
        if s * q > p * below:  # this breakpoint lies before s and has the same floor, or is the last
            return bisect_right(self.floors, floor, i)
        return i


def is_long(point: Point, top: int) -> bool:
    """Whether an integer of the point is not below a limit."""
    return max(point) >= top or min(point) <= -top


def turned(slope: Point, steep: bool, column: Point, t: int, r: int) -> Point:
    """(t/r)*column + slope, where the slope is 0 unless it is steep.

    Lemma: points in lowest terms are the sum's if one is 0, and two with one denominator cancel if their integers do.
    """
    if t == r == 1:
        if not steep:
            return column
        if column[-1] == slope[-1] and not any(map(add, column[:-1], slope)):
            return origin(len(column) - 1)
    return plus(column, slope, t, r)


def breakpoints(units: Sequence[ParallelUnit]) -> list[Breakpoint]:
    """The breakpoints of the units with t != 0, in their order."""
    found = []
    for t, r, p, q, column in units:
        if t:
            above, below = (-p if t > 0 else p) * r, q * abs(t)
            factor = math.gcd(above, below)
            found.append((above // factor, below // factor, abs(t), r, column))
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

    def __init__(self, eta: Ratio, groups: Groups, budget: Budget) -> None:
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
        """Operations of one time: a product is an operation of Python, some 100 nanoseconds, and one on its words."""
        return 40 + len(state.times) * self.terms * (3 + product_cost(state.bits + self.bits, self.bits))

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
        return merged(settled(images, self.below * common, times, self.budget, size), self.budget)

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


FEW = 2  # parallel units for which a table would cost more than it saves
NARROW = 4  # units of a part that are summed one by one for all tokens together


class QuickFeedForward(FeedForward):
    """The same part by these short cuts; equal tokens are kept as one."""

    few: FewUnits | None

    def sums(self, groups: Groups) -> list[tuple[tuple[int, ...], FunctionOfHeads]]:
        """The directions, each with the sum of its units, tabulated where there are several."""
        width = sum(map(len, groups.values()))
        self.along: Along = next(iter(groups.items())) if self.eta == (1, 1) and len(groups) == 1 else None
        self.few = FewUnits(self.eta, groups, self.budget) if width <= NARROW else None
        return [
            (u, (SumOfUnits if len(units) <= FEW else PiecewiseLinear)(units, self.dim, self.budget))
            for u, units in groups.items()
        ]

    def __call__(self, state: State) -> State:
        """The state after this part, or after that of so many equal blocks in a row; equal tokens kept as one."""
        return super().__call__(state) if self.few is None else self.few(state, self.times)

    def reads_one_number(self) -> bool:
        """Whether the image of a token depends on its number <u, x> alone, by a table or by definition."""
        return self.few is None and self.times == 1 and len(self.parts) == 1 and not self.eta[0]

    def state(self, images: list[Point], times: Sequence[int]) -> State:
        """The images over one denominator, equal ones kept as one."""
        self.budget.distinct(images)
        found = counted(images, times)
        return state_of(found, tuple(found.values()), self.budget)
