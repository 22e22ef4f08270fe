"""Matrices by their nonzero entries, in five forms, and feed-forward parts (FORMAT.md, section 17, rule 4)."""

from collections.abc import Iterable
from typing import NamedTuple

from ..core.budget import Budget, division_cost, product_cost
from ..core.certificate import Certificate
from ..core.lines import count, entries, exact_keys
from ..core.numbers import Ratio, common_denominator, ratio
from ..core.points import Point, bits, lowest
from ..core.verdict import Json, well_formed

Entry = tuple[int, int, Ratio]  # row, column, number


class Matrix(NamedTuple):
    """Row r is the sum of n/common at column c over (c, n) in its entries; rows that are not listed are zero."""

    height: int
    rows: list[tuple[int, list[tuple[int, int]]]]
    common: int
    nonzero: int
    bits: int

    def times(self, x: Point, budget: Budget) -> Point:
        """M x in lowest terms."""
        size = self.bits + bits(x)
        budget.spend(60 + self.height + self.nonzero * (4 + product_cost(size)))
        found = [0] * (self.height + 1)
        for r, row in self.rows:
            found[r] = sum([n * x[c] for c, n in row])
        found[-1] = self.common * x[-1]
        return reduced(found, budget)


def reduced(numbers: list[int], budget: Budget) -> Point:
    """A point in lowest terms, within the limits."""
    found = tuple(numbers)
    if numbers[-1] > 1:
        budget.spend(len(numbers) * division_cost(bits(numbers)))
        found = lowest(found)
    budget.within(bits(found), "bits")
    return found


def plus(x: Point, y: Point, factor: Ratio, budget: Budget) -> Point:
    """factor*x + y."""
    p, q = factor
    if p == 0:
        return y
    size = bits(x) + bits(y) + bits(factor)
    budget.spend(50 + len(x) * (2 + product_cost(size)))
    if x[-1] == y[-1] == q == 1:
        return reduced([*[p * m + n for m, n in zip(x[:-1], y)], 1], budget)
    return reduced([*[p * m * y[-1] + n * x[-1] * q for m, n in zip(x[:-1], y)], x[-1] * y[-1] * q], budget)


def of_entries(found: Iterable[Entry], height: int, budget: Budget) -> Matrix:
    """The matrix with these entries, none of which is zero, row by row."""
    listed = list(found)
    common = common_denominator([q for _, _, (_, q) in listed], budget) if listed else 1
    rows: list[tuple[int, list[tuple[int, int]]]] = []
    for r, c, (p, q) in listed:
        if not rows or rows[-1][0] != r:
            rows.append((r, []))
        rows[-1][1].append((c, p * (common // q)))
    size = max([common, *[abs(n) for _, row in rows for _, n in row]]).bit_length()
    return Matrix(height, rows, common, len(listed), size)


def read_matrix(M: Json, height: int | None, columns: int, file: Certificate) -> Matrix:
    """A matrix in one of the five forms; height = None leaves it free, and it is 1 then for a zero matrix."""
    if type(M) is list:
        return dense(M, height, columns, file)
    forms = {"outer": outer, "scalar": scalar, "zero": zero, "rows": sparse}
    well_formed(type(M) is dict and len(M) == 1 and M.keys() <= forms.keys(), "no matrix")
    [(form, value)] = M.items()
    return forms[form](value, height, columns, file)


def dense(M: Json, height: int | None, columns: int, file: Certificate) -> Matrix:
    """Rows, each a list of numbers."""
    found: list[Entry] = []
    for r, row in enumerate(entries(M, height)):
        above, below = file.ratios(entries(row, columns))
        found += [(r, c, (p, q)) for c, (p, q) in enumerate(zip(above, below)) if p]
    return of_entries(found, len(M), file.budget)


def outer(factors: object, height: int | None, columns: int, file: Certificate) -> Matrix:
    """Entry (r, c) is column[r]*row[c]."""
    column, row = entries(factors, 2)
    left = [(r, p, q) for r, (p, q) in enumerate(zip(*file.ratios(entries(column, height)))) if p]
    right = [(c, p, q) for c, (p, q) in enumerate(zip(*file.ratios(entries(row, columns)))) if p]
    size = max([1, *[abs(n) for part in (left, right) for _, p, q in part for n in (p, q)]]).bit_length()
    file.budget.spend(len(left) * len(right) * (20 + product_cost(2 * size)))
    file.budget.hold(len(left) * len(right), 1024 + 4 * size)
    found = [(r, c, (p * m, q * n)) for r, p, q in left for c, m, n in right]
    return of_entries(found, len(column), file.budget)


def scalar(value: object, height: int | None, columns: int, file: Certificate) -> Matrix:
    """A multiple of the identity, where a square matrix is wanted."""
    well_formed(height in (None, columns), "a multiple of the identity is square")
    p, q = ratio(value, file.budget)
    file.budget.spend(20 * columns)
    file.budget.hold(columns, 1024)
    return of_entries([(i, i, (p, q)) for i in range(columns)] if p else [], columns, file.budget)


def zero(value: object, height: int | None, columns: int, file: Certificate) -> Matrix:
    """The zero matrix of whatever shape is wanted: of one row, if their number is free."""
    well_formed(value is True, '"zero" must be true')
    return of_entries([], height or 1, file.budget)


def sparse(rows: Json, height: int | None, columns: int, file: Certificate) -> Matrix:
    """One list of [column, nonzero number] per row, columns strictly increasing."""
    found: list[Entry] = []
    for r, row in enumerate(entries(rows, height)):
        well_formed(type(row) is list, "a row is a list of columns with numbers")
        before = -1
        for entry in row:
            column, text = entries(entry, 2)
            before = count(column, before + 1, columns)
            found.append((r, before, ratio(text, file.budget)))
            well_formed(found[-1][2][0] != 0, "a zero is not written")
    return of_entries(found, len(rows), file.budget)


class FeedForward(NamedTuple):
    """x -> eta*x + W relu(U x + b); b is a point."""

    eta: Ratio
    U: Matrix
    b: Point
    W: Matrix

    def __call__(self, x: Point, budget: Budget) -> Point:
        """The image of a token."""
        inner = plus(self.U.times(x, budget), self.b, (1, 1), budget)
        hidden = reduced([*[max(0, n) for n in inner[:-1]], inner[-1]], budget)
        return plus(x, self.W.times(hidden, budget), self.eta, budget)


def read_feed_forward(FF: Json, file: Certificate) -> FeedForward | None:
    """The feed-forward part of a block; null is none."""
    if FF is None:
        return None
    exact_keys(FF, "eta", "U", "b", "W")
    b = read_numbers(entries(FF["b"]), file)
    width = len(b) - 1
    U, W = read_matrix(FF["U"], width, file.dim, file), read_matrix(FF["W"], file.dim, width, file)
    return FeedForward(ratio(FF["eta"], file.budget), U, b, W)


def read_numbers(texts: list[Json], file: Certificate) -> Point:
    """A vector of one number or more, in lowest terms."""
    above, below = file.ratios(texts)
    common = common_denominator(below, file.budget)
    return (*[p * (common // q) for p, q in zip(above, below)], common)
