"""Tests of `exactformer.instances.late_layers`."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from exactformer.dynamics.late_layer import late_layers
from exactformer.instances.late_layers import STEPS, LateLayers


def test_nearly_all_draws_look_late_and_have_the_ties_they_are_made_for() -> None:
    late = self_tied = again = mixed = changed = 0
    for seed in range(200):
        layers = late_layers(LateLayers(twice=True)(Random(seed)))
        if layers is None:
            continue
        now, then = layers
        late += 1
        self_tied += now.ties_with_itself(now.largest)
        again += now.ties_with_itself(now.largest) and then.ties_with_itself(then.largest)
        mixed += any(now.outside(i) and now.inside(i) not in ([], [i]) for i in now.cluster)
        changed += now.largest != then.largest
    assert late > 190
    assert self_tied > 120
    assert again > 5
    assert mixed > 3


def test_dimensions_and_steps_are_those_asked_for() -> None:
    drawn = [LateLayers((Fraction(3),))(Random(seed)) for seed in range(30)]
    assert {tokens.alpha for tokens in drawn} == {Fraction(3)}
    assert {tokens.dim for tokens in drawn} == {3, 4, 5}
    assert {LateLayers()(Random(seed)).alpha for seed in range(150)} == set(STEPS)
