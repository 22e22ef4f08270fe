"""Tests of `exactformer.conjectures.catalogue`."""

from __future__ import annotations

from random import Random

import pytest

from exactformer.conjectures.catalogue import catalogue

#: statements whose generators also draw instances outside the hypotheses
SOME_OUTSIDE = {
    "closed-form-on-cells",
    "exponentially-fast",
    "frank-wolfe-negative",
    "frank-wolfe-negative-repaired",
    "leader-by-layer-n-duplicates",
    "leader-by-layer-n-indefinite",
    "leader-by-layer-n-without-symmetry",
    "leader-duplicates",
    "leader-indefinite",
    "leader-without-symmetry",
    "meanfield-cone-support",
    "meanfield-limit",
    "meanfield-mass-near-kernel",
    "meanfield-symmetric-data",
    "meanfield-w2-rate-is-gap",
    "one-block-suffices",
}


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_generators_of_statements_draw_within_the_hypotheses(name: str) -> None:
    rng, statement = Random(6), catalogue()[name]
    inside = [statement.violated(statement.generate(rng)) is None for _ in range(24)]
    assert all(inside) or (name in SOME_OUTSIDE and sum(inside) >= 2)
