"""Matrices in their four forms (FORMAT.md, section 2)."""

import math
from collections.abc import Iterable
from operator import floordiv, mul

from .certificate import Certificate
from .lines import entries
from .numbers import Ratios, ratio
from .points import Point, bits
from .verdict import Json, well_formed

ENTRY = 384  # bits of memory taken by an entry that is not written in the file


def read_matrix(M: Json, rows: int | None, columns: int, file: Certificate) -> list[Ratios]:
    """The rows of a matrix in one of the four forms; rows = None leaves their number free."""
    if type(M) is list:
        return dense(M, rows, columns, file)
    well_formed(type(M) is dict and len(M) == 1 and M.keys() <= {"outer", "scalar", "zero"}, "no matrix")
    if "outer" in M:
        return outer(M["outer"], rows, columns, file)
    return scalar(M["scalar"], rows, columns, file) if "scalar" in M else zero(M["zero"], rows, columns, file)


def dense(M: object, rows: int | None, columns: int, file: Certificate) -> list[Ratios]:
    """Rows, each a list of numbers."""
    return [file.ratios(entries(row, columns)) for row in entries(M, rows)]


def outer(factors: object, rows: int | None, columns: int, file: Certificate) -> list[Ratios]:
    """Entry (i,j) is column[i]*row[j], not in lowest terms; equal texts in the column are equal and share one row."""
    column, row = entries(factors, 2)
    texts = set(map(type, entries(column, rows))) == {str}
    different = list(dict.fromkeys(column)) if texts else column
    left = file.ratios(different)
    above, below = file.ratios(entries(row, columns))
    size = max(map(bits, left)) + max(bits(above), bits(below))
    file.budget.products(4 * len(column) * columns, size)
    file.budget.hold(len(column) * columns, ENTRY + 2 * size)
    products = [(tuple([p * n for n in above]), tuple([q * n for n in below])) for p, q in zip(*left)]
    return list(map(dict(zip(different, products)).__getitem__, column))


def scalar(c: object, rows: int | None, columns: int, file: Certificate) -> list[Ratios]:
    """c times the identity, where a square matrix is wanted."""
    well_formed(rows in (None, columns), "a multiple of the identity is square")
    p, q = ratio(c, file.budget)
    charge(columns, columns, file)
    return [(tuple([p * (i == j) for j in range(columns)]), (q,) * columns) for i in range(columns)]


def zero(value: object, rows: int | None, columns: int, file: Certificate) -> list[Ratios]:
    """The zero matrix of whatever shape is wanted: of one row, if their number is free."""
    well_formed(value is True, '"zero" must be true')
    charge(rows or 1, columns, file)
    return [((0,) * columns, (1,) * columns)] * (rows or 1)


def charge(rows: int, columns: int, file: Certificate) -> None:
    """Charges a matrix that is not written entry by entry."""
    file.budget.spend(8 * rows * columns)
    file.budget.hold(rows * columns, ENTRY)


def columns_of(rows: list[Ratios], file: Certificate) -> Iterable[Point]:
    """The columns of a matrix, each over its common denominator."""
    common = rows[0][1]
    for _, below in rows[1:]:
        common = tuple(map(math.lcm, common, below))
        size = bits(common)
        file.budget.within(size, "bits")
        if size > 64:
            file.budget.divisions(len(common), size)
            file.budget.hold(2 * len(common), size)
    return zip(*[map(mul, above, map(floordiv, common, below)) for above, below in rows], common)
