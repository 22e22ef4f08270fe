"""Tests of `exactformer.conjectures.catalogue.late_leaders`."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from exactformer.conjectures.catalogue import late_leaders
from exactformer.conjectures.proved_limit import Fate
from exactformer.model.tokens import Tokens

F = Fraction


def test_fewer_leaders_than_vertices_are_the_nearer_the_more_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = Tokens([[1, 1], [1, -1], [-1, 1], [-1, -1], ["1/2", 0]])
    for leads in ({0: 3}, {0: 0, 4: 2}, {0: 0, 1: 0, 4: 2}):
        monkeypatch.setattr(late_leaders, "fate", lambda other, leads=leads: Fate(leads, [], ()))
        found = late_leaders.leaders_are_few(tokens)
        assert (found.outcome, found.nearness) == ("true", len(leads) / 5)


def rows(*points: tuple[int | str, ...]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(F(x) for x in point) for point in points)


def test_members_of_the_late_family_are_told_from_others() -> None:
    e, h = F(1, 7), F(1, 3)
    numbers = late_leaders._numbers
    inside = late_leaders.late_leader(e, h, F(2))
    assert inside.state.rows() == list(rows((1, 1), (-1, 1), ("5/7", "8/7"), ("-5/7", "8/7"), (0, "1/3")))
    assert (inside.alpha, numbers(inside)) == (2, (e, h))
    for other_e, other_h in ((F(0), h), (F(1, 5), h), (F(1, 4), h), (e, F(0)), (e, F(1))):
        assert numbers(late_leaders.late_leader(other_e, other_h, F(1))) is None, (other_e, other_h)
    points = inside.state.rows()
    assert numbers(Tokens(points[:4])) is None
    assert numbers(Tokens([*points, [0, 5]])) is None
    assert numbers(Tokens([points[1], points[0], *points[2:]])) is None
    assert numbers(Tokens(points, [[1, 0], [0, 2]])) is None
    assert numbers(Tokens([[*point, 0] for point in points])) is None


def test_drawn_members_of_the_family_are_members_and_of_many_steps() -> None:
    rng = Random(5)
    drawn = [late_leaders.draw_late_leader(rng) for _ in range(200)]
    numbers = [late_leaders._numbers(tokens) for tokens in drawn]
    assert all(numbers)
    assert min(found[0] for found in numbers if found) < F(1, 10**8)
    assert max(found[0] for found in numbers if found) > F(1, 100)
    assert {min(tokens.alpha, F(1)) < 1 for tokens in drawn} == {True, False}
