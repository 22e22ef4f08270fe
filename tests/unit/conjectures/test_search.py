"""Tests of `exactformer.conjectures.search`."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from kits.shard_results import InOrder

from exactformer.conjectures.campaign import Campaign, Coordinator, Tally
from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.search import ELITE, SHARD, NearMisses, judged
from exactformer.conjectures.source import Source
from exactformer.instances.kinds import kind_of

SOURCE = Source.of("every-leader-leads-at-once")


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


def test_near_misses_are_ordered_and_newer_ones_come_first() -> None:
    near = NearMisses()
    for nearness, name in ((0.5, "a"), (0.7, "b"), (0.5, "c"), (0.0, "d"), (0.5, "a"), (0.7, "e")):
        near.add(nearness, name)
    assert near.members == [(0.7, "e"), (0.7, "b"), (0.5, "c"), (0.5, "a")]
    for k in range(ELITE):
        near.add(0.6, str(k))
    assert len(near.members) == ELITE
    assert near.members[:3] == [(0.7, "e"), (0.7, "b"), (0.6, str(ELITE - 1))]
    rng = Random(8)
    drawn = [near.choose(rng) for _ in range(300)]
    assert drawn.count("e") > 2 * drawn.count("2")
    assert set(drawn) <= {name for _, name in near.members}


def test_the_same_seed_draws_the_same_instances() -> None:
    statement = catalogue()["every-leader-leads-at-once"]
    kind = kind_of(statement.generate(Random(0)))
    first, again, other = (
        [kind.json(z) for z, _ in judged(statement, seed, shard, 40)] for seed, shard in ((1, 2), (1, 2), (1, 3))
    )
    assert first == again != other
