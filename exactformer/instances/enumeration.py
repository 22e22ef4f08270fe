"""All instances with small integers, one of each class of symmetric ones, by their rank.

A signed permutation of the coordinates that leaves A alone maps orbits to orbits, and the order of tokens does not
matter; of every class only the least member is an instance, the others are passed over. Ranks are random access, so
that shards of an exhaustive campaign are independent like any others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product

from exactformer.dynamics.plain_orbit import IntegerPoint
from exactformer.instances.tokens import tokens_of
from exactformer.model.tokens import Tokens

IntegerMatrix = tuple[IntegerPoint, ...]
STEPS = (Fraction(1), Fraction(1, 2))


@dataclass(frozen=True)
class Enumeration:
    """Up to `most` tokens with coordinates -bound..bound in dimensions 1 and 2, A with entries -1, 0, 1, two steps.

    >>> space = Enumeration(bound=1, most=2)
    >>> space.ranks, sum(space.instance(rank) is not None for rank in range(space.ranks))
    (8802, 4416)
    """

    bound: int
    most: int = 3

    def _parts(self) -> Iterator[tuple[int, int, int]]:
        """(dimension, tokens, number of ranks), the small ones first."""
        for n in range(1, self.most + 1):
            for d in (1, 2):
                points = (2 * self.bound + 1) ** d
                yield d, n, math.comb(points + n - 1, n) * len(matrices(d)) * len(STEPS)

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return sum(size for _, _, size in self._parts())

    def instance(self, rank: int) -> Tokens | None:
        """The instance of a rank, or None for a symmetric image of another one."""
        for d, n, size in self._parts():
            if rank < size:
                return self._instance(d, n, rank)
            rank -= size
        raise IndexError("a rank beyond the last one")

    def _instance(self, d: int, n: int, rank: int) -> Tokens | None:
        rank, step = divmod(rank, len(STEPS))
        rank, which = divmod(rank, len(matrices(d)))
        A, points = matrices(d)[which], box_points(d, self.bound)
        chosen = [points[k] for k in multiset(rank, n)]
        if any(sorted(image(g, p) for p in chosen) < chosen for g in symmetries(A)):
            return None
        rows = [tuple(map(Fraction, p)) for p in chosen]
        return tokens_of(rows, tuple(tuple(map(Fraction, row)) for row in A), STEPS[step])


@lru_cache
def box_points(d: int, bound: int) -> list[IntegerPoint]:
    """The integer points of a box, in lexicographic order."""
    return list(product(range(-bound, bound + 1), repeat=d))


@lru_cache
def matrices(d: int) -> list[IntegerMatrix]:
    """All d-by-d matrices with entries -1, 0, 1."""
    return [tuple(row[i : i + d] for i in range(0, d * d, d)) for row in product((1, 0, -1), repeat=d * d)]


@lru_cache
def symmetries(A: IntegerMatrix) -> list[tuple[IntegerPoint, IntegerPoint]]:
    """The signed permutations (order, signs) of the coordinates with g A g' = A."""
    d = len(A)
    everything = product(permutations(range(d)), product((1, -1), repeat=d))
    return [
        (order, signs)
        for order, signs in everything
        if all(signs[i] * signs[j] * A[order[i]][order[j]] == A[i][j] for i in range(d) for j in range(d))
    ]


def image(g: tuple[IntegerPoint, IntegerPoint], p: IntegerPoint) -> IntegerPoint:
    """The point under a signed permutation."""
    order, signs = g
    return tuple(s * p[k] for k, s in zip(order, signs, strict=True))


def multiset(rank: int, n: int) -> list[int]:
    """The multiset of n indices with a rank, in increasing order (the combinatorial number system).

    >>> [multiset(rank, 2) for rank in range(4)]
    [[0, 0], [0, 1], [1, 1], [0, 2]]
    """
    found = []
    for k in range(n, 0, -1):
        c = k - 1
        while math.comb(c + 1, k) <= rank:
            c += 1
        rank -= math.comb(c, k)
        found.append(c - k + 1)
    return found[::-1]
