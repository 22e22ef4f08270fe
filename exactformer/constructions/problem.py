"""What a method has to solve: different measures (or sets) on a line, each with its target set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array, multiply, narrowed, segment_sums
from exactformer.arithmetic.state import State
from exactformer.constructions.empirical_measures import Indices, Supports, distinct_points
from exactformer.constructions.feasibility import Merged
from exactformer.constructions.projection_to_line import Line, along, injective_directions, injective_line
from exactformer.constructions.targets import Targets


@dataclass(frozen=True)
class Problem:
    """Different measures (or sets) along a line, with their target sets.

    `points` are the distinct target points over `point_scale`; `targets[j]` are indices into them, at most as
    many as measure j has tokens; `member[i]` is the measure of the i-th sequence of the data set.
    """

    line: Line
    measures: Supports
    points: Array
    point_scale: int
    targets: tuple[tuple[int, ...], ...]
    member: Indices

    @property
    def target_points(self) -> list[tuple[Fraction, ...]]:
        """The distinct target points as rational numbers."""
        return [tuple(Fraction(int(y), self.point_scale) for y in point) for point in self.points]

    @property
    def single(self) -> bool:
        """Whether every target set is one point (classification): then attention may collapse."""
        return all(len(t) == 1 for t in self.targets)

    @property
    def nodes_bound(self) -> int:
        """K: sum m + #{j : m^j < distinct tokens of j}; N where every target set is one point."""
        if self.single:
            return len(self.targets)
        sizes = np.array([len(t) for t in self.targets])
        return int(sizes.sum() + (sizes < self.measures.sizes).sum())


def problem_on_line(
    tokens: State, all_measures: Supports, targets: Targets, merged: Merged, semantics: str, rng: np.random.Generator
) -> Problem:
    """The problem of feasible data with the given distinct tokens: one measure (or set) of every class, on a line.

    Leaders are compared token by token, so their line is injective; means need less, and get smaller numbers.
    """
    sets = tuple([targets.sets[j] for j in merged.firsts.tolist()])
    measures = all_measures.take(merged.firsts, with_counts=semantics == "measure")
    if semantics == "set":
        line = injective_line(tokens, rng)
    else:
        line = separating_line(tokens, measures, np.array([len(t) for t in sets]), rng)
    return Problem(line, measures.ranked(line.rank), targets.points, targets.scale, sets, merged.member)


def separating_line(tokens: State, measures: Supports, wanted: Indices, rng: np.random.Generator) -> Line:
    """A line along which different mean vectors have different means, different measures stay different, and
    every sequence j keeps at least wanted[j] distinct tokens.
    """
    means = mean_vectors(tokens, measures, rng)
    for direction in injective_directions(means, rng):
        line = along(tokens, direction)
        seen = measures.ranked(line.rank)
        if (seen.sizes >= wanted).all() and (len(means) == len(measures) or seen.all_different()):
            return line
    raise AssertionError("unreachable: directions do not end")


def mean_vectors(tokens: State, measures: Supports, rng: np.random.Generator) -> State:
    """The different mean vectors of the measures."""
    totals = segment_sums(multiply(tokens.array[measures.ranks], measures.counts[:, None]), measures.starts)
    counts = segment_sums(measures.counts, measures.starts)
    common = math.lcm(*set(counts.tolist()))
    factors = np.array([common // n for n in counts.tolist()], dtype=object)
    scaled = multiply(totals, narrowed(factors)[:, None])
    return distinct_points(State(narrowed(scaled), tokens.denominator * common), rng)[0]
