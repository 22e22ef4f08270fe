"""The layers of pure attention and the claim `orbit` (FORMAT.md, section 4)."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, repeat
from operator import mul
from typing import NamedTuple

from .attention import maximisers
from .budget import Budget
from .certificate import Certificate
from .lines import count, entries, indices
from .points import Point, bits, origin, over_one_denominator, plus, sum_cost
from .shapes import read_points
from .subject import System, system
from .verdict import holds

Group = tuple[int, ...]  # a set of tokens: strictly increasing indices


class Layer(NamedTuple):
    """Tokens, follower sets C_i, and the leaders: i with C_i = {i} at this layer or before."""

    tokens: list[Point]
    follows: list[Group]
    leaders: set[int]


def layers(
    A: list[Point], tokens: list[Point], steps: Iterable[Fraction], budget: Budget, counts: Sequence[int] | None = None
) -> Iterator[Layer]:
    """Layers 0, 1, ..: z_i <- z_i + g mean_{j in C_i} (z_j - z_i), one layer more than there are steps g.

    With counts, token j stands for counts[j] equal ones, and the mean counts it so many times.
    """
    form, leaders, held = over_one_denominator(A, budget)[0], set[int](), budget.held
    for step in chain(steps, [None]):
        follows = follower_sets(form, tokens, budget)
        leaders = leaders | {i for i, group in enumerate(follows) if group == (i,)}
        yield Layer(tokens, follows, leaders)
        if step is not None:
            tokens = moved(tokens, follows, step, budget, counts)
        budget.held = held  # the layer before is forgotten


def follower_sets(form: list[Point], tokens: list[Point], budget: Budget) -> list[Group]:
    """C_i = { j : <A z_i, z_j> = max_l <A z_i, z_l> } for A with these rows, times a positive integer."""
    rows, _ = over_one_denominator(tokens, budget)
    size, n, dim = max(map(bits, rows)), len(rows), len(form)
    budget.spend(4 * n * n * (dim + 1))
    budget.products(n * n * dim + 2 * n * dim * (dim + 8), size + max(map(bits, form)))
    groups, of = maximisers(form, list(zip(*rows)))
    return [groups[g] for g in of]


def moved(
    tokens: list[Point], follows: list[Group], step: Fraction, budget: Budget, counts: Sequence[int] | None = None
) -> list[Point]:
    """z_i + g mean_{j in C_i} (z_j - z_i) for every token i, as (1-g) z_i + g mean."""
    rows, common = over_one_denominator(tokens, budget)
    (p, q), dim = step.as_integer_ratio(), len(rows[0])
    size = max(max(map(bits, rows)), common.bit_length()) + q.bit_length() + len(rows).bit_length()
    budget.spend(3000 + len(rows) * 2 * sum_cost(dim, size))
    pulls: dict[Group, Point] = {}
    for group in set(follows):
        budget.products(len(group) * dim, common.bit_length())
        shares = [1 if counts is None else counts[j] for j in group]
        total = [sum(map(mul, shares, x)) for x in zip(*[rows[j] for j in group])]
        pulls[group] = plus((*total, common * sum(shares)), origin(dim), p, q)
    found = [plus(z, pulls[group], q - p, q) for z, group in zip(tokens, follows)]
    budget.within(max(map(bits, found)), "bits")
    return found


def last_layer(given: System, K: int, budget: Budget) -> Layer:
    """Layer K of a system."""
    return deque(layers(given.A, given.tokens, repeat(given.step, K), budget), maxlen=1).pop()


def orbit(file: Certificate) -> str:
    """The states, follower sets and leaders of layers 0..K are those stated."""
    n, K, given = file.header["tokens"], file.header["layers"], system(file)
    for k, found in enumerate(layers(given.A, given.tokens, repeat(given.step, K), file.budget)):
        layer, tokens, follows, leaders = file.lines.fields("layer", "tokens", "follows", "leaders")
        count(layer, k, k + 1)
        holds(read_points(tokens, file, n) == found.tokens, "these are not the tokens of this layer")
        stated = [indices(group, n) for group in entries(follows, n)]
        holds(stated == found.follows, "these are not the follower sets")
        verify_leaders(leaders, found.leaders, n)
    return f"states, follower sets and leaders of layers 0..{K} of {n} tokens in Q^{file.dim} are as stated"


def verify_leaders(stated: object, leaders: set[int], n: int) -> None:
    """The leaders are exactly those stated."""
    holds(set(indices(stated, n)) == leaders, f"the leaders are {sorted(leaders)}"[:200])
