"""Exact time-delayed DMD: the least order m with z_{k+m} = A_1 z_k + .. + A_m z_{k+m-1} (+ c) on all rows, proved.

Rows that are independent modulo a prime are independent; the map they determine is verified on every other row by
substitution. A row that contradicts it gives weights w with sum w h = 0 and sum w y != 0: the proof that no
recurrence of this order exists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul
from pathlib import Path

from flint import fmpq, fmpq_mat, fmpz_mat

from exactformer.arithmetic.rational import RationalRow, RationalRows, common_denominator
from exactformer.arithmetic.short_text import spoken
from exactformer.display.verbs import Certified, Listed
from exactformer.errors import InvalidInput, Undecided
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.studies.time_delay.series import Series

#: the modulus of ranks and minors; any other would do, and the checker does not need it to be prime
MODULUS = 2**61 - 1
#: the largest order that is looked for, unless the caller says otherwise
CAP = 12

#: indices of rows of H with weights, none of them zero
LagWeights = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Refuted:
    """No recurrence of this order: sum w h_k = 0 and sum w y_k != 0 over the windows h_k and what follows them, y_k."""

    order: int
    weights: LagWeights


@dataclass(frozen=True)
class Recurrence(Listed, Certified):
    """z_{k+m} = A_1 z_k + .. + A_m z_{k+m-1} + c on all rows of a series, m the least order.

    `minor` are rows of H whose determinant is not zero, so that no other coefficients exist; `kernel`, in its place,
    is a nonzero solution of H v = 0, so that others do.
    """

    series: Series
    coefficients: tuple[RationalRows, ...]
    intercept: RationalRow
    with_intercept: bool
    refuted: tuple[Refuted, ...]
    minor: tuple[int, ...] | None
    kernel: RationalRow | None

    def __bool__(self) -> bool:
        return True

    def json(self) -> JsonObject:
        """The answer of `exactformer delay order`: numbers in place of matrices for a series of numbers."""
        scalar = self.series.dim == 1
        return {
            "order": self.order,
            "coefficients": [A[0][0] if scalar else A for A in self.coefficients],
            "intercept": self.intercept[0] if scalar else self.intercept,
            "unique": self.minor is not None,
        }

    def __repr__(self) -> str:
        unique = "the only one" if self.minor is not None else "not the only one"
        return f"Recurrence(order {self.order} on all {spoken(len(self.series), 'row')}, {unique} of this order)"

    @property
    def order(self) -> int:
        """The least order m."""
        return len(self.coefficients)

    @cached_property
    def polynomial(self) -> RationalRow:
        """The coefficients c_0, .., c_m = 1 of the characteristic polynomial of a scalar series."""
        if self.series.dim != 1 or any(self.intercept):
            raise InvalidInput("a characteristic polynomial is that of a series of numbers, without an intercept")
        return (*(-A[0][0] for A in self.coefficients), Fraction(1))

    def certify(self, path: PathLike) -> Path:
        """Writes a certificate of the claim `recurrence`."""
        from exactformer.studies.time_delay.claims import write_recurrence

        write_recurrence(path, self.series.rows(), self.with_intercept, [r.weights for r in self.refuted], self)
        return Path(path)


@dataclass(frozen=True, repr=False)
class NoRecurrence(Listed, Certified):
    """No recurrence of order 1..cap holds on all rows; `refuted` has the proof of each."""

    series: Series
    with_intercept: bool
    refuted: tuple[Refuted, ...]

    def __bool__(self) -> bool:
        return False

    @cached_property
    def ranks(self) -> tuple[tuple[int, int], ...]:
        """(rank H, rank [H | Y]) of every order refuted: the first is always the smaller one."""
        return tuple(Windows(self.series, r.order, self.with_intercept).ranks() for r in self.refuted)

    def json(self) -> JsonObject:
        """The answer of `exactformer delay order`: no order, up to which one, and the ranks."""
        return {"order": None, "cap": len(self.refuted), "ranks": self.ranks}

    def __repr__(self) -> str:
        return f"NoRecurrence(no order up to {len(self.refuted)} holds on all {spoken(len(self.series), 'row')})"

    def certify(self, path: PathLike) -> Path:
        """Writes a certificate of the claim `recurrence` that says so."""
        from exactformer.studies.time_delay.claims import write_recurrence

        write_recurrence(path, self.series.rows(), self.with_intercept, [r.weights for r in self.refuted], None)
        return Path(path)


def least_order(
    series: object, *, cap: int = CAP, intercept: bool = False, progress: Callable[[int], None] = lambda done: None
) -> Recurrence | NoRecurrence:
    """The recurrence of least order <= cap, with proofs that no smaller order has one; or proofs for every order.

    Raises Undecided where the series is so short that a recurrence of that order always exists.

    The series is a Series, or whatever `Series.of` takes.

    >>> found = least_order([1, 1, 2, 3, 5, 8, 13])
    >>> found.order, found.coefficients
    (2, (((Fraction(1, 1),),), ((Fraction(1, 1),),)))
    """
    if cap < 1:
        raise InvalidInput(f"cap: expected an order of at least 1, got {cap}")
    series, refuted = Series.of(series), list[Refuted]()
    for order in range(1, cap + 1):
        progress(order - 1)
        windows = Windows(series, order, intercept)
        windows.verify_enough(refuted)
        found = windows.solve()
        if isinstance(found, Refuted):
            refuted.append(found)
            continue
        return windows.recurrence(found, tuple(refuted))
    return NoRecurrence(series, intercept, tuple(refuted))


class Windows:
    """The rows h_k = (z_k, .., z_{k+m-1}) (and 1, for an intercept) of H, and y_k = z_{k+m}, for one order m.

    All of them are held as integers: the series over its common denominator, which the equations do not notice.
    """

    def __init__(self, series: Series, order: int, intercept: bool) -> None:
        self.series, self.order, self.intercept = series, order, intercept
        rows: list[list[int]] = series.state.numerators.tolist()
        tail = [series.state.denominator] if intercept else []
        count = max(0, len(rows) - order)
        self.H = [[x for row in rows[k : k + order] for x in row] + tail for k in range(count)]
        self.Y = rows[order:]
        self.width = order * series.dim + intercept

    def verify_enough(self, refuted: Sequence[Refuted]) -> None:
        """Raises Undecided unless there are more rows than unknowns: otherwise some recurrence always holds."""
        if len(self.H) > self.width:
            return
        needed = self.width + self.order + 1
        orders = ", ".join(str(r.order) for r in refuted)
        raise Undecided(
            f"order {self.order} cannot be decided from {len(self.series)} rows in dimension {self.series.dim}: "
            f"at least {needed} rows are needed" + (f"; none of order {orders} holds" if orders else "")
        )

    def solve(self) -> fmpq_mat | Refuted:
        """X with H X = Y, or the proof that there is none."""
        chosen = self.independent_rows() or [0]  # of a series of zeros no row is independent
        while True:
            X = _solution([self.H[k] for k in chosen], [self.Y[k] for k in chosen])
            wrong = self._contradiction(X)
            if wrong is None:
                return X
            weights = self._dependency(chosen, wrong)
            if weights is not None:
                return Refuted(self.order, weights)
            chosen.append(wrong)  # independent, though not modulo the prime

    def independent_rows(self) -> list[int]:
        """Rows of H that are independent modulo the prime, hence independent."""
        basis: list[tuple[int, list[int]]] = []
        chosen = []
        for k, row in enumerate(self.H):
            reduced = _reduce([x % MODULUS for x in row], basis)
            pivot = next((i for i, x in enumerate(reduced) if x), None)
            if pivot is not None:
                inverse = pow(reduced[pivot], -1, MODULUS)
                basis.append((pivot, [x * inverse % MODULUS for x in reduced]))
                chosen.append(k)
            if len(chosen) == self.width:
                break
        return chosen

    def _contradiction(self, X: fmpq_mat) -> int | None:
        """The first k with h_k X != y_k."""
        numbers = [[_fraction(X[i, j]) for i in range(self.width)] for j in range(self.series.dim)]
        common = common_denominator(x for column in numbers for x in column)
        columns = [[int(x * common) for x in column] for column in numbers]
        for k, (h, y) in enumerate(zip(self.H, self.Y, strict=True)):
            if any(sum(map(mul, h, column)) != value * common for column, value in zip(columns, y, strict=True)):
                return k
        return None

    def _dependency(self, chosen: list[int], wrong: int) -> LagWeights | None:
        """Weights of the chosen rows, -1 of the wrong one, whose windows add up to zero; None if it is independent."""
        columns = list(zip(*(self.H[k] for k in chosen), strict=True))
        found = _solution(columns, [(x,) for x in self.H[wrong]])
        pairs = [(k, _fraction(found[i, 0])) for i, k in enumerate(chosen)]
        if any(sum(w * self.H[k][i] for k, w in pairs) != x for i, x in enumerate(self.H[wrong])):
            return None
        return tuple(sorted([*((k, w) for k, w in pairs if w), (wrong, Fraction(-1))]))

    def ranks(self) -> tuple[int, int]:
        """(rank H, rank [H | Y]), exactly."""
        both = [h + y for h, y in zip(self.H, self.Y, strict=True)]
        return fmpz_mat(self.H).rank(), fmpz_mat(both).rank()

    def recurrence(self, X: fmpq_mat, refuted: tuple[Refuted, ...]) -> Recurrence:
        """The recurrence with the coefficients X, oldest first."""
        d = self.series.dim
        blocks = tuple(
            tuple(tuple(_fraction(X[j * d + b, a]) for b in range(d)) for a in range(d)) for j in range(self.order)
        )
        last = tuple(_fraction(X[self.width - 1, a]) if self.intercept else Fraction(0) for a in range(d))
        chosen = self.independent_rows()
        minor = tuple(chosen) if len(chosen) == self.width else None
        kernel = None if minor is not None else self._kernel()
        return Recurrence(self.series, blocks, last, self.intercept, refuted, minor, kernel)

    def _kernel(self) -> RationalRow:
        matrix, rank = fmpz_mat(self.H).nullspace()
        if rank == 0:
            raise Undecided("the windows are dependent modulo the prime only; choose another stretch of the series")
        return tuple(Fraction(int(matrix[i, 0])) for i in range(self.width))


def _reduce(row: list[int], basis: list[tuple[int, list[int]]]) -> list[int]:
    for pivot, vector in basis:
        factor = row[pivot]
        if factor:
            row = [(x - factor * y) % MODULUS for x, y in zip(row, vector, strict=True)]
    return row


def _solution(rows: Sequence[Sequence[int]], values: Sequence[Sequence[int]]) -> fmpq_mat:
    """X with M X = V where there is one, free unknowns zero; otherwise something that does not solve it."""
    width, count = len(rows[0]), len(values[0])
    reduced, common, rank = fmpz_mat([[*m, *v] for m, v in zip(rows, values, strict=True)]).rref()
    X = fmpq_mat(width, count)
    for i in range(rank):
        pivot = next(j for j in range(width + count) if reduced[i, j])
        if pivot < width:
            for j in range(count):
                X[pivot, j] = fmpq(reduced[i, width + j], common)
    return X


def _fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))
