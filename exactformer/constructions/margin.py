"""How far every token may move before a sequence is no longer mapped exactly to its target.

Let every token of a sequence move by at most r in every coordinate. Then u.x moves by at most r|u|_1, and since
g increases and all weights of the mean are nonnegative, the position t of a token after pooling lies between its
values for the two translates of the whole sequence by -r sign(u) and by +r sign(u). So the outputs stay right as
long as both translates stay on the plateau. These two are perturbations of the allowed kind themselves, and they
leave the plateau at the radius returned: a perturbation of at most 3/2 of it fails. Proofs:
mathematics/margin#margin-theorem-1 and mathematics/margin#margin-theorem-2.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array, wide
from exactformer.arithmetic.short_text import short_repr
from exactformer.constructions.methods.deep import flatten_shift
from exactformer.constructions.methods.shallow import Pooled
from exactformer.constructions.problem import Problem


@short_repr
@dataclass(frozen=True)
class Margin:
    """Moving every token by at most `radius` in every coordinate changes no output set; None is infinity.

    Sequence `sequence`, if it has one target, fails when all of its tokens move by `failing` times `direction`
    (entries -1, 0, 1).
    """

    radius: Fraction | None
    sequence: int | None = None
    direction: tuple[int, ...] = ()
    failing: Fraction | None = None


#: of methods that claim none
NO_MARGIN = Margin(Fraction(0))


@dataclass(frozen=True)
class _Constraint:
    """A token of a measure must stay within `distance` on the given side; the next plateau is `ramp` further."""

    distance: Fraction
    ramp: Fraction
    measure: int
    entry: int
    side: int


def margin(problem: Problem, pooled: Pooled, *, deep: bool) -> Margin:
    """The radius of the shallow (or deep) transformer of the pooled data; 0 where a token stands on an edge."""
    motion = _Motion(problem, pooled)
    best: Fraction | None = None
    tight: _Constraint | None = None
    for constraint in _increasing(_constraints(problem, pooled, deep=deep), deep=deep):
        if best is not None and constraint.distance >= best * motion.steepest:
            break
        reach = motion.reach(constraint, constraint.distance)
        if best is None or reach < best:
            best, tight = reach, constraint
    if best is None or tight is None:
        return Margin(None)
    failing = _failing(motion, tight, best, deep=deep)
    if deep:  # the flattening unit must stay active; the base is so high that this never binds
        best = min(best, Fraction(int(problem.line.values[0]), problem.line.scale) + flatten_shift(problem, pooled))
    direction = tuple(tight.side * (c > 0) for c in problem.line.u)
    norm = sum(problem.line.u)
    return Margin(best / norm, problem.member.tolist().index(tight.measure), direction, failing / norm)


def _increasing(constraints: Iterator[_Constraint], *, deep: bool) -> list[_Constraint]:
    """The constraints by increasing distance; a token on an edge beyond which it fails at once settles everything."""
    listed = []
    for constraint in constraints:
        if not constraint.distance and (constraint.side < 0 or not deep):
            return [constraint]
        listed.append(constraint)
    return sorted(listed, key=lambda c: c.distance)


def _failing(motion: _Motion, tight: _Constraint, reach: Fraction, *, deep: bool) -> Fraction:
    """A move along the line after which the token is surely not mapped to its target.

    On the ramp of a curve, and on the lower ramp of a placement, everything misses the target. On the upper ramp
    of a placement a token may fall back onto its plateau; at the end of the ramp it gets the next target.
    """
    if deep and tight.side > 0:
        return motion.reach(tight, tight.distance + tight.ramp)
    further = tight.ramp / (2 * motion.steepest)
    return reach + (min(further, reach / 8) if reach else further)


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
            ramp = at[first] - at[first - 1] if first else Fraction(1)
            yield _Constraint(position - at[first], ramp, j, entry, -1)
        lonely = len(nodes) == 1 and not deep
        if last < len(nodes) - 1 or (first == last and not lonely):
            ramp = at[last + 1] - at[last] if last < len(nodes) - 1 else Fraction(1)
            yield _Constraint(at[last] - position, ramp, j, entry, 1)


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


class _Motion:
    """Positions after pooling while a whole sequence moves along the line, in integers over the scale of the line.

    g(s) = slopes[i]*s - drops[i], i the number of hinges below s.
    """

    def __init__(self, problem: Problem, pooled: Pooled) -> None:
        self.problem, self.pooled = problem, pooled
        weights = np.array(pooled.hinges.weights, dtype=object)
        self.hinges = wide(problem.line.values)[list(pooled.hinges.ranks)]
        self.slopes = 1 + np.concatenate([[0], np.cumsum(weights)]).astype(object)
        self.drops = np.concatenate([[0], np.cumsum(weights * self.hinges)]).astype(object)
        self.least = 1 if pooled.spread is None else 1 + pooled.spread
        self.steepest = self.least * int(self.slopes[-1])

    def reach(self, constraint: _Constraint, distance: Fraction) -> Fraction:
        """How far the whole sequence moves along the line to the constraint's side until its token is `distance` away.

        The position is a convex increasing piecewise-linear function of the move, of slope at least `least`, so
        Newton's method from the right of the solution decreases to it and ends after finitely many steps.
        """
        tokens, shares, count = self._shares(constraint)
        start, _ = self._position(tokens, shares, count, Fraction(0))
        goal = start + constraint.side * distance
        move = distance / self.least if constraint.side > 0 else Fraction(0)
        while True:
            value, slope = self._position(tokens, shares, count, move)
            if value == goal:
                return abs(move)
            move -= (value - goal) / slope

    def _shares(self, constraint: _Constraint) -> tuple[Array, Array, int]:
        """The position as a sum of shares/count times g over tokens of the sequence."""
        measures = self.problem.measures
        start, stop = measures.starts[constraint.measure], measures.starts[constraint.measure + 1]
        tokens = wide(self.problem.line.values[measures.ranks[start:stop]])
        count = int(self.pooled.counts[constraint.measure])
        shares = wide(measures.counts[start:stop])
        if self.pooled.spread is not None:
            shares = shares * self.pooled.spread
            shares[constraint.entry - start] += count
        return tokens, shares, count

    def _position(self, tokens: Array, shares: Array, count: int, move: Fraction) -> tuple[Fraction, Fraction]:
        """The position after a move, and its slope to the left."""
        p, q = move.numerator * self.problem.line.scale, move.denominator
        moved = tokens * q + p
        piece = np.searchsorted(self.hinges * q, moved, side="left")
        values = self.slopes[piece] * moved - self.drops[piece] * q
        scale = count * self.problem.line.scale * q
        return Fraction(int(shares @ values), scale), Fraction(int(shares @ self.slopes[piece]), count)
