"""Exact linear algebra: echelon forms, solutions, and positive definiteness, each answer with its witness.

Rational matrices go through FLINT; algebraic ones through the same formulas over their field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpz_mat

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.rational import identity
from exactformer.arithmetic.text import brief
from exactformer.errors import InvalidInput
from exactformer.geometry.points import (
    Element,
    Points,
    Vector,
    all_integers,
    divide_exactly,
    dot,
    exact_arrays,
    primitive,
    quotient,
    shared,
)


@dataclass(frozen=True)
class Solution:
    """x with M x = b; `unique` says whether it is the only one."""

    x: Vector
    unique: bool

    def __bool__(self) -> bool:
        return True

    @exact_arrays
    def verify(self, M: Points, b: Sequence[Element]) -> None:
        """Raises InvalidInput unless M x = b exactly."""
        for i, (row, value) in enumerate(zip(_rows(M), b, strict=True)):
            if dot(row, self.x) != value:
                raise InvalidInput(f"solution: expected row {i} of M times x to be {value}, got {dot(row, self.x)}")


@dataclass(frozen=True)
class Inconsistent:
    """y with y'M = 0 and <y, b> != 0: the proof that M x = b has no solution."""

    y: Vector

    def __bool__(self) -> bool:
        return False

    @exact_arrays
    def verify(self, M: Points, b: Sequence[Element]) -> None:
        """Raises InvalidInput unless y'M = 0 and <y, b> != 0 exactly."""
        for k, column in enumerate(zip(*_rows(M), strict=True)):
            if dot(self.y, column) != 0:
                raise InvalidInput(f"inconsistency: expected y'M = 0, got {dot(self.y, column)} in column {k}")
        if dot(self.y, b) == 0:
            raise InvalidInput("inconsistency: expected <y, b> != 0, got 0")


def _rows(M: Points) -> list[Vector]:
    (numerators,), denominator = shared(M, names=("matrix",))
    return [tuple(quotient(x, denominator) for x in row) for row in numerators]


@exact_arrays
def echelon(T: Array) -> tuple[Array, Element, tuple[int, ...]]:
    """(R, q, pivots): R/q is the reduced row echelon form of T, `pivots` its pivot columns.

    >>> R, q, pivots = echelon(np.array([[2, 4, 1], [1, 2, 3]], dtype=object))
    >>> (R // q).tolist(), pivots
    ([[1, 2, 0], [0, 0, 1]], (0, 2))
    """
    if all_integers(T):
        reduced, q, rank = fmpz_mat(T.tolist()).rref()
        R = np.array([[int(x) for x in row] for row in reduced.tolist()], dtype=object).reshape(T.shape)
        return R, int(q), tuple(_first_nonzero(row) for row in R[:rank])
    return _algebraic_echelon(T.copy())


def _algebraic_echelon(R: Array) -> tuple[Array, Element, tuple[int, ...]]:
    """Gauss-Jordan elimination over the field of the entries."""
    pivots: list[int] = []
    for k in range(R.shape[1]):
        top = len(pivots)
        found = next((i for i in range(top, len(R)) if R[i, k] != 0), None)
        if found is None:
            continue
        R[[top, found]] = R[[found, top]]
        R[top] = R[top] * quotient(1, R[top, k])
        for i in range(len(R)):
            if i != top and R[i, k] != 0:
                R[i] = R[i] - R[i, k] * R[top]
        pivots.append(k)
    return R, 1, tuple(pivots)


def _first_nonzero(row: Array) -> int:
    return next(k for k, x in enumerate(row) if x != 0)


def solve(M: Points, b: Sequence[Element]) -> Solution | Inconsistent:
    """x with M x = b, or y with y'M = 0 and <y, b> != 0 (one of the two exists, never both).

    >>> solve([[2, 1], [1, 1]], [1, 1])
    Solution(x=(Fraction(0, 1), Fraction(1, 1)), unique=True)
    >>> solve([[1, 1], [2, 2]], [1, 1])
    Inconsistent(y=(-2, 1))
    """
    (numerators,), denominator = shared(M, names=("matrix",))
    rows, columns = numerators.shape
    if len(b) != rows:
        raise InvalidInput(f"right-hand side: expected {rows} entries, one per row of the matrix, got {len(b)}")
    (right,), scale = shared([(value,) for value in b], names=("right-hand side",))
    # scaling M to integers divides x by the denominator; the identity block records the row operations
    R, q, pivots = echelon(np.hstack([numerators, right, np.eye(rows, dtype=int).astype(object)]))
    if columns in pivots:
        return Inconsistent(primitive(tuple(R[pivots.index(columns), columns + 1 :])))
    x: list[Element] = [Fraction(0)] * columns
    used = [k for k in pivots if k < columns]
    for i, k in enumerate(used):
        x[k] = quotient(R[i, columns] * denominator, q * scale)
    return Solution(tuple(x), len(used) == columns)


def pivot_columns(M: Points) -> tuple[int, ...]:
    """The first columns, from the left, that form a basis of the column space.

    >>> pivot_columns([[1, 2, 0], [2, 4, 1]])
    (0, 2)
    """
    (numerators,), _ = shared(M, names=("matrix",))
    return echelon(numerators)[2]


def rank(M: Points) -> int:
    """The rank of M.

    >>> rank([[1, 2], [2, 4]])
    1
    """
    return len(pivot_columns(M))


@exact_arrays
def null_space(M: Points) -> tuple[Vector, ...]:
    """A basis of {x : M x = 0}, of primitive integer vectors where M is rational.

    >>> null_space([[1, 2, 3]])
    ((-2, 1, 0), (-3, 0, 1))
    """
    (numerators,), _ = shared(M, names=("matrix",))
    R, q, pivots = echelon(numerators)
    basis = []
    for free in (k for k in range(numerators.shape[1]) if k not in pivots):
        x: list[Element] = [0] * numerators.shape[1]
        x[free] = q
        for i, k in enumerate(pivots):
            x[k] = -R[i, free]
        basis.append(primitive([v if q > 0 else -v for v in x]))
    return tuple(basis)


def positive_solution(G: Array, b: Array) -> list[Element]:
    """A positive multiple of the x with G x = b, for a positive definite matrix G: integers if G and b are.

    >>> positive_solution(np.array([[2, 1], [1, 2]], dtype=object), np.array([1, 1], dtype=object))
    [1, 1]
    """
    if all_integers(G) and all_integers(b):
        numerators, _ = fmpz_mat(G.tolist()).solve(fmpz_mat([[v] for v in b.tolist()])).numer_denom()
        return [int(x) for x in numerators.entries()]
    R, _, _ = _algebraic_echelon(np.hstack([G, b.reshape(-1, 1)]))
    return list(R[:, -1])


@dataclass(frozen=True)
class Factorisation:
    """A = L diag(D) L' with L unit lower triangular and D > 0 (`strict`) or D >= 0."""

    L: tuple[Vector, ...]
    D: Vector
    strict: bool

    def __bool__(self) -> bool:
        return True

    @exact_arrays
    def verify(self, A: Points) -> None:
        """Raises InvalidInput unless L diag(D) L' = A, L is unit lower triangular and D has the signs it should."""
        n = len(self.D)
        for i, row in enumerate(_rows(A)):
            if len(self.L[i]) != n or self.L[i][i] != 1 or any(x != 0 for x in self.L[i][i + 1 :]):
                raise InvalidInput(f"factorisation: expected L unit lower triangular, got row {i} {self.L[i]}")
            if self.D[i] < 0 or (self.strict and self.D[i] == 0):
                raise InvalidInput(
                    f"factorisation: expected a {'positive' if self.strict else 'nonnegative'} D[{i}], got {self.D[i]}"
                )
            for j, value in enumerate(row):
                if dot(map(_times, self.L[i], self.D), self.L[j]) != value:
                    raise InvalidInput(f"factorisation: expected (L D L')[{i}][{j}] = {value}")


def _times(x: Element, y: Element) -> Element:
    return x * y


@dataclass(frozen=True)
class Asymmetry:
    """A[row][column] != A[column][row]."""

    row: int
    column: int

    def __bool__(self) -> bool:
        return False

    @exact_arrays
    def verify(self, A: Points) -> None:
        """Raises InvalidInput unless the two entries differ."""
        rows = _rows(A)
        if rows[self.row][self.column] == rows[self.column][self.row]:
            raise InvalidInput(f"asymmetry: A[{self.row}][{self.column}] equals its mirror image")

    def __str__(self) -> str:
        return f"not symmetric: A[{self.row}][{self.column}] differs from A[{self.column}][{self.row}]"


@dataclass(frozen=True)
class Indefinite:
    """v != 0 with <A v, v> = value <= 0; `value < 0` where A is not even semidefinite.

    `minor` is the determinant of the leading `order`-by-`order` block: the first that is not positive.
    """

    v: Vector
    value: Element
    order: int
    minor: Element

    def __bool__(self) -> bool:
        return False

    @exact_arrays
    def verify(self, A: Points) -> None:
        """Raises InvalidInput unless v != 0 and <A v, v> = value <= 0."""
        value = dot((dot(row, self.v) for row in _rows(A)), self.v)
        if all(x == 0 for x in self.v) or value != self.value or value > 0:
            raise InvalidInput(
                f"indefinite: expected v != 0 with <A v, v> = {self.value} <= 0, got {value} at {self.v}"
            )

    def __str__(self) -> str:
        minor = f"the leading {self.order}-by-{self.order} minor is {brief(self.minor)}"
        return f"{minor}; <A v, v> = {brief(self.value)} at v = ({', '.join(map(brief, self.v))})"


def symmetric(A: Points) -> Asymmetry | None:
    """The first entry that differs from its mirror image, or None for a symmetric matrix.

    >>> symmetric([[1, 2], [0, 1]])
    Asymmetry(row=0, column=1)
    """
    return _asymmetry(_square(A)[0])


def _square(A: Points) -> tuple[Array, int]:
    (numerators,), denominator = shared(A, names=("A",))
    if numerators.shape[0] != numerators.shape[1]:
        raise InvalidInput(
            f"A: expected a square matrix, got {numerators.shape[0]} rows of {numerators.shape[1]} entries"
        )
    return numerators, denominator


def _asymmetry(A: Array) -> Asymmetry | None:
    n = len(A)
    return next((Asymmetry(i, j) for i in range(n) for j in range(i + 1, n) if A[i, j] != A[j, i]), None)


def positive_definite(A: Points) -> Factorisation | Indefinite | Asymmetry:
    """A = L diag(D) L' with D > 0, or v != 0 with <A v, v> <= 0 and the first leading minor <= 0 (Sylvester).

    >>> positive_definite([[2, 1], [1, 1]]).D
    (Fraction(2, 1), Fraction(1, 2))
    >>> print(positive_definite([[1, 2], [2, 1]]))
    the leading 2-by-2 minor is -3; <A v, v> = -3 at v = (-2, 1)
    """
    return _factorise(A, strict=True)


def positive_semidefinite(A: Points) -> Factorisation | Indefinite | Asymmetry:
    """A = L diag(D) L' with D >= 0, or v with <A v, v> < 0.

    >>> bool(positive_semidefinite([[1, 1], [1, 1]]))
    True
    >>> positive_semidefinite([[0, 1], [1, 0]]).v
    (-1, 2)
    """
    return _factorise(A, strict=False)


@exact_arrays
def _factorise(A: Points, *, strict: bool) -> Factorisation | Indefinite | Asymmetry:
    """Fraction-free elimination: before step k, S/last is the Schur complement and S[k, k] a leading minor."""
    S, denominator = _square(A)
    crooked = _asymmetry(S)
    if crooked is not None:  # an Asymmetry is false, as every refusal
        return crooked
    S, n, last, D = S.copy(), len(S), 1, []
    L = np.array(identity(n), dtype=object)
    first: tuple[int, Element] | None = None
    for k in range(n):
        pivot = S[k, k]
        if pivot <= 0 and first is None:
            first = (k + 1, quotient(pivot, denominator ** (k + 1)))
        if pivot < 0 or (strict and pivot == 0):
            return _indefinite(A, L, {k: 1}, first)
        if pivot == 0:
            coupled = next((i for i in range(k + 1, n) if S[i, k] != 0), None)
            if coupled is not None:
                # t e_k + e_i has the value (2 t S_ik + S_ii)/last, which this t makes -1
                t = quotient(-(S[coupled, coupled] + last), 2 * S[coupled, k])
                return _indefinite(A, L, {k: t, coupled: 1}, first)
            D.append(Fraction(0))
            continue
        D.append(quotient(pivot, last * denominator))
        L[k + 1 :, k] = [quotient(x, pivot) for x in S[k + 1 :, k]]
        rest = S[k + 1 :, k + 1 :] * pivot - np.outer(S[k + 1 :, k], S[k, k + 1 :])
        S[k + 1 :, k + 1 :] = divide_exactly(rest, last)
        last = pivot
    return Factorisation(tuple(map(tuple, L)), tuple(D), strict)


def _indefinite(A: Points, L: Array, u: dict[int, Element], first: tuple[int, Element] | None) -> Indefinite:
    """The witness v with L'v = u: <A v, v> is the value of u under the part that is not eliminated yet."""
    n = len(L)
    v: list[Element] = [0] * n
    for i in reversed(range(n)):
        v[i] = u.get(i, 0) - sum((L[j, i] * v[j] for j in range(i + 1, n)), start=0)
    shortest = primitive(v)
    order, minor = first or (n, 0)
    return Indefinite(shortest, dot((dot(row, shortest) for row in _rows(A)), shortest), order, minor)
