"""Campaigns: all shards of a budget, judged by any number of workers, with one and the same report.

Shards are judged in order as workers become free. When one has a counterexample, those before it are finished and
those after it are dropped, so that the first finding of a seed is always the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

from exactformer.conjectures.independent import INDEPENDENT_SHARD
from exactformer.conjectures.search import SHARD
from exactformer.conjectures.shard import Shard, judge_shard
from exactformer.conjectures.source import Source
from exactformer.conjectures.store import BINS, OUTCOMES, Database, Identity, ShardResult, Store, StoredShard
from exactformer.instances.enumeration import Enumeration
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.parallel import Workers


@dataclass
class Tally:
    """Verdict counts, the nearest miss, a histogram of nearness, and what was found."""

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES.values(), 0))
    nearest: float = 0.0
    histogram: list[int] = field(default_factory=lambda: [0] * BINS)
    findings: list[tuple[int, JsonObject, JsonObject]] = field(default_factory=list)
    undecided: list[tuple[int, str]] = field(default_factory=list)

    @property
    def judged(self) -> int:
        """Instances judged."""
        return sum(self.counts.values())

    def add(self, result: StoredShard, size: int = SHARD) -> None:
        """Counts a shard in, one of those with `size` instances each."""
        summary = result.summary()
        self.counts = {outcome: n + summary.counts[outcome] for outcome, n in self.counts.items()}
        self.nearest = max(self.nearest, summary.nearest)
        self.histogram = [a + b for a, b in zip(self.histogram, summary.histogram, strict=True)]
        base = result.shard * size
        self.findings += [(base + k, instance, witness) for k, instance, witness in result.findings]
        self.undecided += [(base + k, why) for k, why in result.undecided]


#: told after every shard: the tally so far and the instances judged per second
CampaignProgress = Callable[[Tally, float], object]


@dataclass(frozen=True)
class Campaign:
    """What to judge: a statement, a seed and a budget; of its shards all, or every N-th from the i-th on."""

    source: Source
    seed: int
    budget: int
    part: tuple[int, int] = (0, 1)
    enumeration: Enumeration | None = None
    keep_going: bool = False
    independent: bool = False

    @property
    def shard_size(self) -> int:
        """Instances a shard: many where they are drawn independently of one another."""
        return INDEPENDENT_SHARD if self.independent else SHARD

    def shards(self) -> Iterator[Shard]:
        """The shards of the campaign, in order."""
        i, count = self.part
        budget = self.budget if self.enumeration is None else min(self.budget, self.enumeration.ranks)
        for number in range(i, -(-budget // self.shard_size), count):
            size = min(self.shard_size, budget - number * self.shard_size)
            yield Shard(self.seed, number, size, self.enumeration, self.keep_going, self.independent)

    def identity(self) -> Identity:
        """What a store must agree with."""
        search = f"{SHARD} a shard" if self.enumeration is None else f"all up to {self.enumeration.bound}"
        if self.independent:
            search = f"{INDEPENDENT_SHARD} a shard, independent"
        return Identity(self.source.statement().name, self.source.definition, self.seed, search)


class Coordinator:
    """Hands out shards, stores what comes back, and knows when to stop."""

    def __init__(
        self, campaign: Campaign, store: Store | None, database: Database | None, progress: CampaignProgress | None
    ) -> None:
        self.campaign, self.store, self.database, self.progress = campaign, store, database, progress
        self.results: dict[int, StoredShard] = {}
        self.under_way: set[int] = set()
        self.stop: int | None = None
        self.started, self.fresh, self.so_far = time.monotonic(), 0, Tally()

    def run(self, workers: Workers) -> None:
        """Judges every shard of the campaign that is not stored."""
        for shard, result in workers.results(judge_shard, self.campaign.source, self._shards()):
            self.under_way.discard(shard.number)
            self.fresh += result.count
            self._take(result, new=True)
            if self.stop is not None and not any(number < self.stop for number in self.under_way):
                return

    def _shards(self) -> Iterator[Shard]:
        """The shards to be judged, until one before them has a counterexample; what is stored is taken on the way."""
        for shard in self.campaign.shards():
            if self.stop is not None and shard.number > self.stop:
                return
            stored = self._stored(shard)
            if stored is None:
                self.under_way.add(shard.number)
                yield shard
            else:
                self._take(stored)

    def _stored(self, shard: Shard) -> StoredShard | None:
        if self.store is None:
            return None
        return self.store.read(shard.number, shard.count, keep_going=shard.keep_going)

    def _take(self, result: StoredShard, *, new: bool = False) -> None:
        if new and self.store is not None:
            self.store.write(result)
        if self.database is not None and isinstance(result, ShardResult):
            self.database.add(result)
        self.results[result.shard] = result
        if result.findings and not self.campaign.keep_going:
            self.stop = result.shard if self.stop is None else min(self.stop, result.shard)
        if self.progress is not None:
            elapsed = time.monotonic() - self.started
            self.so_far.add(result, self.campaign.shard_size)
            self.progress(self.so_far, self.fresh / elapsed if elapsed else 0.0)

    def tally(self) -> Tally:
        """What counts: every shard, or all up to the first counterexample."""
        tally = Tally()
        for shard in sorted(self.results):
            if self.stop is None or shard < self.stop:
                tally.add(self.results[shard], self.campaign.shard_size)
        if self.stop is not None:
            last = self.results[self.stop]
            tally.add(last.first(last.findings[0][0] + 1), self.campaign.shard_size)
        return tally


def conduct(
    campaign: Campaign,
    *,
    workers: int = 1,
    store: PathLike | None = None,
    scheduler: str | None = None,
    progress: CampaignProgress | None = None,
) -> Tally:
    """The tally of a campaign; with a store, what it already holds is not judged again.

    A part of a campaign (`campaign.part`) writes shard files only; the whole one gathers them in the database. Of
    independent draws, of which there may be a billion, only the summaries of shards are kept, in their files.
    """
    with ExitStack() as stack:
        kept = None if store is None else Store(store, campaign.identity(), campaign.shard_size)
        whole = campaign.part == (0, 1) and not campaign.independent
        database = stack.enter_context(kept.database()) if kept is not None and whole else None
        coordinator = Coordinator(campaign, kept, database, progress)
        coordinator.run(Workers(workers, scheduler))
        return coordinator.tally()
