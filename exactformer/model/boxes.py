"""Boxes around the tokens of a sequence, and feed-forward layers on them.

A state is the distinct input tokens of one sequence with their counts, each inside a box with rational ends. Equal
tokens of a sequence stay equal for ever, so ties among them need no decision (the same holds for tokens that become
the same point). A box of width 0 is a point, exactly; a
feed-forward layer whose slope along a box vanishes turns the box into a point again, wherever in it the token is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

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
        self.directions, self.slopes = _directions(layer.U, layer.width, dim)
        self.offsets = [weight(b) for b in layer.b]
        self.columns = list(zip(*matrix_rows(layer.W, dim, layer.width), strict=True))

    def apply(self, state: Boxes, bits: int) -> Boxes:
        """The images of all boxes, rounded outward to 2^-bits; equal boxes are computed once."""
        images = {x: self.image(x, bits) for x in set(state.boxes)}
        return Boxes(tuple(images[x] for x in state.boxes), state.counts)

    def image(self, box: Box, bits: int) -> Box:
        """A box that contains the image of every point of the given one.

        The active units and eta*x are summed to one affine map first: evaluated apart they would not cancel.
        """
        active, undecided = self._signs(box)
        if self.eta == 1 and not active and not undecided:
            return box
        rows, constant = self._affine(active)
        values = [plus(form(row, box), point(c)) for row, c in zip(rows, constant, strict=True)]
        for k, high in undecided:
            values = [plus(v, scaled(w, (ZERO, high))) for v, w in zip(values, self.columns[k], strict=True)]
        return tuple(outward(v, bits) for v in values)

    def _signs(self, box: Box) -> tuple[list[int], list[tuple[int, fmpq]]]:
        """(the units that are >= 0 on the whole box, those of undecided sign with their largest value)."""
        heads: list[Interval] = [form(u, box) for u in self.directions]
        active, undecided = [], []
        for k, (direction, slope) in enumerate(self.slopes):
            low, high = scaled(slope, heads[direction])
            if low + self.offsets[k] >= 0:
                active.append(k)
            elif high + self.offsets[k] > 0:
                undecided.append((k, high + self.offsets[k]))
        return active, undecided

    def _affine(self, active: list[int]) -> tuple[list[list[fmpq]], list[fmpq]]:
        """(A, c) with eta*x + sum of the active units = A x + c."""
        rows = [[self.eta if i == j else ZERO for j in range(self.dim)] for i in range(self.dim)]
        constant = [ZERO] * self.dim
        steep = [[ZERO] * self.dim for _ in self.directions]
        for k in active:
            direction, slope = self.slopes[k]
            for i, w in enumerate(self.columns[k]):
                steep[direction][i] += w * slope
                constant[i] += w * self.offsets[k]
        for u, slopes in zip(self.directions, steep, strict=True):
            rows = [[a + s * c for a, c in zip(row, u, strict=True)] for row, s in zip(rows, slopes, strict=True)]
        return rows, constant


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
