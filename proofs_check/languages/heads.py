"""What a head finds at a position, by definition (FORMAT.md, section 17)."""

from collections.abc import Sequence

from ..core.budget import Budget, product_cost
from ..core.points import Point, bits
from .matrices import plus
from .recognisers import Block


def visible(mask: str | None, i: int, n: int) -> range:
    """The positions that position i of n sees."""
    ranges = {None: (0, n), "before": (0, i), "upto": (0, i + 1), "after": (i + 1, n), "from": (i, n)}
    return range(*ranges[mask])


def chosen(scores: dict[int, int], seen: range, ties: str) -> list[int]:
    """The positions seen whose score is largest: all of them, the first, or the last."""
    top = max([scores[j] for j in seen])
    best = [j for j in seen if scores[j] == top]
    return best if ties == "all" else best[:1] if ties == "first" else best[-1:]


def found_at(
    query: Point, keys: list[Point], values: list[Point], seen: range, ties: str, budget: Budget
) -> Point | None:
    """The mean of the values of the positions that a query follows, keys over one denominator; None if it sees none."""
    if not seen:
        return None
    size = max([bits(keys[j]) for j in seen]) + bits(query)
    budget.spend(100 + len(seen) * (20 + len(query) * (2 + product_cost(size))))
    scores = {j: sum([a * b for a, b in zip(query, keys[j])]) for j in seen}
    return mean_of([values[j] for j in chosen(scores, seen, ties)], budget)


def mean_of(values: list[Point], budget: Budget) -> Point:
    """The mean of some points."""
    total = values[0]
    for value in values[1:]:
        total = plus(value, total, (1, 1), budget)
    return total if len(values) == 1 else plus(total, (0,) * (len(total) - 1) + (1,), (1, len(values)), budget)


def after_attention(block: Block, x: Point, found: Sequence[Point | None], budget: Budget) -> Point:
    """rho times a token plus what the heads find there."""
    y = plus(x, (0,) * (len(x) - 1) + (1,), block.rho, budget)
    for value in found:
        y = y if value is None else plus(value, y, (1, 1), budget)
    return y
