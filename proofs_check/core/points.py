"""Points and their arithmetic. There are two ways in which points are held:

- a *Point* is a tuple (n_1, .., n_d, q): the point (n_1/q, .., n_d/q) in lowest terms, q > 0, so that equal points are
  equal tuples;
- a *State* is the tokens of a sequence over one denominator, coordinate by coordinate, in integers.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain
from operator import add, mul
from typing import NamedTuple

from .budget import Budget, division_cost
from .numbers import Ratio, common_denominator

Point = tuple[int, ...]
Coordinates = Sequence[Sequence[int]]


class State(NamedTuple):
    """Token j is (coordinates[0][j], .., coordinates[d-1][j]) / common and stands there times[j] times.

    No integer of the coordinates, nor the denominator, is longer than so many bits.
    """

    coordinates: Coordinates
    common: int
    times: Sequence[int]
    bits: int

    def points(self) -> list[Point]:
        """The tokens as points, in order."""
        return points(self.coordinates, self.common)


class Followers(NamedTuple):
    """C_i = groups[of[i]], every group strictly increasing indices."""

    groups: list[tuple[int, ...]]
    of: list[int]


def lowest(point: Point) -> Point:
    """The same point in lowest terms."""
    factor = math.gcd(*point)
    return point if factor == 1 else tuple([n // factor for n in point])


def plus(x: Point, y: Point, p: int = 1, q: int = 1) -> Point:
    """(p/q)*x + y."""
    if not p:
        return y
    first, second = q * x[-1], y[-1]
    below = math.lcm(first, second)
    p, q = p * (below // first), below // second
    total = [p * m + q * n for m, n in zip(x, y)]
    total[-1] = below
    factor = math.gcd(*total)
    return tuple(total) if factor == 1 else tuple([n // factor for n in total])


def origin(dim: int) -> Point:
    """The point 0."""
    return (0,) * dim + (1,)


def dot(x: Point, y: Point) -> Fraction:
    """<x, y>."""
    return Fraction(sum(map(mul, x[:-1], y[:-1])), x[-1] * y[-1])


def times(rows: Sequence[Point], x: Point) -> Point:
    """M x for the matrix M with these rows."""
    products = [dot(row, x) for row in rows]
    common = math.lcm(*[product.denominator for product in products])
    return (*[product.numerator * (common // product.denominator) for product in products], common)


def direction(row: Point) -> tuple[tuple[int, ...], Ratio]:
    """The primitive integer vector u, its first nonzero entry positive, and the ratio t/r with row = (t/r)*u."""
    factor = math.gcd(*row[:-1])
    factor = factor if next((n for n in row[:-1] if n), 0) >= 0 else -factor
    return tuple([n // (factor or 1) for n in row[:-1]]), (factor, row[-1])


def linear_form(u: Sequence[int], coordinates: Coordinates) -> list[int]:
    """<u, x> for every token x; coordinates that do not count are not looked at."""
    rows = [list(x) if c == 1 else [c * n for n in x] for c, x in zip(u, coordinates) if c]
    return reduce(lambda x, y: list(map(add, x, y)), rows) if rows else [0] * len(coordinates[0])


def bits(numbers: Sequence[int]) -> int:
    """The length of the longest of some integers."""
    return max(max(numbers), -min(numbers)).bit_length()


def sum_cost(dim: int, size: int) -> int:
    """Operations of `plus` on points whose integers have so many bits."""
    return 80 + (dim + 4) * division_cost(size) // 2


def points(coordinates: Coordinates, common: int) -> list[Point]:
    """The points with these coordinates over a common denominator, in order."""
    return [lowest((*x, common)) if common > 1 else (*x, 1) for x in zip(*coordinates)]


def over_one_denominator(found: Sequence[Point], budget: Budget) -> tuple[list[Point], int]:
    """The points times their common denominator, as integer vectors, and that denominator."""
    common = common_denominator([x[-1] for x in found], budget)
    whole = [x[:-1] if x[-1] == common else tuple([n * (common // x[-1]) for n in x[:-1]]) for x in found]
    return whole, common


def state_of(found: Iterable[Point], times: Sequence[int], budget: Budget) -> State:
    """Points over one denominator, as the state after a layer."""
    *rows, denominators = zip(*found)
    common = common_denominator(denominators, budget)
    if common > 1:
        rows = [tuple([n * (common // q) for n, q in zip(x, denominators)]) for x in rows]
    return settled(rows, common, times, budget)


def settled(coordinates: Coordinates, common: int, times: Sequence[int], budget: Budget, before: int = 0) -> State:
    """The state with these integers; if they are long, and longer than before, cancelled and within the limits."""
    size = bits([common, *chain.from_iterable(coordinates)])
    if size > min(max(128, before), budget.limits.bits):
        budget.divisions(2 * len(times) * len(coordinates), size)
        factor = math.gcd(common, *chain.from_iterable(coordinates))
        coordinates, common = [[n // factor for n in x] for x in coordinates], common // factor
        size = bits([common, *chain.from_iterable(coordinates)])
        budget.within(size, "bits")
    return State(coordinates, common, times, size)
