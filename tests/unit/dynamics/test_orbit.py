"""Tests of `exactformer.dynamics.orbit`."""

from __future__ import annotations

import numpy as np
import pytest

from exactformer.arithmetic.integers import count
from exactformer.dynamics.orbit import simulate
from exactformer.errors import InvalidInput
from exactformer.geometry.points import dot
from exactformer.instances.token_families import sample
from exactformer.model.tokens import Tokens


def test_layers_before_the_first_and_behind_the_last_are_refused() -> None:
    orbit = simulate([[2], [1]], layers=3)
    for layer in (-1, 4):
        for ask in (orbit.tokens, orbit.follows, orbit.leaders_at, orbit.positions, orbit.graph):
            with pytest.raises(InvalidInput, match=r"expected 0\.\.3"):
                ask(layer)


@pytest.mark.parametrize("c", [-1, -3])
def test_a_negative_multiple_of_the_identity_is_not_the_identity(c: int) -> None:
    rows = [[2, 0], [-1, 1], [0, -3]]
    orbit = simulate(Tokens(rows, [[c, 0], [0, c]]), layers=1, unchecked=True)
    scores = [[c * dot(x, y) for y in rows] for x in rows]
    assert orbit.follows(0) == [tuple(j for j in range(3) if line[j] == max(line)) for line in scores]
    assert "A positive definite" in orbit.hypotheses_violated


#: in the last two a set changes at layer 1, and a token leads when the stages that begin there are under way
ORBITS = [(f, 5, s) for f in ("emerging-leader", "metastable-ties") for s in range(4)]
ORBITS += [("metastable-ties", 7, 48), ("metastable-ties", 7, 56)]


@pytest.mark.parametrize(("family", "n", "seed"), ORBITS)
def test_leaders_and_changes_are_those_of_the_sets_however_far_the_layers_go(family: str, n: int, seed: int) -> None:
    told: list[int] = []
    orbit = simulate(sample(family, n, 2, seed), layers=90, progress=told.append)
    sets = [orbit.follows(k) for k in range(91)]
    leads = {i: next((k for k in range(91) if sets[k][i] == (i,)), None) for i in range(n)}
    assert orbit.leads_from == {i: k for i, k in leads.items() if k is not None}
    assert orbit.graph_changes == tuple(k for k in range(1, 91) if sets[k] != sets[k - 1])
    for k in (0, 1, 5, 90):
        assert orbit.leaders_at(k) == tuple(i for i, start in orbit.leads_from.items() if start <= k)
    assert told == sorted(told)
    assert max(told, default=0) <= 90
    for start in {k for k in leads.values() if k}:
        short = simulate(orbit.instance, layers=start - 1)
        assert all(leads[i] != start for i in short.leaders)
        assert short.graph_changes == tuple(k for k in orbit.graph_changes if k < start)


@pytest.mark.parametrize("wrong", [True, False, 2.0, -1, "3", None])
def test_layers_are_integers_from_zero_on(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="layers: expected an integer >= 0"):
        count(wrong, "layers")
    assert (count(np.int64(3), "layers"), count(0, "layers")) == (3, 0)
