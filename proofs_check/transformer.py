# fmt: off
"""Evaluation of a transformer by definition; every short cut verifies its own precondition (FORMAT.md, section 2)."""
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from .envelope import Reader, Vector, count, exact_keys, holds, items, lowest, well_formed

Layer = Callable[[list[Vector]], list[Vector]]
Ratio = tuple[int, int]
Unit = tuple[Ratio, Ratio, Vector]  # slope and bias as ratios, column of W

def plus(x: Vector, y: Vector, p: int = 1, q: int = 1) -> Vector:
    """(p/q)*x + y."""
    p, q, below = p * y[-1], q * x[-1], q * x[-1] * y[-1]
    return lowest((*[p * m + q * n for m, n in zip(x[:-1], y)], below)) if p else y

def direction(row: Vector) -> tuple[Vector, Ratio]:
    """The primitive integer vector u, its first nonzero entry positive, and the ratio t with row = t*u."""
    factor = math.gcd(*row[:-1])
    factor = factor if next((n for n in row[:-1] if n), 0) >= 0 else -factor
    return tuple([n // (factor or 1) for n in row[:-1]]), (factor, row[-1])

def matrix(M: Any, rows: int | None, columns: int, reader: Reader) -> list[tuple[Ratio, ...]]:
    """The rows of a matrix; rows = None leaves their number free."""
    if type(M) is list:
        return [tuple(zip(*reader.ratios(items(row, columns)))) for row in items(M, rows)]
    well_formed(type(M) is dict and len(M) == 1 and M.keys() <= {"outer", "scalar", "zero"}, "no matrix")
    if "outer" in M:
        column, row = items(M["outer"], 2)
        factors, entries = reader.ratios(items(column, rows)), list(zip(*reader.ratios(items(row, columns))))
        reader.spend(100 * len(column) * columns)
        return [tuple([(p * n, q * m) for n, m in entries]) for p, q in zip(*factors)]
    well_formed("scalar" in M or M["zero"] is True, '"zero" must be true')
    well_formed("zero" in M or rows in (None, columns), "a multiple of the identity is square")
    c, size = reader.number(M.get("scalar", "0")), rows or (columns if "scalar" in M else 1)
    reader.spend(100 * size * columns)
    return [tuple([(c.numerator * (i == j), c.denominator) for j in range(columns)]) for i in range(size)]

def vector(entries: Iterable[Ratio], reader: Reader) -> Vector:
    return lowest(reader.over_common(*zip(*entries)))

def feed_forward(FF: Any, reader: Reader) -> Layer:
    """x -> eta*x + W relu(U x + b); the units with parallel rows of U are one function of one number."""
    exact_keys(FF, "eta", "U", "b", "W")
    (eta,), b = zip(*reader.ratios([FF["eta"]])), list(zip(*reader.ratios(items(FF["b"]))))
    U, W = matrix(FF["U"], len(b), reader.dim, reader), matrix(FF["W"], reader.dim, len(b), reader)
    known = {row: direction(vector(row, reader)) for row in set(U)}
    main = next((u for u, _ in known.values() if any(u)), (0,) * reader.dim)  # a row of zeros is parallel to any other
    groups: dict[Vector, list[Unit]] = {}
    for row, bias, column in zip(U, b, zip(*W)):
        u, slope = known[row]
        groups.setdefault(u if any(u) else main, []).append((slope, bias, vector(column, reader)))
    first, *others = [piecewise(u, units, reader) for u, units in groups.items()]
    def layer(tokens: list[Vector]) -> list[Vector]:
        reader.spend((4 * reader.dim + 20) * len(groups) * len(tokens))
        images = {x: first(x) for x in tokens}
        for f in others:
            images = {x: plus(y, f(x)) for x, y in images.items()}
        images = {x: plus(x, y, *eta) for x, y in images.items()} if eta[0] else images
        return [images[x] for x in tokens]
    return layer

def piecewise(u: Vector, units: list[Unit], reader: Reader) -> Callable[[Vector], Vector]:
    """x -> A_i s + C_i with s = <u, x>, i the piece in which s lies: breakpoints sorted, prefix sums of A and C."""
    dim, steps = len(u), dict[Vector, Vector]()
    pieces: list[Vector] = [(0,) * (2 * dim) + (1,)]
    for (t, below), (p, q), w in units:
        sign = -1 if t < 0 else 1
        a, c, common = sign * t * q, sign * p * below, w[-1] * below * q
        jump = (*[n * a for n in w[:-1]], *[n * c for n in w[:-1]], common)
        if t < 0 or (t == 0 and p > 0):  # active towards minus infinity
            pieces[0] = plus(jump, pieces[0], sign)
            reader.bits(*pieces[0])
        if t != 0:
            at = lowest((-c, a))
            steps[at] = plus(steps[at], jump) if at in steps else jump
    order = sorted([((p << 64) // q, (p, q)) for p, q in steps])
    floors, ends = [floor for floor, _ in order], list[Any](at for _, at in order)
    if len(set(floors)) < len(floors):  # breakpoints closer than 2^-64
        ends.sort(key=lambda at: Fraction(*at))
    for at in ends:
        pieces.append(plus(pieces[-1], steps[at]))
        reader.bits(pieces[-1][-1])
    flat = [() if any(piece[:dim]) else lowest(piece[dim:]) for piece in pieces]  # the value where the slope is 0
    def f(x: Vector) -> Vector:
        s, below = sum(map(mul, u, x)), x[-1]
        floor = (s << 64) // below
        i = bisect_left(floors, floor)
        while i < len(floors) and floors[i] == floor and ends[i][0] * below < s * ends[i][1]:  # equal floors: exactly
            reader.spend(1)
            i += 1
        piece = pieces[i]
        return flat[i] or lowest((*[a * s + c * below for a, c in zip(piece, piece[dim:-1])], piece[-1] * below))
    return f

def self_attention(SA: Any, softmax: bool, reader: Reader) -> Layer:
    """x_i -> rho*x_i + V mean_{j in C_i} x_j; the scores are <M x_i, x_j> with M = K'Q up to a positive factor."""
    exact_keys(SA, "rho", "V", "Q", "K")
    ((p, q),), rows_V = zip(*reader.ratios([SA["rho"]])), matrix(SA["V"], reader.dim, reader.dim, reader)
    V, below = reader.whole([vector(row, reader) for row in rows_V])
    M = score_matrix(SA["Q"], SA["K"], softmax, reader)
    found = [direction((*row, 1)) for row in M]
    right = {u for u, _ in found if any(u)}  # at most one direction: the scores are (left.x_j)(right.x_i)
    def layer(tokens: list[Vector]) -> list[Vector]:
        (rows, common), images = reader.whole(tokens), dict[Any, Any]()
        reader.spend((3 if len(right) < 2 else len(rows)) * reader.dim * len(rows))
        follows = maximisers(M, rows) if len(right) > 1 else along([t for _, (t, _) in found], right, rows)
        for group in set(follows):  # (p/q)*x + y = (p*D*n + q*common*m)/(q*common*D) for x = n/common and y = m/D
            sums = [sum(column) for column in zip(*[rows[j] for j in group])]
            *y, D = lowest((*[sum(map(mul, row, sums)) for row in V], below * common * len(group)))
            images[group] = p * D, [q * common * m for m in y], q * common * D
        moved = zip(rows, [images[group] for group in follows])
        return [lowest((*[c * n + m for n, m in zip(x, y)], D)) for x, (c, y, D) in moved]
    return layer

def score_matrix(Q: Any, K: Any, softmax: bool, reader: Reader) -> list[Vector]:
    """The rows of K'Q times a positive integer; Q and K have the same number of rows."""
    rows = [[vector(row, reader) for row in matrix(part, None, reader.dim, reader)] for part in (Q, K)]
    zero = any(not any(any(row[:-1]) for row in part) for part in rows)
    holds(zero or not softmax, "softmax attention is exact only where Q or K is zero")
    free = any(type(part) is dict and "zero" in part for part in (Q, K))
    well_formed(free or len(rows[0]) == len(rows[1]), "Q and K have different numbers of rows")
    (right, _), (left, _) = (reader.whole(part) for part in rows)
    reader.spend(reader.dim**2 * len(left))
    return [tuple([0 if zero else sum(map(mul, k, q)) for q in zip(*right)]) for k in zip(*left)]

def along(left: list[int], right: set[Vector], rows: list[Vector]) -> list[Sequence[int]]:
    """C_i for scores (left.x_j)(right.x_i): the largest or smallest left.x_j, or, for right.x_i = 0, everything."""
    groups: dict[int, Sequence[int]] = {0: range(len(rows))}
    if not right:
        return [groups[0]] * len(rows)
    tails, heads = [sum(map(mul, left, x)) for x in rows], [sum(map(mul, *right, x)) for x in rows]
    for sign, end in ((1, max(tails)), (-1, min(tails))):
        groups[sign] = tuple([j for j, tail in enumerate(tails) if tail == end])
    return [groups[(p > 0) - (p < 0)] for p in heads]

def maximisers(M: list[Vector], rows: list[Vector]) -> list[Sequence[int]]:
    """C_i = argmax_j <M x_i, x_j> by definition, from all scores."""
    found: dict[Vector, Sequence[int]] = {}
    for x in set(rows):
        form = [sum(map(mul, row, x)) for row in M]
        scores = [sum(map(mul, form, y)) for y in rows]
        top = max(scores)
        found[x] = tuple([j for j, score in enumerate(scores) if score == top])
    return [found[x] for x in rows]

def transformer(reader: Reader, blocks: int, softmax: bool) -> list[Layer]:
    """The layers of the block lines, in order."""
    layers: list[Layer] = []
    for b in range(blocks):
        number, FF, SA = reader.line("block", "feed_forward", "self_attention")
        count(number, b, b + 1)
        layers += [] if FF is None else [feed_forward(FF, reader)]
        layers += [] if SA is None else [self_attention(SA, softmax, reader)]
    return layers
