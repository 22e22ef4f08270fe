"""Tests of `exactformer.dynamics.positivity`."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

from exactformer.arithmetic.power_sum import enclosure, sign_of
from exactformer.dynamics.positivity import Exponential, Fails, Positive, positive_from, unsettled

F = Fraction


def value_at(f: dict[F, list[F]], k: int) -> F:
    return sum((b**k * sum(c * k**e for e, c in enumerate(p)) for b, p in f.items()), start=F(0))


def exponential(f: dict[F, list[F]]) -> Exponential:
    balls = {b: [enclosure(c, 192) for c in p] for b, p in f.items()}
    return Exponential(balls, lambda k: sign_of(value_at(f, k)))


def random_exponential(rng: random.Random) -> dict[F, list[F]]:
    """Positive at 0; near ties and several changes of sign are common."""
    while True:
        bases = rng.sample([F(1), F(99, 100), F(9, 10), F(3, 4), F(1, 2), F(1, 3)], rng.randint(1, 4))
        f = {b: [F(rng.randint(-6, 6), rng.choice((1, 1, 50))) for _ in range(rng.randint(1, 3))] for b in bases}
        f = {b: [*p[:-1], p[-1] or F(1)] for b, p in f.items()}
        if value_at(f, 0) > 0:
            return f


def test_positivity_agrees_with_brute_force() -> None:
    rng = random.Random(4)
    outcomes, cuts = set(), 0
    for _ in range(200):
        f = random_exponential(rng)
        verdict = positive_from(exponential(f), 0)
        outcomes.add(type(verdict))
        end = verdict.at - 1 if isinstance(verdict, Fails) else verdict.dominant
        assert all(value_at(f, k) > 0 for k in range(min(end, 100) + 1))
        assert isinstance(verdict, Positive) or value_at(f, verdict.at) <= 0
        parts = [0, *verdict.cuts, end]
        assert parts == sorted(parts)
        cuts += len(verdict.cuts)
        for u, v in pairwise(parts):
            assert unsettled(exponential(f), u, v) is None
    assert outcomes == {Positive, Fails}
    assert cuts > 5


def test_functions_that_are_positive_for_a_million_layers_are_refused_at_once() -> None:
    base = F(10**6 - 1, 10**6)
    late = {F(1): [F(-1, 10**4)], base: [F(1)]}
    verdict = positive_from(exponential(late), 0)
    assert isinstance(verdict, Fails)
    assert 9_210_330 < verdict.at < 9_210_350  # 10^6 log 10^4
    slow = {F(1): [F(1, 8)], base: [F(-1), F(1, 10**6)], F(1, 2): [F(2)]}
    verdict = positive_from(exponential(slow), 0)
    assert verdict == Fails(2, ()) or value_at(slow, verdict.at) <= 0 < value_at(slow, verdict.at - 1)


def test_exact_zeros_at_integers_are_failures() -> None:
    touching = {F(1, 2): [F(36), F(-12), F(1)]}  # (k - 6)^2
    assert positive_from(exponential(touching), 0) == Fails(6, positive_from(exponential(touching), 0).cuts)
    between = {F(1, 2): [F(143), F(-48), F(4)]}  # negative for 11/2 < k < 13/2 only
    assert isinstance(positive_from(exponential(between), 0), Fails)
    passing = {F(1, 2): [F(99), F(-40), F(4)]}  # negative between 9/2 and 11/2 at 5 only
    assert positive_from(exponential(passing), 0).at == 5  # type: ignore[union-attr]
    above = {F(1, 2): [F(1207, 10), F(-44), F(4)]}  # negative between integers only
    assert isinstance(positive_from(exponential(above), 0), Positive) == all(value_at(above, k) > 0 for k in range(9))
