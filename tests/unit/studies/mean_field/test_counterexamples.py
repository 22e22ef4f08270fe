"""Tests of `exactformer.studies.mean_field.counterexamples`."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactformer.instances.mean_field import MeanField
from exactformer.studies.mean_field import counterexamples as facts
from exactformer.studies.mean_field import random_instances

F = Fraction


def rows(*given: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(F, row)) for row in given)


# hypotheses and statements ----------------------------------------------------------------------------
def field(V: Any, B: Any = ((1, 0), (0, 1)), tokens: Any = (), **more: Any) -> MeanField:
    return MeanField(rows(*V), rows(*B), rows(*tokens), **more)


TALL, TURN, BLOCK = ((2, 0), (0, 1)), ((0, -1), (1, 0)), ((1, 1), (0, 1))


def test_two_equal_pairs_that_lead_are_not_one() -> None:
    pair = ((0, -1, 0, 0), (1, 0, 0, 0), (0, 0, 0, -1), (0, 0, 1, 0))
    apart = ((0, -1, 0, 0), (1, 0, 0, 0), (0, 0, -3, -1), (0, 0, 1, -3))
    identity = [[int(i == j) for j in range(4)] for i in range(4)]
    assert facts.converges(field(pair, identity)).outcome == "undecided"
    assert facts.converges(field(apart, identity)).outcome == "false"


@pytest.mark.parametrize(("V", "B", "symmetric"), [(TALL, TALL, True), (TALL, BLOCK, False), (BLOCK, TALL, False)])
def test_a_reflection_must_commute_with_both_matrices(V: Any, B: Any, symmetric: bool) -> None:
    z = field(V, B, [(1, 1), (-1, 1), (0, 2)])
    assert facts._symmetric(z, (-1, 1)) == (2 if symmetric else None)
    assert facts._symmetric(field(V, B, [(1, 1), (0, 2)]), (-1, 1)) is None
    assert facts._symmetric(field(V, B, [(1, 1), (-1, 1)]), (-1, 1)) is None
    assert facts._symmetric(field(V, B, [(1, 1), (1, 1), (-1, 1), (0, 2)]), (-1, 1)) is None


def test_reflections_are_all_but_the_identity_and_its_negative() -> None:
    assert sorted(facts._reflections(2)) == [(-1, 1), (1, -1)]
    assert len(list(facts._reflections(3))) == 6


@pytest.mark.parametrize("constant", ["1/10", "1/2", "7/10", 1, 5])
def test_the_decay_at_which_the_gap_is_no_rate(constant: Any) -> None:
    found = facts.gap_is_the_rate(field(TALL, constant=F(constant)))
    a, C = found.witness["decay"], F(constant)
    assert 0 < a <= F(1, 2)
    assert F(37, 100) * (a - a**3 / 3) > C * C * a * a


def test_how_near_instances_come_to_a_pair_or_a_block() -> None:
    """A defective eigenvalue is nearer to a complex pair than a semisimple one, and the other way round."""
    found = [
        [f(field(V)).nearness for V in (TALL, BLOCK, TURN)] for f in (facts.converges, facts.converges_exponentially)
    ]
    assert found == [[0.1, 0.5, 1.0], [0.1, 1.0, 0.5]]


def test_bounds_of_gaps_are_never_below() -> None:
    for a, b in ((1, 1), (7, 3), (100, 1), (1, 50), (3, 2), (0, 0)):
        V = rows((a, b), (b, 0))
        gap = facts.gap_above(V)
        assert gap > 0
        assert gap**2 >= a * a + 4 * b * b
        assert gap <= math.sqrt(a * a + 4 * b * b) + 1 / 400


def test_mirrored_instances_are_diagonal_but_for_one_entry_and_mostly_symmetric() -> None:
    rng = Random(10)
    drawn = [random_instances.mirrored(rng) for _ in range(200)]
    off = [{(i, j): x for i, row in enumerate(z.V) for j, x in enumerate(row) if x and i != j} for z in drawn]
    assert all(told in ({}, {(0, 1): 1}) for told in off)
    assert 30 < sum(map(bool, off)) < 90
    assert all(x > 0 if i == j else x == 0 for z in drawn for i, row in enumerate(z.B) for j, x in enumerate(row))
    assert {z.dim for z in drawn} == {2, 3}
    closed = [
        any(
            {tuple(s * x for s, x in zip(signs, t, strict=True)) for t in z.tokens} == set(z.tokens)
            for signs in facts._reflections(z.dim)
        )
        for z in drawn
    ]
    assert sum(closed) > 120
    assert all(list(z.tokens) == sorted(z.tokens) and all(map(any, z.tokens)) for z in drawn)
