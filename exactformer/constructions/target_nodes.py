"""Nodes on a line: where every target must be taken, after attention has pulled the sequences apart.

A list of nodes (t_i, y_i) with t_1 < t_2 < .. stands for the piecewise-linear curve through them. Two
neighbours with the same target are a plateau: everything between them goes to that target.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.rational import simplest_between
from exactformer.constructions.empirical_measures import Indices
from exactformer.constructions.problem import Problem


@dataclass(frozen=True)
class Nodes:
    """Nodes t_i = numerators[i] / denominators[i], increasing, with the targets points[targets[i]] / point_scale."""

    numerators: Array
    denominators: Array
    targets: Indices
    points: Array
    point_scale: int

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def positions(self) -> list[Fraction]:
        """The nodes t_1 < t_2 < .. as rational numbers."""
        return [Fraction(p, q) for p, q in zip(self.numerators.tolist(), self.denominators.tolist(), strict=True)]

    def target(self, i: int) -> tuple[Fraction, ...]:
        """The target point of node i."""
        return tuple(Fraction(int(y), self.point_scale) for y in self.points[self.targets[i]])

    def take(self, chosen: Array) -> Nodes:
        """The chosen nodes only."""
        parts = (self.numerators[chosen], self.denominators[chosen], self.targets[chosen])
        return Nodes(*parts, self.points, self.point_scale)

    def shifted(self, by: Fraction) -> Nodes:
        """The same nodes moved by a constant."""
        denominators = self.denominators * by.denominator
        numerators = self.numerators * by.denominator + self.denominators * by.numerator
        return Nodes(numerators, denominators, self.targets, self.points, self.point_scale)


def least_spread(totals: Array, counts: Array, low: Array, high: Array, *, room: bool = False) -> int:
    """The least integer M >= 0 for which the intervals [low_j, high_j] + M*mean_j are pairwise disjoint.

    mean_j = totals_j / counts_j increases with j and lies in [low_j, high_j], so the intervals can only be
    disjoint in this order, and only neighbours matter. With `room` neighbours are apart by more than half
    the distance of their means.

    >>> least_spread(*(np.array(x, dtype=object) for x in ([1, 2], [1, 1], [0, 0], [2, 3])))
    3
    """
    overlap = (high[:-1] - low[1:]) * counts[:-1] * counts[1:]
    distance = totals[1:] * counts[:-1] - totals[:-1] * counts[1:]
    needed = (2 * overlap + distance) // (2 * distance) + 1 if room else overlap // distance + 1
    return max(0, *needed.tolist()) if len(needed) else 0


def order_by_mean(totals: Array, counts: Array) -> Indices:
    """The order of the measures by their exact means totals/counts."""
    common = math.lcm(*set(counts.tolist()))
    keys = [p * (common // q) for p, q in zip(totals.tolist(), counts.tolist(), strict=True)]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def chain_targets(targets: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Every target set in an order in which its last element is the next set's first one where they share any.

    >>> chain_targets([(1, 2), (1, 3), (3,)])
    [(2, 1), (1, 3), (3,)]
    """
    ordered: list[tuple[int, ...]] = []
    first: int | None = None
    for j, current in enumerate(targets):
        following = set(targets[j + 1]) if j + 1 < len(targets) else set()
        inner = [t for t in current if t != first]
        shared = next((t for t in inner if t in following), None)
        last = [] if shared is None else [shared]
        head = [first] if first in current else []
        ordered.append(tuple(head + [t for t in inner if t != shared] + last))
        first = ordered[-1][-1]
    return ordered


def collapsed_nodes(problem: Problem, order: Indices, numerators: Array, denominators: Array) -> Nodes:
    """One node per measure, in the given order: attention has collapsed measure j to numerators_j / denominators_j."""
    targets = np.array([problem.targets[j][0] for j in order.tolist()], dtype=np.int64)
    return Nodes(numerators[order], denominators[order], targets, problem.points, problem.point_scale)


def spread_entries(problem: Problem, order: Indices) -> tuple[Indices, Indices, Indices]:
    """Which token (entry of the measures) becomes a node, of which measure, and with which target.

    Measures stand in the given order, the tokens of one measure in increasing position: the first m-1
    take its first m-1 targets, all others the last one, which is one node where there are m tokens and
    a plateau of two nodes where there are more.
    """
    starts, sizes = problem.measures.starts.tolist(), problem.measures.sizes.tolist()
    entries: list[int] = []
    owners: list[int] = []
    targets: list[int] = []
    sets = chain_targets([problem.targets[j] for j in order.tolist()])
    for j, ordered in zip(order.tolist(), sets, strict=True):
        m, start = len(ordered), starts[j]
        entries.extend(range(start, start + m))
        targets.extend(ordered)
        if sizes[j] > m:
            entries.append(start + sizes[j] - 1)
            targets.append(ordered[-1])
        owners.extend([j] * (len(entries) - len(owners)))
    return np.array(entries), np.array(owners), np.array(targets)


def without_inner(nodes: Nodes) -> Nodes:
    """The nodes without those strictly inside a run of one target, which the plateau carries anyway."""
    same = nodes.targets[1:] == nodes.targets[:-1]
    inner = np.zeros(len(nodes), dtype=bool)
    inner[1:-1] = same[1:] & same[:-1]
    return nodes.take(~inner)


def plateaus(nodes: Nodes, reach: Fraction | None = None) -> Nodes:
    """Nodes of a curve that is constant around every given node and climbs in the middle of the gaps.

    Each gap between different targets gets a ramp; `reach` beyond both ends (by default more than the
    span of the nodes) the curve is constant.
    """
    at = nodes.positions
    ends: list[tuple[Fraction, int]] = []
    for i in range(len(nodes) - 1):
        if nodes.targets[i] != nodes.targets[i + 1]:
            foot, edge = ramp(at[i], at[i + 1])
            ends += [(foot, int(nodes.targets[i])), (edge, int(nodes.targets[i + 1]))]
    room = at[-1] - at[0] + 1 if reach is None else reach
    first = (at[0] - room, int(nodes.targets[0]))
    last = (at[-1] + room, int(nodes.targets[-1]))
    return of_list([first, *ends, last], nodes.points, nodes.point_scale)


def ramp(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """The simplest rationals of the two tenths of (low, high) left and right of its middle: 2/5 of it stay free."""
    middle, tenth = (low + high) / 2, (high - low) / 10
    return simplest_between(middle - tenth, middle), simplest_between(middle, middle + tenth)


def of_list(listed: list[tuple[Fraction, int]], points: Array, point_scale: int) -> Nodes:
    """The nodes (t, index of the target) of a list, the target points over their scale."""
    numerators = np.array([t.numerator for t, _ in listed], dtype=object)
    denominators = np.array([t.denominator for t, _ in listed], dtype=object)
    targets = np.array([y for _, y in listed], dtype=np.int64)
    return Nodes(numerators, denominators, targets, points, point_scale)
