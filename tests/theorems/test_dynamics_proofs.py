"""The proofs of constant sets, part by part: eigenvalues with weights, members that part, positivity, and limits."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.power_sum import enclosure, sign_of
from exactformer.arithmetic.state import State
from exactformer.dynamics.closed_form import ClosedForm, Term, combination, constant, inner, solve_recursion
from exactformer.dynamics.follow_order import Cycle, follow_order, leader_shares
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.limits import limit
from exactformer.dynamics.orbit import simulate
from exactformer.dynamics.positivity import Exponential, Fails, dominates, positive_from, unsettled
from exactformer.dynamics.stages import Stages, Ties
from exactformer.instances.token_families import sample
from exactformer.model.tokens import Tokens

F = Fraction
IDENTITY = ((F(1), F(0)), (F(0), F(1)))


def sets_of(*members: tuple[int, ...]) -> FollowerSets:
    offsets = np.concatenate([[0], np.cumsum([len(m) for m in members])])
    return FollowerSets(np.array([j for m in members for j in m]), offsets)


def rows_of(*points: tuple[int | str, ...]) -> list[tuple[Fraction, ...]]:
    return [tuple(F(x) for x in point) for point in points]


def first_stage(
    sets: FollowerSets, rows: list[tuple[Fraction, ...]], weights: Any = None, share: Any = "1/2"
) -> Stages:
    """The stage that begins with the given sets and points, whatever an engine would say of them."""
    weights = np.ones(len(rows), dtype=int) if weights is None else np.array(weights)
    engine: Any = SimpleNamespace(
        follows=lambda k: sets, state=lambda k: State.of(rows), weights=weights, share=F(share)
    )
    made = Stages.of(IDENTITY, engine, 0, use_locks=False)
    assert isinstance(made, Stages)
    return made


def value_at(f: dict[Fraction, list[Fraction]], k: int) -> Fraction:
    return sum((b**k * sum((c * k**e for e, c in enumerate(p)), F(0)) for b, p in f.items()), F(0))


def exponential(f: dict[Fraction, list[Fraction]]) -> Exponential:
    return Exponential({b: [enclosure(c, 192) for c in p] for b, p in f.items()}, lambda k: sign_of(value_at(f, k)))


# ---------------------------------------------------------------- closed forms against the orbit


DUPLICATED = [
    Tokens(
        [[1, 0], [-1, 0], [0, 0], [0, 0], [0, 0]], alpha="1/2"
    ),  # zero tokens tie with everyone, each other included
    Tokens([[1, 1], [1, -1], ["1/2", 0], ["1/2", 0], [-2, 0]], alpha="1/3"),
    Tokens([[1, 1], [1, 1], [1, -1], ["1/2", 0], [-2, 0], [0, 0]], alpha=2),
    Tokens([[2, 0], [2, 0], [2, 0], [-1, 0], [0, 0]], A=[[2, 1], [1, 1]]),
    Tokens([[1], [1], ["1/2"], [-1], [0], [0]], alpha="3/2"),
]


@pytest.mark.parametrize("tokens", DUPLICATED, ids=range(len(DUPLICATED)))
def test_closed_forms_with_duplicated_tokens_are_the_orbit(tokens: Tokens) -> None:
    found = limit(tokens)
    orbit = simulate(tokens, layers=found.proved_from_layer + 6)
    for k in range(orbit.layers + 1):
        assert found.at(k) == orbit.tokens(k).rows()
    for k in range(found.proved_from_layer, orbit.layers + 1):
        assert [form.at(k - found.timeline.origin) for form in found.forms] == orbit.tokens(k).rows()


@pytest.mark.parametrize("weights", [(1, 1, 1), (1, 1, 3), (2, 1, 1), (5, 2, 3)])
def test_the_eigenvalue_counts_how_many_tokens_stand_there(weights: tuple[int, int, int]) -> None:
    rows = rows_of((1, 0), (-1, 0), (0, 1))
    forms = first_stage(sets_of((0,), (1,), (0, 1, 2)), rows, weights).now.forms
    z, total = rows[2], sum(weights)
    for k in range(5):
        assert forms[2].at(k) == z
        mean = tuple(
            sum((F(w) * p[c] for w, p in zip(weights, (rows[0], rows[1], z), strict=True)), F(0)) / total
            for c in (0, 1)
        )
        z = tuple(F(1, 2) * x + F(1, 2) * m for x, m in zip(z, mean, strict=True))
    expected = {0: F(weights[0], weights[0] + weights[1]), 1: F(weights[1], weights[0] + weights[1])}
    assert leader_shares([0, 1, 2], [[0], [1], [0, 1, 2]], weights)[2] == expected


def test_equal_eigenvalues_bring_powers_of_k() -> None:
    # 2 follows 1, which follows 0: both approach at the rate r, and binom(k, 1) appears
    rows = rows_of((8, 0), (4, 0), (1, 0))
    forms = first_stage(sets_of((0,), (0,), (1,)), rows, share=F(1, 3)).now.forms
    assert {(t.base, t.power) for t in forms[2].terms} == {(F(1), 0), (F(2, 3), 0), (F(2, 3), 1)}
    x, y = rows[1][0], rows[2][0]
    for k in range(6):
        assert forms[2].at(k) == (y, F(0))
        x, y = x + F(1, 3) * (8 - x), y + F(1, 3) * (x - y)


def test_solutions_of_the_recurrence() -> None:
    for eigenvalue, base, power in itertools.product((F(1, 2), F(2, 3)), (F(1), F(1, 2), F(1, 4)), (0, 1, 2)):
        if base == 1 and power:
            continue  # no token grows
        forcing = ClosedForm((Term(base, power, (F(3), F(-1))),), 2)
        form = solve_recursion((F(5), F(7)), eigenvalue, [(F(1, 6), forcing)])
        z: tuple[Fraction, ...] = (F(5), F(7))
        for k in range(7):
            assert form.at(k) == z
            pushed = forcing.at(k)
            z = tuple(eigenvalue * x + F(1, 6) * F(y) for x, y in zip(z, pushed, strict=True))  # type: ignore[arg-type]


def test_inner_products_of_closed_forms() -> None:
    x = ClosedForm.of({(F(1), 0): (F(1), F(2)), (F(1, 2), 1): (F(-1), F(3))}, 2)
    y = ClosedForm.of({(F(1), 0): (F(0), F(1)), (F(1, 3), 2): (F(5), F(0))}, 2)
    A = ((F(2), F(1)), (F(0), F(1)))
    f = inner(A, x, y)
    for k in range(7):
        left, right = x.at(k), y.at(k)
        image = [sum((a * v for a, v in zip(row, left, strict=True)), F(0)) for row in A]
        assert value_at(f, k) == sum((a * v for a, v in zip(image, right, strict=True)), F(0))
    assert inner(A, x, combination([(1, y), (-1, y)], 2)) == {}
    assert constant((F(0), F(0))).limit == (0, 0)
    assert x.limit == (1, 2)
    assert ClosedForm.of({(F(1, 2), 0): (F(1),)}, 1).limit == (0,)


# ---------------------------------------------------------------- the proof that sets stay


def test_members_that_will_part_are_noticed() -> None:
    # 3 follows 1 and 2, which score the same now; 1 stands still, 2 walks to 0, and the tie breaks at once
    made = first_stage(sets_of((0,), (1,), (0,), (1, 2)), rows_of(("1/2", -2), (1, 2), (1, -2), (1, 0)))
    assert made.settled[3, 2].proof == Ties(1)
    assert made.next_change == 1
    assert made.advance()
    assert 2 not in made.now.sets[3]


def test_members_that_stay_tied_stay_for_ever() -> None:
    made = first_stage(sets_of((0,), (1,), (0, 1), (3,)), rows_of((1, 1), (1, -1), ("1/2", 0), (-3, 0)))
    assert made.settled[2, 1].proof == Ties(None)
    assert made.next_change is None
    assert not made.advance()


def test_a_competitor_that_will_win_is_found_at_its_layer() -> None:
    # 2 follows 1, which walks to 3; at layer 0 it still prefers 1 to the leader 0, at layer 1 no more
    made = first_stage(sets_of((0,), (3,), (1,), (3,)), rows_of((-1, 6), (0, 6), (1, 1), (1, 0)))
    proof = made.settled[2, 0].proof
    assert isinstance(proof, Fails)
    assert proof.at == made.next_change == 1


def test_rings_have_no_order() -> None:
    assert follow_order(sets_of((1,), (0,))) == Cycle((0, 1))
    assert follow_order(sets_of((0,), (2,), (3,), (1,))) == Cycle((1, 2, 3))
    assert follow_order(sets_of((0, 1), (1,))) == [1, 0]
    assert follow_order(sets_of((0,), (0, 2), (0, 2))) == [0, 2, 1]


# ---------------------------------------------------------------- positivity


@pytest.mark.parametrize(
    ("f", "first"),
    [
        ({F(1): [F(17, 2), F(-6), F(1)]}, 3),  # positive at 0, 1, 2 and from 4 on
        ({F(1): [F(19, 2), F(-6), F(1)]}, None),
        ({F(1): [F(9), F(-6), F(1)]}, 3),
        ({F(1): [F(1)]}, None),
        ({F(1, 2): [F(1), F(-1)]}, 1),
        ({F(1): [F(1)], F(1, 2): [F(-1, 2), F(0), F(1)]}, None),
        ({F(1, 2): [F(1)], F(1, 4): [F(0), F(-3)]}, 1),
        ({F(1): [F(-1)], F(1, 2): [F(1000)]}, 10),
        ({F(1): [F(1)], F(9, 10): [F(0), F(-1, 2), F(0)][:2]}, 3),
    ],
)
def test_positive_for_all_k_or_the_first_at_which_it_is_not(
    f: dict[Fraction, list[Fraction]], first: int | None
) -> None:
    assert next((k for k in range(200) if value_at(f, k) <= 0), None) == first
    answer = positive_from(exponential(f), 0)
    assert (answer.at if isinstance(answer, Fails) else None) == first
    assert bool(answer) == (first is None)


def test_domination_needs_all_three_conditions() -> None:
    def dominant(f: dict[Fraction, list[Fraction]], k0: int) -> bool:
        return dominates(exponential(f).level(0), F(1), k0)

    one, half = F(1), F(1, 2)
    assert not dominant({one: [F(-1), F(1)]}, 1)  # P(1) = 0 does not exceed 0
    assert dominant({one: [F(-1), F(1)]}, 2)
    assert not dominant({one: [F(10), F(-6), F(1)]}, 1)  # P(1 + x) has a negative coefficient
    assert dominant({one: [F(10), F(-6), F(1)]}, 4)
    assert not dominant({one: [F(100)], half: [F(0), F(0), F(-1)]}, 1)  # k^2/2^k still grows at 1
    assert dominant({one: [F(100)], half: [F(0), F(0), F(-1)]}, 4)
    assert not dominant({one: [F(1, 4)], half: [F(-1)]}, 2)  # equal at 2
    assert dominant({one: [F(1, 4)], half: [F(-1)]}, 3)


@pytest.mark.parametrize("k0", [1, 3, 4])
def test_domination_is_what_its_three_conditions_say(k0: int) -> None:
    rng, verdicts = np.random.default_rng(k0), []
    for _ in range(60):
        bases = [F(1), *rng.choice([F(3, 4), F(1, 2), F(1, 5)], 2, replace=False)]
        f = {b: [F(int(c)) for c in rng.integers(-9, 5, int(rng.integers(1, 4)))] for b in bases[1:]}
        f = {
            F(1): [F(int(c)) for c in rng.integers(-2, 9, int(rng.integers(0, 2)))] + [F(int(rng.integers(1, 9)))],
            **f,
        }
        lead = sum(f[F(1)][e] * k0**e for e in range(len(f[F(1)])))
        rises = all(
            sum(math.comb(e, s) * k0 ** (e - s) * c for e, c in enumerate(f[F(1)]) if e >= s) >= 0
            for s in range(len(f[F(1)]))
        )
        against = [(b, e, -c) for b in bases[1:] for e, c in enumerate(f[b]) if c < 0]
        fades = all((b * (1 + F(1, k0)) ** e <= 1) for b, e, _ in against if e)
        outweighs = lead > sum(c * k0**e * b**k0 for b, e, c in against)
        assert dominates(exponential(f).level(0), F(1), k0) == (rises and fades and outweighs), f
        if rises and fades and outweighs:
            assert all(value_at(f, k) > 0 for k in range(k0, k0 + 9))
        verdicts.append((rises, fades, outweighs))
    assert {(True, True, True), (True, True, False)} <= set(verdicts)


@pytest.mark.parametrize("seed", range(4))
def test_ranges_are_cut_inside_and_settled_ones_are_monotone(seed: int) -> None:
    rng, kinds = np.random.default_rng(seed), set()
    for _ in range(12):
        f = {b: [F(int(c)) for c in rng.integers(-9, 10, 2)] for b in (F(1), F(4, 5), F(1, 2))}
        f = {b: [*p[:-1], p[-1] or F(1)] for b, p in f.items()}
        lead = [value_at(f, k) for k in range(24)]
        for u, v in ((0, 23), (0, 5), (2, 4), (3, 3), (5, 17), (9, 10)):
            cut = unsettled(exponential(f), u, v)
            assert cut is None or u < cut < v
            steps = {sign_of(lead[k + 1] - lead[k]) for k in range(u, v)}
            assert cut is not None or not {1, -1} <= steps
            kinds.add((cut is None, {1, -1} <= steps))
    assert kinds >= {(True, False), (False, True)}


# ---------------------------------------------------------------- limits, against where long orbits end


@pytest.mark.parametrize(
    ("family", "seed"), [("symmetric-faces", 3), ("integer-grid", 1), ("emerging-leader", 2), ("rational-polygon", 4)]
)
def test_limits_are_where_orbits_go(family: str, seed: int) -> None:
    tokens = sample(family, 7, 2, seed)
    found = limit(tokens)
    last = found.proved_from_layer + 40
    orbit = simulate(tokens, layers=last)
    final = orbit.tokens(last).floats()
    expected = np.array([[float(x) for x in point] for point in found.points])
    rate = float(1 / (1 + tokens.alpha)) ** 40
    assert np.abs(final - expected).max() <= 2000 * rate * np.abs(tokens.state.floats()).max() + 1e-9
    assert orbit.leaders == found.leaders
    for i, kind in enumerate(found.kinds):
        assert (kind == "vertex") == (found.points[i] in found.polytope.vertices.values())
    assert {found.points[i] for i in found.leaders} <= set(found.polytope.vertices.values())
