"""The bilinear form <A x, y> over a ring: A as integers (or field elements), and the float data of the filter."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array, matmul, wide
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import Exact


class ScoreForm:
    """A positive multiple of A whose nonzero entries are at least 1 in absolute value: the C_i are the same.

    >>> form = ScoreForm([["1/2", 0], [0, "1/3"]])
    >>> form.matrix.tolist()
    [[3, 0], [0, 2]]
    """

    def __init__(self, rows: Sequence[Sequence[Exact]] | State) -> None:
        state = State.of(rows, "A")
        self.matrix: Array = state.array
        self.is_identity = _is_scalar(self.matrix)
        if self.is_identity:
            self.matrix = np.eye(state.dim, dtype=np.int64)
        self.floats = float_array(self.matrix)
        if not is_integral(self.matrix):
            # the bound of the filter wants |A_pq| >= 1 or 0; a power of two changes no rounding
            least = min((abs(x) for x in self.floats.flat if x), default=1.0)
            self.floats = np.ldexp(self.floats, max(0, 1 - math.frexp(least)[1]))
        self.absolute = np.abs(self.floats)
        self.mass = float(self.absolute.sum()) * (1 + 1e-9)

    def left(self, rows: Array) -> Array:
        """The rows (A x)', exactly."""
        return rows if self.is_identity else matmul(rows, self.matrix.T)

    def approx_left(self, rows: Array) -> Array:
        """The rows (A x)' in float64."""
        return rows if self.is_identity else np.asarray(rows @ self.floats.T)

    def norms(self, rows: Array) -> Array:
        """<A x, x> for every row x of ring elements, exactly."""
        x = wide(rows)
        return np.asarray((wide(self.left(x)) * x).sum(axis=1))


def _is_scalar(matrix: Array) -> bool:
    """Whether the matrix is a positive multiple of the identity."""
    corner = matrix[0, 0]
    return (
        len(matrix) == matrix.shape[1]
        and corner > 0
        and bool(np.all(matrix == wide(np.eye(len(matrix), dtype=int)) * corner))
    )


def is_integral(array: Array) -> bool:
    """Whether a state's array holds integers, not field elements (it never mixes them)."""
    return array.dtype.kind != "O" or not isinstance(array.flat[0], Algebraic)


def float_array(array: Array, denominator: int = 1) -> Array:
    """array/denominator in float64, every entry within 4*2^-53 of its value, relatively; infinite past the range."""
    if denominator.bit_length() < 1000 and is_integral(array):
        try:
            floats = array.astype(np.float64)
            return np.asarray(floats / float(denominator)) if denominator > 1 else floats
        except OverflowError:
            pass  # numerators past the range of float64: their quotients may still be moderate
    values = [float_of(x, denominator) for x in wide(array).flat]
    return np.array(values, dtype=np.float64).reshape(array.shape)
