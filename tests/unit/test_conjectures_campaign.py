"""Campaigns whose shards come back in any order: what is counted, what is told, and where it stops."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from exactformer.conjectures.campaign import Campaign, Coordinator, Tally
from exactformer.conjectures.search import SHARD
from exactformer.conjectures.shard import Shard
from exactformer.conjectures.source import Source
from exactformer.conjectures.store import Identity, ShardResult, Store

SOURCE = Source.of("every-leader-leads-at-once")
#: what four shards of a campaign say; the first counterexample is at place 2 of shard 1
RESULTS = {
    0: ShardResult(0, "ttu", [0.25, 0.5, 0.05], [], [(2, "long")]),
    1: ShardResult(
        1, "utfuf", [0.0, 0.85, 1.0, 0.3, 1.0], [(2, {"a": 1}, {"w": 1}), (4, {}, {})], [(0, "x"), (3, "y")]
    ),
    2: ShardResult(2, "tt", [0.95, 0.95], [], []),
    3: ShardResult(3, "f", [1.0], [(0, {"b": 2}, {"w": 2})], []),
}


class InOrder:
    """Hands back what the shards say in a given order, all of them under way from the start."""

    def __init__(self, order: tuple[int, ...]) -> None:
        self.order = order

    def results(self, work: Any, source: Source, shards: Iterator[Shard]) -> Iterator[tuple[Shard, ShardResult]]:
        given = {shard.number: shard for shard in shards}
        yield from ((given[k], RESULTS[k]) for k in self.order)


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_the_first_counterexample_is_the_same_in_whatever_order_shards_come_back(order: tuple[int, ...]) -> None:
    coordinator = Coordinator(Campaign(SOURCE, 0, 4 * SHARD), None, None, None)
    coordinator.run(InOrder(order))  # type: ignore[arg-type]
    found = coordinator.tally()
    assert coordinator.stop == 1
    assert found.counts == {"true": 3, "false": 1, "undecided": 2}
    assert found.findings == [(SHARD + 2, {"a": 1}, {"w": 1})]
    assert found.undecided == [(2, "long"), (SHARD, "x")]
    assert (found.judged, found.nearest, found.histogram) == (6, 1.0, [2, 0, 1, 0, 0, 1, 0, 0, 1, 1])
    needed = max(order.index(0), order.index(1))
    assert set(coordinator.results) >= {0, 1}
    assert set(coordinator.results) == set(order[: needed + 1])


def test_a_campaign_that_keeps_going_counts_everything_and_tells_on_the_way() -> None:
    told: list[tuple[int, float]] = []

    def progress(tally: Tally, rate: float) -> None:
        told.append((tally.judged, rate))

    coordinator = Coordinator(Campaign(SOURCE, 0, 4 * SHARD, keep_going=True), None, None, progress)
    coordinator.run(InOrder((2, 0, 3, 1)))  # type: ignore[arg-type]
    found = coordinator.tally()
    assert found.counts == {"true": 5, "false": 3, "undecided": 3}
    assert [index for index, _, _ in found.findings] == [SHARD + 2, SHARD + 4, 3 * SHARD]
    assert found.undecided == [(2, "long"), (SHARD, "x"), (SHARD + 3, "y")]
    assert [judged for judged, _ in told] == [2, 5, 6, 11]
    assert all(rate > 0 for _, rate in told)
    assert (coordinator.fresh, coordinator.stop, coordinator.under_way) == (11, None, set())


def test_stored_shards_are_taken_and_the_others_are_stored(tmp_path: Path) -> None:
    campaign = Campaign(SOURCE, 0, 4 * SHARD, keep_going=True)
    identity = Identity("s", "d", 0, "x")
    store = Store(tmp_path / "s", identity, SHARD)
    whole = ShardResult(1, "t" * SHARD, [0.5] * SHARD, [], [])
    store.write(whole)
    coordinator = Coordinator(campaign, store, None, None)
    coordinator.run(InOrder((3, 0, 2)))  # type: ignore[arg-type]
    assert coordinator.fresh == 6
    assert coordinator.tally().judged == SHARD + 6
    for shard in (0, 2, 3):
        count = RESULTS[shard].count
        again = store.read(shard, count)
        assert again is not None
        assert (again.outcomes, again.nearness) == (RESULTS[shard].outcomes, RESULTS[shard].nearness)
        assert store.read(shard, count + 1) is None
    assert store.read(3, 7, keep_going=False) is not None
    assert store.read(2, 7, keep_going=False) is None


@pytest.mark.parametrize("count", range(7))
def test_the_first_instances_of_a_shard(count: int) -> None:
    cut = RESULTS[1].first(count)
    assert (cut.shard, cut.outcomes, cut.nearness) == (1, "utfuf"[:count], [0.0, 0.85, 1.0, 0.3, 1.0][:count])
    assert [k for k, _, _ in cut.findings] == [k for k in (2, 4) if k < count]
    assert [k for k, _ in cut.undecided] == [k for k in (0, 3) if k < count]
