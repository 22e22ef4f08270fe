"""The feed-forward part of a block: x -> eta*x + W relu(U x + b) (FORMAT.md, section 2)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from .budget import Budget
from .certificate import Certificate
from .lines import entries, exact_keys
from .matrices import columns_of, read_matrix
from .numbers import Ratios, over_common, ratio
from .points import Point, State, bits, direction, linear_form, origin, plus, state_of, sum_cost
from .verdict import Json

Groups = dict[tuple[int, ...], list["ParallelUnit"]]


class ParallelUnit(NamedTuple):
    """s -> relu((t/r)*s + p/q) * column: a unit whose row of U is t/r times a direction u, at s = <u, x>."""

    t: int
    r: int
    p: int
    q: int
    column: Point


def parallel_units(U: list[Ratios], biases: Ratios, columns: Iterable[Point], budget: Budget) -> Groups:
    """The units by the direction of their row of U; a row of zeros is parallel to any other."""
    different = list({id(row): row for row in U}.values())  # rows may be one object
    known = {row: direction(over_common(*row, budget)) for row in budget.distinct(different)}
    budget.distinct([u for u, _ in known.values()])
    some = next((u for u, _ in known.values() if any(u)), next(iter(known.values()))[0])
    groups: Groups = {}
    before, parallel = None, list[ParallelUnit]()
    for row, p, q, column in zip(U, *biases, columns):
        if row is not before:
            (u, (t, r)), before = known[row], row
            parallel = groups.setdefault(u if any(u) else some, [])
        parallel.append(ParallelUnit(t, r, p, q, column))
    return groups


class FunctionOfHeads(Protocol):
    """A function of the number s, with the length of its longest integer."""

    bits: int

    def at(self, heads: Sequence[int], below: int) -> dict[int, Point]:
        """The value at s/below for every s of a list."""


class SumOfUnits:
    """s -> the sum of relu((t/r)*s + p/q) * column over parallel units, by definition."""

    def __init__(self, units: Sequence[ParallelUnit], dim: int, budget: Budget) -> None:
        self.units, self.dim, self.budget = units, dim, budget
        self.bits = max(bits([*unit[:4], *unit.column]) for unit in units)

    def at(self, heads: Sequence[int], below: int) -> dict[int, Point]:
        """The value at s/below for every s of a list."""
        size = max(below, max(heads), -min(heads)).bit_length() + 3 * self.bits
        self.budget.spend(len(heads) * (20 + len(self.units) * (80 + sum_cost(self.dim, size))))
        return {s: self.value(s, below) for s in self.budget.distinct(heads)}

    def value(self, s: int, below: int) -> Point:
        """The value at s/below."""
        total = origin(self.dim)
        for t, r, p, q, column in self.units:
            above = t * s * q + p * r * below
            if above > 0:
                total = plus(column, total, above, r * q * below)
        return total


class FeedForward:
    """x -> eta*x + W relu(U x + b); units with parallel rows of U are one function of the number <u, x>."""

    def __init__(self, FF: Json, file: Certificate) -> None:
        exact_keys(FF, "eta", "U", "b", "W")
        self.eta, biases = ratio(FF["eta"], file.budget), file.ratios(entries(FF["b"]))
        width = len(biases[0])
        U, W = read_matrix(FF["U"], width, file.dim, file), read_matrix(FF["W"], file.dim, width, file)
        groups = parallel_units(U, biases, columns_of(W, file), file.budget)
        self.budget, self.dim, self.times = file.budget, file.dim, 1
        self.bits = max(map(bits, groups))
        self.parts = self.sums(groups)

    def sums(self, groups: Groups) -> list[tuple[tuple[int, ...], FunctionOfHeads]]:
        """The directions, each with the sum of its units."""
        return [(u, SumOfUnits(units, self.dim, self.budget)) for u, units in groups.items()]

    def __call__(self, state: State) -> State:
        """The state after this part, or after that of so many equal blocks in a row."""
        for _ in range(self.times):
            state = self.by_points(state)
        return state

    def by_points(self, state: State) -> State:
        """The state after this part from the image of every token, a point in lowest terms."""
        images = self.active(state)
        if self.eta[0]:
            self.charge(images, state.bits + bits(self.eta))
            tokens = zip(*state.coordinates)
            images = [plus((*x, state.common), y, *self.eta) for x, y in zip(tokens, images)]
        return self.state(images, state.times)

    def state(self, images: list[Point], times: Sequence[int]) -> State:
        """The images over one denominator."""
        return state_of(images, times, self.budget)

    def active(self, state: State) -> list[Point]:
        """W relu(U x + b) for every token x."""
        images: list[Point] = []
        for u, f in self.parts:
            self.budget.products(4 * len(state.times) * (self.dim + 2), state.bits + self.bits)
            heads = linear_form(u, state.coordinates)
            values = f.at(heads, state.common)
            if images:
                self.charge(images, f.bits)
            images = [plus(y, values[s]) for y, s in zip(images, heads)] if images else [values[s] for s in heads]
        return images

    def charge(self, images: list[Point], more: int) -> None:
        """Charges a sum for every token, of its image and of a point whose integers have so many bits."""
        self.budget.spend(len(images) * (60 + sum_cost(self.dim, max(map(bits, images)) + more)))
