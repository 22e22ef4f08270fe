"""Nearness, sizes and generated data of conjectures, number by number against their definitions."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from exactformer.conjectures.catalogue import frank_wolfe, interpolation, late_leaders, leaders
from exactformer.conjectures.generators import small_integers
from exactformer.conjectures.instances import kind_of
from exactformer.conjectures.instances.datasets import pairs_of
from exactformer.conjectures.instances.frank_wolfe import FrankWolfe
from exactformer.conjectures.proved_fate import Fate
from exactformer.conjectures.strategies import coordinates
from exactformer.geometry.points import dot
from exactformer.model.tokens import Tokens

F = Fraction


def test_the_race_of_a_token_that_is_left_behind_by_vectors() -> None:
    rng, kinds = Random(7), set()
    for _ in range(400):
        zi, zj, zl = small_integers(rng, 3, 2)
        s: Any = [[int(dot(x, y)) for y in (zi, zj, zl)] for x in (zi, zj, zl)]
        to_j, to_l = ([b - a for a, b in zip(*pair, strict=True)] for pair in ((zi, zj), (zj, zl)))
        from_l = [a - b for a, b in zip(zi, zl, strict=True)]
        g, h = dot(zi, to_j), dot(zi, from_l)
        if g <= 0 or h <= 0:
            continue
        dg = dot(to_j, to_j) + dot(zi, [a - b for a, b in zip(to_l, to_j, strict=True)])
        dh = dot(to_j, from_l) + dot(zi, to_j)
        kinds.add((dg >= 0, dh >= 0))
        if dg >= 0:
            wanted = F(1, 5) / (1 + F(dg) / F(g + h))
        else:
            wanted = F(1, 5) + F(4, 5) * (1 if dh >= 0 else 1 - F(g * dh) / F(g * dh + h * dg))
        assert leaders._race(s, 0, 1, 2) == pytest.approx(float(wanted))
    assert len(kinds) >= 3


@pytest.mark.parametrize("step", [None, (F(1, 2), F(1, 3)), (F(2, 3), F(1, 2))])
def test_the_closed_form_holds_with_steps_that_change(step: tuple[Fraction, Fraction] | None) -> None:
    B = ((F(1), F(0)), (F(0), F(1)))
    tokens = tuple(tuple(map(F, z)) for z in ((4, 0), (0, 4), (-4, -4), (1, 0), (-1, -1), (0, 2)))
    found = frank_wolfe.closed_form_holds(FrankWolfe(B, tokens, 4, step))
    assert (found.outcome, found.witness, found.nearness) == ("true", {}, 0.5)


def test_fewer_leaders_than_vertices_are_the_nearer_the_more_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = Tokens([[1, 1], [1, -1], [-1, 1], [-1, -1], ["1/2", 0]])
    for leads in ({0: 3}, {0: 0, 4: 2}, {0: 0, 1: 0, 4: 2}):
        monkeypatch.setattr(late_leaders, "fate", lambda other, leads=leads: Fate(leads, [], ()))
        found = late_leaders.leaders_are_few(tokens)
        assert (found.outcome, found.nearness) == ("true", len(leads) / 5)


def test_feasible_data_keep_the_first_of_sequences_that_exclude_each_other() -> None:
    shorter = 0
    for seed in range(60):
        drawn, kept = pairs_of(interpolation.any_data(Random(seed))), list[Any]()
        for pair in drawn:
            if interpolation.violated_condition((*kept, pair)) is None:
                kept.append(pair)
        if kept:
            found = pairs_of(interpolation.feasible_data(Random(seed)))
            assert list(found) == kept
            shorter += len(kept) < len(drawn)
    assert shorter > 5


def test_the_identity_and_the_step_one_cost_nothing() -> None:
    plain = Tokens([[3, 0]])
    assert kind_of(plain).size(plain) == (1, 2, 4, 10)
    other = Tokens([[3, 0]], [[2, 1], [1, 2]], "1/2")
    assert kind_of(other).size(other) == (1, 2, 4 + 4 * 2 + 9, 5 + 4 * 2 + 3)


@settings(max_examples=150, derandomize=True, deadline=None, database=None)
@given(coordinates())
def test_coordinates_have_denominators_up_to_twelve(x: Fraction) -> None:
    assert x.denominator <= 12
    assert abs(x) <= 60
