"""Evaluation of a transformer by definition; every short cut verifies its own precondition (FORMAT.md, section 2)."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from .envelope import Reader, Vector, exact_keys, holds, items, lowest, numbered, well_formed

State = dict[Vector, int]  # the distinct tokens with their multiplicities
Layer = Callable[[State], State]
Map = Callable[[Vector], Vector]
Unit = tuple[tuple[int, int], tuple[int, int], Vector]  # slope and bias as ratios, column of W


def plus(x: Vector, y: Vector) -> Vector:
    p, q = x[-1], y[-1]
    return lowest((*[m * q + n * p for m, n in zip(x[:-1], y)], p * q))


def scaled(c: Fraction, x: Vector) -> Vector:
    return lowest((*[c.numerator * n for n in x[:-1]], c.denominator * x[-1]))


def blended(c: Fraction) -> Callable[[Vector, Vector], Vector]:
    """(x, y) -> c*x + y."""
    if c == 0:
        return lambda _, y: y
    return plus if c == 1 else lambda x, y: plus(scaled(c, x), y)


def direction(row: Vector) -> tuple[Vector, tuple[int, int]]:
    """The primitive integer vector u, its first nonzero entry positive, and the ratio t with row = t*u."""
    factor = math.gcd(*row[:-1]) or 1
    factor = factor if next((n for n in row[:-1] if n), 1) > 0 else -factor
    return tuple([n // factor for n in row[:-1]]), (factor if any(row[:-1]) else 0, row[-1])


def gathered(points: list[Vector], multiplicities: Iterable[int]) -> State:
    state: State = {}
    for x, times in zip(points, multiplicities):
        state[x] = state.get(x, 0) + times
    return state


def matrix(M: Any, rows: int | None, columns: int, reader: Reader) -> list[Vector]:
    """The rows of a matrix as vectors; rows = None leaves their number free."""
    if type(M) is list:
        return reader.vectors(M, rows, columns)
    known = type(M) is dict and len(M) == 1 and M.keys() <= {"outer", "scalar", "zero"}
    well_formed(known, "a matrix is a list of rows, outer, scalar or zero")
    if "outer" in M:
        column, row = items(M["outer"], 2)
        factors, whole = reader.ratios(items(column, rows)), reader.over_common(*reader.ratios(items(row, columns)))
        reader.spend(len(column) * columns)
        return [lowest((*[p * n for n in whole[:-1]], q * whole[-1])) for p, q in zip(*factors)]
    well_formed("scalar" in M or M["zero"] is True, '"zero" must be true')
    well_formed("zero" in M or rows in (None, columns), "a multiple of the identity is square")
    c, size = reader.number(M.get("scalar", "0")), rows or columns
    reader.spend(size * columns)
    return [(*[c.numerator * (i == j) for j in range(columns)], c.denominator) for i in range(size)]


def feed_forward(FF: Any, reader: Reader) -> Layer:
    """x -> eta*x + W relu(U x + b); units with parallel rows of U are one function of one number."""
    exact_keys(FF, "eta", "U", "b", "W")
    blend, b = blended(reader.number(FF["eta"])), list(zip(*reader.ratios(items(FF["b"]))))
    W, below = reader.whole(matrix(FF["W"], reader.dim, len(b), reader))
    groups: dict[Vector, list[Unit]] = {}
    for row, bias, column in zip(matrix(FF["U"], len(b), reader.dim, reader), b, zip(*W)):
        u, slope = direction(row)
        groups.setdefault(u, []).append((slope, bias, lowest((*column, below))))
    first, *others = [piecewise(u, units, reader) for u, units in groups.items()]

    def layer(state: State) -> State:
        reader.spend((4 * reader.dim + 20) * len(groups) * len(state))
        images = [first(x) for x in state]
        for f in others:
            images = [plus(y, f(x)) for x, y in zip(state, images)]
        return gathered(list(map(blend, state, images)), state.values())

    return layer


def piecewise(u: Vector, units: list[Unit], reader: Reader) -> Map:
    """x -> A_i s + C_i with s = <u, x>, i the piece in which s lies: breakpoints sorted, prefix sums of A and C."""
    dim = len(u)
    start: Vector = (0,) * (2 * dim) + (1,)
    steps: dict[Fraction, Vector] = {}
    for (t, below), (p, q), w in units:
        jump = lowest((*[n * t * q for n in w[:-1]], *[n * p * below for n in w[:-1]], w[-1] * below * q))
        if t < 0 or (t == 0 and p > 0):  # active towards minus infinity
            start = plus(start, jump)
            reader.bits(*start)
        if t != 0:
            at, jump = Fraction(-p * below, q * t), jump if t > 0 else scaled(Fraction(-1), jump)
            steps[at] = plus(steps[at], jump) if at in steps else jump
    ends = sorted(((at.numerator << 64) // at.denominator, at) for at in steps)
    pieces = [start]
    for _, at in ends:
        pieces.append(plus(pieces[-1], steps[at]))
        reader.bits(*pieces[-1])
    floors, exact = [floor for floor, _ in ends], [at for _, at in ends]
    table = [(list(zip(piece[:dim], piece[dim:-1])), piece[-1]) for piece in pieces]

    def f(x: Vector) -> Vector:
        s, below = sum(map(mul, u, x)), x[-1]
        floor = (s << 64) // below
        i = bisect_left(floors, floor)
        if i < len(floors) and floors[i] == floor:  # only equal floors need an exact comparison
            i = bisect_left(exact, Fraction(s, below), i, bisect_right(floors, floor, i))
        lines, common = table[i]
        return lowest((*[a * s + c * below for a, c in lines], common * below))

    return f


def self_attention(SA: Any, softmax: bool, reader: Reader) -> Layer:
    """x_i -> rho*x_i + V mean_{j in C_i} x_j; the scores are <M x_i, x_j> with M = K'Q up to a positive factor."""
    exact_keys(SA, "rho", "V", "Q", "K")
    blend, dim = blended(reader.number(SA["rho"])), reader.dim
    V, below_V = reader.whole(matrix(SA["V"], dim, dim, reader))
    M = score_matrix(SA["Q"], SA["K"], softmax, reader)
    found = [direction((*row, 1)) for row in M]
    right = {u for u, _ in found if any(u)}  # the scores are (left.x_j)(right.x_i) if there is but one direction
    left = [t for _, (t, _) in found]

    def layer(state: State) -> State:
        rows, below = reader.whole(state)
        counts, images = list(state.values()), {}
        reader.spend((3 if len(right) < 2 else len(rows)) * dim * len(rows))
        follows = maximisers(M, rows) if len(right) > 1 else along(left, right, rows)
        for group in set(follows):
            sums = [sum(map(mul, [counts[j] for j in group], column)) for column in zip(*[rows[j] for j in group])]
            total = below * below_V * sum([counts[j] for j in group])
            images[group] = lowest((*[sum(map(mul, row, sums)) for row in V], total))
        return gathered([blend(x, images[group]) for x, group in zip(state, follows)], counts)

    return layer


def score_matrix(Q: Any, K: Any, softmax: bool, reader: Reader) -> list[Vector]:
    """The rows of K'Q times a positive integer; Q and K have the same number of rows."""
    rows = [matrix(part, None, reader.dim, reader) for part in (Q, K)]
    zero = any(not any(any(row[:-1]) for row in part) for part in rows)
    holds(zero or not softmax, "softmax attention is exact only where Q or K is zero")
    free = any(type(part) is dict and "zero" in part for part in (Q, K))
    well_formed(free or len(rows[0]) == len(rows[1]), "Q and K have different numbers of rows")
    (right, _), (left, _) = (reader.whole(part) for part in rows)
    reader.spend(reader.dim**2 * len(left))
    return [tuple([0 if zero else sum(map(mul, k, q)) for q in zip(*right)]) for k in zip(*left)]


def along(left: list[int], right: set[Vector], rows: list[Vector]) -> list[Sequence[int]]:
    """C_i for scores (left.x_j)(right.x_i): the largest or smallest left.x_j, or, for right.x_i = 0, everything."""
    everything = range(len(rows))
    if not right:
        return [everything] * len(rows)
    tails = [sum(map(mul, left, x)) for x in rows]
    ends = {0: set(tails), 1: {max(tails)}, -1: {min(tails)}}
    groups = {sign: tuple([j for j in everything if tails[j] in ends[sign]]) for sign in ends}
    return [groups[(p > 0) - (p < 0)] for u in right for p in (sum(map(mul, u, x)) for x in rows)]


def maximisers(M: list[Vector], rows: list[Vector]) -> list[Sequence[int]]:
    """C_i = argmax_j <M x_i, x_j> by definition, from all scores."""
    found: dict[Vector, Sequence[int]] = {}
    for x in set(rows):
        form = [sum(map(mul, row, x)) for row in M]
        scores = [sum(map(mul, form, y)) for y in rows]
        top = max(scores)
        found[x] = tuple([j for j, score in enumerate(scores) if score == top])
    return [found[x] for x in rows]


def transformer(reader: Reader, blocks: int, softmax: bool) -> Layer:
    """The composition of the block lines; the bits of the state are bounded after every layer."""
    layers: list[Layer] = []
    for b in range(blocks):
        number, FF, SA = reader.line("block", "feed_forward", "self_attention")
        numbered(number, b)
        layers += [] if FF is None else [feed_forward(FF, reader)]
        layers += [] if SA is None else [self_attention(SA, softmax, reader)]

    def evaluate(state: State) -> State:
        for layer in layers:
            state = layer(state)
            reader.bits(*map(max, state), *map(min, state))
        return state

    return evaluate
