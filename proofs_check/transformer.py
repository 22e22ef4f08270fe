"""Evaluation of a transformer by definition; every short cut verifies its own precondition (FORMAT.md, section 2)."""
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import mul
from typing import Any

from .envelope import Coordinates, Ratios, Reader, State, Vector, count, exact_keys, holds, items, lowest, well_formed

Layer = Callable[[Coordinates, int], State]
Ratio = tuple[int, int]
Unit = tuple[int, int, int, int, Vector]  # slope t/r, bias p/q, column of W: (t, r, p, q, w)

def plus(x: Vector, y: Vector, p: int = 1, q: int = 1) -> Vector:
    """(p/q)*x + y."""
    below = math.lcm(q * x[-1], y[-1])
    p, q = p * (below // (q * x[-1])), below // y[-1]
    return lowest((*[p * m + q * n for m, n in zip(x[:-1], y)], below)) if p else y
def forms(u: Vector, coordinates: Coordinates) -> list[int]:
    return list(map(sum, zip(*[[c * n for n in x] for c, x in zip(u, coordinates)])))
def direction(row: Vector) -> tuple[Vector, Ratio]:
    """The primitive integer vector u, its first nonzero entry positive, and the ratio t with row = t*u."""
    factor = math.gcd(*row[:-1])
    factor = factor if next((n for n in row[:-1] if n), 0) >= 0 else -factor
    return tuple([n // (factor or 1) for n in row[:-1]]), (factor, row[-1])

def matrix(M: Any, rows: int | None, columns: int, reader: Reader) -> list[Ratios]:
    """The rows of a matrix; rows = None leaves their number free."""
    if type(M) is list:
        return [reader.ratios(items(row, columns)) for row in items(M, rows)]
    well_formed(type(M) is dict and len(M) == 1 and M.keys() <= {"outer", "scalar", "zero"}, "no matrix")
    if "outer" in M:
        column, row = items(M["outer"], 2)
        factors, (above, below) = reader.ratios(items(column, rows)), reader.ratios(items(row, columns))
        reader.spend(100 * len(column) * columns)
        made = {t: (tuple([t[0] * n for n in above]), tuple([t[1] * n for n in below])) for t in set(zip(*factors))}
        return [made[t] for t in zip(*factors)]
    well_formed("scalar" in M or M["zero"] is True, '"zero" must be true')
    well_formed("zero" in M or rows in (None, columns), "a multiple of the identity is square")
    c, size = reader.number(M.get("scalar", "0")), rows or (columns if "scalar" in M else 1)
    reader.spend(100 * size * columns)
    return [(tuple([c.numerator * (i == j) for j in range(columns)]), (c.denominator,) * columns) for i in range(size)]
def columns_of(rows: list[Ratios], reader: Reader) -> Iterable[Vector]:
    """The columns of a matrix, each over its common denominator."""
    common = rows[0][1]
    for _, below in rows[1:]:
        common = tuple(map(math.lcm, common, below))
        reader.bits(max(common))
    return zip(*[[n * (c // q) for n, q, c in zip(*row, common)] for row in rows], common)

def feed_forward(FF: Any, reader: Reader) -> Layer:
    """x -> eta*x + W relu(U x + b); the units with parallel rows of U are one function of one number."""
    exact_keys(FF, "eta", "U", "b", "W")
    (eta,), (above, below) = zip(*reader.ratios([FF["eta"]])), reader.ratios(items(FF["b"]))
    U, W = matrix(FF["U"], len(above), reader.dim, reader), matrix(FF["W"], reader.dim, len(above), reader)
    known = {row: direction(reader.over_common(*row)) for row in set(U)}
    main = next((u for u, _ in known.values() if any(u)), (0,) * reader.dim)  # a row of zeros is parallel to any other
    groups: dict[Vector, list[Unit]] = {}
    for row, p, q, w in zip(U, above, below, columns_of(W, reader)):
        u, (t, r) = known[row]
        groups.setdefault(u if any(u) else main, []).append((t, r, p, q, w))
    parts = [(u, piecewise(units, reader)) for u, units in groups.items()]
    def layer(coordinates: Coordinates, common: int) -> State:
        images: list[Vector] = []
        for u, f in parts:
            heads = forms(u, coordinates)
            values = f(heads, common)
            images = [plus(y, values[s]) for y, s in zip(images, heads)] if images else [values[s] for s in heads]
        images = [plus((*x, common), y, *eta) for x, y in zip(zip(*coordinates), images)] if eta[0] else images
        *rows, own = zip(*images)
        whole = reader.common(own)
        return reader.bounded(rows if whole == 1 else [[n * (whole // q) for n, q in zip(x, own)] for x in rows], whole)
    return layer

def piecewise(units: list[Unit], reader: Reader) -> Callable[[list[int], int], dict[int, Vector]]:
    """s -> value + slope*(s - at) with the first breakpoint at >= s and the slope before it (or the last, after it)."""
    slope = value = (0,) * reader.dim + (1,)  # slope*s + value: the units active towards minus infinity
    for t, r, p, q, w in units:
        if t < 0 or (t == 0 and p > 0):
            slope, value = plus(w, slope, t, r), plus(w, value, p, q)
            reader.bits(slope[-1], value[-1], power=2)
    turns: list[Any] = [(*lowest(((-p if t > 0 else p) * r, q * abs(t))), abs(t), r, w) for t, r, p, q, w in units if t]
    shift = 2 * max([q.bit_length() for _, q, *_ in turns], default=0)  # different breakpoints differ by 2^-shift
    reader.spend(8 * len(turns) * (shift >> 6))
    turns.sort(key=lambda turn: (turn[0] << shift) // turn[1])
    floors, table, here, there = [(p << shift) // q for p, q, *_ in turns], list[Any](), 0, 1
    for p, q, t, r, w in turns:
        steep = any(slope[:-1])
        value = plus(slope, value, p * there - here * q, there * q) if steep else value
        table.append((p, q, value, steep and slope))
        here, there, slope = p, q, plus(w, slope, t, r)
        reader.bits(slope[-1], value[-1], power=2)
    table.append((here, there, value, any(slope[:-1]) and slope))
    work = 4 * reader.dim + 20 + (shift >> 6) + max([value[-1].bit_length() >> 6 for _, _, value, _ in table]) ** 2
    def f(heads: list[int], below: int) -> dict[int, Vector]:
        reader.spend(work * len(heads))
        low, high = (bisect_left(floors, (s << shift) // below) for s in (min(heads), max(heads)))
        images = dict[int, Vector]()
        for s in set(heads):
            floor = (s << shift) // below
            i = bisect_left(floors, floor, low, high)
            p, q, value, slope = table[i]
            if s * q > p * below:  # the breakpoint is before s, with the same floor, or the last
                p, q, value, slope = table[bisect_right(floors, floor, i)]
            images[s] = plus(slope, value, s * q - p * below, q * below) if slope else value
        return images
    return f

def self_attention(SA: Any, softmax: bool, reader: Reader) -> Layer:
    """x_i -> rho*x_i + V mean_{j in C_i} x_j; the scores are <M x_i, x_j> with M = K'Q up to a positive factor."""
    exact_keys(SA, "rho", "V", "Q", "K")
    ((p, q),), rows_V = zip(*reader.ratios([SA["rho"]])), matrix(SA["V"], reader.dim, reader.dim, reader)
    V, below = reader.whole([reader.over_common(*row) for row in rows_V])
    M = score_matrix(SA["Q"], SA["K"], softmax, reader)
    directed = [direction((*row, 1)) for row in M]
    left, right = tuple([t for _, (t, _) in directed]), {u for u, _ in directed if any(u)}
    def layer(coordinates: Coordinates, common: int) -> State:  # with one direction scores are (left.x_j)(right.x_i)
        n = len(coordinates[0])
        reader.spend((3 if len(right) < 2 else n) * reader.dim * n)
        follows = maximisers(M, list(zip(*coordinates))) if len(right) > 1 else along(left, right, coordinates)
        moves: dict[Any, Sequence[int]] = dict.fromkeys(follows, ())
        size = reader.common([len(group) for group in moves])
        for group in moves:  # (p/q)*x + y = (c*m + move)/(q*below*size*common) for x = m/common
            sums = [sum(x if len(group) == n else [x[j] for j in group]) for x in coordinates]
            moves[group] = [q * (size // len(group)) * sum(map(mul, row, sums)) for row in V]
        shifts = zip(*[moves[group] for group in follows]) if len(moves) > 1 else map(repeat, moves[follows[0]])
        c = p * below * size
        moved = [[c * m + move for m, move in zip(x, shift)] for x, shift in zip(coordinates, shifts)]
        return reader.bounded(moved, q * below * size * common)
    return layer

def score_matrix(Q: Any, K: Any, softmax: bool, reader: Reader) -> list[Vector]:
    """The rows of K'Q times a positive integer; Q and K have the same number of rows."""
    rows = [[reader.over_common(*row) for row in matrix(part, None, reader.dim, reader)] for part in (Q, K)]
    zero = any(not any(any(row[:-1]) for row in part) for part in rows)
    holds(zero or not softmax, "softmax attention is exact only where Q or K is zero")
    free = any(type(part) is dict and "zero" in part for part in (Q, K))
    well_formed(free or len(rows[0]) == len(rows[1]), "Q and K have different numbers of rows")
    (right, _), (left, _) = (reader.whole(part) for part in rows)
    reader.spend(reader.dim**2 * len(left))
    return [tuple([0 if zero else sum(map(mul, k, q)) for q in zip(*right)]) for k in zip(*left)]
def along(left: Vector, right: set[Vector], coordinates: Coordinates) -> list[Sequence[int]]:
    """C_i for scores (left.x_j)(right.x_i): the largest or smallest left.x_j, or, for right.x_i = 0, everything."""
    groups: dict[int, Sequence[int]] = {0: range(len(coordinates[0]))}
    if not right:
        return [groups[0]] * len(coordinates[0])
    tails, heads = forms(left, coordinates), forms(next(iter(right)), coordinates)
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
