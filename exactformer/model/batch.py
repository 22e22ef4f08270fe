"""Many sequences at once: rows of integers, each row over a denominator of its own.

One denominator for all sequences would have to be a multiple of the lcm of all lengths as soon as
means are taken; a denominator per row keeps every integer small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.integers import Array, multiply, narrowed, wide
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import Exact
from exactformer.errors import InvalidInput


@dataclass(frozen=True)
class Batch:
    """N sequences as R rows: row r is array[r]/denominators[r] with multiplicity weights[r].

    Sequence j owns the rows offsets[j] .. offsets[j+1]-1; token t of the input is row inverse[t].
    """

    array: Array
    denominators: Array
    offsets: Array
    weights: Array
    inverse: Array

    @classmethod
    def of(cls, tokens: State, offsets: Array | None = None) -> Batch:
        """The tokens of all sequences stacked; without offsets, one sequence."""
        count = len(tokens)
        offsets = np.array([0, count]) if offsets is None else np.asarray(offsets, dtype=np.int64)
        if offsets[0] != 0 or offsets[-1] != count or (np.diff(offsets) < 1).any():
            raise InvalidInput("expected offsets 0 < .. < number of tokens, every sequence nonempty")
        denominators = narrowed(np.full(count, tokens.denominator, dtype=object))
        return cls(tokens.array, denominators, offsets, np.ones(count, dtype=np.int64), np.arange(count))

    def parts(self, rows: int) -> Iterator[Batch]:
        """Consecutive groups of whole sequences of about `rows` rows each (a batch in input order only)."""
        first = 0
        while first < len(self.offsets) - 1:
            last = int(np.searchsorted(self.offsets, self.offsets[first] + rows, side="right")) - 1
            last = max(last, first + 1)
            start, stop = int(self.offsets[first]), int(self.offsets[last])
            low, high = np.searchsorted(self.inverse, [start, stop])
            yield Batch(
                self.array[start:stop],
                self.denominators[start:stop],
                self.offsets[first : last + 1] - start,
                self.weights[start:stop],
                self.inverse[low:high] - start,
            )
            first = last

    @classmethod
    def join(cls, parts: Iterable[Batch], rows: int) -> Batch:
        """The batches, of `rows` rows in all, one after the other; each is let go once it is copied."""
        parts = iter(parts)
        first = next(parts)
        if len(first.array) == rows:
            return first
        parts = chain([first], parts)
        columns = [_Column(rows), _Column(rows), _Column(rows)]
        offsets, inverse, filled = [np.zeros(1, dtype=np.int64)], [], 0
        for part in parts:
            for column, values in zip(columns, (part.array, part.denominators, part.weights), strict=True):
                column.put(filled, values)
            offsets.append(part.offsets[1:] + filled)
            inverse.append(part.inverse + filled)
            filled += len(part.array)
        array, denominators, weights = (column.values for column in columns)
        return cls(array, denominators, np.concatenate(offsets), weights, np.concatenate(inverse))

    @property
    def sequence_of_row(self) -> Array:
        """The sequence every row belongs to."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def is_rational(self) -> bool:
        """Whether the numerators are integers (and not elements of a number field)."""
        return _all_integers(self.array)

    def with_rows(self, array: Array, denominators: Array) -> Batch:
        """The same sequences with new rows, reduced."""
        array, denominators = reduce_rows(array, denominators)
        return Batch(array, denominators, self.offsets, self.weights, self.inverse)

    def chosen(self, rows: Array) -> Batch:
        """Some rows, as sequences of one row each."""
        ones = np.arange(len(rows) + 1)
        return Batch(self.array[rows], self.denominators[rows], ones, self.weights[rows], ones[:-1])

    def replaced(self, rows: Array, others: Batch) -> Batch:
        """The same sequences with some rows, distinct ones, exchanged for those of another batch."""
        array, denominators = (
            (wide(mine) if new.dtype == object else mine).copy()
            for mine, new in ((self.array, others.array), (self.denominators, others.denominators))
        )
        array[rows], denominators[rows] = others.array, others.denominators
        return Batch(array, denominators, self.offsets, self.weights, self.inverse)

    def row(self, r: int) -> tuple[Exact, ...]:
        """Row r as exact scalars."""
        return State(self.array[r : r + 1], int(self.denominators[r]))[0]

    def keys(self) -> list[tuple[Exact | int, ...]]:
        """A hashable value per row, equal exactly for equal points: of rationals the row in lowest terms."""
        if self.is_rational:
            array, denominators = reduce_rows(self.array, self.denominators)
            return list(zip(denominators.tolist(), *(column.tolist() for column in array.T), strict=True))
        return [self.row(r) for r in range(len(self.array))]

    def tokens(self, j: int = 0, original_offsets: Array | None = None) -> State:
        """The tokens of sequence j in input order."""
        start, stop = (0, len(self.inverse)) if original_offsets is None else original_offsets[j : j + 2]
        return State.of([self.row(r) for r in self.inverse[start:stop]])


class _Column:
    """An array of known length, filled from the front; int64 until a part with Python ints comes."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.values: Array = np.zeros(0, dtype=np.int64)

    def put(self, start: int, part: Array) -> None:
        if start == 0:
            self.values = np.zeros((self.rows, *part.shape[1:]), dtype=part.dtype)
        if part.dtype == object and self.values.dtype != object:
            self.values = wide(self.values)
        self.values[start : start + len(part)] = part


def _all_integers(array: Array) -> bool:
    """Whether no entry is an element of a number field; beside such entries integers may stand."""
    return array.dtype != object or Algebraic not in set(map(type, array.flat))


def reduce_rows(array: Array, denominators: Array) -> tuple[Array, Array]:
    """Every row of integers in lowest terms with its denominator, as int64 where everything fits."""
    if len(array) == 0:
        return array, denominators
    if not _all_integers(array):
        return array, denominators
    if array.dtype != denominators.dtype:
        array, denominators = wide(array), wide(denominators)
    divisors = np.gcd(np.gcd.reduce(array, axis=1), denominators)
    if (divisors != 1).any():
        array, denominators = array // divisors[:, None], denominators // divisors
    return narrowed(array), narrowed(denominators)


def sequence_denominators(batch: Batch) -> tuple[Array, Array]:
    """(numerators, D): every row over the common denominator D[j] of its sequence j."""
    starts = batch.offsets[:-1]
    low, high = (f.reduceat(batch.denominators, starts) for f in (np.minimum, np.maximum))
    if (low == high).all():
        return batch.array, low
    common = np.lcm.reduceat(wide(batch.denominators), starts)
    factors = narrowed(common[batch.sequence_of_row] // batch.denominators)
    return multiply(batch.array, factors[:, None]), narrowed(common)
