"""Independent draws, judged in arrays: how much faster than a search, and than the same draws judged one by one.

python benchmarks/independent.py                   # n <= 8, d = 2; lemmas over 20 layers; best of three rounds
python benchmarks/independent.py --campaign 600    # a billion draws, interrupted after so many seconds

All figures are judgements in a second of CPU time of one core, drawing included. "search" is what `hunt` does without
`--independent`: 500 instances, drawn and varied. "one by one" draws the instances of the arrays and judges each alone.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.independent import INDEPENDENT_SHARD, draws, judge_independent
from exactformer.conjectures.search import SHARD, judged
from exactformer.conjectures.statement import Statement
from exactformer.model.token_arrays import TokenArrays

LEMMAS = (*(f"lemma-{k}" for k in range(8)), "every-leader-leads-at-once")
#: statements that need limits
LIMITS = ("theorem-1.1", "every-token-tends-to-a-leader", "graph-constant-after-n", "last-leader-within-n")
BILLION = 10**9


def plane(name: str) -> Statement:
    """The statement with instances of at most eight points of the plane (and mirror images of some)."""
    statement = catalogue()[name]
    return replace(statement, generate=replace(statement.generate, dims=(2,), sizes=range(2, 9)))


def search(statement: Statement, seed: int) -> float:
    """Judgements a second of a search."""
    start = time.process_time()
    for _ in judged(statement, seed, 0, SHARD):
        pass
    return SHARD / (time.process_time() - start)


def one_by_one(statement: Statement, seed: int, count: int = 1000) -> float:
    """Judgements a second of draws that are judged alone."""
    start = time.process_time()
    for _, given in draws(statement, seed, 0, count):
        alone = (given.tokens(k) for k in range(len(given))) if isinstance(given, TokenArrays) else given
        for instance in alone:
            statement.judge(instance)
    return count / (time.process_time() - start)


def arrays(statement: Statement, seed: int) -> float:
    """Judgements a second of a shard."""
    start = time.process_time()
    judge_independent(statement, seed, 0, INDEPENDENT_SHARD)
    return INDEPENDENT_SHARD / (time.process_time() - start)


def compare(name: str, rounds: int) -> None:
    """A line of the table: the three rates, each the best of several seeds, and the two ratios."""
    statement = plane(name)
    rates = [(search(statement, seed), one_by_one(statement, seed), arrays(statement, seed)) for seed in range(rounds)]
    found, alone, together = (max(column) for column in zip(*rates, strict=True))
    print(f"  {name:<30} {found:8.0f} {alone:10.0f} {together:9.0f} {together / found:7.1f} {together / alone:9.1f}")


def campaign(seconds: float) -> None:
    """Runs the command for a billion draws, interrupts it after some time, and says how long all of it would take."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        command = [
            "hunt",
            "lemma-3",
            "--independent",
            "--budget",
            str(BILLION),
            "--workers",
            "2",
            "--store",
            str(store),
        ]
        process = subprocess.Popen([sys.executable, "-m", "exactformer", *command], stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.terminate()
        process.wait()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        shards = [json.loads(path.read_text()) for path in (store / "shards").glob("0*.json")]
        size = sum(path.stat().st_size for path in (store / "shards").iterdir())
    cpu, count = used.ru_utime + used.ru_stime, sum(shard["count"] for shard in shards)
    true = sum(shard["counts"]["true"] for shard in shards)
    print(f"exactformer {' '.join(command[:-1])} DIR, interrupted after {seconds:.0f} s by the clock, {cpu:.0f} s CPU:")
    print(f"  {count} judged, {true} true, {len(shards)} shards kept; {count / cpu:.0f} in a second of CPU")
    print(
        f"  projected: 10^9 in {BILLION * cpu / count / 7200:.1f} hours on two idle cores, "
        f"{size / count * BILLION / 2**20:.0f} MB of shard files"
    )


def main() -> None:
    """Prints the table, or the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--campaign", type=float, metavar="SECONDS")
    given = parser.parse_args()
    if given.campaign is not None:
        campaign(given.campaign)
        return
    print(f"judgements in a second of CPU, n <= 8, d = 2, best of {given.rounds} seeds; ratios of arrays to the others")
    print(f"  {'statement':<30} {'search':>8} {'one by one':>10} {'arrays':>9} {'/search':>7} {'/one by one':>9}")
    for name in (*LEMMAS, *LIMITS):
        compare(name, given.rounds)


if __name__ == "__main__":
    main()
