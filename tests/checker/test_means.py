"""A mean of all tokens that is read along one direction: as one part it is what its two parts are."""

from __future__ import annotations

import random
from fractions import Fraction
from io import BytesIO
from typing import Any

import pytest

from proofs_check.core.attention import Attention
from proofs_check.core.budget import Budget, Limits
from proofs_check.core.certificate import Certificate, Heads
from proofs_check.core.feed_forward import FeedForward
from proofs_check.core.lines import Lines
from proofs_check.core.points import State, bits
from proofs_check.core.transformer import heads
from proofs_check.core.verdict import Refusal
from proofs_check.fast import SHORT_CUTS
from proofs_check.fast.means import MeanAlong, together
from proofs_check.fast.quick_attention import QuickAttention
from proofs_check.fast.sums_of_units import QuickFeedForward

RNG = random.Random(7)
OF_STATES = Heads(lambda state: len(state.times), heads)


def file(dim: int, limits: Limits | None = None) -> Certificate:
    budget = Budget(limits or Limits())
    return Certificate({"attention": "hardmax"}, dim, Lines(BytesIO(), budget), budget, SHORT_CUTS)


def number(size: int = 4) -> str:
    return str(Fraction(RNG.randint(-size, size), RNG.choice([1, 1, 2, 3])))


def uniform(dim: int, rho: str, size: int = 4) -> dict[str, Any]:
    zero = {"zero": True}
    return {"rho": rho, "V": [[number(size) for _ in range(dim)] for _ in range(dim)], "Q": zero, "K": zero}


def function(dim: int, width: int = 6, eta: str = "0") -> dict[str, Any]:
    """Units along one u; about half of them take back the one before, so that there are flat pieces."""
    factors = [RNG.choice(["0", "1", "1", "-1", "2"]) for _ in range(width)]
    u = [number() for _ in range(dim)]
    W = [[number() for _ in range(width)] for _ in range(dim)]
    for row in W:
        for k in range(1, width, 2):
            row[k] = str(-Fraction(row[k - 1]))
    return {"eta": eta, "U": {"outer": [factors, u]}, "b": [number() for _ in range(width)], "W": W}


def state(dim: int, size: int = 6) -> State:
    n, common = RNG.randint(1, 6), RNG.choice([1, 4, 30])
    coordinates = [tuple(RNG.randint(-size, size) for _ in range(n)) for _ in range(dim)]
    times = tuple(RNG.choice([1, 1, 2]) for _ in range(n)) if RNG.random() < 0.5 else (1,) * n
    return State(coordinates, common, times, bits([common, *(c for x in coordinates for c in x)]))


def counts(found: State) -> dict[tuple[int, ...], int]:
    total: dict[tuple[int, ...], int] = {}
    for x, times in zip(found.points(), found.times, strict=True):
        total[x] = total.get(x, 0) + times
    return total


@pytest.mark.parametrize("rho", ["0", "1", "-2", "3/2"])
def test_as_one_part_it_is_its_two_parts(rho: str) -> None:
    joined = 0
    for _ in range(150):
        dim = RNG.randint(1, 3)
        SA, FF, tokens = uniform(dim, rho), function(dim), state(dim)
        parts = together(
            [QuickAttention(SA, False, file(dim)), QuickFeedForward(FF, file(dim))], OF_STATES, Budget(Limits())
        )
        joined += isinstance(parts[0], MeanAlong)
        found = tokens
        for part in parts:
            found = part(found)
        wanted = FeedForward(FF, file(dim))(Attention(SA, False, file(dim))(tokens))
        assert counts(found) == counts(wanted)
    assert joined == 150


def mean_along(SA: dict[str, Any], FF: dict[str, Any], limits: Limits | None = None) -> MeanAlong:
    """Two parts in the plane that have the form."""
    attention, part = QuickAttention(SA, False, file(2, limits)), QuickFeedForward(FF, file(2, limits))
    table = part.table()
    assert table is not None
    return MeanAlong(attention, part, *table)


def test_long_numbers_go_through_both_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are brought to lowest terms between the two, and declined beyond the limit."""
    seen: list[int] = []
    through = QuickAttention.__call__
    monkeypatch.setattr(QuickAttention, "__call__", lambda self, given: seen.append(1) or through(self, given))
    for size, limits, calls in ((3, Limits(), 0), (3, Limits(bits=8), 1), (10**40, Limits(), 1)):
        SA, FF, tokens = uniform(2, "1"), function(2), state(2, size)
        both = mean_along(SA, FF, limits)
        seen.clear()
        if limits.bits == 8:
            with pytest.raises(Refusal, match="max-bits"):
                both(tokens._replace(common=1009))
        else:
            wanted = FeedForward(FF, file(2))(Attention(SA, False, file(2))(tokens))
            assert counts(both(tokens)) == counts(wanted)
        assert len(seen) == calls


def test_the_work_is_charged_before_it_is_done() -> None:
    SA, FF, tokens = uniform(2, "1"), function(2), state(2)
    both = mean_along(SA, FF)
    both.part.budget = Budget(Limits(operations=1))
    with pytest.raises(Refusal, match="max-operations"):
        both(tokens)


def test_parts_of_another_form_stay_two() -> None:
    scored = {**uniform(2, "1"), "Q": [["1", "0"]], "K": [["1", "0"]]}
    apart = {**function(2), "U": [["1", "0"], ["0", "1"]] * 3}
    for SA, FF in (
        (scored, function(2)),
        (uniform(2, "1"), function(2, eta="1")),
        (uniform(2, "1"), apart),
        (uniform(2, "1"), function(2, width=2)),
    ):
        parts = [QuickAttention(SA, False, file(2)), QuickFeedForward(FF, file(2))]
        assert together(parts, OF_STATES, Budget(Limits())) == parts
    twice: list[Any] = [QuickAttention(uniform(2, "1"), False, file(2)), QuickFeedForward(function(2), file(2))]
    twice[1].times = 2
    assert together(twice, OF_STATES, Budget(Limits())) == twice
    assert together(twice[::-1], OF_STATES, Budget(Limits())) == twice[::-1]
