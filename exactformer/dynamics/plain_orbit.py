"""The dynamics by its definition, in plain integers: for a handful of tokens faster than any array.

Campaigns judge millions of tiny instances, where the certified filter and the locks of the engine cost more than they
save. Nothing here is clever, which also makes it the second opinion that the engine is compared with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from operator import is_, mul
from typing import NamedTuple, cast

from exactformer.dynamics.follower_sets import Follows
from exactformer.errors import NotExact
from exactformer.model.tokens import Tokens

IntegerPoint = tuple[int, ...]


class PlainLayer(NamedTuple):
    """One layer: points over one denominator, scores[i][j] a fixed positive multiple of <A z_i, z_j>, and the C_i."""

    points: list[IntegerPoint]
    denominator: int
    scores: list[list[int]]
    follows: Follows

    @property
    def leaders(self) -> list[int]:
        """The tokens with C_i = {i} at this layer."""
        return [i for i, members in enumerate(self.follows) if members == (i,)]

    def point(self, i: int) -> tuple[Fraction, ...]:
        """Token i as exact numbers."""
        return tuple(Fraction(x, self.denominator) for x in self.points[i])


@lru_cache(maxsize=4096)
def integer_rows(A: tuple[tuple[Fraction, ...], ...]) -> tuple[IntegerPoint, ...]:
    """The least positive multiple of A with integer entries, row by row."""
    scale = math.lcm(*(x.denominator for row in A for x in row))
    return tuple(tuple(int(x * scale) for x in row) for row in A)


def score_layer(A: Sequence[IntegerPoint], points: list[IntegerPoint], denominator: int) -> PlainLayer:
    """The layer with these points: all scores, and C_i = all exact maximisers."""
    scores = _plane_scores(A, points) if len(A) == 2 else _scores(A, points)
    peaks = list(map(max, scores))
    follows = [
        (line.index(best),) if line.count(best) == 1 else _ties(line, best)
        for line, best in zip(scores, peaks, strict=True)
    ]
    return PlainLayer(points, denominator, scores, follows)


def _scores(A: Sequence[IntegerPoint], points: list[IntegerPoint]) -> list[list[int]]:
    is_identity = all(x == (i == j) for i, row in enumerate(A) for j, x in enumerate(row))
    images = points if is_identity else [tuple([sum(map(mul, row, z)) for row in A]) for z in points]
    if len(A) == 3:
        return [[x * u + y * v + z * w for u, v, w in points] for x, y, z in images]
    return [[sum(map(mul, x, y)) for y in points] for x in images]


def _plane_scores(A: Sequence[IntegerPoint], points: list[IntegerPoint]) -> list[list[int]]:
    """The same, written out in the plane, where most campaigns live."""
    (a, b), (c, d) = A
    if b == c == 0 and a == d == 1:
        return [[x * u + y * v for u, v in points] for x, y in points]
    images = [(a * x + b * y, c * x + d * y) for x, y in points]
    return [[x * u + y * v for u, v in points] for x, y in images]


def _ties(line: list[int], best: int) -> tuple[int, ...]:
    return tuple(j for j, score in enumerate(line) if score == best)


def moved(layer: PlainLayer, share: Fraction) -> tuple[list[IntegerPoint], int]:
    """z_i + a * mean_{j in C_i} (z_j - z_i) for a = share, over one denominator in lowest terms."""
    p, q, points = share.numerator, share.denominator, layer.points
    common = math.lcm(*map(len, layer.follows))
    rest, pull = (q - p) * common, p * common
    result: list[IntegerPoint]
    if common == 1 and len(points[0]) == 2:  # nobody ties, in the plane: most layers of most campaigns
        towards = [points[j] for (j,) in layer.follows]
        result = [(rest * x + p * u, rest * y + p * v) for (x, y), (u, v) in zip(points, towards, strict=True)]
    else:
        result = []
        for z, C in zip(points, layer.follows, strict=True):
            part = pull // len(C)
            result.append(tuple([rest * x + part * y for x, y in zip(z, _total(points, C), strict=True)]))
    denominator = layer.denominator * q * common
    divisor = math.gcd(denominator, *chain.from_iterable(result))
    if divisor > 1:
        result = [tuple([x // divisor for x in z]) for z in result]
    return result, denominator // divisor


def _total(points: list[IntegerPoint], members: tuple[int, ...]) -> IntegerPoint:
    if len(members) == 1:
        return points[members[0]]
    return tuple(map(sum, zip(*[points[j] for j in members], strict=True)))


class PlainOrbit:
    """The layers of an instance, made on demand: `orbit[k]` is layer k.

    >>> orbit = PlainOrbit(Tokens([["7/5", "1/5"], [1, 1], [0, 0]]))
    >>> orbit[0].follows, orbit[2].point(2)
    ([(0,), (1,), (0, 1, 2)], (Fraction(4, 5), Fraction(2, 5)))
    """

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.A = integer_rows(rational_matrix(tokens.A))
        self.share = tokens.alpha / (1 + tokens.alpha)
        points, denominator = integer_points(tokens)
        self._layers = [score_layer(self.A, points, denominator)]

    def __getitem__(self, k: int) -> PlainLayer:
        while len(self._layers) <= k:
            self._layers.append(score_layer(self.A, *moved(self._layers[-1], self.share)))
        return self._layers[k]

    def first_lead(self, i: int, last: int) -> int | None:
        """The first layer 0..last with C_i = {i}, or None."""
        return next((k for k in range(last + 1) if self[k].follows[i] == (i,)), None)


def rational_matrix(A: Sequence[Sequence[object]]) -> tuple[tuple[Fraction, ...], ...]:
    """The matrix, whose entries must be rational; the very object where it has this form, so that caches are quick."""
    rows = tuple(rational_row(row) for row in A)
    return cast(tuple[tuple[Fraction, ...], ...], A) if type(A) is tuple and all(map(is_, A, rows)) else rows


def rational_row(row: Sequence[object]) -> tuple[Fraction, ...]:
    """The row, whose entries must be rational."""
    if set(map(type, row)) != {Fraction}:
        raise NotExact(f"instances of conjectures are rational, got the algebraic numbers {row!r:.80}")
    return cast(tuple[Fraction, ...], tuple(row))


def integer_points(tokens: Tokens) -> tuple[list[IntegerPoint], int]:
    """The tokens as integer points over one denominator."""
    if not tokens.state.is_rational:
        raise NotExact("instances of conjectures are rational: a token has an algebraic coordinate")
    return [tuple(row) for row in tokens.state.array.tolist()], tokens.state.denominator
