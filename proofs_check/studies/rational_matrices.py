"""Matrices of rational numbers: integers over one common denominator (FORMAT.md, section 15)."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from operator import mul
from typing import NamedTuple

from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.geometry import definiteness
from ..core.lines import entries
from ..core.numbers import over_common
from ..core.points import Point, bits

Rows = Sequence[Sequence[int]]
#: operations on short numbers that an operation on matrices takes beside those on their entries
MATRIX = 400


class Matrix(NamedTuple):
    """Entry (i, j) is rows[i][j] / common."""

    rows: Rows
    common: int

    def points(self) -> list[Point]:
        """The rows as points."""
        return [(*row, self.common) for row in self.rows]

    def bits(self) -> int:
        """The length of the longest integer."""
        return max(self.common.bit_length(), *map(bits, self.rows))


def read_rows(value: object, rows: int | None, columns: int, file: Certificate) -> Matrix:
    """A list of rows, so many if their number is given, each of so many numbers."""
    listed = [entries(row, columns) for row in entries(value, rows)]
    *numbers, common = over_common(*file.ratios(list(chain.from_iterable(listed))), file.budget)
    return Matrix([numbers[k : k + columns] for k in range(0, len(numbers), columns)], common)


def transposed(A: Matrix) -> Matrix:
    """A'."""
    return Matrix(list(zip(*A.rows)), A.common)


def identity(dim: int) -> Matrix:
    """The identity matrix."""
    return Matrix([[int(i == j) for j in range(dim)] for i in range(dim)], 1)


def product(A: Matrix, B: Matrix, budget: Budget) -> Matrix:
    """A B."""
    columns, size = list(zip(*B.rows)), A.bits() + B.bits()
    budget.products((len(A.rows) * len(columns) + 1) * (len(B.rows) + 8), size)
    return cancelled(
        [[sum(map(mul, row, column)) for column in columns] for row in A.rows], A.common * B.common, budget
    )


def plus(A: Matrix, B: Matrix, c: Fraction, budget: Budget) -> Matrix:
    """A + c B."""
    p, q = c.as_integer_ratio()
    size = A.bits() + B.bits() + bits([p, q])
    budget.products(len(A.rows) * (2 * len(A.rows[0]) + 8), size)
    left, right = q * B.common, p * A.common
    rows = [[left * x + right * y for x, y in zip(*pair)] for pair in zip(A.rows, B.rows)]
    return cancelled(rows, left * A.common, budget)


def cancelled(rows: Rows, common: int, budget: Budget) -> Matrix:
    """The matrix in lowest terms, within the limits."""
    size = Matrix(rows, common).bits()
    budget.spend(MATRIX)
    budget.divisions(2 * len(rows) * len(rows[0]), size)
    factor = math.gcd(common, *chain.from_iterable(rows))
    found = Matrix([[x // factor for x in row] for row in rows], common // factor)
    budget.within(found.bits(), "bits")
    budget.hold(len(rows) * len(rows[0]), found.bits())
    return found


def is_zero(A: Matrix) -> bool:
    """Whether every entry is 0."""
    return not any(map(any, A.rows))


def same(A: Matrix, B: Matrix, budget: Budget) -> bool:
    """Whether two matrices are equal."""
    return is_zero(plus(A, B, Fraction(-1), budget))


def sign_of_form(A: Matrix, budget: Budget) -> int:
    """1, 0, -1 for a symmetric matrix that is positive definite, only semidefinite, neither."""
    return definiteness(A.points(), budget)


def independent(A: Matrix, budget: Budget) -> bool:
    """Whether the rows are independent: no more than columns, and their Gram matrix is positive definite."""
    return len(A.rows) <= len(A.rows[0]) and sign_of_form(product(A, transposed(A), budget), budget) == 1
