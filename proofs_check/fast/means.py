"""The short cut for a mean of all tokens that is read along one direction, with its lemma (see `short_cuts`).

| short cut | definition |
| --- | --- |
| `MeanAlong` | its two parts, one after the other |
"""

from collections.abc import Iterable
from operator import mul
from typing import Any

from ..core.budget import Budget
from ..core.certificate import Heads
from ..core.points import State, bits, linear_form
from .quick_attention import QuickAttention
from .runs import in_runs
from .sums_of_units import PiecewiseLinear, QuickFeedForward

SHORT = 128  # bits of integers that `points.settled` leaves alone


class MeanAlong:
    """Attention whose scores are all 0, then a feed-forward part with eta = 0 whose units are parallel to one u.

    Lemma: the attention takes x to y = (p/q)*x + V m/below, m the mean of all tokens, and the part behind it looks at
    <u, y> = (p/q)*<u, x> + <V'u, m>/below alone. With n tokens, their sum M over the denominator c of the state, that
    is (p*below*n*<u, x> + q*<V'u, M>) / (q*below*n*c) for x over c; with p = 0 it is one number for all tokens.
    """

    def __init__(
        self, attention: QuickAttention, part: QuickFeedForward, u: tuple[int, ...], table: PiecewiseLinear
    ) -> None:
        self.attention, self.part, self.u, self.table = attention, part, u, table
        self.w = [sum(map(mul, column, self.u)) for column in zip(*attention.V)]
        scale = bits([attention.p, attention.q, attention.below])
        self.bits = (
            2 * scale + bits([*self.u, *self.w]) + len(self.w).bit_length() + 1
        )  # of the factors of a coordinate

    def __call__(self, state: State) -> State:
        """The state after both parts."""
        coordinates, common, times, size = state
        total, budget = sum(times), self.part.budget
        size += self.bits + total.bit_length()
        if size > min(SHORT, budget.limits.bits):
            return self.part(self.attention(state))
        budget.products(4 * len(times) * (len(self.w) + 2), size)
        p, q, below = self.attention.p, self.attention.q, self.attention.below
        rows: Iterable[Iterable[int]] = coordinates
        if total > len(times):
            rows = [map(mul, x, times) for x in coordinates]
        shift, factor = q * sum(map(mul, self.w, map(sum, rows))), p * below * total
        heads = [factor * s + shift for s in linear_form(self.u, coordinates)] if factor else [shift]
        values, counts = self.table.counted(heads, times if factor else (total,), q * below * total * common)
        return self.part.state(values, counts)


def together(parts: list[Any], heads: Heads, budget: Budget) -> list[Any]:
    """The parts in order, with runs, and with two neighbours as one wherever they are a mean along a direction."""
    found: list[Any] = []
    for part in in_runs(parts, heads, budget):
        found[-1:] = as_one(found[-1], part) if found else [part]
    return found


def as_one(before: object, part: object) -> list[object]:
    """Two parts in a row, as one if they have the form."""
    if isinstance(before, QuickAttention) and not before.right and isinstance(part, QuickFeedForward):
        table = part.table()
        return [before, part] if table is None else [MeanAlong(before, part, *table)]
    return [before, part]
