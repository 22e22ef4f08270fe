"""Tests of `exactformer.studies.mean_field.enclosure`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat, ctx

from exactformer.arithmetic.ball import Ball, ends
from exactformer.arithmetic.rational import diagonal
from exactformer.studies.mean_field.enclosure import EulerOrbit, _Flow, _norm, _rounded, _widened
from exactformer.studies.mean_field.flint_forms import ball_matrix
from exactformer.studies.mean_field.system import System

F = Fraction


def column(*numbers: arb | float) -> arb_mat:
    return arb_mat([[x] for x in numbers])


def test_growth_is_a_root_of_as_many_steps_as_were_made() -> None:
    third = Ball.of(F(1, 3))
    orbit = EulerOrbit((((third,),), ((third,),), ((third,),)), (F(1), F(2), F(16)))
    assert orbit.approx_growth == 4.0
    assert EulerOrbit((), (F(1), F(3))).approx_growth == 3.0
    assert EulerOrbit((), (F(0), F(3))).approx_growth == EulerOrbit((), (F(3),)).approx_growth == 1.0
    assert orbit.intervals(1, bits=4) == [[(F(5, 16), F(6, 16))]]


def test_a_token_spreads_by_what_the_others_move() -> None:
    """Only token 1 moves, by its whole radius: token 0, itself without any, follows within what is said of it."""
    system, radius = System.of([[1, 0], [0, "1/2"]], [[1, 0], [0, 1]]), Fraction(1, 1000)
    angles = (0.3, 1.1, 2.0)
    with ctx.workprec(200):
        flow = _Flow(ball_matrix(system.V), ball_matrix(system.B), arb(3), arb(1) / 4)
        places = [column(arb(a).cos(), arb(a).sin()) for a in angles]
        there = arb(angles[1]) + float(radius)
        moved = [places[0], column(there.cos(), there.sin()), places[2]]
        radii = [arb(0), arb(float(radius)), arb(0)]
        spread = flow.spread(_widened(places, radii), radii)
        for i, (before, after) in enumerate(zip(flow.step(places), flow.step(moved), strict=True)):
            turned = abs(float((before[0, 0] * after[1, 0] - before[1, 0] * after[0, 0]).asin()))
            assert 0 < turned <= float(spread[i].upper()), i
            assert float(spread[i].upper()) < 2 * turned + 1e-6, i


@pytest.mark.parametrize("dim", [2, 3, 4, 6])
def test_norms_of_maps_are_bounded_from_above_and_nearly_reached(dim: int) -> None:
    rng = np.random.default_rng(dim)
    with ctx.workprec(128):
        for spread in (0.01, 1.0, 3.0):
            G = rng.integers(-8, 9, (dim, dim)) * np.exp(spread * rng.integers(-1, 2, dim))
            true = float(np.linalg.norm(G, 2)) if dim > 2 else float(np.linalg.norm(G))
            found = float(_norm(arb_mat(G.tolist())))
            assert true * (1 - 1e-12) <= found <= true * dim ** (1 / 16) * (1 + 1e-12)
        assert float(_norm(ball_matrix(diagonal([2, 2, 2])))) == pytest.approx(2 * 3 ** (1 / 16))
        assert _norm(arb_mat(3, 3)) == 0


def spread_by_definition(V: Any, B: Any, beta: float, h: float, X: Any, radii: Any) -> list[float]:
    """rho'_i as the head of enclosure.py says it, in floats."""
    one, out = np.eye(len(X[0])), []
    for i, x in enumerate(X):
        weights = np.exp(beta * (X @ (B.T @ x)))
        weights /= weights.sum()
        m = weights @ X
        P = [one - np.outer(y, y) for y in X]
        covariance = (X - m).T @ np.diag(weights) @ (X - m)
        G = [w * P[i] @ V @ (one + beta * np.outer(y - m, B.T @ x)) @ Q for w, y, Q in zip(weights, X, P, strict=True)]
        own = (1 - h * x @ V @ m) * P[i] + h * beta * P[i] @ V @ covariance @ B.T @ P[i] + h * G[i]
        r = np.linalg.norm(own, 2) * radii[i]
        r += h * sum(np.linalg.norm(G[j], 2) * radii[j] for j in range(len(X)) if j != i)
        q = h**2 * np.sum((P[i] @ V @ m) ** 2)
        out.append(float(np.sqrt((r**2 + q * radii[i] ** 2) / (1 + q))))
    return out


@pytest.mark.parametrize("dim", [2, 3])
def test_spreads_are_those_of_the_bound_proved(dim: int) -> None:
    random = np.random.default_rng(dim)
    V, B = random.integers(-6, 7, (dim, dim)) / 4, random.integers(-6, 7, (dim, dim)) / 4
    X = random.normal(size=(4, dim))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    radii = np.array([1e-12, 3e-12, 0.5e-12, 2e-12])
    wanted = spread_by_definition(V, B, 1.5, 0.25, X, radii)
    with ctx.workprec(200):
        exact = [[[F(x) for x in row] for row in M.tolist()] for M in (V, B)]
        flow = _Flow(ball_matrix(exact[0]), ball_matrix(exact[1]), arb(1.5), arb(0.25))
        balls = [arb(float(radius)) for radius in radii]
        found = [float(x) for x in flow.spread(_widened([column(*x.tolist()) for x in X], balls), balls)]
    for value, true in zip(found, wanted, strict=True):
        assert true * (1 - 1e-6) <= value <= true * (1 + 1e-6) * (1 if dim == 2 else 3 ** (1 / 16))


def test_rounding_is_bounded_by_an_angle() -> None:
    """A vector within e of its midpoint is within the angle pi e of its direction."""
    with ctx.workprec(128):
        places, errors = _rounded([column(arb(0.6, 3e-4), arb(0.8, 4e-4)), column(arb(1), arb(0, 1e-3))])
        assert [[float(c) for c in x.entries()] for x in places] == [[0.6, 0.8], [1, 0]]
        assert all(c.rad() == 0 for x in places for c in x.entries())
        for error, e in zip(errors, (5e-4, 1e-3), strict=True):
            assert np.pi * e <= float(ends(error)[0]) <= float(ends(error)[1]) <= 4.0001 * e
