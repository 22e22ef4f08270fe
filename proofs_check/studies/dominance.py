"""A real dominant eigenvalue and its projector, without roots (FORMAT.md, section 15, dominance lines).

Numbers of Q(lambda) are written in powers of lambda and computed with modulo f, f(lambda) = 0.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.lines import entries
from ..core.numbers import number
from ..core.points import Point, bits
from ..core.verdict import holds, well_formed
from .rational_matrices import (
    Matrix,
    identity,
    independent,
    is_zero,
    plus,
    product,
    read_rows,
    same,
    sign_of_form,
    transposed,
)


class Dominance(NamedTuple):
    """A number <= lambda; one above the real parts of all other eigenvalues, None where there are none; N_0, .."""

    low: Fraction
    bound: Fraction | None
    projector: list[Matrix]


class Form(NamedTuple):
    """The bound a, and H."""

    bound: Fraction
    H: Matrix


def verify_dominance(M: Matrix, file: Certificate) -> Dominance:
    """lambda is real, semisimple of multiplicity k, above the real parts of all others; and Pi is its projector."""
    m, k = file.header["degree"], file.header["multiplicity"]
    f, low = read_polynomial(m, file)
    vectors = read_rows(file.lines.field("eigenvectors"), k, file.dim, file)
    verify_eigenvectors(M, f, vectors, file.budget)
    bound = None
    if k < file.dim:
        bound = verify_others_below(M, k, file).bound
    parts = [read_rows(part, file.dim, file.dim, file) for part in entries(file.lines.field("projector"), m)]
    verify_projector(M, f, k, parts, file.budget)
    return Dominance(low, bound, parts)


def read_polynomial(m: int, file: Certificate) -> tuple[list[Fraction], Fraction]:
    """The coefficients of a monic polynomial of degree m, and a number at which it is not positive."""
    written, least = file.lines.fields("polynomial", "low")
    f = [number(text, file.budget) for text in entries(written, m + 1)]
    low, value = number(least, file.budget), Fraction(0)
    well_formed(f[-1] == 1, "the polynomial is not monic")
    for c in reversed(f):
        size = bits([*value.as_integer_ratio(), *low.as_integer_ratio(), *c.as_integer_ratio()])
        file.budget.within(size, "bits")
        file.budget.divisions(4, 3 * size)
        value = value * low + c
    holds(value <= 0, "the polynomial is positive at low, so that it may have no root above")
    return f, low


def verify_eigenvectors(M: Matrix, f: list[Fraction], vectors: Matrix, budget: Budget) -> None:
    """f(M) u = 0 for every vector u, and all u, M u, .., M^(m-1) u are independent."""
    power, rows = transposed(vectors), list[Sequence[int]]()
    total = plus(power, power, f[0] - 1, budget)
    for c in f[1:]:
        rows += zip(*power.rows)  # multiples of the vectors: directions alone matter here
        power = product(M, power, budget)
        total = plus(total, power, c, budget)
    holds(is_zero(total), "a vector is not annihilated by the polynomial of M")
    holds(independent(Matrix(rows, 1), budget), "the vectors and their images are dependent")


def verify_others_below(M: Matrix, k: int, file: Certificate) -> Form:
    """All but at most k eigenvalues of M have real parts below the bound."""
    stated, form, inside = file.lines.fields("bound", "form", "subspace")
    bound, budget = number(stated, file.budget), file.budget
    H = read_rows(form, file.dim, file.dim, file)
    W = read_rows(inside, file.dim - k, file.dim, file)
    holds(list(map(tuple, H.rows)) == list(zip(*H.rows)), "the form is not symmetric")
    half = product(H, plus(M, identity(file.dim), -bound, budget), budget)
    rising = plus(half, transposed(half), Fraction(1), budget)
    holds(sign_of_form(rising, budget) == 1, "the form does not rise along the flow")
    within = product(product(W, H, budget), transposed(W), budget)
    negative = plus(within, within, Fraction(-2), budget)
    holds(sign_of_form(negative, budget) == 1, "the form is not negative on the subspace")
    return Form(bound, H)


def verify_projector(M: Matrix, f: list[Fraction], k: int, parts: list[Matrix], budget: Budget) -> None:
    """For N = f'(lambda) Pi: M N = N M = lambda N, N has trace k f'(lambda) and N^2 = f'(lambda) N, modulo f(lambda).

    For k = 1 the square need not be formed: the image of Pi is a line, and its trace is 1.
    """
    slope = [i * c for i, c in enumerate(f)][1:]
    for part, wanted in zip(parts, times_lambda(f, parts, budget)):
        holds(same(product(M, part, budget), wanted, budget), "M Pi is not lambda Pi")
        holds(same(product(part, M, budget), wanted, budget), "Pi M is not lambda Pi")
    for part, c in zip(parts, slope):
        trace = sum(row[j] for j, row in enumerate(part.rows))
        holds(Fraction(trace, part.common) == k * c, "the trace of Pi is not the multiplicity")
    if k > 1:
        one = identity(len(M.rows))
        squares = times_sum(f, parts, parts, budget)
        scaled = times_sum(f, [plus(one, one, c - 1, budget) for c in slope], parts, budget)
        holds(all(same(x, y, budget) for x, y in zip(squares, scaled)), "Pi is not its own square")


def times_lambda(f: list[Fraction], parts: list[Matrix], budget: Budget) -> list[Matrix]:
    """lambda * sum lambda^i P_i, as powers below the degree."""
    last = parts[-1]
    shifted = [plus(last, last, Fraction(-1), budget), *parts[:-1]]
    return [plus(part, last, -c, budget) for part, c in zip(shifted, f)]


def times_sum(f: list[Fraction], left: list[Matrix], right: list[Matrix], budget: Budget) -> list[Matrix]:
    """(sum lambda^i A_i)(sum lambda^j B_j) by Horner's rule: from the highest i on, times lambda, plus A_i B."""
    total = [plus(part, part, Fraction(-1), budget) for part in right]
    for A in reversed(left):
        total = times_lambda(f, total, budget)
        total = [plus(x, product(A, y, budget), Fraction(1), budget) for x, y in zip(total, right)]
    return total


def in_kernel(x: Point, parts: list[Matrix], budget: Budget) -> bool:
    """Whether every power of lambda has the coefficient 0 in Pi x, so that Pi x = 0."""
    column = Matrix([[n] for n in x[:-1]], x[-1])
    return all(is_zero(product(part, column, budget)) for part in parts)
