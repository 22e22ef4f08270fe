"""Write: a piecewise-linear f on [0, 1] whose slopes hold the labels of the keys, group after group from the left.

The label of a key X is read off W(2^L f(X)), W(y) the distance of y to the nearest even integer. A group is a run of
consecutive keys on one linear piece; its slope M and the cut before it, which moves all its phases by one theta,
are found together. Lattice reduction proposes, every condition is tested exactly, and a group that cannot be solved
is made smaller; for one key alone a slope always exists, so this ends.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from itertools import count as integers_from

import numpy as np

from exactformer.arithmetic.rational import simplest_between
from exactformer.constructions.methods.compact.arcs import Aim
from exactformer.constructions.methods.compact.slope_search import LEAST_ROOM, Proposal, Search, propose_slopes

#: cuts of one length that are tried for the theta wanted
_CUTS = 1 << 12


@dataclass(frozen=True)
class Piece:
    """f(X) = value + slope*(X - cut) from the cut on; it serves `count` keys, and stays in [0, 1] up to `limit`."""

    cut: Fraction
    value: Fraction
    slope: Fraction
    count: int
    limit: Fraction

    def at(self, x: Fraction) -> Fraction:
        """f(x)."""
        return self.value + self.slope * (x - self.cut)


#: before the first key f is 0
_NOTHING = Piece(Fraction(0), Fraction(0), Fraction(0), 0, Fraction(0))


@dataclass(frozen=True)
class Memory:
    """Increasing keys numerators[j]/denominator in (0, 1] with their aims, to be read by L >= 4 doublings.

    A group that reaches `spare` keys more than were asked for lets the next one be asked for one more.
    """

    numerators: Sequence[int]
    denominator: int
    aims: Sequence[Aim]
    doublings: int
    batches: int
    spare: int

    @cached_property
    def approx_aims(self) -> list[tuple[float, float]]:
        """Centre and tolerance of every aim as floats."""
        floats = {aim: (float(aim.centre), float(aim.tolerance)) for aim in set(self.aims)}
        return [floats[aim] for aim in self.aims]

    def write(
        self, wanted: int, most: int | None, rng: np.random.Generator, tell: Callable[[int, int], None] | None = None
    ) -> list[Piece]:
        """The pieces of f, of about `wanted` keys each, or of as many as `most` pieces need; one too many if they fail.

        Without `most` the size follows what the last groups reached.
        """
        pieces: list[Piece] = []
        done, before, count = 0, _NOTHING, len(self.numerators)
        while done < count and (most is None or len(pieces) <= most):
            if most is not None and len(pieces) < most:
                wanted = -(-(count - done) // (most - len(pieces)))
            before = self.group(done, min(wanted, count - done), before, rng)
            pieces.append(before)
            done += before.count
            wanted = max(2, wanted + (before.count >= wanted + self.spare) - (before.count < wanted))
            if tell is not None:
                tell(done, count)
        return pieces

    def group(self, start: int, wanted: int, before: Piece, rng: np.random.Generator, *, soon: bool = False) -> Piece:
        """The next piece: as many of the keys from `start` on as a slope for about `wanted` of them serves.

        With `soon` the first slope that serves those asked for will do.
        """
        size, fails = wanted, 0
        while size > 1:
            attempt = _Attempt(self, start, size, before)
            batches = propose_slopes(attempt.search(), self.doublings, self.batches, rng)
            for proposals in batches if soon else [chain.from_iterable(batches)]:
                piece = attempt.best(proposals)
                if piece is not None:
                    return piece
            size -= max(1, size >> max(2, 4 - fails))
            fails += 1
        return _Attempt(self, start, 1, before).alone()

    def sample(self, start: int, wanted: int, rng: np.random.Generator) -> int:
        """How many keys, of those wanted, a group that starts there would have, after some piece before it."""
        origin = self.key(start - 1)
        slope = Fraction(len(self.numerators) + 1, 4 * wanted)
        before = Piece(origin, Fraction(1, 3), slope, 1, self.key(start))
        return min(wanted, self.group(start, wanted, before, rng, soon=True).count)

    def key(self, j: int) -> Fraction:
        """Key j; key -1 is 0, before all of them."""
        return Fraction(self.numerators[j], self.denominator) if j >= 0 else Fraction(0)

    def limit(self, start: int, count: int) -> Fraction:
        """How far a piece for these keys must stay in [0, 1]: the cut behind it lies between its last key and there."""
        last, stop = self.key(start + count - 1), start + count
        if stop == len(self.numerators):
            return last
        return min(self.key(stop), last + (last - self.key(start - 1)) / 8)

    def serves(self, piece: Piece, start: int) -> bool:
        """Whether all keys of the piece are read right and f stays in [0, 1] on it, exactly."""
        if not 0 <= piece.at(piece.limit) <= 1:
            return False
        for j in range(start, start + piece.count):
            aim = self.aims[j]
            phase = (piece.at(self.key(j)) * (1 << self.doublings)) % 2
            if abs(min(phase, 2 - phase) - aim.centre) > aim.tolerance:
                return False
        return True


class _Attempt:
    """A slope for the `size` keys from `start` on, whose phases are 2^L f(X) = theta + mu * 2^h (X - X_before)."""

    def __init__(self, memory: Memory, start: int, size: int, before: Piece) -> None:
        self.memory, self.start, self.size, self.before = memory, start, size, before
        self.low = memory.numerators[start - 1] if start else 0
        self.origin = memory.key(start - 1)
        self.width = memory.limit(start, size) - self.origin
        # 2^h * width <= 1, so keys are as long as they can be
        self.h = max(0, self.width.denominator.bit_length() - self.width.numerator.bit_length() - 1)
        self.unit = Fraction(1 << self.h, 1 << memory.doublings)
        self.free = start > 0
        self.value = before.at(self.origin)
        self.upwards = 2 * self.value <= 1
        whole = memory.denominator << memory.doublings
        self.least, self.most = (math.floor((side - self.value) * whole) for side in (0, 1))

    def search(self) -> Search:
        """The lattice problem: |M| at most 1/(2 width), in the direction that has room."""
        half = math.floor(1 / (4 * self.width * self.unit))
        stop = self.start + self.size
        keys = [(x - self.low) << self.h for x in self.memory.numerators[self.start : stop]]
        aims = self.memory.aims[self.start : stop]
        return Search(keys, self.memory.denominator, aims, half if self.upwards else -half, half, self.free)

    def best(self, proposals: Iterable[Proposal]) -> Piece | None:
        """The proposal that serves most keys, turned into a piece and tested exactly."""
        reached = [(*self._reach(proposal), proposal) for proposal in proposals]
        serving = [entry for entry in reached if entry[0] >= self.size]
        for count, low, high, (mu, theta) in sorted(serving, key=lambda entry: (-entry[0], entry[1] - entry[2])):
            cut = self._cut(mu * self.unit, theta + low, high - low) if self.free else Fraction(0)
            if cut is None:
                continue
            value = self.before.at(cut)
            piece = Piece(cut, value, mu * self.unit, count, self.memory.limit(self.start, count))
            if self.memory.serves(piece, self.start):
                return piece
        return None

    def _reach(self, proposal: Proposal) -> tuple[int, float, float]:
        """How many keys the proposal serves, phases in floats, and the room (low, high) for theta around its own."""
        memory, (mu, theta) = self.memory, proposal
        denominator, double = memory.denominator, 2 * memory.denominator
        low, high, count = -2.0, 2.0, 0
        for j in range(self.start, len(memory.numerators)):
            rise = mu * ((memory.numerators[j] - self.low) << self.h)
            if not self.least <= rise <= self.most:
                break
            phase = theta + (rise % double) / denominator
            narrowed = _narrowed(low, high, phase, *memory.approx_aims[j])
            if narrowed[1] - narrowed[0] < LEAST_ROOM or (not self.free and not narrowed[0] < 0 < narrowed[1]):
                break
            (low, high), count = narrowed, count + 1
        return count, low, high

    def _cut(self, slope: Fraction, theta: float, room: float) -> Fraction | None:
        """A short dyadic cut before the first key with which the phases are theta + [0, room] modulo 2."""
        low, high = self.origin, min(self.before.limit, self.memory.key(self.start))
        turns = 1 << self.memory.doublings
        bend, here = (self.before.slope - slope) * turns, self.value * turns
        way = max(Fraction(-4), min(bend * (high - low), Fraction(4)))  # twice around is far enough
        if not _sweeps(float(here % 2), float(way), theta, room):
            return None
        for first, step, count in _dyadics(low, high):
            offset, turn = (here + bend * (first - low)) % 2, (bend * step) % 2
            phases = (float(offset) - theta + float(turn) * np.arange(min(count, _CUTS))) % 2
            inside = np.flatnonzero((phases > room / 64) & (phases < room * 63 / 64))
            if len(inside):
                return first + int(inside[0]) * step
            if count > _CUTS:
                return None
        return None

    def alone(self) -> Piece:
        """The piece of the first key by itself: a quarter of the range turns the circle twice, so it exists.

        With x - cut at least half of limit - cut, slopes from 0 to 1/(2 (limit - cut)) keep f in [0, 1] and move
        the phase of x by 2^L/4 >= 4, in either direction.
        """
        memory, start = self.memory, self.start
        x, aim = memory.key(start), memory.aims[start]
        cut = _shortest(self.origin, min(self.before.limit, x)) if self.free else Fraction(0)
        value = self.before.at(cut)
        limit = min(memory.limit(start, 1), 2 * x - cut)
        sign = 1 if 2 * value <= 1 else -1
        turns = 1 << memory.doublings
        turn = (sign * (aim.centre - value * turns)) % 2
        low, high = ((turn + side * aim.tolerance) / (turns * (x - cut)) for side in (-1, 1))
        return Piece(cut, value, sign * simplest_between(max(low, Fraction(0)), high), 1, limit)


def _narrowed(low: float, high: float, phase: float, centre: float, tolerance: float) -> tuple[float, float]:
    """The part of (low, high) by which a phase may be moved to come within its aim, the nearer side of two."""
    middle = (low + high) / 2
    error = (phase + middle - centre + 1) % 2 - 1
    mirrored = (phase + middle + centre + 1) % 2 - 1
    if abs(mirrored) < abs(error):
        error = mirrored
    error -= middle
    return max(low, -tolerance - error), min(high, tolerance - error)


def _sweeps(start: float, way: float, theta: float, room: float) -> bool:
    """Whether a phase that goes `way` from `start` on the circle R/2Z comes into theta + (0, room)."""
    ahead = (theta - start) % 2 if way > 0 else (start - theta - room) % 2
    return abs(way) > ahead or ahead + room > 2


def _dyadics(low: Fraction, high: Fraction) -> Iterator[tuple[Fraction, Fraction, int]]:
    """(first, step, count) of the numbers p/2^k strictly between low and high, for k = the least with any, k+1, ..

    >>> next(_dyadics(Fraction(1, 3), Fraction(2, 3)))
    (Fraction(1, 2), Fraction(1, 2), 1)
    """
    width = high - low
    enough = max(0, width.denominator.bit_length() - width.numerator.bit_length() + 1)  # then 2^k * width > 1
    least = bisect_left(range(enough), True, key=lambda k: _multiples(low, high, k)[1] > 0)
    for k in integers_from(least):
        first, found = _multiples(low, high, k)
        yield Fraction(first, 1 << k), Fraction(1, 1 << k), found


def _multiples(low: Fraction, high: Fraction, k: int) -> tuple[int, int]:
    """The least integer above 2^k*low, and how many there are from it to below 2^k*high."""
    first = math.floor(low * (1 << k)) + 1
    return first, max(0, math.ceil(high * (1 << k)) - first)


def _shortest(low: Fraction, high: Fraction) -> Fraction:
    return next(_dyadics(low, high))[0]
