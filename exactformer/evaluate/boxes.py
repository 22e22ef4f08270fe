"""Boxes around the tokens of a sequence, and feed-forward layers on them.

A state is the distinct input tokens of one sequence with their counts, each inside a box with rational ends. Equal
tokens of a sequence stay equal for ever, so ties among them need no decision (the same holds for tokens that become
the same point). A box of width 0 is a point, exactly; a
feed-forward layer whose slope along a box vanishes turns the box into a point again, wherever in it the token is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import NamedTuple

from flint import fmpq

from exactformer.arithmetic.interval import (
    ONE,
    ZERO,
    Box,
    Interval,
    form,
    fraction,
    is_point,
    outward,
    plus,
    point,
    rational,
    scaled,
)
from exactformer.arithmetic.state import PointsLike, State
from exactformer.arithmetic.text import Exact
from exactformer.errors import NotExact
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Matrix, Outer

FlintRow = tuple[fmpq, ...]


@dataclass(frozen=True)
class Boxes:
    """The distinct tokens of one sequence as boxes, and how often each of them stands there."""

    boxes: tuple[Box, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, tokens: PointsLike, radius: Fraction | int = 0) -> Boxes:
        """The boxes of the given radius around the tokens of a sequence, equal tokens as one (they move as one)."""
        counted = Counter(State.of(tokens).rows())
        r = rational(radius)
        boxes = [tuple((weight(v) - r, weight(v) + r) for v in x) for x in counted]
        return cls(tuple(boxes), tuple(counted.values()))

    def merged(self) -> Boxes:
        """The same state, tokens that are the same point as one, in the order in which they stand there first."""
        found: dict[Box | int, int] = {}
        for i, (box, count) in enumerate(zip(self.boxes, self.counts, strict=True)):
            key = box if all(map(is_point, box)) else i
            found[key] = found.get(key, 0) + count
        if len(found) == len(self.boxes):
            return self
        boxes = tuple(self.boxes[key] if isinstance(key, int) else key for key in found)
        return Boxes(boxes, tuple(found.values()))

    @property
    def are_points(self) -> bool:
        """Whether every box is a single point, so that the state is known exactly."""
        return all(is_point(v) for x in self.boxes for v in x)

    def points(self) -> set[tuple[Fraction, ...]]:
        """The set of tokens; NotExact unless every box is a point."""
        if not self.are_points:
            raise NotExact("the enclosure is no point: raise the bits, or ask for a narrower range of temperatures")
        return {tuple(fraction(low) for low, _ in x) for x in self.boxes}

    def rows(self) -> list[list[tuple[Fraction, Fraction]]]:
        """The boxes as pairs of rational ends."""
        return [[(fraction(low), fraction(high)) for low, high in x] for x in self.boxes]


class BoxFeedForward:
    """x -> eta*x + W relu(U x + b) on boxes: affine where every unit has one sign, never too narrow elsewhere."""

    def __init__(self, layer: FeedForward, dim: int) -> None:
        self.eta, self.dim = weight(layer.eta), dim
        self.directions, slopes = _directions(layer.U, layer.width, dim)
        offsets = [weight(b) for b in layer.b]
        columns = list(zip(*matrix_rows(layer.W, dim, layer.width), strict=True))
        self.along: list[list[BoxUnit]] = [[] for _ in self.directions]
        for (direction, slope), offset, column in zip(slopes, offsets, columns, strict=True):
            self.along[direction].append(BoxUnit(slope, offset, column))
        self.sides = [[SideOfUnits.of(units, sign, dim) for sign in (1, -1)] for units in self.along]
        flat = [u for units in self.along for u in units if u.slope == 0 and u.offset >= 0]
        self.flat = _sum([scaled_row(unit.offset, unit.column) for unit in flat], dim) if flat else None

    def apply(self, state: Boxes, bits: int) -> Boxes:
        """The images of all boxes, rounded outward to 2^-bits; a box that is shared is computed once."""
        images = {id(x): x for x in state.boxes}
        images = {key: self.image(x, bits) for key, x in images.items()}
        return Boxes(tuple(images[id(x)] for x in state.boxes), state.counts)

    def image(self, box: Box, bits: int) -> Box:
        """A box that contains the image of every point of the given one.

        The active units and eta*x are summed to one affine map first: evaluated apart they would not cancel.
        """
        rows = [[self.eta if i == j else ZERO for j in range(self.dim)] for i in range(self.dim)]
        constant, idle = self.flat or [ZERO] * self.dim, self.flat is None
        undecided: list[tuple[FlintRow, fmpq]] = []
        for u, sides in zip(self.directions, self.sides, strict=True):
            head = form(u, box)
            for side in sides:
                active, last = side.located(head)
                undecided += side.reaching(active, last, head)
                if active:
                    idle, sums = False, side.sums[active]
                    constant = [c + w for c, w in zip(constant, sums.constant, strict=True)]
                    rows = [
                        [a + s * c for a, c in zip(row, u, strict=True)]
                        for row, s in zip(rows, sums.steep, strict=True)
                    ]
        if idle and not undecided and self.eta == 1:
            return box
        values = [plus(form(row, box), point(c)) for row, c in zip(rows, constant, strict=True)]
        for column, high in undecided:
            values = [plus(v, scaled(w, (ZERO, high))) for v, w in zip(values, column, strict=True)]
        return tuple(outward(v, bits) for v in values)


class BoxUnit(NamedTuple):
    """s -> relu(slope*s + offset) * column, s = <u, x>."""

    slope: fmpq
    offset: fmpq
    column: FlintRow


class UnitSum(NamedTuple):
    """s -> steep*s + constant."""

    steep: FlintRow
    constant: FlintRow


@dataclass(frozen=True)
class SideOfUnits:
    """The units along u whose slope has one sign, in the order in which they become active as t = sign*<u, x> grows.

    Unit k is active for t >= thresholds[k], increasing; sums[k] is the sum of the first k units, all active.
    """

    sign: int
    thresholds: list[fmpq]
    units: list[BoxUnit]
    sums: list[UnitSum]

    @classmethod
    def of(cls, units: Sequence[BoxUnit], sign: int, dim: int) -> SideOfUnits:
        """The side of those units whose slope has this sign."""
        turns = [(-unit.offset / (sign * unit.slope), unit) for unit in units if sign * unit.slope > 0]
        turns.sort(key=itemgetter(0))
        nothing = (ZERO,) * dim
        sums = [UnitSum(nothing, nothing)]
        for _, (slope, offset, column) in turns:
            pairs = zip(zip(*sums[-1], strict=True), column, strict=True)
            sums.append(UnitSum(*zip(*[(a + slope * w, c + offset * w) for (a, c), w in pairs], strict=True)))
        return cls(sign, [t for t, _ in turns], [unit for _, unit in turns], sums)

    def located(self, head: Interval) -> tuple[int, int]:
        """(k, m): of <u, x> in the interval the first k units are active, and those from k to m of undecided sign."""
        low, high = head if self.sign > 0 else (-head[1], -head[0])
        active = bisect_right(self.thresholds, low)
        return active, max(active, bisect_left(self.thresholds, high))

    def reaching(self, first: int, last: int, head: Interval) -> list[tuple[FlintRow, fmpq]]:
        """Column and largest value of some units on the interval."""
        most = head[1] if self.sign > 0 else head[0]
        return [(column, slope * most + offset) for slope, offset, column in self.units[first:last]]


def scaled_row(c: fmpq, row: FlintRow) -> FlintRow:
    """c times the row."""
    return tuple(c * v for v in row)


def _sum(rows: Sequence[FlintRow], dim: int) -> list[fmpq]:
    return [sum((row[i] for row in rows), ZERO) for i in range(dim)]


def weight(number: Exact) -> fmpq:
    """A rational weight in the form intervals compute with; NotExact for an algebraic number."""
    if not isinstance(number, Fraction):
        raise NotExact(f"expected rational numbers, got the algebraic number {number}: boxes have rational ends")
    return rational(number)


def matrix_rows(m: Matrix, rows: int, columns: int) -> tuple[FlintRow, ...]:
    """All entries of a rational matrix."""
    return tuple(tuple(weight(v) for v in row) for row in m.dense(rows, columns))


def _directions(U: Matrix, width: int, dim: int) -> tuple[tuple[FlintRow, ...], list[tuple[int, fmpq]]]:
    """(directions, for every unit the index of its direction and its slope along it): parallel rows share a form."""
    if isinstance(U, Outer):
        return (tuple(weight(v) for v in U.row),), [(0, weight(c)) for c in U.column]
    return matrix_rows(U, width, dim), [(k, ONE) for k in range(width)]
