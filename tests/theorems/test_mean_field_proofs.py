"""What the proofs of the mean field are made of: spreads, projectors and leading pairs, each by its definition."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.ball import ends
from exactformer.arithmetic.rational import identity
from exactformer.errors import InvalidInput
from exactformer.geometry.points import dot
from exactformer.instances.mean_field import MeanField
from exactformer.studies.mean_field import counterexamples as facts
from exactformer.studies.mean_field.enclosure import enclose
from exactformer.studies.mean_field.families import sample_system
from exactformer.studies.mean_field.no_dominant import NoDominant
from exactformer.studies.mean_field.spectrum import Dominant, dominant
from exactformer.studies.mean_field.zero_temperature import ZeroTemperature, limit_of_matrix

F = Fraction


def rows(*given: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(F, row)) for row in given)


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
        M = np.array([[float(x) for x in row] for row in facts.value_matrix(instance)])
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


@pytest.mark.parametrize("bits", [64, 128, 300])
def test_limits_are_enclosed_with_the_bits_asked_for(bits: int) -> None:
    found = limit_of_matrix(rows((1, 1), (1, 0)))
    assert isinstance(found, ZeroTemperature)
    for ball in found.T([3, 4], bits=bits):
        low, high = ends(ball.arb)
        assert F(1, 2 ** (bits + 10)) < high - low < F(1, 2 ** (bits - 10))


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
