"""The short cut for a feed-forward part of few units, with its lemma (see `short_cuts`).

| short cut | definition |
| --- | --- |
| `FewUnits` | `feed_forward.FeedForward.by_points`, point by point |
"""

import math
from operator import mul
from typing import NamedTuple

from ..core.budget import Budget, product_cost
from ..core.feed_forward import Groups, ParallelUnit
from ..core.numbers import Ratio, common_denominator
from ..core.points import Coordinates, Point, State, bits, linear_form, lowest, settled
from .short_cuts import merged


class IntegerUnit(NamedTuple):
    """s -> relu(t*s + p*c) * column in integers, s and c being those of a token with <u, x> = s/c."""

    t: int
    p: int
    column: tuple[int, ...]


class FewUnits:
    """x -> eta*x + a sum of units, for all tokens together: integers over the denominator of the state.

    Lemma: relu is homogeneous, so relu((t/r)*(s/c) + p/q) * column = relu(t*q*s + p*r*c) * column/(r*q*c). With e a
    common denominator of eta and of all column/(r*q) the image of x/c is e*eta*x + sum of relu(..) * e*column/(r*q),
    divided by e*c. Over one denominator equal tokens are equal integers.
    """

    def __init__(self, eta: Ratio, groups: Groups, budget: Budget) -> None:
        units = {u: [integers_of(unit) for unit in parallel] for u, parallel in groups.items()}
        columns = [column for parallel in units.values() for *_, column in parallel]
        below = common_denominator([eta[1], *[column[-1] for column in columns]], budget)
        self.budget, self.below, self.eta = budget, below, eta[0] * (below // eta[1])
        self.parts = [
            (u, [IntegerUnit(t, p, tuple([n * (below // y[-1]) for n in y[:-1]])) for t, p, y in parallel])
            for u, parallel in units.items()
        ]
        dim = len(columns[0]) - 1
        self.terms = dim * (1 + len(units)) + (dim + 3) * len(columns)
        unit = max(sum(map(bits, (u, one[:2], one.column))) for u, parallel in self.parts for one in parallel)
        self.bits = bits([self.eta, below]) + unit

    def __call__(self, state: State, times: int) -> State:
        """The state after this part, so many times in a row; equal tokens kept as one."""
        while times:
            if self.below == 1 and len(state.times) == 1:
                state, times = self.steps(state, times)
            if times:
                state, times = self.step(state), times - 1
        return state

    def cost(self, state: State) -> int:
        """Operations of one time: a product is an operation of Python, some 100 nanoseconds, and one on its words."""
        return 40 + len(state.times) * self.terms * (3 + product_cost(state.bits + self.bits, self.bits))

    def step(self, state: State) -> State:
        """The state after this part, once."""
        coordinates, common, times, size = state
        self.budget.spend(160 + self.cost(state))
        images: Coordinates = [[self.eta * n for n in x] for x in coordinates]
        for u, units in self.parts:
            heads = linear_form(u, coordinates)
            for t, p, column in units:
                shift = p * common
                active = [max(t * s + shift, 0) for s in heads]
                images = [[m + w * s for m, s in zip(x, active)] if w else x for x, w in zip(images, column)]
        return merged(settled(images, self.below * common, times, self.budget, size), self.budget)

    def steps(self, state: State, times: int) -> tuple[State, int]:
        """One token, as many times as its integers do not become longer; how many times are left.

        Lemma: the denominator stays, and integers that are no longer than before are not brought to lowest terms.
        """
        cost, top, common = self.cost(state), 1 << state.bits, state.common
        token, left = [n for (n,) in state.coordinates], times
        while left:
            self.budget.spend(cost)
            image = [self.eta * n for n in token]
            for u, units in self.parts:
                head = sum(map(mul, u, token))
                for t, p, column in units:
                    active = t * head + p * common
                    if active > 0:
                        image = [m + w * active for m, w in zip(image, column)]
            if max(image) >= top or min(image) <= -top:
                break
            token, left = image, left - 1
        return state._replace(coordinates=[[n] for n in token]), left


def integers_of(unit: ParallelUnit) -> tuple[int, int, Point]:
    """(t, p, column) for which the unit is relu(t*s + p) * column, t and p coprime integers."""
    t, r, p, q, (*column, below) = unit
    factor = math.gcd(t * q, p * r) or 1
    return t * q // factor, p * r // factor, lowest((*[factor * n for n in column], r * q * below))
