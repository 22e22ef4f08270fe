"""Tests of `exactformer.dynamics.integer_step`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.integer_step import advance

F = Fraction


@pytest.mark.parametrize("bits", [20, 50, 56, 58, 59, 60, 61, 62, 70])
@pytest.mark.parametrize("share", [F(1, 2), F(2, 3), F(1, 7)])
def test_updates_of_numbers_of_any_length_are_those_of_the_definition(bits: int, share: Fraction) -> None:
    rng = np.random.default_rng(bits)
    rows = [[int.from_bytes(rng.bytes(16), "big") % (1 << bits + 1) - (1 << bits) for _ in range(2)] for _ in range(9)]
    members = [[0], [1, 2, 4], [0, 1, 2, 3, 8], [3], [4, 5], [0, 2, 4, 6, 7, 8, 1], [6], [8], [2, 5, 7]]
    state, weights = State.of(rows), np.array([1, 2, 1, 1, 3, 1, 1, 1, 1])
    sets = FollowerSets.of_lengths(np.concatenate(list(map(np.array, members))), np.array(list(map(len, members))))
    for z, C, old in zip(advance(state, sets, weights, share).rows(), members, rows, strict=True):
        total = sum(int(weights[j]) for j in C)
        mean = [F(sum(int(weights[j]) * rows[j][c] for j in C), total) for c in range(2)]
        assert z == tuple((1 - share) * x + share * m for x, m in zip(old, mean, strict=True))
