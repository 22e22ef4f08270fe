"""Tests of `exactformer.conjectures.catalogue.frank_wolfe`."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from exactformer.arithmetic.rational import identity
from exactformer.conjectures.catalogue import frank_wolfe
from exactformer.geometry.linear_algebra import positive_definite
from exactformer.instances.frank_wolfe import FrankWolfe, cell_family, equal_norm_family

F = Fraction


@pytest.mark.parametrize("step", [None, (F(1, 2), F(1, 3)), (F(2, 3), F(1, 2))])
def test_the_closed_form_holds_with_steps_that_change(step: tuple[Fraction, Fraction] | None) -> None:
    B = ((F(1), F(0)), (F(0), F(1)))
    tokens = tuple(tuple(map(F, z)) for z in ((4, 0), (0, 4), (-4, -4), (1, 0), (-1, -1), (0, 2)))
    found = frank_wolfe.closed_form_holds(FrankWolfe(B, tokens, 4, step))
    assert (found.outcome, found.witness, found.nearness) == ("true", {}, 0.5)


def test_families_of_frank_wolfe() -> None:
    rng = Random(10)
    equal = [equal_norm_family(rng) for _ in range(16)]
    for walk in equal:
        assert frank_wolfe.DEFINITE.holds_for(walk)
        assert walk.step is None
        assert walk.layers == 1
    assert all(frank_wolfe.EQUAL_NORMS.holds_for(walk) for walk in equal)
    assert {identity(len(walk.B)) == walk.B for walk in equal} == {True, False}
    cells = [cell_family(rng) for _ in range(80)]
    steps = {walk.step for walk in cells}
    assert {c for c, _ in steps if c} == {F(1, k) for k in (2, 3, 4, 5)}  # type: ignore[misc]
    assert {q for _, q in steps} == {F(1), *(F(k, 5) for k in (1, 2, 3, 4))}  # type: ignore[misc]
    assert {walk.layers for walk in cells} == {4, 8}
    assert all(positive_definite(walk.B) for walk in cells)
    assert any(frank_wolfe.GENERIC.holds_for(walk) for walk in cells[:20])
    negative = [frank_wolfe.negative_family((2, 5))(rng) for _ in range(60)]
    assert {walk.layers for walk in negative} == {2, 5}
    assert all(walk.step is None and frank_wolfe.SEMIDEFINITE.holds_for(walk) for walk in negative)
    assert {frank_wolfe.ZERO_FIRST.holds_for(walk) for walk in negative[:20]} == {True, False}
