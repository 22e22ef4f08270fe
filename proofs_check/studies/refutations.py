"""The three statements of section 6 of FORMAT.md that have a form of their own."""

from fractions import Fraction

from ..core.certificate import Certificate
from ..core.dynamics import layers
from ..core.geometry import charge_dots, definiteness, symmetric, verify_no_vertex, verify_vertex
from ..core.lines import count, entries, exact_keys, indices
from ..core.numbers import number
from ..core.points import Point, bits, dot, origin, plus, times
from ..core.shapes import combination, read_points, read_weights
from ..core.subject import sequences
from ..core.verdict import holds, well_formed
from .statements import refuted


def frank_wolfe_negative(file: Certificate) -> str:
    """At layer K a token has <B* x, x>/2 > 2/(K+1) * lambda * D, though 0 lies in the first hull."""
    n, K = file.header["tokens"], count(file.header["layers"], 1)
    rows, stated = file.lines.fields("B", "tokens", subject=True)
    B, tokens = read_points(rows, file, file.dim), read_points(stated, file, n)
    zero, bound, token = file.lines.fields("zero", "lambda", "token")
    top, i = number(bound, file.budget), count(token, 0, n)
    holds(semidefinite(B, file), "B* is not symmetric positive semidefinite")
    combined = combination(read_weights(zero, n, file), tokens, file.budget)
    holds(combined == origin(file.dim), "the weights do not give the origin")
    holds(semidefinite(shifted_minus(top, B), file), "lambda is below the largest eigenvalue of B*")
    steps = (Fraction(2, t + 2) for t in range(K))
    *_, last = layers([negative(row) for row in B], tokens, steps, file.budget)
    x = last.tokens[i]
    charge_dots(x, B, file.budget)
    energy = dot(times(B, x), x) / 2
    bounded = energy <= Fraction(2, K + 1) * top * squared_diameter(tokens, file)
    holds(not bounded, "the token satisfies the bound")
    return refuted(file)


def semidefinite(A: list[Point], file: Certificate) -> bool:
    """Whether A is symmetric positive semidefinite."""
    return symmetric(A, file.budget) and definiteness(A, file.budget) >= 0


def negative(row: Point) -> Point:
    """The vector -row."""
    return (*[-n for n in row[:-1]], row[-1])


def shifted_minus(c: Fraction, A: list[Point]) -> list[Point]:
    """The rows of c*I - A."""
    identity = [(*[int(i == j) for j in range(len(A))], 1) for i in range(len(A))]
    return [plus(unit, negative(row), *c.as_integer_ratio()) for unit, row in zip(identity, A)]


def squared_diameter(tokens: list[Point], file: Certificate) -> Fraction:
    """D, the largest squared Euclidean distance of two tokens."""
    size = 4 * max(map(bits, tokens))
    file.budget.divisions(len(tokens) ** 2 * 4 * (file.dim + 2), size)
    differences = (plus(p, q, -1) for p in tokens for q in tokens)
    return max(dot(difference, difference) for difference in differences)


def exponentially_fast(file: Certificate) -> str:
    """With the steps c q^t a token keeps away from its maximiser: p_t is bounded below for all t."""
    n = file.header["tokens"]
    rows, stated, step = file.lines.fields("B", "tokens", "step", subject=True)
    tokens = read_points(stated, file, n)
    c, q = (number(exact_keys(step, "c", "q")[key], file.budget) for key in "cq")
    holds(0 < c < 1 and 0 < q < 1, "the step sizes c q^t need c and q in (0,1)")
    holds(len(file.budget.distinct(tokens)) == n, "the tokens must be distinct")
    _, follows, own = next(layers(read_points(rows, file, file.dim), tokens, [], file.budget))
    single = all(len(group) == 1 and group[0] in own for group in follows)
    holds(single, "a token is not in one cell of a vertex only")
    token, split, parts = file.lines.fields("token", "split", "inside")
    verify_inside(parts, own, tokens, file)
    holds(count(token, 0, n) not in own, "the token is its own vertex")
    verify_split(c, q, count(split, 0), file)
    return refuted(file)


def verify_inside(parts: object, own: set[int], tokens: list[Point], file: Certificate) -> None:
    """The tokens that are not own are exactly those listed, each a combination of other tokens."""
    inside = [exact_keys(part, "token", "weights") for part in entries(parts)]
    listed = indices([part["token"] for part in inside], len(tokens))
    holds(set(listed) == {*range(len(tokens))} - own, "inside must list all not own")
    for part in inside:
        verify_no_vertex(part["token"], tokens, part["weights"], file)


def verify_split(c: Fraction, q: Fraction, T: int, file: Certificate) -> None:
    """c q^T / (1-q) < 1."""
    size = T * q.denominator.bit_length()
    file.budget.within(size, "bits")
    file.budget.divisions(8, size + bits(c.as_integer_ratio()))
    holds(c * q**T < 1 - q, "the steps after the split are too large for the bound")


def one_block_suffices(file: Certificate) -> str:
    """Single tokens with targets y_j, all of them together with target y, and a hyperplane between y and the y_j."""
    found = [(tokens.points(), list(targets)) for tokens, targets, _ in sequences(file, ("targets",))]
    *alone, (together, last) = found
    well_formed(len(alone) >= 2, "expected at least 3 sequences")
    holds([tokens for tokens, _ in alone] == [[x] for x in together], "the last sequence is not all single tokens")
    holds(len(file.budget.distinct(together)) == len(together), "the tokens must be distinct")
    ends = [*[targets for _, targets in alone], last]
    holds(all(len(end) == 1 for end in ends), "a sequence has more than one target")
    holds(ends[-1] not in ends[:-1], "the last target is one of the others")
    verify_vertex(len(ends) - 1, [end[0] for end in ends], file.lines.field("normal"), file)
    return refuted(file)
