"""Results of shards, and a search that hands them back in a given order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exactformer.conjectures.shard import Shard
from exactformer.conjectures.source import Source
from exactformer.conjectures.store import ShardResult

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
