"""What the proofs of the mean field are made of: spreads, projectors and leading pairs, each by its definition."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat, ctx

from exactformer.arithmetic.ball import ends
from exactformer.arithmetic.rational import identity
from exactformer.conjectures.instances.mean_field import MeanField
from exactformer.errors import InvalidInput
from exactformer.geometry.points import dot
from exactformer.studies.mean_field import counterexamples as facts
from exactformer.studies.mean_field import random_instances
from exactformer.studies.mean_field.enclosure import _balls, _Flow, _rounded, _widened, enclose
from exactformer.studies.mean_field.families import sample_system
from exactformer.studies.mean_field.lyapunov import _independent, _symmetric
from exactformer.studies.mean_field.no_dominant import NoDominant
from exactformer.studies.mean_field.spectrum import Dominant, dominant
from exactformer.studies.mean_field.zero_temperature import ZeroTemperature, limit_of_matrix

F = Fraction


def rows(*given: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(F, row)) for row in given)


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
        flow = _Flow(_balls(exact[0]), _balls(exact[1]), arb(1.5), arb(0.25))
        balls = [arb(float(radius)) for radius in radii]
        found = [float(x) for x in flow.spread(_widened([[arb(float(c)) for c in x] for x in X], balls), balls)]
    for value, true in zip(found, wanted, strict=True):
        assert true * (1 - 1e-6) <= value <= true * (1 + 1e-6) * (1 if dim == 2 else 3 ** (1 / 16))


def test_rounding_is_bounded_by_an_angle() -> None:
    """A vector within e of its midpoint is within the angle pi e of its direction."""
    with ctx.workprec(128):
        places, errors = _rounded([[arb(0.6, 3e-4), arb(0.8, 4e-4)], [arb(1), arb(0, 1e-3)]])
        assert [[float(c) for c in x] for x in places] == [[0.6, 0.8], [1, 0]]
        assert all(c.rad() == 0 for x in places for c in x)
        for error, e in zip(errors, (5e-4, 1e-3), strict=True):
            assert np.pi * e <= float(ends(error)[0]) <= float(ends(error)[1]) <= 4.0001 * e


@pytest.mark.parametrize(
    ("M", "dimension", "projector", "says"),
    [
        (((2, 0), (0, 1)), 1, ((1, 1), (0, 0)), "M Pi = Pi M"),
        (((2, 0), (0, 1)), 1, ((1, 0), (1, 0)), "M Pi = Pi M"),
        (((2, 0), (0, 1)), 1, ((2, 0), (0, 0)), "trace 1"),
        (((2, 0, 0), (0, 2, 0), (0, 0, 1)), 2, (("3/2", 0, 0), (0, "1/2", 0), (0, 0, 0)), r"Pi\^2 = Pi"),
        (((2, 0, 0), (0, 2, 0), (0, 0, 1)), 2, ((1, 0, 0), (0, 0, 0), (0, 0, 0)), "trace 2"),
        (((2, 0, 0), (0, 2, 0), (0, 0, 1)), 2, ((1, 0, 0), (0, 1, 0), (0, 0, 1)), "M Pi = Pi M"),
    ],
)
def test_a_projector_must_satisfy_each_of_its_equations(M: Any, dimension: int, projector: Any, says: str) -> None:
    found = dominant(M)
    assert isinstance(found, Dominant)
    assert found.dimension == dimension
    found.verify()
    with pytest.raises(InvalidInput, match=says):
        replace(found, coefficients=(rows(*projector),)).verify()


def test_leading_pairs_are_proved_by_what_they_say() -> None:
    """All but two eigenvalues lie below a bound near the pair, H > 0 above it, and N is the least exponent."""
    systems = [sample_system("random", dim=3, seed=seed) for seed in range(12)]
    near = rows((0, 0, "-3000300001/1000000000"), (1, 0, "49999/10000"), (0, 1, -1))  # a pair near 1 +- i/100
    seen = 0
    for instance in (*(MeanField(system.V, system.B) for system in systems), MeanField(near, identity(3))):
        found = facts.spectrum(instance)
        if not isinstance(found, NoDominant) or not found.is_simple_pair:
            continue
        seen += 1
        pair = facts.leading_pair(found)
        real, turn = float(found.roots[0][0]), abs(float(found.roots[0][1]))
        M = np.array([[float(x) for x in row] for row in facts.matrix(instance)])
        others = sorted(np.linalg.eigvals(M).real)[0]
        bound = float(pair.below.bound)
        assert others < bound < real
        assert real - bound <= min((real - others) / 2, turn / 2) * (1 + 1e-9)
        assert 0.9 * turn <= float(pair.scale) <= 1.1 * turn
        assert dot(pair.above, [dot(row, pair.above) for row in pair.below.form]) > 0
        assert pair.polynomial[-1] == 1
        assert np.polyval([float(c) for c in reversed(pair.polynomial)], others) == pytest.approx(0, abs=1e-6)
        signs = []
        for exponent in (pair.exponent - 1, pair.exponent):
            p = np.polynomial.Polynomial([float(c) for c in pair.polynomial])(
                np.polynomial.Polynomial([bound, float(pair.scale)])
            )
            signs.append((p * np.polynomial.Polynomial([1, 1]) ** max(0, exponent)).coef.min() > 0)
        assert signs[1]
        assert pair.exponent == 0 or not signs[0]
    assert seen > 1


def test_instances_with_some_symmetry_are_nearer_to_a_counterexample() -> None:
    """One reflection keeps (1,1), (1,-1), (1,0), but not the eigenspace of V turned; none keeps (1,2)."""
    tall, one = rows((2, 0), (0, 1)), rows((1, 0), (0, 1))
    near = facts.ends_at_the_values(MeanField(tall, one, rows((1, 1), (1, -1), (1, 0))))
    far = facts.ends_at_the_values(MeanField(tall, one, rows((1, 2))))
    assert [(found.outcome, found.nearness) for found in (near, far)] == [("true", 0.5), ("true", 0.1)]


def test_random_systems_have_entries_of_all_sizes() -> None:
    systems = [sample_system("random", dim=4, seed=seed) for seed in range(20)]
    entries = [x for system in systems for row in system.V for x in row]
    assert {x.denominator for x in entries} == {1, 2, 3, 4}
    assert (min(entries), max(entries)) == (-9, 9)
    above = {x for system in systems for i, row in enumerate(system.B) for j, x in enumerate(row) if j > i}
    assert (min(above), max(above)) == (-9, 9)


def test_the_upper_half_of_a_form_is_reflected() -> None:
    assert _symmetric(rows((1, 2, 3), (4, 5, 6), (7, 8, 9))) == rows((1, 2, 3), (2, 5, 6), (3, 6, 9))


def test_the_rows_that_tell_a_space_are_the_longest_remainders_first() -> None:
    """(0, 3, 0) and then (2, 1, 1), of which (2, 0, 1) remains; (1, 9, 0)/9 would leave less."""
    with ctx.workprec(128):
        Pi = arb_mat([[arb(2), arb(1), arb(1)], [arb(0), arb(3), arb(0)], [arb(1), arb(2), arb(0)]])
        assert _independent(Pi, 2) == [1, 0]
        assert _independent(Pi, 3) == [1, 0, 2]
        assert _independent(Pi, 1) == [1]


def test_tokens_with_a_kernel_are_sums_of_some_columns() -> None:
    for seed in range(12):
        rng = Random(seed)
        M, S, dim = random_instances._matrix(rng, rng.choice(("line", "plane")))
        wanted = []
        for _ in range(rng.randint(1, 4)):
            chosen = rng.sample(range(dim), rng.randint(1, dim))
            wanted.append(tuple(dot(row, [F(int(j in chosen)) for j in range(dim)]) for row in S))
        found = random_instances.with_kernel(Random(seed))
        assert found.tokens == tuple(wanted)
        assert facts.matrix(found) == M


@pytest.mark.parametrize("bits", [64, 128, 300])
def test_limits_are_enclosed_with_the_bits_asked_for(bits: int) -> None:
    found = limit_of_matrix(rows((1, 1), (1, 0)))
    assert isinstance(found, ZeroTemperature)
    for ball in found.T([3, 4], bits=bits):
        low, high = ends(ball.arb)
        assert F(1, 2 ** (bits + 10)) < high - low < F(1, 2 ** (bits - 10))


def test_random_instances_have_the_matrix_they_were_made_of() -> None:
    for seed in range(12):
        M, _, dim = random_instances._matrix(Random(seed), "line")
        found = random_instances.cones(Random(seed))
        assert facts.matrix(found) == M
        assert tuple(tuple(found.V[0][0] * (i == j) for j in range(dim)) for i in range(dim)) == found.V
        rng = Random(seed)
        M, _, _ = random_instances._matrix(rng, rng.choice(random_instances.KINDS))
        assert facts.matrix(random_instances.with_spectrum(Random(seed))) == M


def test_rounding_widens_the_balls_of_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tokens that come together: radii fall, but not below what 32 bits leave open."""
    system, tokens = sample_system("metastable"), [[3, 4], [1, 2]]
    fine = enclose(system, tokens, beta=2, step=F(1, 4), steps=60)
    monkeypatch.setattr("exactformer.studies.mean_field.enclosure.GUARD", -96)
    coarse = enclose(system, tokens, beta=2, step=F(1, 4), steps=60)
    for wide, thin in zip(coarse.tokens, fine.tokens, strict=True):
        for balls, others in zip(wide, thin, strict=True):
            assert all(ball.arb.overlaps(other.arb) for ball, other in zip(balls, others, strict=True))
    assert all(radius > F(1, 2**33) for radius in coarse.radii)
    assert fine.radii[-1] < fine.radii[0]
