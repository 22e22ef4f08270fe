"""Vectors, point lists, weights and combinations (FORMAT.md, section 1, Shapes)."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain

from .budget import Budget
from .certificate import Certificate
from .lines import entries, indices
from .numbers import over_common
from .points import Point, State, bits, origin, plus, points
from .verdict import Json, holds, well_formed

Weights = list[tuple[int, Fraction]]


def read_numbers(rows: Json, file: Certificate, length: int | None = None) -> tuple[int, ...]:
    """The numerators of a point list, of the given length if there is one, and their common denominator."""
    shaped = set(map(type, entries(rows, length))) == {list} and set(map(len, rows)) == {file.dim}
    well_formed(shaped, f"expected lists of {file.dim} numbers")
    numbers = over_common(*file.ratios(list(chain.from_iterable(rows))), file.budget)
    if numbers[-1] >> 64:  # points are made of them in lowest terms
        file.budget.divisions(len(numbers), numbers[-1].bit_length())
    return numbers


def read_state(rows: Json, file: Certificate) -> State:
    """A point list as a state."""
    numbers = read_numbers(rows, file)
    coordinates = [numbers[i : -1 : file.dim] for i in range(file.dim)]
    return State(coordinates, numbers[-1], (1,) * len(rows), bits(numbers))


def read_points(rows: object, file: Certificate, length: int | None = None) -> list[Point]:
    """A point list, of the given length if there is one."""
    numbers = read_numbers(rows, file, length)
    return points([numbers[i : -1 : file.dim] for i in range(file.dim)], numbers[-1])


def read_vector(row: object, file: Certificate) -> Point:
    """A vector."""
    return read_points([row], file)[0]


def read_weights(value: object, length: int, file: Certificate) -> Weights:
    """Pairs of an index and a positive number, the indices strictly increasing, the numbers with sum 1."""
    pairs = [entries(pair, 2) for pair in entries(value)]
    *shares, common = over_common(*file.ratios([number for _, number in pairs]), file.budget)
    holds(min(shares) > 0, "weights must be positive")
    holds(sum(shares) == common, "the sum of the weights is not 1")
    return list(zip(indices([i for i, _ in pairs], length), [Fraction(share, common) for share in shares]))


def combination(weights: Weights, over: Sequence[Point], budget: Budget) -> Point:
    """The sum of weight * p[index]."""
    total = origin(len(over[0]) - 1)
    for i, weight in weights:
        total = plus(over[i], total, *weight.as_integer_ratio())
        budget.within(total[-1].bit_length(), "bits")
    return total
