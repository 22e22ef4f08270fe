"""The feed-forward part of a block on boxes (FORMAT.md, section 2.1)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ..core.budget import Budget, division_cost
from ..core.certificate import Along, Certificate
from ..core.feed_forward import ParallelUnit, parallel_units
from ..core.lines import entries, exact_keys
from ..core.matrices import columns_of, read_matrix
from ..core.numbers import ratio
from ..core.points import Point, bits, origin, over_one_denominator, plus, sum_cost
from ..core.verdict import Json
from .boxes import Box, Boxes, form, rounded, settled

MOST_MAPS = 100  # affine maps that are kept
#: operations, apart from products, of an image, of a piece of a part, of a comparison with a turn, of an undecided unit
IMAGE, PIECE, COMPARISON, UNDECIDED = 800, 200, 20, 100


def turn(unit: ParallelUnit) -> Fraction:
    """The number s at which a unit relu((t/r)*s + p/q) * column with t != 0 begins or ends."""
    return Fraction(-unit.p * unit.r, unit.q * unit.t)


class Line(NamedTuple):
    """s -> slope*s + value."""

    slope: Point
    value: Point


def running_sums(units: Sequence[ParallelUnit | None], start: Line, budget: Budget) -> list[Line]:
    """The start, and the start with one unit after the other added, as if all of them were active."""
    sums = [start]
    for unit in units:
        slope, value = sums[-1]
        if unit is not None:
            t, r, p, q, column = unit
            budget.spend(2 * sum_cost(len(column), bits(slope) + bits(value) + bits([t, r, p, q, *column])))
            slope, value = plus(column, slope, t, r), plus(column, value, p, q)
            budget.within(max(bits(slope), bits(value)), "bits")
        sums.append(Line(slope, value))
    budget.hold(2 * len(sums) * len(start.slope), bits(sums[-1].slope) + bits(sums[-1].value))
    return sums


class Turns:
    """The units of one direction u by increasing turn; constant ones apart.

    On [l, h] a unit has one sign if its turn is <= l or >= h: those with a turn <= l have the sign of their slope,
    those with a turn >= h the other one, and only those between are undecided.
    """

    def __init__(self, u: tuple[int, ...], units: list[ParallelUnit], dim: int, budget: Budget) -> None:
        self.u = u
        self.units = sorted([unit for unit in units if unit.t != 0], key=turn)
        self.turns = [turn(unit).as_integer_ratio() for unit in self.units]
        constant = [unit for unit in units if unit.t == 0 and unit.p > 0]
        start = running_sums(constant, Line(origin(dim), origin(dim)), budget)[-1]
        falling = [unit if unit.t < 0 else None for unit in reversed(self.units)]
        self.after = running_sums(falling, Line(origin(dim), origin(dim)), budget)[::-1]
        self.before = running_sums([unit if unit.t > 0 else None for unit in self.units], start, budget)

    def pieces(self, box: Box) -> tuple[int, int, int, int]:
        """How many units have a turn <= l, how many one <= l or < h; l and h over the denominator of the box."""
        low, high = form(self.u, box)
        before = self.count(low, box.below, 0)
        return before, max(before, self.count(high, box.below, 1)), low, high

    def count(self, s: int, below: int, strict: int) -> int:
        """How many turns are <= s/below; if strict = 1, how many are < s/below."""
        first, last = 0, len(self.turns)
        while first < last:
            middle = (first + last) // 2
            p, q = self.turns[middle]
            if p * below + strict <= s * q:
                first = middle + 1
            else:
                last = middle
        return first

    def active(self, before: int, until: int) -> Line:
        """The sum of the units that are >= 0 on a whole piece."""
        left, right = self.before[before], self.after[until]
        return Line(plus(left.slope, right.slope), plus(left.value, right.value))


class Affine(NamedTuple):
    """x -> (A x + c) / below, in integers."""

    A: list[Point]
    c: list[int]
    below: int
    bits: int


class SoftFeedForward:
    """x -> eta*x + W relu(U x + b) on boxes; units with parallel rows of U are functions of one number <u, x>."""

    def __init__(self, FF: Json, precision: int | None, file: Certificate) -> None:
        exact_keys(FF, "eta", "U", "b", "W")
        self.budget, self.dim, self.precision = file.budget, file.dim, precision
        self.eta, biases = ratio(FF["eta"], file.budget), file.ratios(entries(FF["b"]))
        width = len(biases[0])
        U, W = read_matrix(FF["U"], width, file.dim, file), read_matrix(FF["W"], file.dim, width, file)
        groups = parallel_units(U, biases, columns_of(W, file), file.budget)
        self.along: Along = next(iter(groups.items())) if self.eta == (1, 1) and len(groups) == 1 else None
        units = [unit for group in groups.values() for unit in group]
        self.size = bits(self.eta) + max(map(bits, groups)) + max([bits([*unit[:4], *unit.column]) for unit in units])
        self.budget.divisions(len(units) * len(units).bit_length(), 4 * self.size)
        self.parts = [Turns(u, group, file.dim, file.budget) for u, group in groups.items()]
        self.searches = sum([PIECE + COMPARISON * len(part.units).bit_length() for part in self.parts])
        self.maps: dict[tuple[tuple[int, int], ...], Affine | None] = {}

    def __call__(self, state: Boxes) -> Boxes:
        """The state after this part; if no token moves, it is the same one."""
        count = len(state.boxes)
        self.charge(count * len(self.parts) * (self.dim + 8), state.bits, count * (IMAGE + self.searches))
        images = [self.image(box, state.bits) for box in state.boxes]
        if all(image is box for image, box in zip(images, state.boxes)):
            return state
        return settled(images, state.owners, state.counts, self.budget)

    def charge(self, terms: int, longest: int, more: int = 0) -> None:
        """Charges so many products and sums of numbers of the layer and numbers of so many bits, and more."""
        self.budget.spend(more + terms * division_cost(2 * self.size + longest + (self.precision or 0)))

    def image(self, box: Box, longest: int) -> Box:
        """A box that contains the image of every point of the box; the active units and eta*x are one affine map."""
        pieces = [part.pieces(box) for part in self.parts]
        key = tuple([piece[:2] for piece in pieces])
        if key not in self.maps:
            if len(self.maps) == MOST_MAPS:
                self.maps.clear()
            self.maps[key] = self.affine(key)
        affine = self.maps[key]
        undecided = [
            (unit, high if unit.t > 0 else low)
            for part, (before, until, low, high) in zip(self.parts, pieces)
            for unit in part.units[before:until]
        ]
        if affine is None and not undecided:
            return box
        A, c, below, size = affine or self.identity()
        self.charge(self.dim * (self.dim + 2), longest + size)
        ends = [form(row, box) for row in A]
        low = [end + shift * box.below for (end, _), shift in zip(ends, c)]
        high = [end + shift * box.below for (_, end), shift in zip(ends, c)]
        if undecided:
            return self.widened((*low, below * box.below), (*high, below * box.below), undecided, box.below)
        return rounded(low, high, below * box.below, self.precision)

    def widened(self, low: Point, high: Point, undecided: list[tuple[ParallelUnit, int]], below: int) -> Box:
        """The box with these ends and the column times [0, largest value] of every undecided unit added."""
        for unit, s in undecided:
            t, r, p, q, column = unit
            size = bits(low) + bits(high) + bits([s, below])
            self.charge(8 * self.dim + 16, size, UNDECIDED + 2 * sum_cost(self.dim, size))
            most = t * s * q + p * r * below, r * q * below
            low = plus((*[min(0, w) for w in column[:-1]], column[-1]), low, *most)
            high = plus((*[max(0, w) for w in column[:-1]], column[-1]), high, *most)
        (first, last), common = over_one_denominator([low, high], self.budget)
        return rounded(first, last, common, self.precision)

    def identity(self) -> Affine:
        """x -> x."""
        return Affine([tuple([int(i == j) for j in range(self.dim)]) for i in range(self.dim)], [0] * self.dim, 1, 1)

    def affine(self, pieces: tuple[tuple[int, int], ...]) -> Affine | None:
        """eta*x + the sum of the active units of a piece, summed before it is evaluated; None if that is x."""
        p, q = self.eta
        rows = [(*[p * (i == j) for j in range(self.dim)], q) for i in range(self.dim)]
        constant = origin(self.dim)
        for part, (before, until) in zip(self.parts, pieces):
            size = bits(constant) + sum([bits(x) for x in (*part.before[before], *part.after[until])])
            self.charge(8 * self.dim**2, size, (self.dim + 4) * sum_cost(self.dim, size))
            slope, value = part.active(before, until)
            constant = plus(value, constant)
            rows = [plus((*part.u, 1), row, s, slope[-1]) for row, s in zip(rows, slope)]
        (*A, c), below = over_one_denominator([*rows, constant], self.budget)
        if below == 1 and not any(c) and A == self.identity().A:
            return None
        return Affine(A, list(c), below, max(map(bits, [*A, c, (below,)])))
