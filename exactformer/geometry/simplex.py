"""The exact simplex method: a nonnegative solution of a linear system, or Farkas' proof that there is none.

The tableau is fraction-free (integers over one denominator, the last pivot) and Bland's rule
excludes cycling, so that every question is decided, whatever the degeneracy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.geometry.points import Element, Vector, divide_exactly, dot, exact_arrays, quotient


@dataclass(frozen=True)
class Feasible:
    """x >= 0 with M x = b; at most as many entries are nonzero as M has rows."""

    x: Vector

    def __bool__(self) -> bool:
        return True

    def verify(self, M: Array, b: Array) -> None:
        """Raises InvalidInput unless x >= 0 and M x = b."""
        if any(x < 0 for x in self.x) or any(dot(row, self.x) != value for row, value in zip(M, b, strict=True)):
            raise InvalidInput(f"feasible point: expected x >= 0 with M x = b, got {self.x}")


@dataclass(frozen=True)
class Farkas:
    """y with y'M <= 0 and <y, b> > 0: the proof that no x >= 0 has M x = b."""

    y: Vector

    def __bool__(self) -> bool:
        return False

    def verify(self, M: Array, b: Array) -> None:
        """Raises InvalidInput unless y'M <= 0 < <y, b>."""
        if any(dot(self.y, column) > 0 for column in M.T) or dot(self.y, b) <= 0:
            raise InvalidInput(f"Farkas multipliers: expected y'M <= 0 < <y, b>, got {self.y}")


@exact_arrays
def nonnegative_solution(M: Array, b: Array) -> Feasible | Farkas:
    """x >= 0 with M x = b, or y with y'M <= 0 < <y, b>: exactly one of the two exists (Farkas).

    >>> nonnegative_solution(np.array([[1, 1], [1, -1]], dtype=object), np.array([2, 0], dtype=object))
    Feasible(x=(Fraction(1, 1), Fraction(1, 1)))
    >>> nonnegative_solution(np.array([[1, 1], [1, 2]], dtype=object), np.array([1, 0], dtype=object))
    Farkas(y=(1, -1))
    """
    signs = np.array([-1 if value < 0 else 1 for value in b], dtype=object)
    tableau = _Tableau(M * signs[:, None], b * signs)
    tableau.minimise()
    if tableau.infeasibility == 0:
        return Feasible(tableau.solution())
    return Farkas(tuple(tableau.multipliers() * signs))


class _Tableau:
    """Phase one: minimise the sum of one artificial variable per row.

    The columns are the n variables, the m artificial ones, and the right-hand side; row m holds the
    reduced costs. The true tableau is `table / scale`, with scale > 0 the last pivot (Edmonds).
    """

    def __init__(self, M: Array, b: Array) -> None:
        self.m, self.n = M.shape
        self.table = np.hstack([M, np.eye(self.m, dtype=int).astype(object), b.reshape(-1, 1)])
        costs = -self.table.sum(axis=0)
        costs[self.n : self.n + self.m] = 0
        self.table = np.vstack([self.table, costs])
        # artificial variables come first in Bland's order: they leave as soon as they can, and never return
        self.basis = list(range(-self.m, 0))
        self.scale: Element = 1

    @property
    def infeasibility(self) -> Element:
        """The least sum of the artificial variables, times the scale, once minimised."""
        return -self.table[self.m, -1]

    def minimise(self) -> None:
        """Pivots by Bland's rule until no reduced cost is negative."""
        while True:
            column = next((j for j in range(self.n) if self.table[self.m, j] < 0), None)
            if column is None:
                return
            self._pivot(self._leaving(column), column)

    def _leaving(self, column: int) -> int:
        """The row of least ratio b_i / T_i,column with T_i,column > 0, and of first basic variable among equals."""
        best = -1
        for i in range(self.m):
            entry = self.table[i, column]
            if entry <= 0:
                continue
            if best >= 0:
                difference = self.table[i, -1] * self.table[best, column] - self.table[best, -1] * entry
                if difference > 0 or (difference == 0 and self.basis[i] > self.basis[best]):
                    continue
            best = i
        return best

    def _pivot(self, row: int, column: int) -> None:
        """The fraction-free pivot: every other entry becomes a 2-by-2 minor over the last pivot."""
        top, pivot = self.table[row].copy(), self.table[row, column]
        self.table = divide_exactly(self.table * pivot - np.outer(self.table[:, column], top), self.scale)
        self.table[row] = top
        self.basis[row], self.scale = column, pivot

    def solution(self) -> Vector:
        """The values of the n variables."""
        values = {variable: quotient(self.table[i, -1], self.scale) for i, variable in enumerate(self.basis)}
        return tuple(values.get(j, quotient(0, 1)) for j in range(self.n))

    def multipliers(self) -> Array:
        """y of the final basis, times the scale: an artificial column started as a unit vector of cost one."""
        y: Array = self.scale - self.table[self.m, self.n : self.n + self.m]
        return y
