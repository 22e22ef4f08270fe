"""Tests of `exactformer.evaluate.float_orbit`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.dynamics.orbit import simulate
from exactformer.evaluate.float_orbit import CLUSTER_TOLERANCE, ApproxOrbit, _groups
from exactformer.evaluate.floats import Backend
from exactformer.model.tokens import Tokens


@pytest.mark.parametrize("alpha", ["1/3", 1, 5])
def test_the_float_orbit_takes_the_step_alpha_says(alpha: Any) -> None:
    tokens = Tokens([[1, 2], [-1, "1/3"], ["1/2", -2], [0, 1]], A=[[2, 1], [1, 1]], alpha=alpha)
    floats, orbit = ApproxOrbit(tokens, Backend.of()), simulate(tokens, layers=4)
    for k in range(4):
        assert floats.follows() == orbit.follows(k)
        assert floats.deviation(orbit.tokens(k)) < 1e-12
        floats.advance()
    assert floats.leaders == orbit.leaders
    assert floats.deviation(orbit.tokens(1)) > 1e-3


def test_clusters_gather_around_their_first_token() -> None:
    step = 0.8 * CLUSTER_TOLERANCE
    chain = np.array([[1.0], [1 - step], [1 - 2 * step], [1 - 3 * step], [0.0]])
    assert _groups(chain) == ((0, 1), (2, 3), (4,))


def test_floats_that_overflow_are_infinitely_far_off() -> None:
    tokens = Tokens([[10**400], [1]])
    assert ApproxOrbit(tokens, Backend.of()).deviation(tokens.state) == float("inf")
    tokens = Tokens([["1/3"], [1]])
    assert ApproxOrbit(tokens, Backend.of()).deviation(tokens.state) == 0.0


def test_the_float_orbit_runs_into_its_clusters() -> None:
    tokens = Tokens([[1], [2], [-1], ["-1/2"]], alpha=1)
    orbit = ApproxOrbit(tokens, Backend.of())
    assert orbit.leaders == ()
    assert orbit.follows() == [(1,), (1,), (2,), (2,)]
    assert orbit.leaders == (1, 2)
    orbit.advance()
    assert orbit.points.tolist() == [[1.5], [2.0], [-1.0], [-0.75]]
    assert orbit.deviation(State.of([[1], [2], [-1], [0]])) == 0.75
    assert orbit.clusters() == ((0, 1), (2, 3))
    mixed = ApproxOrbit(Tokens([[1, 0], [0, 1]], A=[[0, 1], [0, 0]]), Backend.of())  # <A z_i, z_j> = z_i2 z_j1
    assert mixed.follows() == [(0, 1), (0,)]


@pytest.mark.parametrize(("apart", "clusters"), [("1/2000000", ((0, 1),)), ("1/1900000", ((0,), (1,)))])
def test_leaders_at_the_tolerance_are_one_cluster(apart: str, clusters: Any) -> None:
    """Two leaders (1, +-e) stay; the largest coordinate is 1, and they are 2e apart, exactly as the floats say."""
    orbit = ApproxOrbit(Tokens([[1, apart], [1, f"-{apart}"]]), Backend.of())
    assert orbit.follows() == [(0,), (1,)]
    assert orbit.clusters() == clusters


def test_an_orbit_is_followed_for_so_many_layers_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first token halves its distance to 2 at every layer: 1, 1.5, 1.75, 1.875, .."""
    monkeypatch.setattr("exactformer.evaluate.float_orbit.FLOAT_LAYERS", 3)
    for before, end in ((0, 1.875), (2, 1.875), (3, 1.875), (4, 1.9375)):
        orbit = ApproxOrbit(Tokens([[1], [2]], alpha=1), Backend.of())
        for _ in range(before):
            orbit.advance()
        assert orbit.clusters() == ((0,), (1,))
        assert orbit.points.tolist() == [[end], [2.0]]
