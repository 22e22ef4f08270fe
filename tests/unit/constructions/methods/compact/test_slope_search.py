"""Tests of `exactformer.constructions.methods.compact.slope_search`."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, pairwise

import numpy as np
import pytest

from exactformer.constructions.methods.compact.arcs import Aim, Arcs
from exactformer.constructions.methods.compact.slope_search import (
    LEAST_ROOM,
    Search,
    _Basis,
    _Circle,
    _lattice,
    propose_slopes,
)

F = Fraction


TWO = [Aim(F(0), F(2, 5)), Aim(F(1), F(1, 2))]


THREE = Arcs.of({0: 2, 1: 1, 2: 2})


def circle(x: float) -> float:
    """The distance to the nearest even integer."""
    return abs((x + 1) % 2 - 1)


def search_of(count: int, *, free: bool, seed: int, aims: list[Aim]) -> Search:
    rng = np.random.default_rng(seed)
    keys = sorted(int(k) for k in rng.integers(10**8, 10**9, count))
    return Search(keys, 10**9, [aims[int(k)] for k in rng.integers(0, len(aims), count)], 1 << 20, (1 << 20) - 1, free)


@pytest.mark.parametrize("free", [False, True])
def test_the_lattice_has_a_row_for_mu_one_for_every_key_and_one_for_theta(free: bool) -> None:
    search = search_of(3, free=free, seed=1, aims=TWO)
    rows, one = _lattice(search, 20)
    assert one == 1 << 34
    shares = [F(key, search.denominator) / aim.tolerance for key, aim in zip(search.keys, search.aims, strict=True)]
    wanted = [[F(1, search.half), *shares]]
    wanted += [[0, *(F(2 * (i == j)) / aim.tolerance for i, aim in enumerate(search.aims))] for j in range(3)]
    if free:
        wanted = [[*row, F(0)] for row in wanted]
        wanted.append([F(0), *(F(2, 64) / aim.tolerance for aim in search.aims), F(1, 512)])
    for row, exact in zip(rows, wanted, strict=True):
        assert [v == math.floor(one * x) for v, x in zip(row, exact, strict=True)] == [True] * len(row)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_columns_of_the_basis_are_moves_of_mu_and_theta_and_points_near_aims_are_nearest_planes(
    free: bool, seed: int
) -> None:
    search = search_of(13, free=free, seed=seed, aims=[*TWO, THREE.aim(THREE.order[1])])
    basis = _Basis.of(search, 20)
    assert np.allclose(basis.weights, np.array(basis.mus) / search.half, rtol=1e-3, atol=1e-6)
    for i, (mu, steps) in enumerate(zip(basis.mus, basis.thetas, strict=True)):
        for j, (key, aim) in enumerate(zip(search.keys, search.aims, strict=True)):
            exact = mu * F(key, search.denominator) + F(2 * steps, 64)
            assert circle(float(exact - F(float(basis.phases[j, i])) * aim.tolerance)) < 1e-2
    aims = np.random.default_rng(seed).uniform(-9, 9, (13, 20)).astype(np.float32)
    chosen = basis.nearest(aims)
    rest = basis.Q[1:14].T @ aims - basis.R @ chosen
    assert (np.abs(rest) <= np.abs(np.diag(basis.R))[:, None] * 0.5 + 1e-2).all()


def errors(search: Search, mu: int, theta: float) -> np.ndarray:
    """How far every phase is from its aim, on the nearer side."""
    found = []
    for key, aim in zip(search.keys, search.aims, strict=True):
        phase = theta + float(F(mu * key, search.denominator) % 2)
        sides = [(phase - side * float(aim.centre) + 1) % 2 - 1 for side in (1, -1)]
        found.append(min(sides, key=abs))
    return np.array(found)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("aims", [TWO, [THREE.aim(k) for k in THREE.order]], ids=["ends", "three"])
def test_proposals_serve_all_keys_with_most_room_for_theta_first(free: bool, aims: list[Aim]) -> None:
    search = search_of(5, free=free, seed=3, aims=aims)
    tolerances = np.array([float(aim.tolerance) for aim in search.aims])
    [proposals] = propose_slopes(search, 20, 1, np.random.default_rng(0))
    assert 3 < len(proposals) == len({mu for mu, _ in proposals}) <= 64
    rooms = []
    for mu, theta in proposals:
        assert abs(mu - search.centre) <= search.half
        off = errors(search, mu, theta)
        low, high = (-tolerances - off).max(), (tolerances - off).min()
        rooms.append(high - low if free else min(-low, high))
        assert rooms[-1] > LEAST_ROOM / 2
        if free:
            assert low == pytest.approx(-high, abs=5e-3), "theta in the middle of its room"
        else:
            assert theta == 0
    if aims is TWO:
        assert all(b <= a + 5e-3 for a, b in pairwise(rooms))
    first, *more = propose_slopes(search, 20, 3, np.random.default_rng(0))
    assert (first, len(more)) == (proposals, 2)
    again = [mu for batch in (first, *more) for mu, _ in batch]
    assert len(set(again)) == len(again)


def test_both_sides_of_an_aim_are_tried() -> None:
    inner = THREE.aim(THREE.order[1])
    search = search_of(4, free=False, seed=2, aims=[inner])
    sides = set()
    for mu, _ in chain.from_iterable(propose_slopes(search, 20, 2, np.random.default_rng(0))):
        phases = [float(F(mu * key, search.denominator) % 2) for key in search.keys]
        sides.add(tuple(phase < 1 for phase in phases))
    assert len(sides) > 3
    tried = _Circle.of(search)
    assert np.allclose(tried.start[:, 0], [float(F((1 << 20) * key, 10**9) % 2) for key in search.keys], atol=1e-6)
    assert (tried.centres[:, 0] == np.float32(inner.centre)).all()
    assert tried.two_sided.all()
