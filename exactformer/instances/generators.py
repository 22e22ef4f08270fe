"""Where instances come from: structured sets of tokens in which rare events are less rare.

Ties and near ties decide these dynamics, and generic points never tie. So most sets here are small integers, grids,
symmetric sets, points of equal norm and rational rotations of them; some are disturbed a little. Nothing here
knows a statement or a counterexample: a generator is a distribution, its parameters are ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

from exactformer.arithmetic.rational import RationalRow, RationalRows
from exactformer.instances.tokens import tokens_of
from exactformer.model.tokens import Tokens

PointList = list[RationalRow]
PointSet = Callable[[Random, int, int], PointList]
MatrixOf = Callable[[Random, int], RationalRows | None]

ONE = Fraction(1)
STEPS = tuple(map(Fraction, ("1", "1", "1/2", "1/2", "2", "1/3", "3", "1/4", "1/5", "3/2")))


def small_integers(rng: Random, n: int, d: int) -> PointList:
    """n points with integer coordinates up to a random bound of at most 12, small bounds being likelier."""
    bound = rng.choice((1, 2, 2, 3, 3, 4, 5, 8, 12))
    return [tuple(Fraction(rng.randint(-bound, bound)) for _ in range(d)) for _ in range(n)]


def small_rationals(rng: Random, n: int, d: int) -> PointList:
    """n points over one small denominator."""
    q, bound = rng.choice((2, 3, 4, 5, 10, 12)), rng.choice((1, 2, 3))
    return [tuple(Fraction(rng.randint(-bound * q, bound * q), q) for _ in range(d)) for _ in range(n)]


def grid(rng: Random, n: int, d: int) -> PointList:
    """A random part of a centred or shifted box of integers."""
    side = rng.choice((2, 3, 4)) if d < 3 else 2
    shift = [Fraction(rng.randint(-side, 0), rng.choice((1, 1, 2))) for _ in range(d)]
    points = [tuple(s + x for s, x in zip(shift, p, strict=True)) for p in product(range(side), repeat=d)]
    return rng.sample(points, min(n, len(points)))


def symmetric_set(rng: Random, n: int, d: int) -> PointList:
    """A set that is closed under a random group of reflections, with up to two more points."""
    seeds = small_integers(rng, max(1, n // 4), d)
    mirrors = rng.choice((_negated, _reflected, _reflected, _permuted))
    points = list(dict.fromkeys(image for seed in seeds for image in mirrors(seed)))
    return points[: max(n, 2)] + small_rationals(rng, rng.choice((0, 1, 1, 2)), d)


def _negated(p: RationalRow) -> PointList:
    return [p, tuple(-x for x in p)]


def _reflected(p: RationalRow) -> PointList:
    return [tuple(s * x for s, x in zip(signs, p, strict=True)) for signs in product((1, -1), repeat=len(p))]


def _permuted(p: RationalRow) -> PointList:
    turned = [p[k:] + p[:k] for k in range(len(p))]
    return [image for row in turned for image in _reflected(row)]


def circle_points(rng: Random, n: int, d: int) -> PointList:
    """PointList of equal norm: in the plane rational points of a circle, otherwise signed permutations of one point."""
    if d != 2:
        seed = small_integers(rng, 1, d)[0]
        return list(dict.fromkeys(tuple(rng.choice((x, -x)) for x in rng.sample(seed, d)) for _ in range(n)))
    radius = Fraction(rng.randint(1, 4))
    return [tuple(radius * x for x in rotation(rng)) for _ in range(n)]


def rotation(rng: Random) -> tuple[Fraction, Fraction]:
    """(cos, sin) of a random rational rotation: ((1-t^2)/(1+t^2), 2t/(1+t^2)) up to signs and order."""
    t = Fraction(rng.randint(0, 4), rng.randint(1, 4))
    pair = ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))
    c, s = pair if rng.randrange(2) else pair[::-1]
    return rng.choice((c, -c)), rng.choice((s, -s))


def rotated(points: PointList, rng: Random) -> PointList:
    """The points turned by a rational rotation of the first two coordinates (nothing happens on a line)."""
    if not points or len(points[0]) < 2:
        return points
    c, s = rotation(rng)
    return [(c * p[0] - s * p[1], s * p[0] + c * p[1], *p[2:]) for p in points]


def disturbed(points: PointList, rng: Random) -> PointList:
    """The points with one coordinate moved by a small amount: a tie becomes a near tie."""
    i, k = rng.randrange(len(points)), rng.randrange(len(points[0]))
    moved = points[i][k] + Fraction(rng.choice((-1, 1)), rng.choice((7, 12, 100, 1000)))
    return [*points[:i], (*points[i][:k], moved, *points[i][k + 1 :]), *points[i + 1 :]]


def spiral(rng: Random, n: int, d: int) -> PointList:
    """PointList each of which is the one before, turned by a steady rational angle, stretched, and rounded."""
    if d < 2:
        return small_integers(rng, n, d)
    t, grow = Fraction(rng.randint(1, 6), 6), Fraction(rng.randint(10, 18), 10)
    c, s = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    points = [tuple(Fraction(rng.randint(-4, 4)) for _ in range(d))]
    for _ in range(n - 1):
        x, y, *rest = points[-1]
        points.append(tuple(grow * z for z in (c * x - s * y, s * x + c * y, *rest)))
    return [tuple(Fraction(round(2 * x), 2) for x in p) for p in points]


def mirror_pairs(rng: Random, n: int, d: int) -> PointList:
    """Pairs of mirror images, some of them near another pair, and points in the mirror: nearly symmetric in many ways.

    The first coordinate is mirrored; a pair is new, or one that is there, moved a little (both images alike).
    """
    if d < 2:
        return small_rationals(rng, n, d)
    unit = Fraction(1, rng.choice((4, 5, 8, 10, 20, 50)))
    pairs: PointList = []
    for _ in range(max(1, (n - 1) // 2)):
        if pairs and rng.randrange(3):
            pairs.append(tuple(x + unit * rng.choice((-2, -1, 0, 0, 1, 2)) for x in rng.choice(pairs)))
        else:
            pairs.append(tuple(Fraction(rng.randint(1, 3) if k == 0 else rng.randint(-2, 3)) for k in range(d)))
    inside = [
        (Fraction(0), *(Fraction(rng.randint(-4, 8), 4) for _ in range(d - 1))) for _ in range(rng.choice((1, 1, 2)))
    ]
    return [image for x, *rest in pairs for image in ((x, *rest), (-x, *rest))] + inside


SETS: tuple[PointSet, ...] = (
    small_integers,
    small_integers,
    small_rationals,
    grid,
    symmetric_set,
    circle_points,
    spiral,
    mirror_pairs,
)


def point_set(rng: Random, n: int, d: int) -> PointList:
    """A random structured set of about n points, sometimes rotated, sometimes disturbed."""
    points = rng.choice(SETS)(rng, n, d)
    chance = rng.randrange(8)
    if chance == 0:
        return rotated(points, rng)
    return disturbed(points, rng) if chance == 1 else points


# matrices ------------------------------------------------------------------------------------------------------
def identity_mostly(rng: Random, d: int) -> RationalRows | None:
    """The identity three times out of four, else a random positive definite matrix."""
    return None if rng.randrange(4) else positive_definite(rng, d)


def positive_definite(rng: Random, d: int) -> RationalRows:
    """M'M + I for a random matrix M of small integers: symmetric positive definite."""
    M = [[rng.randint(-1, 2) for _ in range(d)] for _ in range(d)]
    return _matrix([[sum(row[i] * row[j] for row in M) + (i == j) for j in range(d)] for i in range(d)])


def semidefinite(rng: Random, d: int) -> RationalRows:
    """v v' for a few random integer vectors v, fewer than d: symmetric, positive semidefinite, singular."""
    vectors = [[rng.randint(-2, 2) for _ in range(d)] for _ in range(max(1, d - 1))]
    return _matrix([[sum(v[i] * v[j] for v in vectors) for j in range(d)] for i in range(d)])


def symmetric(rng: Random, d: int) -> RationalRows:
    """A random symmetric matrix of small integers."""
    upper = [[rng.randint(-3, 3) for _ in range(d)] for _ in range(d)]
    return _matrix([[upper[min(i, j)][max(i, j)] for j in range(d)] for i in range(d)])


def skewed(rng: Random, d: int) -> RationalRows:
    """A positive definite matrix plus a random antisymmetric one."""
    base, bound = positive_definite(rng, d), rng.choice((1, 2, 4, 8))
    turn = [[rng.randint(-bound, bound) for _ in range(d)] for _ in range(d)]
    return tuple(tuple(base[i][j] + turn[i][j] - turn[j][i] for j in range(d)) for i in range(d))


def _matrix(rows: Sequence[Sequence[int]]) -> RationalRows:
    return tuple(tuple(map(Fraction, row)) for row in rows)


# instances -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class TokenFamily:
    """A distribution of instances: how many tokens, in which dimensions, with which matrices and steps.

    >>> TokenFamily()(Random(1)).dim
    2
    """

    sizes: Sequence[int] = (2, 3, 4, 5, 6, 7, 8)
    dims: Sequence[int] = (1, 2, 2, 2, 2, 3)
    matrices: MatrixOf = identity_mostly
    steps: Sequence[Fraction] = STEPS
    points: PointSet = point_set
    zero: bool = False
    repeats: bool = False

    def __call__(self, rng: Random) -> Tokens:
        d = rng.choice(self.dims)
        points = self.points(rng, rng.choice(self.sizes), d)
        if not self.repeats:
            points = list(dict.fromkeys(p for p in points if any(p)))
        else:
            points += rng.choices(points, k=rng.randint(1, len(points)))
        if self.zero:
            points = [*points, (Fraction(0),) * d]
        if not points:
            points = [tuple(Fraction(rng.randint(1, 9)) for _ in range(d))]
        return tokens_of(points, self.matrices(rng, d), rng.choice(self.steps))
