"""`make mutants`: a fresh sample of mutants, each against the tests that pass through its line, and the planted bugs that tell a story.

    python tests/mutants/run.py [--count 600] [--least 15] [--seed N] [--workers 2] [--only PART] [--address ADDRESS] [--rebuild]
    python tests/mutants/run.py --stories     every bug of planted_bugs.py is planted in turn, and the test beside it must fail
    python tests/mutants/run.py --check       only whether the entries of planted_bugs.py and equivalent.py still fit

Prints the score of every room and the mutants that no test saw; exits 1 where the scores fall short of the goal.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import time
from collections.abc import Sequence

import stories
from driver import Outcome, Trial, failing_anyway, outcomes
from equivalent import EQUIVALENT
from line_map import LineMap, kept_map, package_files
from operators import Address, Mutant, changed, mutants
from planting import ROOT, MutantBug
from score import Score, failings, room_of, scores

#: mutants tried in every room at least, where it has so many; those beyond the sample count for their room alone
LEAST = 15


def stale(declared: Sequence[str], every: Sequence[Mutant]) -> list[str]:
    """The declared addresses that the source does not have."""
    there = {str(mutant.address) for mutant in every}
    return [address for address in declared if address not in there]


def sample(every: Sequence[Mutant], count: int, seed: int, least: int = LEAST) -> tuple[list[Mutant], list[Mutant]]:
    """(`count` mutants drawn uniformly, more of the rooms of which these hold fewer than `least`)."""
    drawn = list(every)
    random.Random(seed).shuffle(drawn)
    first, more = drawn[:count], []
    held = {room: sum(room_of(m.file) == room for m in first) for room in {room_of(m.file) for m in every}}
    for mutant in drawn[count:]:
        if held[room_of(mutant.file)] < least:
            held[room_of(mutant.file)] += 1
            more.append(mutant)
    return first, more


def shown(mutant: Mutant, note: str) -> str:
    """A survivor: its address, the line and the change."""
    change = changed((ROOT / mutant.file).read_text("utf-8"), mutant.address)
    return f"survived: {mutant.address}{note}\n  {mutant.file}:{change.line}\n  - {change.before}\n  + {change.after}"


def tried(chosen: Sequence[Mutant], where: LineMap, workers: int) -> dict[Mutant, Outcome | None]:
    """What became of every mutant; None where no test passes through its module."""
    trials = {}
    for mutant in chosen:
        if waves := where.waves(mutant):
            bug = MutantBug(mutant.file, str(mutant.address))
            trials[bug] = (mutant, Trial(bug, waves, where.patience(waves)))
    found: dict[Mutant, Outcome | None] = dict.fromkeys(chosen)
    for number, outcome in enumerate(outcomes([trial for _, trial in trials.values()], workers), 1):
        mutant = trials[outcome.trial.bug][0]  # type: ignore[index]
        found[mutant] = outcome
        if outcome.fate != "seen":
            print(shown(mutant, f" ({sum(map(len, outcome.trial.waves))} tests)"), flush=True)
        if number % 50 == 0:
            print(f"{number} of {len(trials)}", file=sys.stderr, flush=True)
    for mutant in (m for m, outcome in found.items() if outcome is None):
        print(shown(mutant, " (no test passes here)"), flush=True)
    return found


def judged(found: dict[Mutant, Outcome | None], workers: int) -> dict[Mutant, bool]:
    """Whether each mutant was seen; those whose tests fail without it too, or could not be run, are left out and named."""
    tests = sorted(
        {test for outcome in found.values() if outcome and outcome.fate == "seen" for test in outcome.failed}
    )
    wrong = failing_anyway(tests, workers)
    result = {}
    for mutant, outcome in found.items():
        if outcome and (outcome.fate == "broken" or (outcome.failed and set(outcome.failed) <= wrong)):
            print(f"not judged: {mutant.address}: {', '.join(outcome.failed) or outcome.output[-300:]}")
        else:
            result[mutant] = outcome is not None and outcome.fate == "seen"
    return result


def report(first: Sequence[Mutant], seen: dict[Mutant, bool]) -> list[str]:
    """Prints the table; what falls short of the goal."""
    rooms = scores((mutant.file, was) for mutant, was in seen.items())
    mine = [seen[mutant] for mutant in first if mutant in seen]
    overall = Score("all, of the uniform sample", sum(mine), len(mine))
    print(f"\n{'room':<28}{'seen':>5} /{'tried':>6}   share   95 % interval")
    print(*(score.line() for score in [*rooms, overall]), sep="\n")
    return failings(overall, rooms)


def run_sample(options: argparse.Namespace, every: list[Mutant]) -> int:
    """0 if the scores of a sample reach the goal."""
    print(f"seed {options.seed}: a sample of {len(every)} mutants, {len(EQUIVALENT)} more are declared equivalent")
    where = LineMap() if options.rebuild else kept_map()
    where.refresh(options.workers)
    start = time.monotonic()
    if options.address:
        first, more = [m for m in every if str(m.address) in options.address], []
    else:
        first, more = sample(every, options.count, options.seed, options.least)
    seen = judged(tried([*first, *more], where, options.workers), options.workers)
    short = report(first, seen)
    print(f"{len(seen)} mutants in {time.monotonic() - start:.0f} s; seed {options.seed}")
    print(*short, sep="\n", end="\n" if short else "")
    return int(bool(short))


def main() -> int:
    """0 if all is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=600, help="mutants of the sample")
    parser.add_argument("--least", type=int, default=LEAST, help="mutants of every room, beyond the sample if need be")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="of the sample; else a fresh one")
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time")
    parser.add_argument("--only", default="", help="only the files whose path contains this")
    parser.add_argument("--address", action="append", help="only this mutant (repeat)")
    parser.add_argument("--rebuild", action="store_true", help="measure anew which tests pass through which line")
    parser.add_argument("--stories", action="store_true", help="the bugs of planted_bugs.py in place of a sample")
    parser.add_argument("--check", action="store_true", help="only whether the tables still fit")
    options = parser.parse_args()
    every = list(mutants(ROOT, package_files()))
    wrong = [f"{address}: declared equivalent, and not there" for address in stale(list(EQUIVALENT), every)]
    wrong += stories.misfits()
    print(*wrong, sep="\n", end="\n" if wrong else "")
    if options.check or (wrong and options.stories):
        return int(bool(wrong))
    if options.stories:
        return stories.run(options.workers, options.only)
    known = set(map(str, map(Address.read, EQUIVALENT)))
    return run_sample(options, [m for m in every if options.only in m.file and str(m.address) not in known]) or int(
        bool(wrong)
    )


if __name__ == "__main__":
    sys.exit(main())
