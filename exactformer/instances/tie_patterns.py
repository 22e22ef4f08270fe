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

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import NamedTuple

import numpy as np

from exactformer.io.untyped import Untyped

#: by how much, in units of r^k, an inequality has to hold in floats
MARGIN = 1e-3
#: what an equation may be off, in the same units
TOLERANCE = 1e-9
#: a token is not larger than another, in floats, by less than this, in the same units
AS_LARGE = 1e-6
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

    @cached_property
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


class PatternEquations:
    """The equations and inequalities of a pattern: a function of x(0), row by row, then c, target by target.

    Whom a token follows does not depend on the unknown, so positions are linear in it at every layer, by maps that are
    made once; scores are bilinear, and an evaluation is a handful of products of arrays over all layers.
    """

    def __init__(self, shape: ClusterShape, pattern: Sequence[PatternLayer]) -> None:
        n, count = shape.moving, shape.count(pattern)
        self.moving = n
        self.scale = float(shape.r) ** np.arange(len(pattern))
        self.maps = _maps(shape, pattern)
        tied = [(k, i, layer.follows[i], n + m) for k, layer in enumerate(pattern) for i, m in _tied(layer)]
        lower = [
            (k, i, other, layer.follows[i])
            for k, layer in enumerate(pattern)
            for i in range(n)
            for other in range(n + count)
            if other not in (layer.follows[i], n + layer.ties[i] if layer.ties[i] >= 0 else -1)
        ]
        self._ties, self._lower = (np.array(rows, dtype=int).reshape(-1, 4).T for rows in (tied, lower))

    def __call__(self, unknown: Untyped) -> TieEquations:
        """The values and derivatives at a point."""
        n, (layers, _, d, size) = self.moving, self.maps.shape
        at = self.maps @ unknown
        along = at[:, :n].copy()
        along[:, :, 0] += 1  # l + x_i, l being the first unit vector
        unit = self.scale[:, None, None]
        values = along @ at.transpose(0, 2, 1) / unit
        of_scored = along @ self.maps.transpose(0, 2, 1, 3).reshape(layers, d, -1)
        of_scoring = at @ self.maps[:, :n].transpose(0, 2, 1, 3).reshape(layers, d, -1)
        slopes = of_scored.reshape(layers, n, -1, size) + of_scoring.reshape(layers, -1, n, size).swapaxes(1, 2)
        slopes /= unit[..., None]
        own = np.arange(n)
        # |l + x_i|^2 < |l|^2: no moving token has passed the limit of the cluster
        inside = values[:, own, own] + at[:, :n, 0] / unit[..., 0]
        inside_slopes = slopes[:, own, own] + self.maps[:, :n, 0] / unit
        above, above_slopes = _differences(values, self._lower), _differences(slopes, self._lower)
        return TieEquations(
            _differences(values, self._ties),
            _differences(slopes, self._ties),
            np.concatenate([above, inside.ravel()]),
            np.concatenate([above_slopes, inside_slopes.reshape(-1, size)]),
        )


def _tied(layer: PatternLayer) -> list[tuple[int, int]]:
    """The tokens that tie with a target, and the targets."""
    return [(i, m) for i, m in enumerate(layer.ties) if m >= 0]


def _differences(values: Untyped, rows: Untyped) -> Untyped:
    """What token i scores for one minus what it scores for another, at layer k, for rows (k, i, one, another)."""
    k, i, one, another = rows
    return values[k, i, one] - values[k, i, another]


def _maps(shape: ClusterShape, pattern: Sequence[PatternLayer]) -> Untyped:
    """For every layer k: x_i(k), then r^k c_m, as linear maps of the unknown."""
    n, d, count = shape.moving, 1 + shape.dim, shape.count(pattern)
    blocks = np.eye((n + count) * d).reshape(n + count, d, -1)
    x, targets, found = blocks[:n], blocks[n:], []
    for layer in pattern:
        found.append(np.concatenate([x, targets]))
        x, targets = _next(shape, layer, x, targets), float(shape.r) * targets
    return np.array(found)


def _next(shape: ClusterShape, layer: PatternLayer, x: Untyped, targets: Untyped) -> Untyped:
    """x(k+1), of points or of linear maps."""
    r, a, w = float(shape.r), float(1 - shape.r), shape.weight
    goals = [
        x[j] if m < 0 else (x[j] + w * targets[m]) / (1 + w) for j, m in zip(layer.follows, layer.ties, strict=True)
    ]
    return r * x + a * np.array(goals)


def propose_solution(shape: ClusterShape, pattern: Sequence[PatternLayer], start: Untyped) -> Untyped | None:
    """A point near which the pattern holds, from a starting point; None where least squares find none."""
    from scipy.optimize import leastsq

    residuals = _Residuals(PatternEquations(shape, pattern))
    options = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15, "maxfev": EVALUATIONS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged is seen from what is left
        found, _ = leastsq(residuals.values, start, Dfun=residuals.slopes, **options)
    return found if np.abs(residuals.values(found)).max() < TOLERANCE else None


class _Residuals:
    """What a solution has to make 0: ties, and inequalities where they fail; evaluated once for values and slopes."""

    def __init__(self, equations: PatternEquations) -> None:
        self.equations = equations
        self._at: tuple[bytes, Untyped, Untyped] = (b"", None, None)

    def values(self, unknown: Untyped) -> Untyped:
        """At a point."""
        return self._evaluated(unknown)[1]

    def slopes(self, unknown: Untyped) -> Untyped:
        """Their derivatives."""
        return self._evaluated(unknown)[2]

    def _evaluated(self, unknown: Untyped) -> tuple[bytes, Untyped, Untyped]:
        if self._at[0] != (name := unknown.tobytes()):
            found = self.equations(unknown)
            more = np.zeros(
                max(0, unknown.size - len(found.ties) - len(found.above))
            )  # MINPACK wants as many as unknowns
            values = np.concatenate([found.ties, np.maximum(0.0, found.above + MARGIN), more])
            failing = (found.above > -MARGIN)[:, None]
            slopes = np.concatenate(
                [found.slopes, np.where(failing, found.above_slopes, 0.0), np.zeros((more.size, unknown.size))]
            )
            self._at = name, values, slopes
        return self._at


def approx_largest(shape: ClusterShape, pattern: Sequence[PatternLayer], solution: Untyped) -> tuple[int, ...]:
    """The token of largest norm at every layer of the pattern, by floats; as before where another is as large."""
    n, d = shape.moving, 1 + shape.dim
    x, targets = solution.reshape(-1, d)[:n], solution.reshape(-1, d)[n:]
    largest: list[int] = []
    for k, layer in enumerate(pattern):
        excess = (2 * x[:, 0] + (x * x).sum(1)) / float(shape.r) ** k
        before = largest[-1] if largest else 0
        largest.append(before if excess[before] > excess.max() - AS_LARGE else int(excess.argmax()))
        x = _next(shape, layer, x, float(shape.r) ** k * targets)
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
