"""Tests of `exactformer.conjectures.proved_limit`."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactformer.conjectures.catalogue import late_leaders
from exactformer.conjectures.catalogue.leaders import SLOW
from exactformer.conjectures.proved_limit import _end, _in_stages, _lock, _ties_with_itself, fate
from exactformer.dynamics.closed_form import ClosedForm, constant
from exactformer.dynamics.limits import limit
from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.dynamics.stages import Stage
from exactformer.instances.generators import TokenFamily
from exactformer.instances.self_ties import SelfTies
from exactformer.model.tokens import Tokens

F = Fraction


LATE = TokenFamily(sizes=(4, 5, 6), dims=(2, 2), steps=SLOW[1:4])


#: layers after which nothing happens to the instances here
END = 30


def by_definition(tokens: Tokens) -> tuple[dict[int, int], tuple[int, ...], int | None]:
    """(first layer of every leader, layers at which a C_i changes, last self-tie) of the layers 0..END."""
    orbit = PlainOrbit(tokens)
    leads = {i: k for i in range(len(tokens)) for k in range(END, -1, -1) if orbit[k].follows[i] == (i,)}
    changes = tuple(k for k in range(1, END + 1) if orbit[k].follows != orbit[k - 1].follows)
    last = None
    for k in range(END + 1):
        for i, C in enumerate(orbit[k].follows):
            mean = tuple(sum(column) / len(C) for column in zip(*(orbit[k].point(j) for j in C), strict=True))
            if i in C and len(C) >= 3 and mean != orbit[k].point(i):
                last = k
    return leads, changes, last


@pytest.mark.parametrize("seed", [487, 517, 589, 765, 892])
def test_late_leaders_are_found_from_every_layer_on(seed: int) -> None:
    tokens = LATE(Random(seed))
    leads, changes, tie = by_definition(tokens)
    assert len(changes) > 1
    assert max(leads.values()) > changes[0]
    points = limit(tokens).points
    for last in (0, changes[0], changes[-1] - 1, END):
        found = _in_stages(PlainOrbit(tokens), last)
        assert (found.leads_from, found.changes, found.self_tie) == (leads, changes, tie)
        assert list(found.limits) == points
    whole = fate(tokens)
    assert (whole.leads_from, whole.changes, whole.self_tie) == (leads, changes, tie)


@pytest.mark.parametrize("seed", [57, 939, 1546])
def test_of_several_self_ties_the_last_counts_from_every_layer_on(seed: int) -> None:
    tokens = SelfTies()(Random(seed))
    leads, changes, tie = by_definition(tokens)
    assert tie == 1
    for last in (0, 1, 2, 5):
        found = _in_stages(PlainOrbit(tokens), last)
        assert (found.leads_from, found.changes, found.self_tie) == (leads, changes, tie)
    assert fate(tokens).self_tie == 1


@pytest.mark.parametrize(
    ("sets", "moves", "ties"),
    [
        (((0, 1, 2), (1,), (2,)), True, True),
        (((0, 1, 2), (1,), (2,)), False, False),
        (((0, 1), (1,), (2,)), True, False),
        (((1, 2), (1,), (2,)), True, False),
    ],
)
def test_a_self_tie_in_stages_needs_two_others_and_a_token_that_moves(sets: Any, moves: bool, ties: bool) -> None:
    first = ClosedForm.of({(F(1), 0): (F(1),), **({(F(1, 2), 0): (F(3),)} if moves else {})}, 1)
    forms = (first, constant((F(2),)), constant((F(0),)))
    assert _ties_with_itself(Stage(0, (0, 1, 2), sets, forms, {})) == ties


def test_a_stage_ends_the_layer_before_the_next_one_begins() -> None:
    stages = limit(late_leaders.late_leader(F(1, 50), F(1, 3), F(2))).stages
    assert len(stages.stages) > 1
    for s, stage in enumerate(stages.stages):
        served = [k for k in range(60) if stages.stage_at(k) is stage]
        assert (served[0], min(_end(stages, s), 59)) == (stage.time, served[-1])


def test_leaders_that_tie_among_themselves_but_are_not_best_for_their_mean_lock_nobody() -> None:
    """z = (1, 0, 1/2) follows p and q = (2, +-2, 0) at first; their mean (2, 0, 0) sees r = (3, 0, -3), and z ends there."""
    tokens = Tokens([[2, 2, 0], [2, -2, 0], [3, 0, -3], [1, 0, "1/2"]])
    first = PlainOrbit(tokens)[0]
    assert first.follows == [(0,), (1,), (2,), (0, 1)]
    assert not _lock(first, (0, 1))
    assert [_lock(first, (i,)) for i in range(4)] == [True, True, True, False]
    end = fate(tokens)
    assert end.limits[3] == (3, 0, -3)
    assert (end.changes, list(end.limits)) == ((1,), limit(tokens).points)
    farther = Tokens([[2, 2, 0], [2, -2, 0], [2, 0, -3], [1, 0, "1/2"]])  # there r is as good as both
    assert PlainOrbit(farther)[0].follows[3] == (0, 1)
    assert _lock(PlainOrbit(farther)[0], (0, 1))
    assert fate(farther).limits[3] == (2, 0, 0)
    assert list(fate(farther).limits) == limit(farther).points
