"""The claim `zero-temperature`: the limit of the mean field at zero temperature, and a rate (FORMAT.md, section 15)."""

from fractions import Fraction
from typing import NamedTuple

from ..core import caller
from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.numbers import number
from ..core.points import lowest
from ..core.verdict import holds, well_formed
from .dominance import verify_dominance
from .rational_matrices import Matrix, identity, independent, plus, product, read_rows, sign_of_form, transposed


class MeanField(NamedTuple):
    """V, B and M = V B'."""

    V: Matrix
    B: Matrix
    M: Matrix


def zero_temperature(file: Certificate) -> str:
    """Every x with Pi x != 0 tends to Pi x/|Pi x|, and how fast."""
    given = read_queries_and_keys(file)
    found = verify_dominance(given.M, file)
    k = file.header["multiplicity"]
    about = f"V (Q'K)' in dimension {file.dim} has a real dominant eigenvalue, semisimple of multiplicity {k}"
    if found.bound is None:
        return f"{about}: it is a multiple of the identity, and at zero temperature nothing moves"
    norm, rate = (number(text, file.budget) for text in file.lines.fields("norm", "rate"))
    verify_norm(given.B, norm, file.budget)
    holds(0 < rate * norm <= found.low - found.bound, "the rate is not positive, or more than is proved")
    flow = "at zero temperature every x with Pi x != 0 tends to Pi x/|Pi x|, Pi as stated"
    return f"{about}; {flow}, with an error of at most C(x) exp(-{str(rate)[:60]} t)"


def read_queries_and_keys(file: Certificate) -> MeanField:
    """The line of V, Q and K, which is the caller's; B = Q'K is invertible."""
    d, written = file.dim, file.lines.fields("V", "Q", "K", subject=True)
    V = read_rows(written[0], d, d, file)
    Q, K = (read_rows(rows, None, d, file) for rows in written[1:])
    well_formed(len(Q.rows) == len(K.rows), "Q and K have different numbers of rows")
    if file.data is not None:
        mine = caller.system(file.data, file.budget)
        theirs = [[lowest(row) for row in matrix.points()] for matrix in (V, Q, K)]
        holds(mine == theirs, "the data file has another V, Q or K")
    return mean_field(V, product(transposed(Q), K, file.budget), file.budget)


def mean_field(V: Matrix, B: Matrix, budget: Budget) -> MeanField:
    """V, B and M = V B'; B is invertible."""
    holds(independent(B, budget), "B is singular")
    return MeanField(V, B, product(V, transposed(B), budget))


def verify_norm(B: Matrix, norm: Fraction, budget: Budget) -> None:
    """|B| <= norm: norm^2 I - B B' is positive semidefinite."""
    square = product(B, transposed(B), budget)
    rest = plus(plus(square, square, Fraction(-2), budget), identity(len(B.rows)), norm * norm, budget)
    holds(norm > 0 and sign_of_form(rest, budget) >= 0, "the norm of B is not seen to be so small")
