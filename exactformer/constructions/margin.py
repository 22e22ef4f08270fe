"""How far every token may move before a sequence is no longer mapped exactly to its target.

Let every token of a sequence move by at most r in every coordinate. Then u.x moves by at most r|u|_1, and since
g increases and all weights of the mean are nonnegative, the position t of a token after pooling lies between its
values for the two translates of the whole sequence by -r sign(u) and by +r sign(u). These two are perturbations of
the allowed kind themselves. So the outputs stay right as long as both translates stay on the plateau, and the first
sequence to leave it fails at once: the radius is the largest possible one for this transformer.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from exactformer.constructions.deep import flatten_shift
from exactformer.constructions.problem import Problem
from exactformer.constructions.shallow import Pooled

#: s and its share in a sum over the sequence
Atom = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Margin:
    """Moving every token by at most `radius` in every coordinate changes no output set.

    Beyond it, sequence `sequence` fails when all of its tokens move along `direction` (entries -1, 0, 1).
    None stands for infinity, and then no sequence fails.
    """

    radius: Fraction | None
    sequence: int | None = None
    direction: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Constraint:
    """A token of measure j must stay within `distance` on the given side of its position."""

    distance: Fraction
    measure: int
    entry: int
    side: int


def margin(problem: Problem, pooled: Pooled, *, deep: bool) -> Margin:
    """The largest radius of the shallow (or deep) transformer of the pooled data; 0 where a token stands on an edge."""
    hinges = [
        (Fraction(int(problem.line.values[r]), problem.line.scale), w)
        for r, w in zip(pooled.hinges.ranks, pooled.hinges.weights, strict=True)
    ]
    weight = 1 if pooled.spread is None else 1 + pooled.spread
    steepest = weight * (1 + sum(w for _, w in hinges))
    constraints: list[_Constraint] = []
    for constraint in _constraints(problem, pooled, deep=deep):
        constraints.append(constraint)
        if not constraint.distance:  # a token on an edge settles it
            constraints = [constraint]
            break
    constraints.sort(key=lambda c: c.distance)
    best: Fraction | None = None
    tight: _Constraint | None = None
    for constraint in constraints:
        if best is not None and constraint.distance >= best * steepest:
            break
        reach = _reach(_atoms(problem, pooled, constraint), hinges, constraint, weight)
        if best is None or reach < best:
            best, tight = reach, constraint
    if best is None or tight is None:
        return Margin(None)
    if deep:
        lowest = Fraction(int(problem.line.values[0]), problem.line.scale)
        best = min(best, lowest + flatten_shift(problem, pooled))
    direction = tuple(tight.side * (c > 0) for c in problem.line.u)
    return Margin(best / sum(problem.line.u), problem.member.tolist().index(tight.measure), direction)


def _constraints(problem: Problem, pooled: Pooled, *, deep: bool) -> Iterator[_Constraint]:
    """For every token (or collapsed measure) the distances to both ends of its plateau, where they are finite."""
    nodes, at, targets = pooled.nodes, pooled.nodes.positions, pooled.nodes.targets.tolist()
    edges = [i for i in range(1, len(nodes)) if targets[i] != targets[i - 1]]
    runs = [0, *edges, len(nodes)]
    for j, entry, position in _positions(problem, pooled):
        node = max(0, bisect.bisect_right(at, position) - 1)
        run = bisect.bisect_right(runs, node) - 1
        first, last = runs[run], runs[run + 1] - 1
        if first > 0 or deep:
            yield _Constraint(position - at[first], j, entry, -1)
        lonely = len(nodes) == 1 and not deep
        if last < len(nodes) - 1 or (first == last and not lonely):
            yield _Constraint(at[last] - position, j, entry, 1)


def _positions(problem: Problem, pooled: Pooled) -> Iterator[tuple[int, int, Fraction]]:
    """(measure, entry, position after pooling) of every token, or of every collapsed measure."""
    measures, scale = problem.measures, problem.line.scale
    for j in range(len(measures)):
        total, count = pooled.totals[j], pooled.counts[j]
        if pooled.spread is None:
            yield j, -1, Fraction(total, count * scale)
            continue
        for entry in range(measures.starts[j], measures.starts[j + 1]):
            image = int(pooled.images[measures.ranks[entry]])
            yield j, entry, Fraction(image * count + pooled.spread * total, count * scale)


def _atoms(problem: Problem, pooled: Pooled, constraint: _Constraint) -> list[Atom]:
    """The position after pooling as a weighted sum of g over tokens of the sequence."""
    measures, line = problem.measures, problem.line
    share = Fraction(1 if pooled.spread is None else pooled.spread, int(pooled.counts[constraint.measure]))
    entries = range(measures.starts[constraint.measure], measures.starts[constraint.measure + 1])
    at = {i: Fraction(int(line.values[measures.ranks[i]]), line.scale) for i in entries}
    atoms = [(at[i], share * int(measures.counts[i])) for i in entries if share]
    return atoms if pooled.spread is None else [*atoms, (at[constraint.entry], Fraction(1))]


def _reach(atoms: list[Atom], hinges: list[tuple[Fraction, int]], constraint: _Constraint, weight: int) -> Fraction:
    """How far the whole sequence may move along the line to one side until the token is `distance` away.

    The position is a convex increasing piecewise-linear function of the move, of slope at least `weight`, so
    Newton's method from the right of the solution decreases to it and ends after finitely many steps.
    """
    start, _ = _value(atoms, hinges, Fraction(0))
    goal = start + constraint.side * constraint.distance
    move = constraint.distance / weight if constraint.side > 0 else Fraction(0)
    while True:
        value, slope = _value(atoms, hinges, move)
        if value == goal:
            return abs(move)
        move -= (value - goal) / slope


def _value(atoms: list[Atom], hinges: list[tuple[Fraction, int]], move: Fraction) -> tuple[Fraction, Fraction]:
    """sum share*g(s + move) over the atoms, and its slope to the left."""
    value = slope = Fraction(0)
    for s, share in atoms:
        g, rate = s + move, 1
        for c, w in hinges:
            if s + move > c:
                g += w * (s + move - c)
                rate += w
        value += share * g
        slope += share * rate
    return value, slope
