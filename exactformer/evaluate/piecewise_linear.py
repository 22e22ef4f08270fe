"""Feed-forward layers with parallel rows, as piecewise-linear functions of one number.

If every row of U is a multiple alpha_k u of one vector, then x -> W relu(U x + b) depends on s = <u, x>
alone: sort the breakpoints -b_k/alpha_k, add up A = sum W_k alpha_k and C = sum W_k b_k over the active
units of each piece, and the value is A s + C. A token then costs a bisection instead of p units.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from flint import fmpq

from exactformer.arithmetic.algebraic import Algebraic, in_one_field
from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array, add, matmul, multiply, narrowed, objects, wide
from exactformer.arithmetic.rational import common_denominator
from exactformer.arithmetic.text import Exact
from exactformer.model.batch import Batch
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Matrix, Outer, Row, Zero

#: numbers of a table that are held as Python integers at a time
_PACKED = 1 << 16
_ZERO = fmpq(0)
#: an exact number, a rational one in FLINT's form
_Lifted: TypeAlias = fmpq | Algebraic
#: k -> a column of a matrix
_Columns: TypeAlias = Callable[[int], tuple[_Lifted, ...]]


@dataclass(frozen=True)
class Pieces:
    """x -> eta*x + (A_i s + C_i)/D_i * direction, s = <u, x> in piece i, with t_i <= s <= t_{i+1}.

    `u` and `slopes` A, `intercepts` C are integers; breakpoint i is t_numerators[i]/t_denominators[i].
    """

    eta: Exact
    u: Array
    t_numerators: Array
    t_denominators: Array
    slopes: Array
    intercepts: Array
    denominators: Array
    direction: tuple[Array, int] | None
    approx_breakpoints: Array
    acts: Array

    def apply(self, batch: Batch) -> Batch:
        """The layer on every row of the batch, exactly."""
        s = matmul(batch.array, self.u)
        piece = self.locate(s, batch.denominators)
        if self.eta == 1 and not self.acts.all():
            rows = np.flatnonzero(self.acts[piece])
            if len(rows) == 0:
                return batch
            if len(rows) < len(piece):
                return self._apply_to(batch, rows, s, piece)
        return batch.with_rows(*self._values(batch.array, batch.denominators, s, piece))

    def _apply_to(self, batch: Batch, rows: Array, s: Array, piece: Array) -> Batch:
        """The layer on some rows only; the others lie where it is the identity."""
        moving = batch.chosen(rows)
        values = self._values(moving.array, moving.denominators, s[rows], piece[rows])
        return batch.replaced(rows, moving.with_rows(*values))

    def _values(self, array: Array, denominators: Array, s: Array, piece: Array) -> tuple[Array, Array]:
        own = self.denominators[piece]
        moved = add(multiply(self.slopes[piece], s[:, None]), multiply(self.intercepts[piece], denominators[:, None]))
        below = multiply(own, denominators)
        kept = own
        if self.direction is not None:
            vector, scale = self.direction
            moved = multiply(moved, vector[None, :])
            below, kept = multiply(below, scale), multiply(own, scale)
        if self.eta == 0:
            return moved, below
        if isinstance(self.eta, Algebraic):
            return add(multiply(array, kept[:, None]) * self.eta, moved), below
        p, q = self.eta.numerator, self.eta.denominator
        return add(multiply(multiply(array, kept[:, None]), p), multiply(moved, q)), multiply(below, q)

    def locate(self, s: Array, denominators: Array) -> Array:
        """The piece of every s/denominator: floats propose, exact comparison disposes."""
        if len(self.t_numerators) == 0:
            return np.zeros(len(s), dtype=np.int64)
        piece = np.searchsorted(self.approx_breakpoints, approx_quotients(s, denominators))
        low, high = np.maximum(piece - 1, 0), np.minimum(piece, len(self.t_numerators) - 1)
        right = (piece == 0) | self._at_least(s, denominators, low)
        right &= (piece == len(self.t_numerators)) | ~self._above(s, denominators, high)
        for r in np.flatnonzero(~right):
            piece[r] = self._bisect(s[r], denominators[r])
        return piece

    def _at_least(self, s: Array, denominators: Array, k: Array) -> Array:
        left, right = multiply(s, self.t_denominators[k]), multiply(self.t_numerators[k], denominators)
        return np.asarray(left >= right, dtype=bool)

    def _above(self, s: Array, denominators: Array, k: Array) -> Array:
        left, right = multiply(s, self.t_denominators[k]), multiply(self.t_numerators[k], denominators)
        return np.asarray(left > right, dtype=bool)

    def _bisect(self, s: int | Algebraic, denominator: int) -> int:
        if not isinstance(s, Algebraic):
            s = int(s)
        d = int(denominator)
        keys = range(len(self.t_numerators))
        # breakpoint k < s/d exactly when t_numerators[k]*d < s*t_denominators[k]
        return bisect_left(
            keys, True, key=lambda k: not _int(self.t_numerators[k]) * d < s * _int(self.t_denominators[k])
        )


def _int(value: int | Algebraic | Array) -> int | Algebraic:
    return value if isinstance(value, Algebraic) else int(value)


def approx_quotients(numerators: Array, denominators: Array) -> Array:
    """float64 proposals of numerators/denominators; an overflow proposes an infinity."""
    if numerators.dtype != object and denominators.dtype != object:
        return np.asarray(numerators / denominators)
    try:
        return np.asarray(wide(numerators) / wide(denominators)).astype(np.float64)
    except OverflowError:
        return np.array([float_of(p, int(q)) for p, q in zip(wide(numerators), denominators, strict=True)])


def parallel(U: Matrix, width: int, dim: int) -> tuple[Row, Row] | None:
    """(alpha, u) with U = alpha u', verified entry by entry; None if the rows are not parallel."""
    if isinstance(U, Outer):
        return U.column, U.row
    if isinstance(U, Zero):
        return (Fraction(0),) * width, (Fraction(0),) * dim
    rows = U.dense(width, dim)
    u = next((row for row in rows if any(row)), rows[0])
    pivot = next((i for i, v in enumerate(u) if v), None)
    if pivot is None:
        return (Fraction(0),) * width, u
    alpha = tuple(row[pivot] / u[pivot] for row in rows)
    if all(v == a * w for row, a in zip(rows, alpha, strict=True) for v, w in zip(row, u, strict=True)):
        return alpha, u
    return None


def pieces(layer: FeedForward, dim: int) -> Pieces | None:
    """The layer as pieces, or None where its rows are not parallel."""
    split = parallel(layer.U, layer.width, dim)
    if split is None:
        return None
    u, scale = integer_vector(split[1])
    slopes = {a: _lift(a) / scale for a in set(split[0])}
    alpha = [slopes[a] for a in split[0]]
    b = [_lift(v) for v in layer.b]
    column, direction = _columns(layer.W, layer.width, dim)
    size = len(column(0))
    table, breakpoints = _Table(2 * size), _Table(1)
    for t, slope, intercept in _prefix_sums(alpha, b, column):
        table.append([*slope, *intercept])
        if t is not None:
            breakpoints.append([t])
    together, denominators = table.arrays()
    t_numerators, t_denominators = breakpoints.arrays()
    return Pieces(
        layer.eta,
        u,
        t_numerators.reshape(-1),
        t_denominators,
        narrowed(together[:, :size]),
        narrowed(together[:, size:]),
        denominators,
        direction,
        approx_quotients(t_numerators.reshape(-1), t_denominators),
        np.asarray((together != 0).any(axis=1), dtype=bool),
    )


def _prefix_sums(
    alpha: list[_Lifted], b: list[_Lifted], column: _Columns
) -> Iterator[tuple[_Lifted | None, list[_Lifted], list[_Lifted]]]:
    """(left end, slope, intercept) of every piece from left to right; the first has no left end (None)."""
    slope, intercept = [_ZERO] * len(column(0)), [_ZERO] * len(column(0))
    for k, (a, c) in enumerate(zip(alpha, b, strict=True)):
        if a < 0 or (not a and c > 0):  # active to the left of every breakpoint
            slope = [x + a * v for x, v in zip(slope, column(k), strict=True)]
            intercept = [x + c * v for x, v in zip(intercept, column(k), strict=True)]
    yield None, slope, intercept
    turns = [-c / a if a else _ZERO for a, c in zip(alpha, b, strict=True)]
    order = sorted((k for k, a in enumerate(alpha) if a), key=turns.__getitem__)
    for at, k in enumerate(order):
        t, a, c, w = turns[k], alpha[k], b[k], column(k)
        step = 1 if a > 0 else -1  # passing its breakpoint switches a unit on, or off if it points left
        slope = [x + step * a * v if v else x for x, v in zip(slope, w, strict=True)]
        intercept = [x + step * c * v if v else x for x, v in zip(intercept, w, strict=True)]
        if at + 1 == len(order) or turns[order[at + 1]] != t:
            yield t, slope, intercept


def _columns(W: Matrix, width: int, dim: int) -> tuple[_Columns, tuple[Array, int] | None]:
    """k -> column k of W, made when it is asked for; for a rank-one W = e w' the number w_k, with the direction e."""
    if isinstance(W, Outer):
        row = W.row
        return lambda k: (_lift(row[k]),), integer_vector(W.column)
    rows = W.dense(dim, width)
    return lambda k: tuple(_lift(row[k]) for row in rows), None


def _lift(number: Exact) -> _Lifted:
    """A FLINT rational (fast) for a Fraction; an algebraic number stays itself."""
    if not isinstance(number, (int, Fraction)):
        return number
    return fmpq(number.numerator, number.denominator) if number else _ZERO


def _ratio(number: _Lifted) -> tuple[int | Algebraic, int]:
    return (number, 1) if isinstance(number, Algebraic) else (int(number.p), int(number.q))


def integer_vector(vector: Row) -> tuple[Array, int]:
    """(v, D) with vector = v/D, v of integers (or all of elements of one number field, then D = 1)."""
    elements = in_one_field(vector)
    if elements is not None:
        return objects(elements), 1
    rational = [x for x in vector if not isinstance(x, Algebraic)]
    scale = common_denominator(rational)
    return narrowed(objects([x.numerator * (scale // x.denominator) for x in rational])), scale


class _Table:
    """Rows of numbers, each row kept as integers over its own common denominator."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows: list[int | Algebraic] = []
        self.packed: list[Array] = []

    def append(self, row: Sequence[_Lifted]) -> None:
        ratios = [_ratio(v) for v in row]
        common = math.lcm(*(q for _, q in ratios))
        self.rows += [p * (common // q) for p, q in ratios]
        self.rows.append(common)
        if len(self.rows) >= _PACKED:
            self._pack()

    def _pack(self) -> None:
        """The rows so far as an array: integers that fit take an eighth of the memory."""
        self.packed.append(narrowed(objects(self.rows)))
        self.rows = []

    def arrays(self) -> tuple[Array, Array]:
        """(numerators, denominators), int64 where they fit."""
        self._pack()
        rows = np.concatenate(self.packed).reshape(-1, self.width + 1)
        return narrowed(rows[:, :-1]), narrowed(rows[:, -1])
