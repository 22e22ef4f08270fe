"""Classes as arcs of [0, 1]: which values of the last digit mean which class, in proportion to its frequency."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from exactformer.arithmetic.rational import simplest_between

#: frequencies are rounded to this many parts; a class has at least an eighth of an equal share
_PARTS = 1 << 12
#: a ramp between two arcs takes this part of the narrowest one
_RAMP = 64


@dataclass(frozen=True)
class Aim:
    """A class seen on the circle R/2Z, which the tent folds to [0, 1]: within `tolerance` of +-centre."""

    centre: Fraction
    tolerance: Fraction

    @property
    def two_sided(self) -> bool:
        """Whether the centre and its mirror image differ: 0 and 1 are their own."""
        return self.centre.denominator != 1


@dataclass(frozen=True)
class Arcs:
    """Class order[k] is read off between edges[k] and edges[k+1]; within `guard` of an inner edge is the ramp."""

    order: tuple[int, ...]
    edges: tuple[Fraction, ...]
    guard: Fraction

    @classmethod
    def of(cls, counts: Mapping[int, int], first: int | None = None) -> Arcs:
        """Arcs as wide as the classes are frequent, the two most frequent at the ends; `first`, if it is one, at 0.

        The ends cost a bit less than the inner arcs, and the class whose point is 0 costs no constant at the left.

        >>> arcs = Arcs.of({0: 3, 1: 1})
        >>> arcs.order, arcs.edges
        ((0, 1), (Fraction(0, 1), Fraction(3, 4), Fraction(1, 1)))
        """
        ids = sorted(counts, key=lambda k: (-counts[k], k))
        if ids[1] == first:
            ids[:2] = ids[1::-1]
        order = (ids[0], *ids[2:], ids[1])
        total = sum(counts.values())
        shares = [max(_PARTS // (8 * len(order)), _PARTS * counts[k] // total, 1) for k in order]
        guard = Fraction(min(shares), sum(shares) * _RAMP * 2)
        inner = [Fraction(s, sum(shares)) for s in accumulate(shares[:-1])]
        edges = (Fraction(0), *(simplest_between(x - guard, x + guard) for x in inner), Fraction(1))
        return cls(order, edges, guard)

    def aim(self, k: int) -> Aim:
        """What the phases of class k must come close to."""
        place = self.order.index(k)
        low, high = self.edges[place : place + 2]
        if low == 0:
            return Aim(Fraction(0), high - self.guard)
        if high == 1:
            return Aim(Fraction(1), 1 - low - self.guard)
        return Aim((low + high) / 2, (high - low) / 2 - self.guard)

    def approx_bits(self, counts: Mapping[int, int]) -> float:
        """The mean of -log2(part of the circle) over the labels: what one of them asks of a slope."""
        parts = {k: float(self.aim(k).tolerance) * (2 if self.aim(k).two_sided else 1) for k in counts}
        return sum(n * -math.log2(parts[k]) for k, n in counts.items()) / sum(counts.values())

    def ramps(self) -> list[tuple[int, int, Fraction, Fraction]]:
        """(left class, right class, start, end) of every ramp between neighbouring arcs."""
        between = zip(pairwise(self.order), self.edges[1:-1], strict=True)
        return [(a, b, edge - self.guard, edge + self.guard) for (a, b), edge in between]
