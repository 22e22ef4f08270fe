"""Points of Q^d (or Q(theta)^d) as integers over one common denominator: the engine's representation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from exactformer.arithmetic.algebraic import Algebraic, in_one_field
from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array, common_divisor, integer_array, largest, narrowed, wide
from exactformer.arithmetic.text import Exact, NumberLike, exact, exact_integers
from exactformer.errors import InvalidInput, NotExact
from exactformer.io.read_limits import verify_memory
from exactformer.io.untyped import Given


class State:
    """n points of dimension d: an n-by-d array of integers over one positive integer.

    `array` has dtype int64 where the integers are small and dtype object otherwise (Python ints, or
    elements of one number field); `numerators` always holds Python ints or field elements.

    >>> state = State.of([["1/2", 0], [1, "0.75"]])
    >>> state.numerators.tolist(), state.denominator
    ([[2, 0], [4, 3]], 4)
    >>> state[0]
    (Fraction(1, 2), Fraction(0, 1))
    """

    __slots__ = ("array", "denominator")

    def __init__(self, numerators: Array, denominator: int = 1) -> None:
        if denominator < 1:
            raise InvalidInput(f"expected a positive common denominator, got {denominator}")
        self.array = numerators
        self.denominator = denominator

    @classmethod
    def of(cls, rows: PointsLike, where: str = "tokens") -> State:
        """The points with the given rows: lists, text, Fractions, or a NumPy array (exact dyadic values)."""
        if isinstance(rows, State):
            return rows
        if hasattr(rows, "__array__") and not isinstance(rows, np.ndarray):
            rows = array_of(rows)
        if isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind in "iuf" and rows.dtype.itemsize <= 8:
            return cls._of_array(rows, where).checked(where)
        listed = _rows(rows, where)
        width = len(listed[0])
        flat = [value for row in listed for value in row]
        return cls.of_flat(flat, width, lambda k: f"{where}[{k // width}][{k % width}]")

    @classmethod
    def of_flat(cls, values: Sequence[object], width: int, place: Callable[[int], str] = "entry {}".format) -> State:
        """The points with the given coordinates, row by row; `place(k)` words the place of value k in an error."""
        read = exact_integers(values, place)
        if read is not None:
            return cls.of_integers(read[0], width, read[1])
        array = np.empty(len(values), dtype=object)
        array[:] = in_one_field([exact(v, place(k)) for k, v in enumerate(values)])
        return cls(array.reshape(-1, width))

    @classmethod
    def of_integers(cls, numerators: list[int], width: int, denominator: int = 1) -> State:
        """The points with the given numerators, row by row, over one denominator; reduced."""
        return cls(integer_array(numerators, (-1, width)), denominator).reduced()

    @classmethod
    def _of_array(cls, rows: Array, where: str) -> State:
        """The exact dyadic values of a NumPy array: odd integers shifted to one power of two, in lowest terms."""
        if rows.dtype.kind != "f":
            return cls(narrowed(rows.astype(object) if rows.dtype == np.uint64 else rows))
        if not np.isfinite(rows).all():
            i, j = np.argwhere(~np.isfinite(rows))[0]
            raise NotExact(f"{where}[{i}][{j}]: expected a finite number, got {rows[i, j]}")
        odd, exponents, bits = odd_parts(rows.astype(np.float64))
        unit = min(int(exponents.min(initial=0)), 0)
        shifts = exponents - unit
        longest = int((bits + shifts).max(initial=0))
        fits = longest < 62
        if not fits:
            verify_memory(rows.size * (longest // 8 + 32))
        array = odd << shifts if fits else odd.astype(object) << shifts.astype(object)
        return cls(array, 1 << -unit)

    def checked(self, where: str) -> State:
        """The same state; raises InvalidInput where it has no point or no coordinate."""
        if not self.array.size:
            raise InvalidInput(f"{where}: expected at least one point of dimension >= 1, got shape {self.array.shape}")
        return self

    def __len__(self) -> int:
        return len(self.array)

    @property
    def dim(self) -> int:
        """The dimension d."""
        return int(self.array.shape[1])

    @property
    def numerators(self) -> Array:
        """The n-by-d numerators as Python ints (or field elements): safe for any arithmetic."""
        return wide(self.array)

    @property
    def is_rational(self) -> bool:
        """Whether every coordinate is held as an integer over the denominator."""
        return self.array.dtype != object or not any(isinstance(v, Algebraic) for v in self.array.flat)

    @property
    def bits(self) -> int:
        """Bits of the largest integer held, the denominator included; of the coefficients for field elements."""
        if self.is_rational:
            return max(largest(self.array), self.denominator).bit_length()
        sizes = (max(abs(c.numerator), c.denominator) for v in self.array.flat for c in (v * 1).coefficients or [0])
        return max(max(sizes, default=0), self.denominator).bit_length()

    def __getitem__(self, index: int) -> tuple[Exact, ...]:
        return tuple(self._scalar(v) for v in self.array[index])

    def __iter__(self) -> Iterator[tuple[Exact, ...]]:
        return (self[i] for i in range(len(self)))

    def _scalar(self, numerator: int | Algebraic) -> Exact:
        if isinstance(numerator, Algebraic):
            quotient = numerator / self.denominator
            rational = quotient.rational
            return quotient if rational is None else rational
        return Fraction(int(numerator), self.denominator)

    def rows(self) -> list[tuple[Exact, ...]]:
        """The points as tuples of exact scalars."""
        return list(self)

    def to_numpy(self) -> Array:
        """The points as an n by d array of exact scalars (dtype object)."""
        array = np.empty((len(self), self.dim), dtype=object)
        for i, row in enumerate(self):
            array[i, :] = row
        return array

    def reduced(self) -> State:
        """The same points over the least common denominator."""
        if self.denominator == 1 or not self.is_rational:
            return State(narrowed(self.array), self.denominator)
        divisor = common_divisor(self.array, self.denominator)
        array = self.array // divisor if divisor > 1 else self.array
        return State(narrowed(array), self.denominator // divisor)

    def floats(self) -> Array:
        """The float64 array nearest to the points (not exact; named so)."""
        values = [float_of(v, self.denominator) for v in self.numerators.flat]
        return np.array(values, dtype=np.float64).reshape(self.array.shape)

    def take(self, index: Array | Sequence[int] | slice) -> State:
        """The points with the given indices, over the same denominator."""
        return State(self.array[index], self.denominator)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        if self.array.shape != other.array.shape:
            return False
        if self.denominator == other.denominator:
            return bool((self.array == other.array).all())
        return bool(np.all(self.numerators * other.denominator == other.numerators * self.denominator))

    def __hash__(self) -> int:
        return hash(tuple(self.rows()))

    def __repr__(self) -> str:
        from exactformer.arithmetic.short_text import MOST, cut, show, spoken

        points = cut((show(row, most=MOST) for row in self), MOST)
        return f"State({spoken(len(self), 'point')} in dimension {self.dim}: {points})"


#: what a user may give as points: rows of numbers, a NumPy array (or what becomes one), or a State
PointsLike: TypeAlias = State | npt.ArrayLike | Iterable[Iterable[NumberLike]]


def array_of(thing: Given) -> Array:
    """The NumPy array of a tensor, which leaves its gradient and its device, or of a data frame."""
    return np.asarray(thing.detach().cpu() if hasattr(thing, "detach") else thing)


def odd_parts(values: Array) -> tuple[Array, Array, Array]:
    """(odd, exponents, bits) with values = odd * 2^exponents and |odd| < 2^bits, odd or zero, for finite float64.

    >>> [part.tolist() for part in odd_parts(np.array([0.75, -6.0, 0.0]))]
    [[3, -3, 0], [-2, 1, 0], [2, 2, 0]]
    """
    mantissas, exponents = np.frexp(values)
    integers = np.ldexp(mantissas, 53).astype(np.int64)
    zeros = np.frexp((integers & -integers).astype(np.float64))[1] - 1  # a power of two: its exponent is exact
    nonzero = integers != 0
    zeros, exponents = np.where(nonzero, zeros, 53), np.where(nonzero, exponents, 0)
    return integers >> zeros, np.where(nonzero, exponents + (zeros - 53), 0).astype(np.int64), 53 - zeros


def _rows(rows: object, where: str) -> list[Sequence[object]]:
    """The rows as lists of one positive length; anything else is InvalidInput."""
    if isinstance(rows, np.ndarray) and rows.ndim != 2:
        cure = "; reshape(-1, 1) makes numbers tokens of dimension 1" if rows.ndim == 1 else ""
        raise InvalidInput(f"{where}: expected a 2-dimensional array, one token per row, got shape {rows.shape}{cure}")
    if isinstance(rows, np.ndarray):
        rows = rows.astype(object).tolist() if rows.dtype.kind != "O" else rows.tolist()
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
        raise InvalidInput(f"{where}: expected rows of numbers, got {type(rows).__name__}")
    listed: list[Sequence[object]] = []
    for i, row in enumerate(rows):
        if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
            raise InvalidInput(f"{where}[{i}]: expected a row of numbers such as [0, 1], got {row!r:.60}")
        listed.append(row if isinstance(row, (list, tuple)) else list(row))
    if not listed or not len(listed[0]):
        got = "an empty row" if listed else "no row"
        raise InvalidInput(f"{where}: expected at least one row with at least one number, got {got}")
    width = len(listed[0])
    for i, row in enumerate(listed):
        if len(row) != width:
            raise InvalidInput(f"{where}[{i}]: expected {width} numbers as in row 0, got {len(row)}")
    return listed
