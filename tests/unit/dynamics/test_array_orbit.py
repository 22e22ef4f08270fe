"""Tests of `exactformer.dynamics.array_orbit`: whatever is alive agrees with the definition, layer by layer."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from kits.array_instances import adversarial, in_arrays, named

from exactformer.dynamics.array_orbit import ArrayOrbit
from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.model.token_arrays import TokenArrays
from exactformer.model.tokens import Tokens


def compared(instances: list[Tokens], layers: int) -> tuple[int, int]:
    """Compares sets, leaders, resting tokens, floats and residues with the definition; (layers compared, given up)."""
    seen = lost = 0
    for group, given in in_arrays(instances):
        plain, orbit = [PlainOrbit(tokens) for tokens in group], ArrayOrbit(given)
        for k in range(layers + 1):
            for column in np.flatnonzero(orbit.layer.alive).tolist():
                agrees(orbit, column, plain[orbit.index[column]], k)
                seen += 1
            if k < layers:
                orbit.step()
        lost += len(group) - int(orbit.layer.alive.sum())
    return seen, lost


def agrees(orbit: ArrayOrbit, column: int, plain: PlainOrbit, k: int) -> None:
    layer, true = orbit.layer, plain[k]
    unit = plain[0].denominator
    follows = [tuple(np.flatnonzero(row).tolist()) for row in layer.sets[:, :, column]]
    assert follows == true.follows, (plain.tokens, k)
    assert np.flatnonzero(layer.leads[:, column]).tolist() == true.leaders
    for i, members in enumerate(follows):
        point, mean = true.point(i), [sum(x) / len(members) for x in zip(*map(true.point, members), strict=True)]
        assert not layer.rests[i, column] or mean == list(point)
        assert not layer.still[i, column] or point == plain[0].point(i)
        multiple = int(layer.multiple[i, column])
        for c, x in enumerate(point):
            assert abs(Fraction(float(layer.values[c, i, column])) - x * unit) <= Fraction(
                float(layer.error[i, column])
            )
            whole = x * unit * plain.share.denominator**k * multiple
            assert whole.denominator == 1
            assert int(whole) % 2**64 == int(layer.residues[c, i, column])


def test_named_families_agree_with_the_definition() -> None:
    seen, lost = compared(named(6), 12)
    assert seen > 600
    assert lost < 20


def test_adversarial_instances_agree_with_the_definition() -> None:
    rng = Random(2)
    seen, lost = compared([adversarial(rng) for _ in range(120)], 20)
    assert seen > 1500
    assert lost > 5  # numbers that are too large, ties that outgrow 64 bits


def test_scores_that_float64_does_not_hold_are_given_up() -> None:
    """At 2^26 the squares reach 2^52."""
    alive = ArrayOrbit(TokenArrays.of([Tokens([[2**26 - 1]]), Tokens([[2**26]])])).index
    assert alive.tolist() == [0]


@pytest.mark.parametrize(("power", "tie"), [(1.0, True), (2.0**31, True), (2.0**31.5, False), (2.0**40, False)])
def test_equal_residues_are_a_tie_only_below_the_modulus(power: float, tie: bool) -> None:
    """With reach 1/2 the difference of two candidates is below power^2: it has to be below 2^63."""
    orbit = ArrayOrbit(TokenArrays.of([Tokens([[2], [1]])]))
    orbit.step()
    layer = orbit.layer
    layer.residues[0, 1] = layer.residues[0, 0]
    layer.sets[1], layer.count[1], layer.still[:] = True, 2, False
    layer.power[:], layer.reach[:] = power, 0.5
    assert orbit._are_ties(layer, np.array([1]), np.array([0])).tolist() == [tie]
    layer.residues[0, 1] += np.uint64(1)
    assert not orbit._are_ties(layer, np.array([1]), np.array([0])).any()


@pytest.mark.parametrize(("power", "mean"), [(1.0, True), (2.0**60, True), (2.0**64, False)])
def test_equal_residues_make_a_mean_only_below_the_modulus(power: float, mean: bool) -> None:
    orbit = ArrayOrbit(TokenArrays.of([Tokens([[1], [2], [3]])]))
    layer = orbit.layer
    layer.sets[1], layer.count[1], layer.still[:], layer.error[:] = True, 3, False, 0.25
    layer.power[:] = power
    assert orbit._are_means(layer, np.array([1]), np.array([0])).tolist() == [mean]
    layer.residues[0, 2] += np.uint64(1)
    assert not orbit._are_means(layer, np.array([1]), np.array([0])).any()


def test_fast_steps_agree_with_the_definition_for_as_long_as_they_answer() -> None:
    """Denominators are powers of 2, so that residues vanish as soon as a difference is a multiple of 2^64."""
    rng = Random(4)
    instances = []
    for bits in range(1, 30):
        for n in (2, 3, 4):
            rows = [[rng.randint(-9, 9), rng.randint(1, 9)] for _ in range(n)]
            instances.append(Tokens(rows, alpha=Fraction(2**bits - rng.choice((1, 1, 3)) or 1)))
    seen, lost = compared(instances, 14)
    assert seen > 500
    assert lost > 40


def test_sets_are_locked_for_members_that_are_what_they_were() -> None:
    """Equal heights in floats prove nothing for members that have moved."""
    orbit = ArrayOrbit(TokenArrays.of([Tokens([[1, 1], [-1, 1], [0, "1/2"]])]))
    assert orbit._maximise_together(np.array([0]))[2].tolist() == [True]
    orbit.layer.still[:] = False
    assert orbit._maximise_together(np.array([0]))[2].tolist() == [False]


def test_locked_sets_outlast_the_precision_of_floats() -> None:
    """After 40 layers the second token is 4^-40 from the first, a tie in floats; its set was locked at layer 0."""
    orbit = ArrayOrbit(TokenArrays.of([Tokens([[2], [1]], alpha=3)]))
    for _ in range(40):
        orbit.lock()
        orbit.step()
    assert orbit.layer.values[0, :, 0].tolist() == [2.0, 2.0]
    assert orbit.layer.sets[1, :, 0].tolist() == [True, False]


def test_locked_sets_never_change() -> None:
    rng = Random(6)
    locked = 0
    for group, given in in_arrays(named(3) + [adversarial(rng) for _ in range(80)]):
        plain, orbit = [PlainOrbit(tokens) for tokens in group], ArrayOrbit(given)
        for k in range(4):
            orbit.lock()
            for i, column in np.argwhere(orbit.layer.locked & orbit.layer.alive).tolist():
                true = plain[orbit.index[column]]
                assert len({true[later].follows[i] for later in range(k, 16)}) == 1
                locked += 1
            orbit.step()
    assert locked > 500


def test_the_update_is_recognised() -> None:
    rng = Random(3)
    for _, given in in_arrays([adversarial(rng) for _ in range(60)]):
        orbit = ArrayOrbit(given)
        before = orbit.layer
        orbit.step()
        assert orbit.is_update_of(before).all()
        moving = ~before.rests.all(axis=0)
        orbit.layer.residues[0, 0] += np.uint64(1)
        assert not orbit.is_update_of(before)[moving].any()


def test_columns_that_are_left_out_are_gone() -> None:
    given = TokenArrays.of([Tokens([[1], [k]]) for k in range(2, 6)])
    orbit = ArrayOrbit(given)
    orbit.keep(np.array([True, False, True, False]))
    orbit.step()
    assert orbit.index.tolist() == [0, 2]
    assert orbit.layer.values[0, 1].tolist() == [2.0, 4.0]
