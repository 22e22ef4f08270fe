"""Clusters whose largest token ties with itself again and again, as equations: floats propose a solution.

This is the case that the theorem on stabilisation leaves open (section 6 of its page). A cluster of moving tokens
l + x(k) lies in a mirror. Leaders stand on both sides of it, and so do the *targets*, tokens that follow the leaders: a
set of `weight` targets is one point l + r^k c in the mirror. A *layer of the pattern* says whom each moving token
follows, and whether it ties with a set of targets as well. Given the pattern, positions are linear in the unknown x(0)
and c; ties are quadratic equations, and that nobody else scores more is a list of quadratic inequalities.

The largest token changes only if its successor ties with another set of targets (Lemma 11 of the page), so tokens
choose among several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import NamedTuple

import numpy as np

from exactformer.io.untyped import Untyped

#: by how much, in units of r^k, an inequality has to hold in floats
MARGIN = 1e-3
#: what an equation may be off, in the same units
TOLERANCE = 1e-9
#: evaluations after which a proposal is given up
EVALUATIONS = 60


class PatternLayer(NamedTuple):
    """Token i follows the token `follows[i]`, and ties with the target `ties[i]`, or with none if that is -1."""

    follows: tuple[int, ...]
    ties: tuple[int, ...]


@dataclass(frozen=True)
class ClusterShape:
    """alpha, how many tokens move, the dimension of the mirror without l, the tokens that make one target.

    `targets` is None where every layer has targets of its own.
    """

    alpha: Fraction
    moving: int
    dim: int = 2
    weight: int = 2
    targets: int | None = None

    @property
    def r(self) -> Fraction:
        """1 - a."""
        return 1 / (1 + self.alpha)

    def count(self, pattern: Sequence[PatternLayer]) -> int:
        """How many targets a pattern has."""
        if self.targets is not None:
            return self.targets
        return 1 + max((target for layer in pattern for target in layer.ties), default=0)


class TieEquations(NamedTuple):
    """In units of r^k: the ties (each to be 0) and the inequalities (each to be <= -MARGIN), with their derivatives."""

    ties: Untyped
    slopes: Untyped
    above: Untyped
    above_slopes: Untyped


def scores(shape: ClusterShape, pattern: Sequence[PatternLayer], unknown: Untyped) -> TieEquations:
    """The equations and inequalities of a pattern at a point: x(0) row by row, then c target by target."""
    n, d, count, r = shape.moving, 1 + shape.dim, shape.count(pattern), float(shape.r)
    blocks = np.eye((n + count) * d).reshape(n + count, d, -1)  # blocks[i] maps the unknown to x_i(0) or c_m
    maps, c_maps = blocks[:n], blocks[n:]
    c, scale = c_maps @ unknown, 1.0
    parts: list[list[Untyped]] = [[], [], [], []]
    for layer in pattern:
        x = maps @ unknown
        seen = _Seen(x, maps, c, c_maps, scale)
        for i in range(n):
            _token(seen, layer, i, parts)
        _inside(seen, parts)
        maps = _next(shape, layer, maps, scale * c_maps)
        scale *= r
    return TieEquations(np.array(parts[0]), np.array(parts[1]), np.array(parts[2]), np.array(parts[3]))


class _Seen(NamedTuple):
    """The positions x and c at a layer, as points and as linear maps of the unknown, and r^k."""

    x: Untyped
    maps: Untyped
    c: Untyped
    c_maps: Untyped
    scale: float


def _token(seen: _Seen, layer: PatternLayer, i: int, parts: list[list[Untyped]]) -> None:
    """What token i asks for: a tie with its target, and nobody else above the one it follows."""
    x, maps, c, c_maps, scale = seen
    along = x[i].copy()
    along[0] += 1  # l + x_i, l being the first unit vector
    inside = (x @ along) / scale
    inside_slopes = (np.einsum("d,jdu->ju", along, maps) + np.einsum("jd,du->ju", x, maps[i])) / scale
    outside = c @ along
    outside_slopes = np.einsum("d,mdu->mu", along, c_maps) + np.einsum("md,du->mu", c, maps[i])
    best, slope = inside[layer.follows[i]], inside_slopes[layer.follows[i]]
    tied = layer.ties[i]
    if tied >= 0:
        parts[0].append(best - outside[tied])
        parts[1].append(slope - outside_slopes[tied])
    others = [j for j in range(len(x)) if j != layer.follows[i]]
    targets = [m for m in range(len(c)) if m != tied]
    parts[2].extend([*(inside[others] - best), *(outside[targets] - best)])
    parts[3].extend([*(inside_slopes[others] - slope), *(outside_slopes[targets] - slope)])


def _inside(seen: _Seen, parts: list[list[Untyped]]) -> None:
    """|l + x_i| < |l|: no moving token has passed the limit of the cluster."""
    x, maps, scale = seen.x, seen.maps, seen.scale
    parts[2].extend((2 * x[:, 0] + (x * x).sum(1)) / scale)
    parts[3].extend((2 * maps[:, 0] + 2 * np.einsum("id,idu->iu", x, maps)) / scale)


def _next(shape: ClusterShape, layer: PatternLayer, maps: Untyped, targets: Untyped) -> Untyped:
    """x(k+1) as linear maps."""
    r, a, w = float(shape.r), float(1 - shape.r), shape.weight
    goals = [
        maps[j] if m < 0 else (maps[j] + w * targets[m]) / (1 + w)
        for j, m in zip(layer.follows, layer.ties, strict=True)
    ]
    return r * maps + a * np.array(goals)


def propose_solution(shape: ClusterShape, pattern: Sequence[PatternLayer], start: Untyped) -> Untyped | None:
    """A point near which the pattern holds, from a starting point; None where least squares find none."""
    from scipy.optimize import least_squares

    def residuals(unknown: Untyped) -> Untyped:
        found = scores(shape, pattern, unknown)
        return np.concatenate([found.ties, np.maximum(0.0, found.above + MARGIN)])

    def slopes(unknown: Untyped) -> Untyped:
        found = scores(shape, pattern, unknown)
        return np.concatenate([found.slopes, np.where((found.above > -MARGIN)[:, None], found.above_slopes, 0.0)])

    ended = least_squares(residuals, start, jac=slopes, max_nfev=EVALUATIONS, xtol=1e-15, ftol=1e-15, gtol=1e-15)
    return ended.x if np.abs(ended.fun).max() < TOLERANCE else None


def approx_largest(shape: ClusterShape, pattern: Sequence[PatternLayer], solution: Untyped) -> tuple[int, ...]:
    """The token of largest norm at every layer of the pattern, by floats."""
    n, d = shape.moving, 1 + shape.dim
    x, targets = solution.reshape(-1, d)[:n], solution.reshape(-1, d)[n:]
    largest, scale = [], 1.0
    for layer in pattern:
        largest.append(int((2 * x[:, 0] + (x * x).sum(1)).argmax()))
        x = _next(shape, layer, x, scale * targets)
        scale *= float(shape.r)
    return tuple(largest)


def starting_point(shape: ClusterShape, count: int, rng: Random) -> Untyped:
    """A random point: tokens in about one direction, at heights between |x|^2/2 and |x|^2 below l, and targets."""
    size, spread = rng.uniform(0.1, 0.6), rng.uniform(0.05, 1)
    first = [rng.gauss(0, size) for _ in range(shape.dim)]
    rows = [[c + spread * rng.gauss(0, size) for c in first] for _ in range(shape.moving)]
    heights = [sum(c * c for c in row) * rng.uniform(0.5, 1) for row in rows]
    moving = [[-height, *row] for height, row in zip(heights, rows, strict=True)]
    low = min(heights) * rng.uniform(0.3, 0.6)
    targets = [[low, *(rng.gauss(0, 0.5) for _ in range(shape.dim))] for _ in range(count)]
    return np.array([*moving, *targets]).ravel()


def one_layer_more(
    shape: ClusterShape, pattern: Sequence[PatternLayer], unknown: Untyped | None, rng: Random
) -> tuple[list[PatternLayer], Untyped]:
    """The pattern with a random layer more, and where to start from: new targets begin near the last ones."""
    n, d, before = shape.moving, 1 + shape.dim, shape.count(pattern) if pattern else 0
    able = [i for i in range(n) if not pattern or pattern[-1].ties[i] >= 0]  # who can be the largest next
    others = [i for i in able if pattern and pattern[-1].follows[i] != i]  # who has not been it
    largest = rng.choice(others if others and rng.randrange(2) else able)
    rules = [_rule(i, largest, n, rng) for i in range(n)]
    choice = range(shape.targets) if shape.targets is not None else range(before, before + rng.choice((1, 2, 2)))
    ties = _numbered([rng.choice(choice) if tied else -1 for _, tied in rules], before, shape.targets is None)
    longer = [*pattern, PatternLayer(tuple(j for j, _ in rules), ties)]
    if unknown is None:
        return longer, starting_point(shape, shape.count(longer), rng)
    last = unknown[-d:]
    fresh = [last * [1 + rng.gauss(0, 0.2) for _ in range(d)] for _ in range(shape.count(longer) - before)]
    return longer, np.concatenate([unknown, *fresh])


def _numbered(ties: list[int], before: int, fresh: bool) -> tuple[int, ...]:
    """The targets of a layer, new ones numbered without a gap."""
    if not fresh:
        return tuple(ties)
    number = {target: before + place for place, target in enumerate(sorted({m for m in ties if m >= 0}))}
    return tuple(number.get(m, -1) for m in ties)


def _rule(i: int, largest: int, n: int, rng: Random) -> tuple[int, bool]:
    """The largest follows itself and targets; the others another token, with or without targets, or as the largest."""
    if i == largest or rng.randrange(3) == 0:
        return i, True
    return rng.choice([j for j in range(n) if j != i]), bool(rng.randrange(2))
