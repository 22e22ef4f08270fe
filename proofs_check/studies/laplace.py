"""The claim `laplace`: the mean of softmax on the sphere is near its direction, for all beta >= b (FORMAT.md, 15)."""

import math
from fractions import Fraction

from ..core import caller
from ..core.certificate import Certificate
from ..core.geometry import charge_dots
from ..core.lines import count
from ..core.numbers import number
from ..core.points import Point, bits, dot, times
from ..core.shapes import read_points, read_vector
from ..core.verdict import holds
from ..softmax.exponential import Interval, falling


def laplace(file: Certificate) -> str:
    """|m_beta(x) - u| <= r for every beta >= b, by the mean of |y - u| with the weights of beta = b."""
    n, p = file.header["tokens"], count(file.header["bits"], 1)
    file.budget.within(p, "bits")
    rows, stated, at = file.lines.fields("A", "tokens", "x", subject=True)
    A, tokens, x = read_points(rows, file, file.dim), read_points(stated, file, n), read_vector(at, file)
    if file.data is not None:
        mine, _, theirs = caller.tokens(file.data, file.dim, file.budget)
        holds((mine, theirs) == (A, tokens), "the data file has another A or other tokens")
    charge_dots(x, A, file.budget)
    w = times(A, x)
    scores = scores_on_the_sphere(w, tokens, file)
    beta, bound = (number(text, file.budget) for text in file.lines.fields("beta", "bound"))
    holds(beta > 0 and bound >= 0, "beta is not positive, or the bound is negative")
    verify_mean_distance(scores, root(dot(w, w), p, file), beta, bound, file)
    about = f"{n} tokens on the unit sphere of Q^{file.dim}: for every beta >= {str(beta)[:60]} the mean of softmax"
    return f"{about} at x differs from A x/|A x| by at most {str(bound)[:60]}"


def scores_on_the_sphere(w: Point, tokens: list[Point], file: Certificate) -> list[Fraction]:
    """<w, y> for every token y, all of which have length 1."""
    charge_dots(w, tokens, file.budget)
    for y in tokens:
        charge_dots(y, [y], file.budget)
        holds(dot(y, y) == 1, "a token is not on the unit sphere")
    return [dot(w, y) for y in tokens]


def verify_mean_distance(
    scores: list[Fraction], length: Interval, beta: Fraction, bound: Fraction, file: Certificate
) -> None:
    """sum e^(-beta (s* - s_j)) (f_j - r) <= 0, f_j = sqrt(2 - 2 s_j/|w|): every term rounded up."""
    p, budget, top = file.header["bits"], file.budget, max(scores)
    total = Fraction(0)
    for score in scores:
        size = bits([*score.as_integer_ratio(), *top.as_integer_ratio(), *beta.as_integer_ratio()])
        budget.divisions(40, 3 * size + 4 * p)
        weight = falling(beta * (top - score), p, budget)
        holds(score > 0 or length[0] > 0, "A x is not seen to be so long as to have a direction; more bits may show it")
        square = 2 - 2 * score / (length[1] if score > 0 else length[0])
        excess = root(max(square, Fraction(0)), p, file)[1] - bound
        term = excess * weight[1 if excess > 0 else 0]
        total += Fraction(math.ceil(term * (1 << 2 * p)), 1 << 2 * p)
    holds(total <= 0, "the mean distance is not seen to be so small; more bits may show it")


def root(x: Fraction, p: int, file: Certificate) -> Interval:
    """An interval around the square root of x >= 0, of width 2^-p."""
    file.budget.divisions(8, bits(x.as_integer_ratio()) + 2 * p)
    floor = math.isqrt((x.numerator << 2 * p) // x.denominator)
    return Fraction(floor, 1 << p), Fraction(floor + 1, 1 << p)
