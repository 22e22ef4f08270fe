"""Matrices kept in the form they were given: dense, sparse, rank one, a multiple of the identity, or zero."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.number import Num, NumberKind
from exactformer.arithmetic.short_text import MOST, cut, show
from exactformer.arithmetic.text import Exact, NumberLike, exact, exact_row
from exactformer.errors import InvalidInput

Row = tuple[Exact, ...]


def dot(x: Iterable[Num], y: Iterable[Num]) -> Num:
    """<x, y> = sum x_k y_k, skipping the zeros of x; 0 for empty vectors."""
    total: Num = None
    for a, b in zip(x, y, strict=True):
        if a.__class__ in (int, Fraction) and not a:
            continue
        total = a * b if total is None else total + a * b
    return Fraction(0) if total is None else total


def show_row(row: Row) -> str:
    """[1, 1/2, ..]: the numbers of a row, short."""
    return f"[{cut(map(show, row), MOST)}]"


def bit_size(number: Exact) -> int:
    """Bits of the larger of numerator and denominator (of the coefficients, for an algebraic number)."""
    if isinstance(number, Algebraic):
        return max((bit_size(c) for c in number.coefficients), default=0)
    return max(abs(number.numerator), number.denominator).bit_length()


def text_bits(number: Exact) -> int:
    """Bits of numerator and denominator together, none for a denominator 1 (of all coefficients, if algebraic)."""
    if isinstance(number, Algebraic):
        return sum(text_bits(c) for c in number.coefficients)
    return abs(number.numerator).bit_length() + number.denominator.bit_length() - 1


class Matrix(ABC):
    """A matrix over the exact numbers; its shape is fixed by the layer it stands in."""

    @abstractmethod
    def numbers(self) -> Iterable[Exact]:
        """The numbers stored."""

    @abstractmethod
    def times(self, x: Sequence[Num], rows: int, kind: NumberKind) -> list[Num]:
        """The product M x of a matrix with the given number of rows."""

    @abstractmethod
    def dense(self, rows: int, columns: int) -> tuple[Row, ...]:
        """All entries of the rows-by-columns matrix."""

    @abstractmethod
    def verify_shape(self, rows: int | None, columns: int, where: str) -> None:
        """Raises InvalidInput unless the matrix can have this shape (`rows` None: any)."""

    @abstractmethod
    def json(self) -> object:
        """The matrix as in the file format, numbers as they are."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._shown())})"

    @abstractmethod
    def _shown(self) -> list[str]:
        """What stands between the brackets of the repr: numbers short, long rows cut."""

    @property
    def is_zero(self) -> bool:
        """Whether every entry is zero."""
        return not any(self.numbers())

    @property
    def parameters(self) -> int:
        """The nonzero numbers stored (the factors of a rank-one matrix, not their product)."""
        return sum(1 for x in self.numbers() if x)

    @property
    def bits(self) -> int:
        """Bits of the largest integer stored."""
        return max((bit_size(x) for x in self.numbers()), default=0)


@dataclass(frozen=True, repr=False)
class Dense(Matrix):
    """The matrix with the given rows.

    >>> Dense([[1, "1/2"], [0, 3]])
    Dense([[1, 1/2], [0, 3]])
    >>> Dense([[1, "1/2"], [0, 3]]).times([2, 4], 2, lambda x: x)
    [Fraction(4, 1), Fraction(12, 1)]
    """

    rows: tuple[Row, ...]

    def __init__(self, rows: Iterable[Iterable[object]]) -> None:
        object.__setattr__(self, "rows", tuple(exact_row(row, f"matrix row {i}") for i, row in enumerate(rows)))
        lengths = {len(row) for row in self.rows}
        if len(lengths) != 1 or 0 in lengths:
            raise InvalidInput(f"expected matrix rows of one positive length, got lengths {sorted(lengths)}")

    def numbers(self) -> Iterable[Exact]:
        return (x for row in self.rows for x in row)

    def times(self, x: Sequence[Num], rows: int, kind: NumberKind) -> list[Num]:
        return [dot(map(kind, row), x) for row in self.rows]

    def dense(self, rows: int, columns: int) -> tuple[Row, ...]:
        return self.rows

    def verify_shape(self, rows: int | None, columns: int, where: str) -> None:
        if len(self.rows[0]) != columns or (rows is not None and len(self.rows) != rows):
            wanted = f"{'h' if rows is None else rows}-by-{columns}"
            raise InvalidInput(f"{where}: expected a {wanted} matrix, got {len(self.rows)}-by-{len(self.rows[0])}")

    def json(self) -> object:
        return [list(row) for row in self.rows]

    def _shown(self) -> list[str]:
        return [f"[{cut((show_row(row) for row in self.rows), MOST)}]"]


@dataclass(frozen=True, repr=False)
class Outer(Matrix):
    """The rank-one matrix column * row'."""

    column: Row
    row: Row

    def __init__(self, column: Iterable[object], row: Iterable[object]) -> None:
        object.__setattr__(self, "column", exact_row(column, "column"))
        object.__setattr__(self, "row", exact_row(row, "row"))
        if not self.column or not self.row:
            raise InvalidInput("expected a nonempty column and row for a rank-one matrix, got an empty one")

    def numbers(self) -> Iterable[Exact]:
        return (*self.column, *self.row)

    @property
    def is_zero(self) -> bool:
        return not any(self.column) or not any(self.row)

    def times(self, x: Sequence[Num], rows: int, kind: NumberKind) -> list[Num]:
        s = dot(map(kind, self.row), x)
        return [kind(c) * s for c in self.column]

    def dense(self, rows: int, columns: int) -> tuple[Row, ...]:
        return tuple(tuple(c * r for r in self.row) for c in self.column)

    def verify_shape(self, rows: int | None, columns: int, where: str) -> None:
        if len(self.row) != columns or (rows is not None and len(self.column) != rows):
            wanted = f"{'h' if rows is None else rows}-by-{columns}"
            raise InvalidInput(
                f"{where}: expected a {wanted} matrix, got {len(self.column)}-by-{len(self.row)} (outer)"
            )

    def json(self) -> object:
        return {"outer": [list(self.column), list(self.row)]}

    def _shown(self) -> list[str]:
        return [show_row(self.column), show_row(self.row)]


@dataclass(frozen=True, repr=False)
class Scalar(Matrix):
    """c times the identity (square)."""

    c: Exact

    def __init__(self, c: object) -> None:
        object.__setattr__(self, "c", exact(c, "scalar"))

    def numbers(self) -> Iterable[Exact]:
        return (self.c,)

    def times(self, x: Sequence[Num], rows: int, kind: NumberKind) -> list[Num]:
        c = kind(self.c)
        return [c * v for v in x]

    def dense(self, rows: int, columns: int) -> tuple[Row, ...]:
        zero = Fraction(0)
        return tuple(tuple(self.c if i == j else zero for j in range(columns)) for i in range(columns))

    def verify_shape(self, rows: int | None, columns: int, where: str) -> None:
        if rows is not None and rows != columns:
            raise InvalidInput(f"{where}: expected a {rows}-by-{columns} matrix, got a multiple of the identity")

    def json(self) -> object:
        return {"scalar": self.c}

    def _shown(self) -> list[str]:
        return [show(self.c)]


@dataclass(frozen=True, repr=False)
class Zero(Matrix):
    """The zero matrix of whatever shape its place demands."""

    def numbers(self) -> Iterable[Exact]:
        return ()

    def times(self, x: Sequence[Num], rows: int, kind: NumberKind) -> list[Num]:
        return [kind(Fraction(0))] * rows

    def dense(self, rows: int, columns: int) -> tuple[Row, ...]:
        return ((Fraction(0),) * columns,) * rows

    def verify_shape(self, rows: int | None, columns: int, where: str) -> None:
        return

    def json(self) -> object:
        return {"zero": True}

    def _shown(self) -> list[str]:
        return []


#: the entries of a sparse row that are not zero, by increasing column
SparseRow = tuple[tuple[int, Exact], ...]


@dataclass(frozen=True, repr=False)
class Sparse(Matrix):
    """The matrix with the given rows, each a mapping column -> number, and so many columns.

    >>> Sparse([{1: "1/2"}, {}], columns=2)
    Sparse([{1: 1/2}, {}])
    >>> Sparse([{1: "1/2"}, {}], columns=2).dense(2, 2)
    ((Fraction(0, 1), Fraction(1, 2)), (Fraction(0, 1), Fraction(0, 1)))
    """

    rows: tuple[SparseRow, ...]
    columns: int

    def __init__(self, rows: Iterable[Mapping[int, object]], columns: int) -> None:
        found = tuple(_sparse_row(row, columns, f"matrix row {i}") for i, row in enumerate(rows))
        object.__setattr__(self, "rows", found)
        object.__setattr__(self, "columns", columns)
        if not found or columns < 1:
            raise InvalidInput(f"expected at least one row and one column, got {len(found)} and {columns}")

    def numbers(self) -> Iterable[Exact]:
        return (x for row in self.rows for _, x in row)

    def times(self, x: Sequence[Num], rows: int, kind: NumberKind) -> list[Num]:
        zero = kind(Fraction(0))
        return [sum((kind(a) * x[c] for c, a in row), zero) for row in self.rows]

    def dense(self, rows: int, columns: int) -> tuple[Row, ...]:
        entries = [dict(row) for row in self.rows]
        return tuple(tuple(row.get(c, Fraction(0)) for c in range(self.columns)) for row in entries)

    def verify_shape(self, rows: int | None, columns: int, where: str) -> None:
        if self.columns != columns or (rows is not None and len(self.rows) != rows):
            wanted = f"{'h' if rows is None else rows}-by-{columns}"
            raise InvalidInput(f"{where}: expected a {wanted} matrix, got {len(self.rows)}-by-{self.columns} (sparse)")

    def as_dense(self) -> Dense:
        """The same matrix with all its entries."""
        return Dense(self.dense(len(self.rows), self.columns))

    def json(self) -> object:
        return {"rows": [[list(entry) for entry in row] for row in self.rows]}

    def _shown(self) -> list[str]:
        rows = (f"{{{cut((f'{c}: {show(x)}' for c, x in row), MOST)}}}" for row in self.rows)
        return [f"[{cut(rows, MOST)}]"]


def _sparse_row(row: Mapping[int, object], columns: int, where: str) -> SparseRow:
    outside = [c for c in row if not 0 <= c < columns]
    if outside:
        raise InvalidInput(f"{where}: expected columns from 0 to {columns - 1}, got {outside[0]}")
    entries = ((c, exact(row[c], f"{where}, column {c}")) for c in sorted(row))
    return tuple((c, x) for c, x in entries if x)


def score_height(Q: Matrix, K: Matrix, dim: int, where: str = "") -> int:
    """The number h of rows that Q and K share; a zero matrix takes the other one's, 1 if both are zero."""
    heights = [h for h in (_height(Q, dim), _height(K, dim)) if h is not None]
    if len(set(heights)) > 1:
        raise InvalidInput(f"{where}: expected Q and K with equally many rows, got {heights[0]} and {heights[1]}")
    return heights[0] if heights else 1


def _height(m: Matrix, dim: int) -> int | None:
    if isinstance(m, Outer):
        return len(m.column)
    if isinstance(m, (Dense, Sparse)):
        return len(m.rows)
    return None if isinstance(m, Zero) else dim


#: what a user may mean by a matrix
MatrixLike: TypeAlias = Matrix | Mapping[str, object] | Array | Iterable[Iterable[NumberLike]]


def matrix(value: MatrixLike) -> Matrix:
    """The matrix a user means by a Matrix, rows, {"outer": [column, row]}, {"scalar": c} or {"zero": true}."""
    if isinstance(value, Matrix):
        return value
    if isinstance(value, dict) and len(value) == 1:
        form, content = next(iter(value.items()))
        if form == "outer" and isinstance(content, Sequence) and len(content) == 2:
            return Outer(*content)
        if form == "scalar":
            return Scalar(content)
        if form == "zero" and content is True:
            return Zero()
    if isinstance(value, (dict, str)) or not isinstance(value, Iterable):
        raise InvalidInput(f'expected rows, {{"outer": ..}}, {{"scalar": c}} or {{"zero": true}}, got {value!r:.60}')
    return Dense(value)
