"""The claim `recurrence`: the least order of a linear recurrence on all rows of a series (FORMAT.md, section 12).

Everything is done in integers: the rows of the series over one denominator, which the equations do not notice.
"""

import math
from fractions import Fraction
from itertools import chain
from operator import mul
from typing import NamedTuple

from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.lines import count, entries, exact_keys, has_key, indices
from ..core.numbers import number, over_common
from ..core.points import bits
from ..core.shapes import read_numbers
from ..core.verdict import Json, holds, well_formed

Row = list[int]


class Windows(NamedTuple):
    """For an order m: h_k = (z_k, .., z_{k+m-1}), and the denominator for an intercept; y_k = z_{k+m}."""

    H: list[Row]
    Y: list[Row]
    width: int


def recurrence(file: Certificate) -> str:
    """Orders 1, .., K are refuted, and order K + 1 holds if the header says so."""
    total, last, found = file.header["rows"], file.header["refuted"], file.header["holds"]
    series = read_series(file.lines.field("series", subject=True), file)
    for order in range(1, last + 1):
        stated, weights = file.lines.fields("order", "weights")
        count(stated, order, order + 1)
        verify_refuted(windows(series, order, file), weights, file)
    about = f"{total} rows in Q^{file.dim}" + (", with an intercept" if file.header["intercept"] else "")
    if not found:
        well_formed(last > 0, "nothing is claimed")
        return f"no linear recurrence of order 1 to {last} holds on all of {about}"
    order = last + 1
    now = windows(series, order, file)
    holds(len(now.H) > now.width, "so few rows always satisfy a recurrence of this order")
    verify_recurrence(now, file.lines.fields("coefficients", "intercept"), order, file)
    unique = verify_uniqueness(now, file)
    return f"a linear recurrence of order {order}, and of no smaller order, holds on all of {about}; {unique}"


def read_series(rows: object, file: Certificate) -> list[Row]:
    """The rows as integers, and one more with the common denominator alone."""
    *numbers, common = read_numbers(rows, file, file.header["rows"])
    return [*[numbers[k : k + file.dim] for k in range(0, len(numbers), file.dim)], [common]]


def windows(series: list[Row], order: int, file: Certificate) -> Windows:
    """The windows of an order, of which there is at least one."""
    *rows, common = series
    well_formed(order < len(rows), "an order that leaves no row to predict")
    tail = common if file.header["intercept"] else []
    file.budget.hold(order * len(rows), 64 * file.dim)
    H = [list(chain(*rows[k : k + order], tail)) for k in range(len(rows) - order)]
    return Windows(H, rows[order:], len(H[0]))


def verify_refuted(now: Windows, stated: object, file: Certificate) -> None:
    """sum w h_k = 0 and sum w y_k != 0: no coefficients satisfy h_k A = y_k for all k."""
    pairs = [entries(pair, 2) for pair in entries(stated)]
    chosen = indices([k for k, _ in pairs], len(now.H))
    *weights, _ = over_common(*file.ratios([w for _, w in pairs]), file.budget)
    charge(len(weights) * (now.width + file.dim), weights, now, file.budget)
    combined = combine(weights, [now.H[k] for k in chosen])
    holds(not any(combined), "the weighted windows do not add up to zero")
    holds(any(combine(weights, [now.Y[k] for k in chosen])), "what follows them adds up to zero as well")


def combine(weights: Row, rows: list[Row]) -> Row:
    """The sum of weight * row."""
    return [sum(map(mul, weights, column)) for column in zip(*rows)]


def verify_recurrence(now: Windows, stated: list[Json], order: int, file: Certificate) -> None:
    """y_k = A_1 z_k + .. + A_m z_{k+m-1} + c for every k; without an intercept c is zero."""
    matrices, constant = stated
    rows = [entries(row, file.dim) for A in entries(matrices, order) for row in entries(A, file.dim)]
    texts = [*chain.from_iterable(rows), *entries(constant, file.dim)]
    *numbers, common = over_common(*file.ratios(texts), file.budget)
    flat, shift = numbers[: -file.dim], numbers[-file.dim :]
    well_formed(file.header["intercept"] or not any(shift), "an intercept where the header says there is none")
    charge(len(now.H) * now.width * file.dim, [*numbers, common], now, file.budget)
    for a in range(file.dim):  # row a of every A_j, oldest first, then the constant
        row = [flat[(j * file.dim + a) * file.dim + b] for j in range(order) for b in range(file.dim)]
        row += [shift[a]] if file.header["intercept"] else []
        for k, (h, y) in enumerate(zip(now.H, now.Y)):
            holds(sum(map(mul, row, h)) == common * y[a], f"the recurrence fails at row {k + order}")


def verify_uniqueness(now: Windows, file: Certificate) -> str:
    """Rows of H with a determinant that is not zero: no other coefficients; or H v = 0, v != 0: others as well."""
    line = file.lines.value()
    if has_key(line, "kernel"):
        verify_kernel(now, exact_keys(line, "kernel")["kernel"], file)
        return "other coefficients satisfy it as well"
    exact_keys(line, "minor", "modulus")
    verify_minor(now, line["minor"], number(line["modulus"], file.budget), file)
    return "no other coefficients satisfy it"


def verify_kernel(now: Windows, stated: object, file: Certificate) -> None:
    """A vector that is not zero, orthogonal to every row of H."""
    *vector, _ = over_common(*file.ratios(entries(stated, now.width)), file.budget)
    charge(len(now.H) * now.width, vector, now, file.budget)
    holds(any(vector), "the kernel's vector is zero")
    holds(not any(sum(map(mul, vector, h)) for h in now.H), "the kernel's vector is not orthogonal to all windows")


def verify_minor(now: Windows, stated: object, modulus: Fraction, file: Certificate) -> None:
    """The determinant of the chosen rows is invertible modulo some number, hence not zero.

    By elimination modulo the number: if every pivot is invertible, the determinant is, be the modulus prime or not.
    """
    chosen, m = indices(stated, len(now.H)), modulus.numerator
    well_formed(len(chosen) == now.width, f"a minor has {now.width} rows")
    well_formed(modulus.denominator == 1 and m > 1, "a modulus is an integer above 1")
    charge(len(chosen) * now.width, [m], now, file.budget)
    file.budget.divisions(now.width**3, 2 * m.bit_length())
    rows = [[x % m for x in now.H[k]] for k in chosen]
    while rows:
        first = next((i for i, row in enumerate(rows) if math.gcd(row[0], m) == 1), None)
        holds(first is not None, "the determinant of the minor is not seen to be invertible")
        pivot = rows.pop(first or 0)
        inverse = pow(pivot[0], -1, m)
        rows = [eliminated(row, pivot, row[0] * inverse, m) for row in rows]


def eliminated(row: Row, pivot: Row, factor: int, modulus: int) -> Row:
    """The row minus a multiple of the pivot row, without the first entry, which is then zero."""
    return [(x - factor * y) % modulus for x, y in zip(row[1:], pivot[1:])]


def charge(times: int, numbers: Row, now: Windows, budget: Budget) -> None:
    """Charges so many products of these numbers with entries of the windows."""
    longest = max(max(map(bits, now.H)), max(map(bits, now.Y)))
    budget.products(times, bits(numbers) + longest)
