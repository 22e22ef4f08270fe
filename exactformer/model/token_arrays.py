"""Many instances of equal n and d in arrays of integers, the instance being the last axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.integers import Array, largest
from exactformer.arithmetic.state import State
from exactformer.model.matrix import Row
from exactformer.model.tokens import Tokens

#: integers of an instance in arrays are smaller: float64 holds each of them, and int64 the sum of two products
LARGEST = 2**30


@dataclass(frozen=True, eq=False)
class TokenArrays:
    """m instances: tokens points[:, i, k] / denominators[k], matrices A[:, :, k] up to a factor, steps alpha.

    `A` is a positive integer multiple of the matrix, which `scale` divides out; `up` and `down` are alpha = up/down.

    >>> few = TokenArrays.of([Tokens([["1/2", 1]]), Tokens([[3, 4]], alpha="2/3")])
    >>> few.points[:, 0].tolist(), few.denominators.tolist(), few.tokens(1) == Tokens([[3, 4]], alpha="2/3")
    ([[1, 3], [2, 4]], [2, 1], True)
    """

    points: Array
    denominators: Array
    A: Array
    scale: Array
    up: Array
    down: Array

    @classmethod
    def of(cls, instances: Sequence[Tokens]) -> TokenArrays:
        """Instances of equal n and d, each of which must be `fitting`."""
        points = np.stack([z.state.array.T for z in instances], axis=-1)
        parts = [_integral(z.A) for z in instances]
        A = np.stack([np.array(rows, dtype=np.int64) for rows, _ in parts], axis=-1)
        columns = ([z.state.denominator for z in instances], [scale for _, scale in parts])
        steps = ([z.alpha.numerator for z in instances], [z.alpha.denominator for z in instances])
        denominators, scale, up, down = (np.array(column, dtype=np.int64) for column in (*columns, *steps))
        return cls(points, denominators, A, scale, up, down)

    def __len__(self) -> int:
        return len(self.denominators)

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.points)

    @property
    def size(self) -> int:
        """The number n of tokens."""
        return int(self.points.shape[1])

    def take(self, chosen: Array | slice) -> TokenArrays:
        """The instances of an index or a mask."""
        return TokenArrays(*(getattr(self, part.name)[..., chosen] for part in fields(self)))

    def tokens(self, k: int) -> Tokens:
        """Instance k."""
        scale = int(self.scale[k])
        A = tuple(tuple(Fraction(x, scale) for x in row) for row in self.A[:, :, k].tolist())
        state = State(np.ascontiguousarray(self.points[:, :, k].T), int(self.denominators[k])).reduced()
        return Tokens(state, A, Fraction(int(self.up[k]), int(self.down[k])))


def fitting(tokens: Tokens) -> bool:
    """Whether all integers of an instance are small enough for arrays.

    >>> fitting(Tokens([["1/2"]])), fitting(Tokens([[2**40]]))
    (True, False)
    """
    if not tokens.is_rational or tokens.state.array.dtype != np.int64:
        return False
    rows, scale = _integral(tokens.A)
    integers = [largest(tokens.state.array), tokens.state.denominator, scale, *(abs(x) for row in rows for x in row)]
    return max(*integers, tokens.alpha.numerator, tokens.alpha.denominator) < LARGEST


def _integral(A: tuple[Row, ...]) -> tuple[list[list[int]], int]:
    """The least integer multiple of a rational matrix, and the factor."""
    rows = [[Fraction(str(x)) if isinstance(x, Algebraic) else x for x in row] for row in A]
    scale = math.lcm(*(x.denominator for row in rows for x in row))
    return [[int(x * scale) for x in row] for row in rows], scale
