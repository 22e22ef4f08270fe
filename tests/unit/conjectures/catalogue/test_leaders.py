"""Tests of `exactformer.conjectures.catalogue.leaders`."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactformer.conjectures.catalogue import leaders
from exactformer.conjectures.proved_limit import Fate
from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.geometry.points import dot
from exactformer.instances.generators import small_integers
from exactformer.model.tokens import Tokens

SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


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


def test_how_well_a_token_is_placed_is_a_race_at_the_speeds_of_the_layer() -> None:
    """g = <z_i, z_j - z_i> and h = <z_i, z_i - z_l> for z_i' = z_j - z_i, z_j' = z_l - z_j, by differences."""
    rng = Random(4)
    for _ in range(40):
        z = [[rng.randint(-5, 5) for _ in range(2)] for _ in range(3)]
        s = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in z] for x in z]

        def gaps(step: float, z: Any = z) -> tuple[float, float]:
            i = [a + step * (b - a) for a, b in zip(z[0], z[1], strict=True)]
            j = [a + step * (b - a) for a, b in zip(z[1], z[2], strict=True)]
            to = [sum(a * b for a, b in zip(i, y, strict=True)) for y in (i, j, z[2])]
            return to[1] - to[0], to[0] - to[2]

        (g, h), (up, over), (down, under) = gaps(0), gaps(1e-4), gaps(-1e-4)
        dg, dh = (up - down) / 2e-4, (over - under) / 2e-4
        if g <= 0 or h <= 0 or abs(dg) < 1e-3 or abs(dh) < 1e-3:
            continue
        if dg > 0:
            wanted = 0.2 / (1 + dg / (g + h))
        else:
            first, second = g / -dg, (h / -dh if dh < 0 else float("inf"))
            share = 1.0 if dh > 0 else 1 - first / (first + second)
            wanted = 0.2 + 0.8 * share
        assert leaders._race(s, 0, 1, 2) == pytest.approx(wanted, abs=1e-3)


def test_only_tokens_that_prefer_themselves_to_whom_they_would_end_at_are_left_behind() -> None:
    def told(*points: Any) -> float:
        return leaders.left_behind(PlainOrbit(Tokens(points))[0])

    assert told([1], [2]) == 0.0  # token 1 leads
    assert told([1], [2], [3]) == 0.0  # all follow the last
    assert told(*SQUARE) == 0.0
    chain = [[0, 1], [2, "3/2"], [5, -2]]  # 0 follows 1, which follows 2, and 0 likes itself better
    layer = PlainOrbit(Tokens(chain))[0]
    assert layer.follows == [(1,), (2,), (2,)]
    assert told(*chain) == leaders._race(layer.scores, 0, 1, 2) > 0


def test_of_several_late_leaders_the_last_is_told() -> None:
    end = Fate({0: 0, 1: 4, 2: 9, 3: 6}, [], ())
    assert [leaders._late(end, layer) for layer in (0, 5, 8, 9)] == [(9, 2), (9, 2), (9, 2), None]
