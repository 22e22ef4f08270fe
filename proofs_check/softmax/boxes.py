"""Sequences of which every token is only known to lie in a box, and their temperatures (FORMAT.md, section 2.1)."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any, NamedTuple

from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.lines import count, entries
from ..core.numbers import common_denominator, number
from ..core.points import State
from ..core.verdict import well_formed

Integers = tuple[int, ...]


class Temperatures(NamedTuple):
    """The inverse temperatures from low to high; high = None: all from low on, and hardmax. Boxes end in 2^-bits Z.

    `rounding` is None where boxes keep their ends.
    """

    low: Fraction
    high: Fraction | None
    bits: int
    rounding: int | None

    def words(self) -> str:
        """The range, in words."""
        if self.high is None:
            return f"at every beta >= {self.low}, and for hardmax"
        return f"at every beta from {self.low} to {self.high}"


def read_temperatures(file: Certificate) -> Temperatures:
    """The keys beta = [b, c], 0 < b <= c or c null, and bits >= 1, of the header."""
    first, last = entries(file.header["beta"], 2)
    low, high = number(first, file.budget), None if last is None else number(last, file.budget)
    well_formed(low > 0 and (high is None or low <= high), "beta is a range [b, c] with 0 < b <= c, or [b, null]")
    bits = count(file.header["bits"], 1)
    file.budget.within(bits, "bits")
    return Temperatures(low, high, bits, bits)


class Box(NamedTuple):
    """All x with low_i/below <= x_i <= high_i/below; in a state in lowest terms, so that equal boxes are equal tuples.

    Of a point low and high are one object, which saves half of the work.
    """

    low: Integers
    high: Integers
    below: int

    def is_point(self) -> bool:
        """Whether one point only lies in the box."""
        return self.low == self.high


def form(u: Sequence[int], box: Box) -> tuple[int, int]:
    """The least and the largest value of <u, x> on the box, over its denominator."""
    if box.low is box.high:
        value = sum(map(mul, u, box.low))
        return value, value
    low = high = 0
    for c, a, b in zip(u, box.low, box.high):
        if c > 0:
            low, high = low + c * a, high + c * b
        elif c < 0:
            low, high = low + c * b, high + c * a
    return low, high


def exactly(low: Sequence[int], high: Sequence[int], below: int) -> Box:
    """The box with these ends, in lowest terms."""
    point = low == high
    factor = math.gcd(below, *low, *(() if point else high))
    first = tuple([n // factor for n in low])
    return Box(first, first if point else tuple([n // factor for n in high]), below // factor)


def rounded(low: Sequence[int], high: Sequence[int], below: int, p: int | None) -> Box:
    """The box with these ends, but intervals that are no points moved outward to multiples of 2^-p if there is a p."""
    if low == high or p is None:
        return exactly(low, high, below)
    fixed = below // math.gcd(below, *[a for a, b in zip(low, high) if a == b])
    common = math.lcm(fixed, 1 << p)
    step = common >> p
    downs = [a * common // below if a == b else ((a << p) // below) * step for a, b in zip(low, high)]
    ups = [b * common // below if a == b else -((-b << p) // below) * step for a, b in zip(low, high)]
    return exactly(downs, ups, common)


def size(boxes: Iterable[Box]) -> int:
    """Bits of the longest integer of some boxes."""
    return max([max(box.below, *map(abs, box.low), *map(abs, box.high)) for box in boxes]).bit_length()


class Boxes(NamedTuple):
    """Token j lies in boxes[owners[j]] and stands there counts[j] times; equal points are one token.

    No integer of the boxes is longer than so many bits.
    """

    boxes: list[Box]
    owners: list[int]
    counts: list[int]
    bits: int

    def over_one_denominator(self, budget: Budget) -> list[Box]:
        """The boxes over one denominator, not in lowest terms."""
        common = common_denominator([box.below for box in self.boxes], budget)
        boxes = []
        for low, high, below in self.boxes:
            first = tuple([n * (common // below) for n in low])
            last = first if low is high else tuple([n * (common // below) for n in high])
            boxes.append(Box(first, last, common))
        return boxes


def settled(boxes: list[Box], owners: list[int], counts: list[int], budget: Budget) -> Boxes:
    """The state of these tokens: those that are the same point become one, where the first of them stands."""
    budget.distinct(boxes)
    found: dict[Any, list[int]] = {}  # a point, or the number of a token whose box is none -> box and count
    for j, (i, n) in enumerate(zip(owners, counts)):
        found.setdefault(boxes[i] if boxes[i].is_point() else j, [i, 0])[1] += n
    used = sorted({i for i, _ in found.values()})
    place = {i: k for k, i in enumerate(used)}
    kept = [boxes[i] for i in used]
    return Boxes(kept, [place[i] for i, _ in found.values()], [n for _, n in found.values()], size(kept))


def boxes_of(tokens: State, budget: Budget) -> Boxes:
    """The tokens of a sequence as points."""
    boxes = [exactly(x, x, tokens.common) for x in zip(*tokens.coordinates)]
    return settled(boxes, list(range(len(boxes))), list(tokens.times), budget)


def moved_boxes(tokens: State, least: Fraction, most: Fraction, budget: Budget) -> Boxes:
    """For every token the box of all places that it reaches by moves from least to most in every coordinate."""
    common = common_denominator([tokens.common, least.denominator, most.denominator], budget)
    factor, down, up = common // tokens.common, int(least * common), int(most * common)
    budget.divisions(4 * len(tokens.times) * len(tokens.coordinates), tokens.bits + common.bit_length())
    boxes = []
    for x in zip(*tokens.coordinates):
        low = [factor * n + down for n in x]
        boxes.append(exactly(low, low if down == up else [factor * n + up for n in x], common))
    return settled(boxes, list(range(len(boxes))), list(tokens.times), budget)
