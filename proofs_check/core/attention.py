"""The attention of a block: x_i -> rho*x_i + V mean_{j in C_i} x_j (FORMAT.md, section 2)."""

from collections.abc import Sequence
from functools import partial, reduce
from itertools import repeat
from operator import add, mul
from typing import Any

from .certificate import Certificate
from .lines import exact_keys
from .matrices import read_matrix
from .numbers import common_denominator, over_common, ratio
from .points import Coordinates, Followers, Point, State, bits, over_one_denominator, settled
from .verdict import Json, holds, well_formed


def maximisers(M: Sequence[Sequence[int]], coordinates: Coordinates) -> Followers:
    """C_i = argmax_j <M x_i, x_j>, from all scores; equal tokens have equal C_i."""
    number: dict[tuple[int, ...], int] = {}  # of every group
    found: dict[Point, int] = {}
    tokens = list(zip(*coordinates))
    for x in set(tokens):
        products = [map(mul, repeat(sum(map(mul, row, x))), column) for row, column in zip(M, coordinates)]
        found[x] = number.setdefault(largest(list(reduce(partial(map, add), products))), len(number))
    return Followers(list(number), [found[x] for x in tokens])


def largest(scores: list[int]) -> tuple[int, ...]:
    """The indices of the largest numbers."""
    top = max(scores)
    if scores.count(top) == 1:  # most often so, and found sooner
        return (scores.index(top),)
    return tuple([j for j, score in enumerate(scores) if score == top])


def read_scores(SA: Json, softmax: bool, file: Certificate) -> list[tuple[int, ...]]:
    """The rows of K'Q times a positive integer: the scores are <K'Q x_i, x_j>; Q and K have the same height."""
    Q, K = ([over_common(*row, file.budget) for row in read_matrix(SA[key], None, file.dim, file)] for key in "QK")
    zero = any(not any(any(row[:-1]) for row in part) for part in (Q, K))
    holds(zero or not softmax, "softmax attention is exact only where Q or K is zero")
    free = any(type(SA[key]) is dict and "zero" in SA[key] for key in "QK")
    well_formed(free or len(Q) == len(K), "Q and K have different numbers of rows")
    if zero:
        return [(0,) * file.dim] * file.dim
    right, left = (over_one_denominator(part, file.budget)[0] for part in (Q, K))
    size = max(map(bits, left)) + max(map(bits, right))
    file.budget.products(3 * file.dim**2 * len(left), size)
    file.budget.hold(file.dim**2, size)
    return [tuple([sum(map(mul, k, q)) for q in zip(*right)]) for k in zip(*left)]


class Attention:
    """x_i -> (p/q)*x_i + (V/below) mean_{j in C_i} x_j with integers p, q, V, below; M are the rows of the scores."""

    def __init__(self, SA: Json, softmax: bool, file: Certificate) -> None:
        exact_keys(SA, "rho", "V", "Q", "K")
        self.budget, self.dim = file.budget, file.dim
        self.p, self.q = ratio(SA["rho"], file.budget)
        rows = [over_common(*row, file.budget) for row in read_matrix(SA["V"], file.dim, file.dim, file)]
        self.V, self.below = over_one_denominator(rows, file.budget)
        self.M = read_scores(SA, softmax, file)
        self.bits = bits([self.p, self.q, self.below]) + max(map(bits, self.V)) + max(map(bits, self.M))

    def __call__(self, state: State) -> State:
        """The state after this part."""
        self.charge_scores(len(state.times) ** 2, state.bits)
        return self.moved(state, maximisers(self.M, state.coordinates))

    def charge_scores(self, scores: int, size: int) -> None:
        """Charges so many scores of tokens whose integers have so many bits."""
        self.budget.spend(3 * scores * (self.dim + 2))
        self.budget.products(scores * self.dim, self.bits + size)

    def moved(self, state: State, followers: Followers) -> State:
        """Every token moved towards the mean of its group."""
        coordinates, common, times, _ = state
        groups, of = followers
        totals = {g: sum(times if len(groups[g]) == len(times) else [times[j] for j in groups[g]]) for g in set(of)}
        size = common_denominator(totals.values(), self.budget)
        moves = {g: self.move(groups[g], size // total, state) for g, total in totals.items()}
        shifts: Any = zip(*[moves[g] for g in of]) if len(moves) > 1 else map(repeat, moves[of[0]])
        c = self.p * self.below * size
        moved = [[c * m + move for m, move in zip(x, shift)] for x, shift in zip(coordinates, shifts)]
        return settled(moved, self.q * self.below * size * common, times, self.budget)

    def move(self, group: Sequence[int], factor: int, state: State) -> list[int]:
        """V times the sum of the tokens of a group, times q * factor, over below * common."""
        self.budget.products(self.dim * (self.dim + len(group) + 4), self.bits + state.bits)
        if len(group) == sum(state.times):  # all tokens, and no two coincide
            sums = [sum(x) for x in state.coordinates]
        else:
            sums = [sum([state.times[j] * x[j] for j in group]) for x in state.coordinates]
        return [self.q * factor * sum(map(mul, row, sums)) for row in self.V]
