"""Tests of `exactformer.dynamics.follow_order`."""

from __future__ import annotations

import numpy as np
import pytest

from exactformer.dynamics.follow_order import Cycle, follow_order
from exactformer.dynamics.follower_sets import FollowerSets


@pytest.mark.parametrize(
    ("targets", "ring"),
    [([1, 2, 1], (1, 2)), ([3, 0, 1, 2], (0, 3, 2, 1)), ([0, 2, 3, 4, 3], (3, 4)), ([1, 0, 0], (0, 1))],
)
def test_a_ring_holds_those_who_follow_one_another_and_nobody_else(targets: list[int], ring: tuple[int, ...]) -> None:
    found = follow_order(FollowerSets.of_singles(np.array(targets)))
    assert found == Cycle(ring)
    assert [targets[p] for p in ring] == [*ring[1:], ring[0]]


@pytest.mark.parametrize(("targets", "ring"), [([1, 2, 1], (1, 2)), ([0, 2, 3, 1], (1, 2, 3)), ([1, 0, 0], (0, 1))])
def test_a_ring_has_the_positions_on_it_alone(targets: list[int], ring: tuple[int, ...]) -> None:
    assert follow_order(FollowerSets.of_singles(np.array(targets))) == Cycle(ring)
