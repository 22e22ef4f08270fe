"""Tests of `exactformer.instances.datasets`."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from exactformer.conjectures.catalogue.interpolation import feasible_data, violated_condition
from exactformer.errors import NotExact
from exactformer.instances.datasets import DatasetKind, any_data, dataset_of_pairs, pairs_of
from exactformer.model.dataset import Dataset

F = Fraction


def test_simplifications_of_data_leave_out_sequences_coordinates_points_and_targets() -> None:
    a, b, c = (F(1), F(0)), (F(0), F(2)), (F(3), F(3))
    pairs = (((a, b), (c,)), ((b,), (a, c)))
    found = [pairs_of(data) for data in DatasetKind().simpler(dataset_of_pairs(pairs))]
    assert found[:2] == [pairs[1:], pairs[:1]]
    assert found[2] == ((((F(0),), (F(2),)), ((F(3),),)), (((F(2),),), ((F(0),), (F(3),))))
    assert (((b,), (c,)), pairs[1]) in found
    assert (((a,), (c,)),) in found
    assert (pairs[0], ((b,), (c,))) in found
    assert found[-1] == (((b,), (a, c)), ((b, a), (c,)))
    assert all(x and y for other in found for x, y in other)


def test_variations_of_data_change_one_point_wherever_it_occurs_or_one_sequence() -> None:
    rng, kind = Random(7), DatasetKind()
    a, b, c = (F(1), F(0)), (F(0), F(2)), (F(3), F(3))
    pairs = (((a, b), (c,)), ((b, a), (a, c)))
    lengths = set()
    for _ in range(80):
        other = pairs_of(kind.varied(dataset_of_pairs(pairs), rng))
        lengths.add(tuple(len(x) for x, _ in other))
        if [len(x) for x, _ in other] == [2, 2]:
            assert other[0][0] == other[1][0][::-1]
    assert lengths == {(2,), (2, 2), (1, 2), (2, 1), (3, 2), (2, 3)}


def test_feasible_data_are_feasible_and_any_data_are_not_always() -> None:
    rng = Random(7)
    several = [pairs for pairs in (pairs_of(feasible_data(rng)) for _ in range(60)) if len(pairs) > 1]
    assert len(several) > 20
    assert all(violated_condition(pairs) is None for pairs in several)
    kinds = {(violated_condition(pairs_of(any_data(rng))) or ("none",))[0] for _ in range(100)}
    assert kinds == {"none", "measure", "targets"}


def test_instances_are_rational() -> None:
    assert pairs_of(Dataset.of([[["1/2"]]], targets=[[2]])) == ((((F(1, 2),),), ((F(2),),)),)
    with pytest.raises(NotExact, match="rational"):
        pairs_of(Dataset.of([[["sqrt(2)"]]], targets=[[2]]))
