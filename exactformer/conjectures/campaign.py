"""Campaigns: all shards of a budget, judged by any number of workers, with one and the same report.

Shards are judged in order as workers become free. When one has a counterexample, those before it are finished and
those after it are dropped, so that the first finding of a seed is always the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from exactformer.conjectures.enumeration import Enumeration
from exactformer.conjectures.scheduler import SchedulerLost, executor, failure_of, lost_worker
from exactformer.conjectures.search import SHARD
from exactformer.conjectures.shard import Shard, judge_shard
from exactformer.conjectures.source import Source
from exactformer.conjectures.store import OUTCOMES, Database, Identity, ShardResult, Store
from exactformer.errors import Declined

#: how often the worker of one and the same shard may die
LOSSES = 50
#: shards under way at a time on a cluster, whose size may change
CLUSTER_WINDOW = 64
#: how often the connection to a scheduler is made anew before a campaign gives up
CONNECTIONS = 5
BINS = 10


@dataclass
class Tally:
    """Verdict counts, the nearest miss, a histogram of nearness, and what was found."""

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES.values(), 0))
    nearest: float = 0.0
    histogram: list[int] = field(default_factory=lambda: [0] * BINS)
    findings: list[tuple[int, dict[str, Any], dict[str, Any]]] = field(default_factory=list)
    undecided: list[tuple[int, str]] = field(default_factory=list)

    @property
    def judged(self) -> int:
        """Instances judged."""
        return sum(self.counts.values())

    def add(self, result: ShardResult) -> None:
        """Counts a shard in."""
        for letter, nearness in zip(result.outcomes, result.nearness, strict=True):
            if letter in OUTCOMES:
                self.counts[OUTCOMES[letter]] += 1
                self.nearest = max(self.nearest, nearness)
                self.histogram[min(int(nearness * BINS), BINS - 1)] += 1
        base = result.shard * SHARD
        self.findings += [(base + k, instance, witness) for k, instance, witness in result.findings]
        self.undecided += [(base + k, why) for k, why in result.undecided]


#: told after every shard: the tally so far and the instances judged per second
CampaignProgress = Callable[[Tally, float], None]


@dataclass(frozen=True)
class Campaign:
    """What to judge: a statement, a seed and a budget; of its shards all, or every N-th from the i-th on."""

    source: Source
    seed: int
    budget: int
    part: tuple[int, int] = (0, 1)
    enumeration: Enumeration | None = None
    keep_going: bool = False

    def shards(self) -> Iterator[Shard]:
        """The shards of the campaign, in order."""
        i, count = self.part
        budget = self.budget if self.enumeration is None else min(self.budget, self.enumeration.ranks)
        for number in range(i, -(-budget // SHARD), count):
            size = min(SHARD, budget - number * SHARD)
            yield Shard(self.source, self.seed, number, size, self.enumeration, self.keep_going)

    def identity(self) -> Identity:
        """What a store must agree with."""
        search = f"{SHARD} a shard" if self.enumeration is None else f"all up to {self.enumeration.bound}"
        return Identity(self.source.statement().name, self.source.definition, self.seed, search)


class Coordinator:
    """Hands out shards, stores what comes back, and knows when to stop."""

    def __init__(
        self, campaign: Campaign, store: Store | None, database: Database | None, progress: CampaignProgress | None
    ) -> None:
        self.campaign, self.store, self.database, self.progress = campaign, store, database, progress
        self.results: dict[int, ShardResult] = {}
        self.losses: dict[int, int] = {}
        self.stop: int | None = None
        self.started, self.fresh, self.so_far = time.monotonic(), 0, Tally()

    def run(self, pool: Executor, window: int) -> None:
        """Judges every shard of the campaign that is not stored, at most `window` at a time."""
        shards = (shard for shard in self.campaign.shards() if shard.number not in self.results)
        under_way: dict[Future[Any], Shard] = {}
        while True:
            while len(under_way) < window and (shard := next(shards, None)) is not None and not self._past(shard):
                stored = self._stored(shard)
                if stored is not None:
                    self._take(stored)
                else:
                    under_way[pool.submit(judge_shard, shard)] = shard
            if not under_way:
                return
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                self._finish(future, under_way.pop(future), under_way, pool)
            for future in [f for f, shard in under_way.items() if self._past(shard)]:
                future.cancel()
                del under_way[future]

    def _stored(self, shard: Shard) -> ShardResult | None:
        if self.store is None:
            return None
        return self.store.read(shard.number, shard.count, keep_going=shard.keep_going)

    def _past(self, shard: Shard) -> bool:
        return self.stop is not None and shard.number > self.stop

    def _finish(self, future: Future[Any], shard: Shard, under_way: dict[Future[Any], Shard], pool: Executor) -> None:
        problem = failure_of(future)
        if problem is None:
            self.fresh += future.result().count
            self._take(future.result(), new=True)
        elif not lost_worker(problem):
            raise problem
        else:
            self.losses[shard.number] = self.losses.get(shard.number, 0) + 1
            if self.losses[shard.number] > LOSSES:
                raise Declined(f"shard {shard.number}: its worker died {LOSSES} times; is there enough memory?")
            under_way[pool.submit(judge_shard, shard)] = shard

    def _take(self, result: ShardResult, *, new: bool = False) -> None:
        if new and self.store is not None:
            self.store.write(result)
        if self.database is not None:
            self.database.add(result)
        self.results[result.shard] = result
        if result.findings and not self.campaign.keep_going:
            self.stop = result.shard if self.stop is None else min(self.stop, result.shard)
        if self.progress is not None:
            elapsed = time.monotonic() - self.started
            self.so_far.add(result)
            self.progress(self.so_far, self.fresh / elapsed if elapsed else 0.0)

    def tally(self) -> Tally:
        """What counts: every shard, or all up to the first counterexample."""
        tally = Tally()
        for shard in sorted(self.results):
            if self.stop is None or shard < self.stop:
                tally.add(self.results[shard])
        if self.stop is not None:
            last = self.results[self.stop]
            tally.add(last.first(last.findings[0][0] + 1))
        return tally


def conduct(
    campaign: Campaign,
    *,
    workers: int = 1,
    store: Any = None,
    scheduler: str | None = None,
    progress: CampaignProgress | None = None,
) -> Tally:
    """The tally of a campaign; with a store, what it already holds is not judged again.

    A part of a campaign (`campaign.part`) writes shard files only; the whole one gathers them in the database.
    """
    window = CLUSTER_WINDOW if scheduler is not None else 1 if workers == 1 else 2 * workers
    with ExitStack() as stack:
        pool = stack.enter_context(executor(workers, scheduler))
        kept = None if store is None else Store(store, campaign.identity(), SHARD)
        whole = campaign.part == (0, 1)
        database = stack.enter_context(kept.database()) if kept is not None and whole else None
        coordinator = Coordinator(campaign, kept, database, progress)
        for attempt in range(CONNECTIONS):
            try:
                coordinator.run(pool, window)
                break
            except SchedulerLost:
                if attempt == CONNECTIONS - 1:
                    raise
                pool = stack.enter_context(executor(workers, scheduler))
        return coordinator.tally()
