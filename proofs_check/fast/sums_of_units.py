"""The short cuts of feed-forward parts, each with its lemma (see `short_cuts`); tests compare them with definitions.

| short cut | definition |
| --- | --- |
| `PiecewiseLinear` | `feed_forward.SumOfUnits`, unit by unit |
| `few_units.FewUnits` | `feed_forward.FeedForward.by_points`, point by point |
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain, repeat

from ..core.budget import Budget, division_cost
from ..core.certificate import Along
from ..core.feed_forward import FeedForward, FunctionOfHeads, Groups, ParallelUnit, SumOfUnits
from ..core.points import Point, State, bits, origin, plus, state_of, sum_cost
from .few_units import FewUnits
from .short_cuts import counted

#: (p, q, t, r, column): at s = p/q the slope of a sum of units grows by (t/r) * column, t > 0
Breakpoint = tuple[int, int, int, int, Point]
#: (p, q, value, slope): s -> value + slope * (s - p/q); slope is None where it is 0
Piece = tuple[int, int, Point, Point | None]

TOGETHER, LONG = 256, 1 << 512  # points that are charged together, and denominators that are charged at once


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
                self.charge([slope, value])
        return slope, value

    def table(self, turns: Sequence[Breakpoint], slope: Point, value: Point) -> list[Piece]:
        """The piece that ends at each breakpoint, and the one that begins at the last.

        What has been reached is charged together: over short denominators sums do not become much longer.
        """
        pieces, p, q, reached = list[Piece](), 0, 1, list[Point]()
        flat, steep = origin(self.dim), any(slope[:-1])
        for above, below, t, r, column in turns:
            if steep:
                value = moved(value, slope, above * q - p * below, q * below)
            p, q = above, below
            pieces.append((p, q, value, slope if steep else None))
            if t != 1 or r != 1:
                slope = plus(column, slope, t, r)
            elif steep:
                slope = turned(slope, column)
            else:
                slope = column
            steep = slope != flat
            reached += (slope, value)
            if len(reached) == TOGETHER or slope[-1] >= LONG or value[-1] >= LONG:
                self.charge(reached)
                reached.clear()
        if reached:
            self.charge(reached)
        return [*pieces, (p, q, value, slope if steep else None)]

    def charge(self, reached: Sequence[Point]) -> None:
        """Charges, of slopes and values in turn, two sums of long points, and their place in the table."""
        size = bits(list(chain.from_iterable(reached)))
        self.bits = max(self.bits, size)
        if size <= 64:
            return
        for slope, value in zip(reached[::2], reached[1::2]):
            size = bits(slope + value)
            if size > 64:
                self.budget.within(size, "bits")
                self.budget.spend(2 * sum_cost(self.dim, size))
                self.budget.hold(2 * self.dim + 2, size)

    def at(self, heads: Sequence[int], below: int) -> dict[int, Point]:
        """The value at s/below for every s of a list."""
        self.charge_heads(len(heads), max(heads), min(heads), below)
        order = sorted(self.budget.distinct(heads))
        values, counts = self.values(order, range(len(order) + 1), below)
        return dict(zip(order, chain.from_iterable(map(repeat, values, counts))))

    def counted(self, heads: Sequence[int], times: Sequence[int], below: int) -> tuple[list[Point], list[int]]:
        """The values at s/below where s stands so many times, and how often each is taken."""
        order, before = in_order(heads, times)
        self.charge_heads(len(order), order[-1], order[0], below)
        return self.values(order, before, below)

    def charge_heads(self, count: int, largest: int, least: int, below: int) -> None:
        """Charges a value for so many s in a range."""
        size = max(below, largest, -least).bit_length()
        self.budget.spend(count * (division_cost(size + self.shift, size) + sum_cost(self.dim, self.bits + size)))

    def values(self, order: Sequence[int], before: Sequence[int], below: int) -> tuple[list[Point], list[int]]:
        """The values at s/below for every s of an increasing list, one for all on a flat piece, and their numbers of
        tokens, if so many stand before each s.

        Lemma: the sum is continuous, so any piece that contains s/below gives its value. What follows the end of a
        piece is on the next one, unless that ends before it.
        """
        found, counts, done, last = list[Point](), list[int](), 0, len(self.floors)
        i = self.piece(order[0], below)
        while done < len(order):
            s = order[done]
            p, q, value, slope = self.pieces[i]
            beyond = s * q - p * below
            if beyond > 0 and i < last:
                i = self.piece(s, below)
                p, q, value, slope = self.pieces[i]
                beyond = s * q - p * below
            until = done + 1
            if not slope:  # the same value up to the end of the piece
                until = len(order) if i == last else bisect_right(order, p * below // q, done)
            elif beyond:
                value = plus(slope, value, beyond, q * below)
            if i < last and (beyond == 0 or not slope):
                i += 1
            found.append(value)
            counts.append(before[until] - before[done])
            done = until
        return found, counts

    def piece(self, s: int, below: int) -> int:
        """The number of the first piece that does not end before s/below, of the last one if there is none.

        Lemma: with floor(x) the integer part of x * 2^shift, two different breakpoints have denominators below
        2^(shift/2), so they differ by more than 2^-shift, and their floors are different. Hence only breakpoints equal
        to one another share the floor of s/below.
        """
        floor = (s << self.shift) // below
        i = bisect_left(self.floors, floor)
        p, q, *_ = self.pieces[i]
        return bisect_right(self.floors, floor, i) if s * q > p * below else i


def in_order(heads: Sequence[int], times: Sequence[int]) -> tuple[list[int], Sequence[int]]:
    """The numbers in increasing order, and before each of them and at the end how many tokens have those before."""
    if sum(times) == len(times):
        return sorted(heads), range(len(heads) + 1)
    pairs = sorted(zip(heads, times))
    return [s for s, _ in pairs], list(accumulate([more for _, more in pairs], initial=0))


def moved(value: Point, slope: Point, p: int, q: int) -> Point:
    """value + (p/q)*slope.

    Lemma: with p/c = steps, c the denominator of the slope, and steps/q = m/k in lowest terms, (p/q)*slope is m/k times
    the numerators of the slope. If k divides all of these, and the value is whole, so is the sum.
    """
    steps, rest = divmod(p, slope[-1])
    if rest or value[-1] > 1:
        return plus(slope, value, p, q)
    factor = math.gcd(steps, q)
    m, k = steps // factor, q // factor
    if math.gcd(k, *slope[:-1]) != k:
        return plus(slope, value, p, q)
    total = [x + m * (n // k) for x, n in zip(value, slope)]
    total[-1] = 1
    return tuple(total)


def turned(slope: Point, column: Point) -> Point:
    """column + slope.

    Lemma: let the denominator c of the slope divide k, that of the column. If all of the sum over k is divisible by f,
    the column is a point over k/f minus one over c; so k divides (k/f)*c, and f divides c.
    """
    c, k = slope[-1], column[-1]
    second, rest = divmod(k, c)
    if rest:
        return plus(column, slope)
    total = [m + second * n for m, n in zip(column, slope)]
    total[-1] = k
    factor = math.gcd(c, *total)
    return tuple(total) if factor == 1 else tuple([n // factor for n in total])


def breakpoints(units: Sequence[ParallelUnit]) -> list[Breakpoint]:
    """The breakpoints of the units with t != 0, in their order."""
    found = []
    for t, r, p, q, column in units:
        if t == r == 1:
            found.append((-p, q, 1, 1, column))
        elif t:
            above, below = (-p if t > 0 else p) * r, q * abs(t)
            factor = math.gcd(above, below)
            found.append((above // factor, below // factor, abs(t), r, column))
    return found


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

    def table(self) -> tuple[tuple[int, ...], PiecewiseLinear] | None:
        """(u, f), if the image of every token x is f(<u, x>) for one tabulated f."""
        if self.few is not None or self.times != 1 or len(self.parts) != 1 or self.eta[0]:
            return None
        ((u, function),) = self.parts
        return (u, function) if isinstance(function, PiecewiseLinear) else None

    def state(self, images: list[Point], times: Sequence[int]) -> State:
        """The images over one denominator, equal ones kept as one."""
        self.budget.distinct(images)
        found = counted(images, times)
        return state_of(found, tuple(found.values()), self.budget)
