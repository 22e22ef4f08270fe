"""Instances of the pure-attention dynamics: tokens, A and alpha."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from random import Random

from exactformer.arithmetic.integers import integer_array
from exactformer.arithmetic.rational import RationalRows, identity, minus_multiple
from exactformer.arithmetic.state import State
from exactformer.display.latex import latex_number, latex_rows, latex_vector
from exactformer.dynamics.plain_orbit import integer_points, rational_matrix
from exactformer.instances.numbers import (
    integral_rows,
    nudged,
    replaced,
    rounded_rows,
    simpler_numbers,
    total_cost,
    with_entry,
    without,
    without_column,
)
from exactformer.io.json_lines import JsonObject
from exactformer.model.tokens import Tokens

#: numbers with more bits are rounded when an instance is varied, so that mutation does not breed monsters
MOST_BITS = 24
MOST_TOKENS = 10
#: the changes of a variation, and how likely each is
CHANGES = {"alpha": 4, "A": 1, "token": 8, "mirror": 4, "fewer": 4, "more": 3}
#: the range in which alpha is varied: outside it orbits take long and nothing else happens
SLOWEST, FASTEST = Fraction(1, 64), Fraction(16)


def tokens_of(
    rows: Sequence[Sequence[Fraction | int]], A: RationalRows | None = None, alpha: Fraction = Fraction(1)
) -> Tokens:
    """The instance with these exact rows, made without the checks that user input needs."""
    denominator = math.lcm(*(x.denominator for row in rows for x in row))
    numerators = [x.numerator * (denominator // x.denominator) for row in rows for x in row]
    return Tokens(State(integer_array(numerators, (len(rows), -1)), denominator), A, alpha)


def exact_parts(tokens: Tokens) -> tuple[RationalRows, RationalRows, Fraction]:
    """(rows, A, alpha) as exact numbers."""
    points, denominator = integer_points(tokens)
    rows = tuple(tuple(Fraction(x, denominator) for x in point) for point in points)
    return rows, rational_matrix(tokens.A), tokens.alpha


class TokensKind:
    """Tokens: varied token by token, simplified towards few tokens, A = I and small integers."""

    def json(self, instance: Tokens) -> JsonObject:
        """The token file."""
        return instance.json()

    def read(self, content: JsonObject) -> Tokens:
        """The instance of a token file."""
        return Tokens(content["tokens"], content["A"], content["alpha"])

    def size(self, instance: Tokens) -> tuple[int, ...]:
        """Tokens, dimension, and the digits of all numbers (the identity costs nothing)."""
        rows, A, alpha = exact_parts(instance)
        return (len(rows), instance.dim, *total_cost([*rows, *minus_multiple(A, 1), [alpha - 1]]))

    def latex(self, instance: Tokens) -> str:
        """A, alpha and the tokens."""
        rows, A, alpha = exact_parts(instance)
        return f"A = {latex_rows(A)},\\quad \\alpha = {latex_number(alpha)},\\quad {latex_tokens(rows)}"

    def varied(self, instance: Tokens, rng: Random) -> Tokens:
        """One or two random changes of a token, of the set of tokens, of alpha or of A."""
        rows, A, alpha = exact_parts(instance)
        for change in rng.choices(tuple(CHANGES), tuple(CHANGES.values()), k=rng.choice((1, 1, 2))):
            if change == "alpha":
                alpha = _change_step(alpha, rng)
            elif change == "A":
                A = _change_matrix(A, rng)
            elif change == "mirror":
                rows = _change_pair(rows, rng)
            elif change == "fewer":
                rows = without(rows, rng.randrange(len(rows))) if len(rows) > 2 else rows
            elif change == "token" or len(rows) >= MOST_TOKENS:
                rows = _change_token(rows, rng)
            else:
                rows = _one_more(rows, rng)
        if max(max(abs(x.numerator), x.denominator) for row in rows for x in row).bit_length() > MOST_BITS:
            rows = tuple(tuple(x.limit_denominator(60) for x in row) for row in rows)
        return tokens_of(rows, A, alpha)

    def simpler(self, instance: Tokens) -> Iterator[Tokens]:
        """Fewer tokens, lower dimension, A nearer to I, simpler alpha, smaller coordinates: in this order."""
        rows, A, alpha = exact_parts(instance)
        n, d = len(rows), len(A)
        for count in (2, 1):
            for gone in combinations(range(n), count) if n > count else ():
                yield tokens_of([row for i, row in enumerate(rows) if i not in gone], A, alpha)
        for k in range(d) if d > 1 else ():
            yield tokens_of(without_column(rows, k), without_column(without(A, k), k), alpha)
        if identity(d) != A:
            yield tokens_of(rows, None, alpha)
            yield from (tokens_of(rows, simple, alpha) for simple in _simpler_matrices(A))
        yield from (tokens_of(rows, A, simple) for simple in simpler_numbers(alpha) if simple > 0)
        yield from (tokens_of(simple, A, alpha) for simple in _simpler_rows(rows))


def _simpler_rows(rows: RationalRows) -> Iterator[RationalRows]:
    yield from (rounded_rows(rows, largest) for largest in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 50))
    yield integral_rows(rows)
    yield from simpler_points(rows)


def simpler_points(rows: RationalRows) -> Iterator[RationalRows]:
    """One token, one coordinate or two, or two tokens of three, replaced by simpler ones."""
    box = range(-2, 3) if len(rows[0]) <= 2 else range(-1, 2)
    for i, row in enumerate(rows):
        yield from ((*rows[:i], tuple(map(Fraction, small)), *rows[i + 1 :]) for small in product(box, repeat=len(row)))
    places = [(i, k) for i, row in enumerate(rows) for k in range(len(row))]
    for i, k in places:
        yield from (with_entry(rows, i, k, x) for x in simpler_numbers(rows[i][k]))
    for (i, k), (j, l) in combinations(places, 2):
        for unit in (1, -1):
            toward = rows[i][k] - _sign(rows[i][k])
            yield with_entry(with_entry(rows, i, k, toward), j, l, rows[j][l] + unit)
    if len(rows) <= 3:
        for i, j in combinations(range(len(rows)), 2):
            for x, y in product(product(box, repeat=len(rows[0])), repeat=2):
                small = {i: tuple(map(Fraction, x)), j: tuple(map(Fraction, y))}
                yield tuple(small.get(k, row) for k, row in enumerate(rows))
    if len(places) <= 6:
        for flat in product((0, 1, -1), repeat=len(places)):
            numbers = map(Fraction, flat)
            yield tuple(tuple(next(numbers) for _ in row) for row in rows)


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


def _simpler_matrices(A: RationalRows) -> Iterator[RationalRows]:
    """A with one entry, or a symmetric pair of entries, simpler."""
    for i, j in product(range(len(A)), repeat=2):
        for x in simpler_numbers(A[i][j]):
            yield with_entry(A, i, j, x)
            if i < j:
                yield with_entry(with_entry(A, i, j, x), j, i, x)
                yield with_entry(with_entry(A, i, j, x), j, i, -x)


def _change_token(rows: RationalRows, rng: Random) -> RationalRows:
    """One token moved: a coordinate nudged, stretched, negated, or its coordinates shuffled."""
    i = rng.randrange(len(rows))
    row, step = rows[i], rng.randrange(8)
    if step == 0:
        new = tuple(x * rng.choice((2, Fraction(1, 2), -1)) for x in row)
    elif step == 1:
        new = tuple(rng.sample(row, len(row)))
    elif step == 2:
        new = tuple((x + y) / 2 for x, y in zip(row, rng.choice(rows), strict=True))
    else:
        k = rng.randrange(len(row))
        new = replaced(row, k, nudged(row[k], rng))
    return (*rows[:i], new, *rows[i + 1 :])


def _change_pair(rows: RationalRows, rng: Random) -> RationalRows:
    """A coordinate of a token moved, and that of its mirror image alike, if it is there; the symmetry is kept."""
    i, k = rng.randrange(len(rows)), rng.randrange(len(rows[0]))
    c = rng.randrange(len(rows[0]))
    image = replaced(rows[i], k, -rows[i][k])
    moved = replaced(rows[i], c, nudged(rows[i][c], rng) if c != k or rows[i][k] else rows[i][c])
    partner = {image: replaced(moved, k, -moved[k])} if image != rows[i] else {}
    return tuple(moved if j == i else partner.get(row, row) for j, row in enumerate(rows))


def _one_more(rows: RationalRows, rng: Random) -> RationalRows:
    """One more token: a variation or a mirror image of one that is there."""
    row = rng.choice(rows)
    if rng.randrange(2):
        return (*rows, tuple(rng.choice((x, -x)) for x in row))
    return (*rows, tuple(nudged(x, rng) for x in row))


def _change_step(alpha: Fraction, rng: Random) -> Fraction:
    """Slower or faster by a small factor, or one of the simplest steps."""
    changed = rng.choice((alpha / 4, alpha / 2, alpha / 2, alpha * 2, Fraction(1), Fraction(1, 2)))
    return min(max(changed, SLOWEST), FASTEST)


def _change_matrix(A: RationalRows, rng: Random) -> RationalRows:
    """A symmetric change of A, or (rarely) of one entry."""
    i, j = rng.randrange(len(A)), rng.randrange(len(A))
    x = nudged(A[i][j], rng)
    changed = with_entry(A, i, j, x)
    return changed if rng.randrange(3) == 0 else with_entry(changed, j, i, x)


def latex_tokens(rows: RationalRows, name: str = "z") -> str:
    """z_0 = (..), z_1 = (..), .. in LaTeX."""
    return ",\\quad ".join(f"{name}_{{{i}}} = {latex_vector(row)}" for i, row in enumerate(rows))
