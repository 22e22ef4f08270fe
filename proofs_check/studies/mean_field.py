"""False statements about the mean field, and what refutes them (FORMAT.md, section 15, counterexamples).

A token z stands for the point z/|z| of the sphere.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.geometry import charge_dots, symmetric
from ..core.lines import count, entries
from ..core.numbers import number
from ..core.points import Point, bits, dot
from ..core.shapes import read_vector
from ..core.verdict import holds
from ..softmax.exponential import falling
from .dominance import Dominance, in_kernel, verify_dominance, verify_others_below
from .rational_matrices import Matrix, identity, independent, is_zero, plus, product, read_rows, same, transposed
from .statements import refuted
from .zero_temperature import MeanField, mean_field

LATE, LATE_UNIFORM = Fraction(29, 50), Fraction(37, 100)  # < 2 - sqrt 2, and < (2/pi)(2 - sqrt 2)
EXPONENT = 512  # bits of e^-t in a comparison


class Directions(NamedTuple):
    """V, B and M = V B', and the tokens as rows."""

    flow: MeanField
    tokens: Matrix


def read_matrices(file: Certificate) -> MeanField:
    """The line of V and B; B is invertible."""
    V, B = (read_rows(rows, file.dim, file.dim, file) for rows in file.lines.fields("V", "B", subject=True))
    return mean_field(V, B, file.budget)


def read_directions(file: Certificate) -> Directions:
    """The line of V, B and tokens; B is invertible, and no token is zero."""
    written = file.lines.fields("V", "B", "tokens", subject=True)
    V, B = (read_rows(rows, file.dim, file.dim, file) for rows in written[:2])
    tokens = read_rows(written[2], file.header["tokens"], file.dim, file)
    holds(all(map(any, tokens.rows)), "a token is zero: it has no direction")
    return Directions(mean_field(V, B, file.budget), tokens)


def column(x: Point) -> Matrix:
    """A vector as a matrix of one column."""
    return Matrix([[n] for n in x[:-1]], x[-1])


def complex_pair(file: Certificate) -> str:
    """Eigenvalues that are not real lead: by the plane that M turns, or because no real one is above."""
    given = read_matrices(file)
    if file.header["rational"]:
        verify_plane(given.M, file)
    else:
        verify_no_real_leader(given.M, file)
    return refuted(file)


def verify_plane(M: Matrix, file: Certificate) -> None:
    """M^2 p = t M p - n p with t^2 < 4n, and all other eigenvalues have real parts below t/2."""
    vector, trace, determinant = file.lines.fields("vector", "trace", "determinant")
    budget = file.budget
    p, t, n = column(read_vector(vector, file)), number(trace, budget), number(determinant, budget)
    once = product(M, p, budget)
    twice = product(M, once, budget)
    rest = plus(plus(twice, once, -t, budget), p, n, budget)
    holds(not is_zero(p) and is_zero(rest), "the vector and its image do not span an invariant plane")
    holds(t * t < 4 * n, "the eigenvalues of the plane are real")
    if file.dim > 2:
        form = verify_others_below(M, 2, file)
        holds(2 * form.bound < t, "the pair is not seen to lead")


def verify_no_real_leader(M: Matrix, file: Certificate) -> None:
    """At most 2 eigenvalues have real parts >= a, at least one has, and none of them is real."""
    form, budget = verify_others_below(M, 2, file), file.budget
    above, written, size, power = file.lines.fields("above", "polynomial", "scale", "exponent")
    z = column(read_vector(above, file))
    value = product(product(transposed(z), form.H, budget), z, budget)
    holds(value.rows[0][0] > 0, "the form is not positive at the vector, so that all eigenvalues may lie below")
    f, scale = [number(text, budget) for text in entries(written)], number(size, budget)
    holds(annihilates(f, M, budget), "the polynomial of M is not zero")
    holds(scale > 0, "the scale is not positive")
    p = shifted(f, form.bound, scale, budget)
    for _ in range(count(power, 0)):
        budget.divisions(2 * len(p), longest(p))
        p = [x + y for x, y in zip([*p, Fraction(0)], [Fraction(0), *p])]
    holds(all(c > 0 for c in p), "a coefficient is not positive, so that there may be a real eigenvalue above")


def annihilates(f: list[Fraction], M: Matrix, budget: Budget) -> bool:
    """Whether f(M) = 0."""
    one = identity(len(M.rows))
    total = plus(one, one, Fraction(-1), budget)
    for c in reversed(f):
        total = plus(product(total, M, budget), one, c, budget)
    return is_zero(total)


def shifted(f: list[Fraction], a: Fraction, scale: Fraction, budget: Budget) -> list[Fraction]:
    """The coefficients of f(a + scale x), by Horner's rule."""
    p = [Fraction(0)]
    for c in reversed(f):
        budget.divisions(6 * len(p), 2 * longest([*p, a, scale, c]))
        budget.within(longest(p), "bits")
        p = [a * x + scale * y for x, y in zip([*p, Fraction(0)], [Fraction(0), *p])]
        p[0] += c
    return p[:-1]


def longest(numbers: list[Fraction]) -> int:
    """The bits of the longest numerator or denominator."""
    return bits([n for x in numbers for n in x.as_integer_ratio()])


def jordan_block(file: Certificate) -> str:
    """N = M - lambda has N^k = 0 and N != 0 on a space of dimension k, and all other eigenvalues lie below lambda."""
    given, budget, k = read_matrices(file), file.budget, file.header["multiplicity"]
    value, stated = file.lines.fields("eigenvalue", "generalised")
    eigenvalue, space = number(value, budget), read_rows(stated, k, file.dim, file)
    nilpotent = plus(given.M, identity(file.dim), -eigenvalue, budget)
    image = product(nilpotent, transposed(space), budget)
    holds(not is_zero(image), "all vectors are eigenvectors")
    for _ in range(k - 1):
        image = product(nilpotent, image, budget)
    holds(is_zero(image) and independent(space, budget), "the vectors do not span k generalised eigenvectors")
    if k < file.dim:
        form = verify_others_below(given.M, k, file)
        holds(form.bound < eigenvalue, "the eigenvalue is not seen to dominate")
    return refuted(file)


def dominated(M: Matrix, file: Certificate) -> Dominance:
    """The dominance lines of M, whose bound is below lambda."""
    found = verify_dominance(M, file)
    holds(found.bound is None or found.bound < found.low, "the bound of the others is not below lambda")
    return found


def mass_on_kernel(file: Certificate) -> str:
    """A token in the kernel of Pi, where it stays."""
    given = read_directions(file)
    found = dominated(given.flow.M, file)
    i = count(file.lines.field("token"), 0, file.header["tokens"])
    holds(in_kernel(given.tokens.points()[i], found.projector, file.budget), "Pi x is not zero")
    return refuted(file)


def cone_support(file: Certificate) -> str:
    """V = v I, v > 0, and half-spaces that contain all tokens and exclude e or -e, the only points of S(E)."""
    given, budget = read_directions(file), file.budget
    verify_line(file)
    found = dominated(given.flow.M, file)
    V, one = given.flow.V, identity(file.dim)
    v = Fraction(V.rows[0][0], V.common)
    holds(v > 0 and same(V, plus(one, one, v - 1, budget), budget), "V is not a positive multiple of the identity")
    holds(independent(transposed(given.tokens), budget), "the tokens do not span the space")
    away = all(not in_kernel(y, found.projector, budget) for y in given.tokens.points())
    holds(away, "a token is in the kernel of Pi")
    e, *normals = (read_vector(row, file) for row in file.lines.fields("direction", "excludes", "excludes_opposite"))
    spans = same(product(found.projector[0], column(e), budget), column(e), budget)
    holds(spans, "the direction is not in E")
    for h, sign in zip(normals, (1, -1)):
        charge_dots(h, [*given.tokens.points(), e], budget)
        inside = all(dot(h, y) >= 0 for y in given.tokens.points())
        holds(inside and sign * dot(h, e) < 0, "a half-space does not contain the tokens and exclude the point")
    return refuted(file)


def verify_line(file: Certificate) -> None:
    """The eigenvalue is rational and E a line."""
    holds((file.header["degree"], file.header["multiplicity"]) == (1, 1), "E is not a rational line")


def symmetric_data(file: Certificate) -> str:
    """An orthogonal R that commutes with V and B, permutes the tokens, fixes one, and is -1 on the image of Pi of V."""
    given, budget = read_directions(file), file.budget
    holds(file.header["degree"] == 1, "the eigenvalue is not rational")
    Pi = dominated(given.flow.V, file).projector[0]
    rows, token = file.lines.fields("reflection", "token")
    R, i = read_rows(rows, file.dim, file.dim, file), count(token, 0, file.header["tokens"])
    involution = same(R, transposed(R), budget) and same(product(R, R, budget), identity(file.dim), budget)
    holds(involution, "R is not an orthogonal reflection")
    for A in (given.flow.V, given.flow.B):
        holds(same(product(R, A, budget), product(A, R, budget), budget), "R does not commute with V and B")
    images = product(given.tokens, R, budget)
    moved, tokens = (lowest_rows(matrix, budget) for matrix in (images, given.tokens))
    holds(sorted(moved) == sorted(tokens), "R does not permute the tokens")
    holds(moved[i] == tokens[i], "R does not fix the token")
    turned = is_zero(plus(product(R, Pi, budget), Pi, Fraction(1), budget))
    holds(turned, "R is not -1 on the dominant eigenspace of V")
    excited = not is_zero(product(Pi, transposed(given.tokens), budget))
    holds(excited, "no token has a part in the dominant eigenspace")
    return refuted(file)


def lowest_rows(A: Matrix, budget: Budget) -> list[tuple[Fraction, ...]]:
    """The rows as rational numbers."""
    budget.divisions(len(A.rows) * len(A.rows[0]), A.bits())
    return [tuple(Fraction(x, A.common) for x in row) for row in A.rows]


def read_circle(file: Certificate, *constants: str) -> tuple[Matrix, list[Fraction]]:
    """A symmetric 2-by-2 matrix V with two different eigenvalues, and positive constants."""
    holds(file.dim == 2, "the circle has dimension 2")
    rows, *written = file.lines.fields("V", *constants, subject=True)
    V = read_rows(rows, 2, 2, file)
    found = [number(text, file.budget) for text in written]
    distinct = any((V.rows[0][1], V.rows[0][0] - V.rows[1][1]))
    holds(symmetric(V.points(), file.budget) and distinct, "V is not symmetric with two eigenvalues")
    holds(all(x > 0 for x in found), "a constant is not positive")
    return V, found


def w2_rate_is_gap(file: Certificate) -> str:
    """At a = e^(-gs), W2^2 >= 37/100 (a - a^3/3) > (C a)^2 for the uniform law."""
    _, (constant,) = read_circle(file, "constant")
    a = number(file.lines.field("decay"), file.budget)
    holds(0 < a <= 1, "a decay is between 0 and 1")
    holds(LATE_UNIFORM * (1 - a * a / 3) > constant * constant * a, "the bound is not seen to be violated")
    return refuted(file)


def mass_near_kernel(file: Certificate) -> str:
    """At time s, W2^2 >= 29/50 / (1 + gs) > (C e^(-cs))^2, g at most the gap stated."""
    V, (constant, rate) = read_circle(file, "constant", "rate")
    gap, s = (number(text, file.budget) for text in file.lines.fields("gap", "time"))
    (a, b), (_, d) = V.rows
    holds(gap > 0 and gap * gap >= Fraction((a - d) ** 2 + 4 * b * b, V.common**2), "the gap is larger")
    holds(s > 0, "a time is positive")
    late = constant * constant * (1 + gap * s) * falling(2 * rate * s, EXPONENT, file.budget)[1] < LATE
    holds(late, "the bound is not seen to be violated")
    return refuted(file)


class MeanFieldStatement(NamedTuple):
    """A row of the table of section 15: further keys of the header, and the rule that shows the conclusion false."""

    keys: str
    refute: Callable[[Certificate], str]


MEAN_FIELD_STATEMENTS = {
    "meanfield-complex-pair": MeanFieldStatement("rational", complex_pair),
    "meanfield-jordan-block": MeanFieldStatement("multiplicity", jordan_block),
    "meanfield-mass-on-kernel": MeanFieldStatement("tokens degree multiplicity", mass_on_kernel),
    "meanfield-mass-near-kernel": MeanFieldStatement("", mass_near_kernel),
    "meanfield-cone-support": MeanFieldStatement("tokens degree multiplicity", cone_support),
    "meanfield-w2-rate-is-gap": MeanFieldStatement("", w2_rate_is_gap),
    "meanfield-symmetric-data": MeanFieldStatement("tokens degree multiplicity", symmetric_data),
}
