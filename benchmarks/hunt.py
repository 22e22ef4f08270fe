"""Exact judgements per second of the lemma statements, and what a second worker adds.

python benchmarks/hunt.py            # n <= 8, d = 2, 20 layers, one core; then two workers against one
python benchmarks/hunt.py --rounds 5 # best of five
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from random import Random

from exactformer.conjectures.campaign import Campaign
from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.search import SHARD, judged
from exactformer.conjectures.shard import judge_shard
from exactformer.conjectures.source import Source
from exactformer.instances.generators import TokenFamily
from exactformer.parallel import Workers


def judgements_per_second(name: str, count: int) -> float:
    """Judgements in a second of CPU time, drawing and varying instances included."""
    statement = replace(catalogue()[name], generate=TokenFamily(dims=(2,), sizes=range(2, 9)))
    start = time.process_time()
    for _ in judged(statement, Random(1).randrange(1000), 0, count):
        pass
    return count / (time.process_time() - start)


def seconds(workers: int, shards: int) -> float:
    """The wall time of so many shards by workers that are already there: two shards have been judged before."""
    campaign, start = Campaign(Source("lemma-3"), 1, (2 + shards) * SHARD), 0.0
    for done, _ in enumerate(Workers(workers).results(judge_shard, campaign.source, campaign.shards()), 1):
        start = time.perf_counter() if done == 2 else start
    return time.perf_counter() - start


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--count", type=int, default=SHARD)
    given = parser.parse_args()
    print(f"exact judgements a second and core, n <= 8, d = 2, 20 layers (best of {given.rounds})")
    for name in (f"lemma-{k}" for k in range(8)):
        rate = max(judgements_per_second(name, given.count) for _ in range(given.rounds))
        print(f"  {name}  {rate:7.0f}")
    shards = 8
    pairs = [(seconds(1, shards), seconds(2, shards)) for _ in range(given.rounds)]
    one, two = (min(times) for times in zip(*pairs, strict=True))
    print(
        f"two workers against one, {shards * SHARD} instances of lemma-3: {one:.2f} s / {two:.2f} s = {one / two:.2f}"
    )


if __name__ == "__main__":
    main()
