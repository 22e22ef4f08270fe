"""Bit extraction: labels in long numbers, one for a group of sequences, read bit by bit (any d >= 4).

pool      every sequence becomes one number: the mean of u.x                            (pooled_means)
scale     neighbours at least 2 apart: the integer parts are keys
write     every group gets its number: for each member the gap of its key, then its label
read      a bit of a gap: the coordinate is lowered by it, until it is the distance to the member's key
compare   1 where the distance is in [0, 1], 0 where it is below -1 or above 2
label     a bit of the label, added where the comparison said 1
name      the number of the class becomes its point

Proof: mathematics/comparison#theorem-e.

After Vardi, Yehudai and Shamir (arXiv 2110.03187), in transformers Kajitsuka and Sato (arXiv 2409.17677): groups, long
numbers, reading and comparing are theirs; bits are read by thresholds of integers, and keys are stored as gaps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from exactformer.constructions.build_report import Step
from exactformer.constructions.coordinate_layers import units_on
from exactformer.constructions.curve import curve
from exactformer.constructions.pooled_means import pooled_means
from exactformer.constructions.problem import Problem
from exactformer.constructions.target_nodes import Nodes
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense
from exactformer.model.transformer import Block

#: coordinates that are needed: the distance to a key, the number being read, the comparison, the label
REGISTERS = 4

#: a unit relu(<u, x> + b) and what it adds to each coordinate: (u, b, w), both vectors by coordinate
Unit = tuple[dict[int, int], int, dict[int, int]]


def extraction_steps(problem: Problem, rng: np.random.Generator) -> list[Step]:
    """The blocks: pool, scale, write, then for every member of a group read, compare and label, then name."""
    means = pooled_means(problem, rng)
    order = sorted(range(len(means.values)), key=means.values.__getitem__)
    values = [means.values[j] for j in order]
    factor, shift = spacing(values)
    classes = _classes(problem)
    labels = [classes.index(problem.targets[j][0]) for j in order]
    memory = Memories.of([math.floor(factor * t + shift) for t in values], labels)
    registers = Registers.of(problem.line.axis, problem.line.u)
    return [
        *means.steps,
        Step("scale", Block(units_on(problem.line.e, 0, [factor], [shift], [1]), None)),
        Step("write", Block(registers.layer(registers.write(memory)), None)),
        *[Step(stage, Block(registers.layer(units), None)) for stage, units in registers.reading(memory)],
        Step("name", Block(_name(problem, classes, registers.label), None)),
    ]


def spacing(values: Sequence[Fraction]) -> tuple[Fraction, int]:
    """(s, k) with neighbours of s t + k at least 2 apart, all of them >= 0, for increasing t.

    >>> spacing([Fraction(1, 3), Fraction(1, 2), Fraction(2)])
    (Fraction(12, 1), -4)
    """
    least = min((b - a for a, b in pairwise(values)), default=Fraction(1))
    factor = Fraction(math.ceil(2 / least))
    return factor, math.ceil(-factor * values[0])


def _classes(problem: Problem) -> list[int]:
    """The targets in use, by number; the point 0, which costs nothing, first."""
    points = problem.target_points
    return sorted({target[0] for target in problem.targets}, key=lambda k: (any(points[k]), k))


def _name(problem: Problem, classes: list[int], axis: int) -> FeedForward:
    """Class k, as the coordinate of the axis, becomes its point: a curve through C nodes."""
    count = len(classes)
    numbers, ones = np.array(range(count), dtype=object), np.array([1] * count, dtype=object)
    nodes = Nodes(numbers, ones, np.array(classes, dtype=np.int64), problem.points, problem.point_scale)
    u = tuple(int(i == axis) for i in range(len(problem.line.u)))
    return curve(nodes, replace(problem.line, u=u))


@dataclass(frozen=True)
class Memories:
    """The first key of every group and its number: fields (`gap`, bits) and (`label`, bits), the first one on top."""

    first: list[int]
    numbers: list[int]
    fields: list[tuple[str, int]]

    @classmethod
    def of(cls, keys: Sequence[int], labels: Sequence[int]) -> Memories:
        """Groups of so many members that the numbers to be stored are fewest."""
        bits = max(1, max(labels).bit_length())
        widest = max((b - a for a, b in pairwise(keys)), default=1).bit_length()
        member = 9 * widest + 15 * bits + 15  # numbers of the blocks of one member; a group costs 8
        size = min(range(1, len(keys) + 1), key=lambda c: 8 * -(-len(keys) // c) + member * c)
        return cls.in_groups(keys, labels, size)

    @classmethod
    def in_groups(cls, keys: Sequence[int], labels: Sequence[int], size: int) -> Memories:
        """The numbers of groups of so many members; in the last one gaps and labels that are absent are 0.

        >>> memory = Memories.in_groups([0, 3, 10], [1, 0, 1], 3)
        >>> memory.fields, f"{memory.numbers[0]:b}"
        ([('label', 1), ('gap', 2), ('label', 1), ('gap', 3), ('label', 1)], '11101111')
        """
        bits, starts = max(1, max(labels).bit_length()), range(0, len(keys), size)
        gaps = [[b - a for a, b in pairwise(keys[i : i + size])] for i in starts]
        widths = [max(g[k] for g in gaps if k < len(g)).bit_length() for k in range(len(gaps[0]))]
        numbers = []
        for start, own in zip(starts, gaps, strict=True):
            number = labels[start]
            for k, width in enumerate(widths):
                gap, label = (own[k], labels[start + k + 1]) if k < len(own) else (0, 0)
                number = (((number << width) + gap) << bits) + label
            numbers.append(number)
        fields = [("label", bits), *(field for width in widths for field in (("gap", width), ("label", bits)))]
        return cls([keys[i] for i in starts], numbers, fields)


@dataclass(frozen=True)
class Registers:
    """Which coordinate holds the distance to a key, the number being read, the comparison, and the label."""

    distance: int
    number: int
    same: int
    label: int
    dim: int

    @classmethod
    def of(cls, axis: int, u: Sequence[int]) -> Registers:
        """The distance on the axis of the line, the others on the first coordinates that are left."""
        number, same, label, *_ = (i for i in range(len(u)) if i != axis)
        return cls(axis, number, same, label, len(u))

    def layer(self, units: Sequence[Unit]) -> FeedForward:
        """x -> x + sum of w relu(<u, x> + b)."""
        rows = [[u.get(i, 0) for i in range(self.dim)] for u, _, _ in units]
        columns = [[w.get(i, 0) for _, _, w in units] for i in range(self.dim)]
        return FeedForward(1, Dense(rows), [b for _, b, _ in units], Dense(columns))

    def write(self, memory: Memories) -> list[Unit]:
        """The distance to the first key of the group, and its number: a step, unit wide, before every group's key."""
        units: list[Unit] = [({}, 1, {self.distance: -memory.first[0], self.number: memory.numbers[0]})]
        for (before, key), (old, new) in zip(pairwise(memory.first), pairwise(memory.numbers), strict=True):
            step = {self.distance: before - key, self.number: new - old}
            units.append(({self.distance: 1}, 1 - key, step))
            units.append(({self.distance: 1}, -key, {i: -w for i, w in step.items()}))
        return units

    def reading(self, memory: Memories) -> list[tuple[str, list[Unit]]]:
        """(stage, units) of every block that reads, compares or labels."""
        blocks, top = [], sum(bits for _, bits in memory.fields)
        for member, (field, bits) in enumerate(memory.fields):
            if field == "label":
                blocks.append(("compare", self.compare(first=member == 0)))
            for bit in reversed(range(bits)):
                top -= 1
                blocks.append(("read", self.read(top, bit)) if field == "gap" else ("label", self.add(top, bit)))
        return blocks

    def read(self, top: int, bit: int) -> list[Unit]:
        """The bit 2^top of the number, which is below 2^(top+1), is taken from it and lowers the distance by 2^bit."""
        lower = {self.number: -(1 << top), self.distance: -(1 << bit)}
        higher = {i: -w for i, w in lower.items()}
        return [({self.number: 1}, 1 - (1 << top), lower), ({self.number: 1}, -(1 << top), higher)]

    def compare(self, *, first: bool) -> list[Unit]:
        """1 for a distance in [0, 1], 0 below -1 and above 2, in place of the last comparison."""
        reset: list[Unit] = [] if first else [({self.same: 1}, 0, {self.same: -1})]
        corners = ((1, 1), (0, -1), (-1, -1), (-2, 1))
        return [*reset, *(({self.distance: 1}, b, {self.same: w}) for b, w in corners)]

    def add(self, top: int, bit: int) -> list[Unit]:
        """The bit 2^top is taken from the number, and 2^bit is added to the label if both it and the comparison are 1.

        Without the comparison the number lies 2^(top+1) lower for the last two units, which are then off.
        """
        gate = 2 << top
        row, gated = {self.number: 1}, {self.number: 1, self.same: gate}
        return [
            (row, 1 - (1 << top), {self.number: -(1 << top)}),
            (row, -(1 << top), {self.number: 1 << top}),
            (gated, 1 - (1 << top) - gate, {self.label: 1 << bit}),
            (gated, -(1 << top) - gate, {self.label: -(1 << bit)}),
        ]
