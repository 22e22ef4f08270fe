"""Tests of `exactformer.instances.self_ties`."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.geometry.points import dot
from exactformer.instances import self_ties
from exactformer.instances.self_ties import self_tied
from exactformer.instances.tokens import exact_parts

F = Fraction


def test_solved_self_ties_tie() -> None:
    """(0, v) ties with itself and the pair (+-q, w) whenever w is where it looks."""
    rng, tied, again = Random(8), 0, 0
    for _ in range(120):
        z = self_ties.self_tied(rng, F(3))
        assert z.dim in (3, 4)
        rows = z.state.rows()
        inner = [i for i, row in enumerate(rows) if row[0] == 0]
        orbit = PlainOrbit(z)
        for i in inner:
            C = orbit[0].follows[i]
            tied += i in C and len(C) >= 3
        for i in inner[:1]:
            again += i in orbit[1].follows[i] and len(orbit[1].follows[i]) >= 3
    assert tied > 20
    assert again > 3


def test_equations_of_self_ties() -> None:
    rng = Random(9)
    for _ in range(60):
        w, u, v0 = (self_ties._vector(rng, 3) for _ in range(3))
        v = self_ties._on_sphere(w, v0)
        assert dot(v, v) == dot(v, w)
        assert not any(v0) or all(v[i] * v0[j] == v[j] * v0[i] for i in range(3) for j in range(3))
        a = F(rng.randint(1, 9), 10)
        other = self_ties._tying_again(v, w, u, a)
        after = [x + 2 * a / 3 * (y - x) for x, y in zip(v, w, strict=True)]
        moved = [y + a * (x - y) for x, y in zip(other, w, strict=True)]
        assert sum(x != y for x, y in zip(u, other, strict=True)) <= 1
        assert not any(after) or dot(after, after) == dot(after, moved)
    assert {self_ties.SelfTies()(rng).alpha for _ in range(300)} == set(self_ties.STEPS)


@pytest.mark.parametrize("alpha", [F(3), F(1, 2), F(8)])
def test_solved_self_ties_tie_at_both_layers(alpha: Fraction) -> None:
    """|v|^2 = <v, w>; and where (0, v) follows itself and the pair, which follows the leaders, again one layer later."""
    rng, again = Random(5), 0
    for _ in range(150):
        z = self_tied(rng, alpha)
        orbit, inside = PlainOrbit(z), [i for i, row in enumerate(exact_parts(z)[0]) if row[0] == 0]
        for i in inside:
            scores = orbit[0].scores[i]
            assert scores[i] in [scores[j] for j in range(len(z)) if j not in inside] or len(z) < 5
        if inside and len(z) >= 5 and orbit[0].follows[:5] == [(0,), (1,), (0,), (1,), (2, 3, 4)]:
            again += 1
            assert orbit[1].scores[4][4] == orbit[1].scores[4][2] == orbit[1].scores[4][3]
    assert again
