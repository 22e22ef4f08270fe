"""Tests of `exactformer.instances.array_families`: what is drawn, and that it is drawn the same for ever."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exactformer.conjectures.catalogue.clustering import DROPPED
from exactformer.conjectures.catalogue.conditions import are_distinct, are_nonzero
from exactformer.instances import array_families, generators
from exactformer.instances.array_families import drawn, has_arrays
from exactformer.instances.generators import TokenFamily
from exactformer.instances.number_stream import NumberStream
from exactformer.model.token_arrays import fitting
from exactformer.model.tokens import Tokens

PLAIN = TokenFamily()
RECORDED = "6e5c3833b29fd163"


def instances(family: TokenFamily, name: str, count: int) -> list[Tokens]:
    found: dict[int, Tokens] = {}
    for places, given in drawn(family, NumberStream(name, np.arange(count))):
        found |= {place: given.tokens(k) for k, place in enumerate(places.tolist())}
    assert sorted(found) == list(range(count))
    return [found[place] for place in range(count)]


def test_instances_have_the_sizes_dimensions_steps_and_tokens_of_the_family() -> None:
    family = TokenFamily(sizes=(1, 3, 5), dims=(1, 2, 3, 4), steps=(Fraction(2, 3), Fraction(5)))
    found = instances(family, "a", 600)
    assert {z.dim for z in found} == {1, 2, 3, 4}
    assert {z.alpha for z in found} == {Fraction(2, 3), Fraction(5)}
    assert {len(z) for z in found} == set(range(1, 8))
    assert all(are_distinct(z) and are_nonzero(z) and fitting(z) for z in found)


def test_an_instance_depends_on_its_index_alone() -> None:
    whole = instances(PLAIN, "b", 300)
    assert instances(PLAIN, "b", 40) == whole[:40]
    ((_, given),) = drawn(PLAIN, NumberStream("b", np.array([217])))
    assert given.tokens(0) == whole[217]
    assert instances(PLAIN, "c", 40) != whole[:40]


def test_the_instances_of_a_name_never_change() -> None:
    """Seeds of campaigns are remembered: whoever changes the draws has to change the names of the streams."""
    text = "\\n".join(str(z.json()) for z in instances(PLAIN, "lemma-3/0/0/independent", 400))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == RECORDED


@pytest.mark.parametrize("fill", array_families.SETS, ids=lambda fill: fill.__name__)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_every_set_has_about_as_many_points_as_asked(fill: array_families.Fill, d: int) -> None:
    n = np.repeat([2, 4, 8], 100)
    found = fill(NumberStream("d", np.arange(300)), n, d, 10)
    count = found.present.sum(axis=0)
    assert ((n <= count + 1) & (count <= n + 2)).all()
    assert (found.denominators > 0).all()
    assert len(np.unique(found.points[0, 0])) > 3


def test_points_of_a_circle_have_equal_norms_and_pairs_are_mirrored() -> None:
    n = np.full(200, 6)
    for d in (1, 2, 3):
        points = array_families.circle_points(NumberStream("e", np.arange(200)), n, d, 8).points
        norms = (points**2).sum(axis=0)
        assert (norms == norms[0]).all()
    pairs = array_families.mirror_pairs(NumberStream("e", np.arange(200)), n, 2, 8).points
    assert (pairs[0, :6:2] == -pairs[0, 1:6:2]).all()
    assert (pairs[1, :6:2] == pairs[1, 1:6:2]).all()
    assert (pairs[0, 6:] == 0).all()


def test_ties_and_near_ties_are_as_frequent_as_in_the_draws_of_single_instances() -> None:
    from random import Random

    def several(found: list[Tokens]) -> float:
        from exactformer.dynamics.plain_orbit import PlainOrbit

        return sum(any(len(C) > 1 for C in PlainOrbit(z)[0].follows) for z in found) / len(found)

    rng = Random(1)
    assert abs(several(instances(PLAIN, "f", 600)) - several([PLAIN(rng) for _ in range(600)])) < 0.1


def test_families_of_dropped_hypotheses_and_of_zero_are_drawn_as_such() -> None:
    for name, hypotheses, family in DROPPED[:3]:
        found = instances(family, name, 200)
        assert sum(all(h.holds_for(z) for h in hypotheses) for z in found) > 20
    assert all(not are_nonzero(z) and are_distinct(z) for z in instances(TokenFamily(zero=True), "g", 100))


def test_other_families_have_no_arrays() -> None:
    assert has_arrays(PLAIN)
    for other in (
        replace(PLAIN, repeats=True),
        replace(PLAIN, sizes=(15,)),
        replace(PLAIN, points=generators.grid),
        replace(PLAIN, matrices=lambda rng, d: None),
        lambda rng: PLAIN(rng),
    ):
        assert not has_arrays(other)
