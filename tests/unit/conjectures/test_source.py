"""Tests of `exactformer.conjectures.source`."""

from __future__ import annotations

import pytest

from exactformer.conjectures.campaign import Campaign
from exactformer.conjectures.source import Source


@pytest.mark.parametrize(
    ("budget", "part", "shards"),
    [
        (1, (0, 1), [(0, 1)]),
        (500, (0, 1), [(0, 500)]),
        (501, (0, 1), [(0, 500), (1, 1)]),
        (1700, (0, 1), [(0, 500), (1, 500), (2, 500), (3, 200)]),
        (1700, (1, 2), [(1, 500), (3, 200)]),
        (1700, (2, 3), [(2, 500)]),
        (400, (1, 2), []),
    ],
)
def test_shards_of_a_budget_and_of_its_parts(budget: int, part: tuple[int, int], shards: list[tuple[int, int]]) -> None:
    found = list(Campaign(Source("lemma-5"), 7, budget, part, keep_going=True).shards())
    assert [(shard.number, shard.count) for shard in found] == shards
    assert all((shard.seed, shard.enumeration, shard.keep_going) == (7, None, True) for shard in found)
