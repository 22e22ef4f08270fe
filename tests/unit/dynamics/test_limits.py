"""Tests of `exactformer.dynamics.limits`."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

import exactformer as ef
from exactformer.dynamics.engine_input import EngineInput
from exactformer.dynamics.limits import Unsettled, _changes, limit, prove_limit
from exactformer.dynamics.orbit import simulate
from exactformer.instances.token_families import sample
from exactformer.model.tokens import Tokens

# ---------------------------------------------------------------- no is not truthy


def test_a_limit_that_is_not_proved_is_a_no() -> None:
    answer = prove_limit(EngineInput(sample("emerging-leader", 8, 2, 1)), 0)
    assert isinstance(answer, Unsettled)
    assert not answer


# ---------------------------------------------------------------- rings and budgets


@pytest.mark.parametrize("tokens", [sample("emerging-leader", 8, 3, 0), sample("metastable-ties", 8, 3, 38)])
def test_a_limit_that_is_given_up_tells_the_changes_before_and_the_next_one(tokens: Tokens) -> None:
    changes = limit(tokens).orbit.graph_changes
    assert len(changes) > 1
    seen = set()
    for budget in range(len(changes) + 1):
        found = prove_limit(EngineInput(tokens), budget)
        if not isinstance(found, Unsettled):
            assert found.orbit.graph_changes == changes
            continue
        told = sorted({layer for layer, *_ in found.changes})
        assert told == [k for k in changes if k <= found.layers]
        if found.next_change is not None:
            assert found.next_change == next(k for k in changes if k > found.layers)
            assert str(found).count(f"they will change at layer {found.next_change}") == 1
        orbit = simulate(tokens, layers=changes[-1])
        for layer, token, old, new in found.changes:
            assert (orbit.follows(layer - 1)[token], orbit.follows(layer)[token]) == (old, new)
        seen.add(found.next_change)
    assert seen - {None}


@pytest.mark.parametrize(
    "tokens",
    [sample("emerging-leader", 8, 3, 0), sample("metastable-ties", 8, 3, 38), sample("integer-grid", 8, 2, 16)],
)
def test_the_last_changes_are_told_and_no_more_than_asked_for(tokens: Tokens) -> None:
    found = limit(tokens)
    everything = _changes(found.engine_input, found.timeline, 1000)
    assert sorted({layer for layer, *_ in everything}) == list(found.orbit.graph_changes)
    for most in range(1, len(everything) + 1):
        told = _changes(found.engine_input, found.timeline, most)
        assert len(told) == most
        assert told == sorted(told)
        assert set(told) <= set(everything)
        assert all(other in told or other[0] <= told[0][0] for other in everything)


@pytest.mark.parametrize("budget", [5, 30])
def test_in_a_ring_the_budget_counts_layers(budget: int) -> None:
    tokens = Tokens([[-4, -1], [3, -3], [1, 4]], [[1, -2], [2, 1]])
    found = prove_limit(EngineInput(tokens, unchecked=True), budget)
    assert isinstance(found, Unsettled)
    assert found.layers == budget
    assert found.ring is not None
    assert sorted(found.ring.positions) == [0, 1, 2]


# ---------------------------------------------------------------- families


def test_results_show_themselves_briefly_however_long_their_numbers_are() -> None:
    tokens = Tokens([[2, 1], [1, Fraction(1, 7**6000)], [0, Fraction(-1, 3)]])
    assert repr(limit(tokens)) == "Limit(3 tokens, follower sets constant from layer 0, leaders [0, 2])"
    assert repr(simulate(tokens, layers=1)) == "Orbit(3 tokens, 1 layers, leaders [0, 2])"


@pytest.mark.parametrize("rows", [[["1/2", 0], [1, 1]], [["sqrt(2)/2", "0"], ["0", "cos(2*pi/5)"], ["1/3", "1"]]])
def test_tokens_orbits_and_limits(rows: list[list[object]]) -> None:
    tokens = ef.Tokens(rows, alpha="1/2")
    assert pickle.loads(pickle.dumps(tokens)) == tokens
    orbit, limit = ef.simulate(tokens, layers=4), ef.limit(tokens)
    assert pickle.loads(pickle.dumps(orbit)).final == orbit.final
    assert pickle.loads(pickle.dumps(limit)).points == limit.points
