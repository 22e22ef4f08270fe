"""Where planted bugs would go unseen: random changes of a module, run against the tests that pass through their line.

    pytest -p no:xdist --cov=exactformer --cov-context=test --cov-report= --durations=0 -vv tests exactformer > suite.log
    python tests/mutants/survey.py .coverage suite.log exactformer/geometry/hull.py --count 30

Every survivor is printed with its change: it is equivalent, or a test is missing.
"""

from __future__ import annotations

import argparse
import difflib
import random
import re
from pathlib import Path

import driver
import generate
import planting


def durations(log: Path) -> dict[str, float]:
    """Seconds of every test, from the output of pytest --durations=0 -vv."""
    found: dict[str, float] = {}
    for seconds, name in re.findall(r"^([\d.]+)s (?:call|setup) +(\S.*)$", log.read_text("utf-8", "replace"), re.M):
        found[name] = found.get(name, 0.0) + float(seconds)
    return found


class Map:
    """Which tests pass through a line, the fastest first."""

    def __init__(self, coverage_file: Path, log: Path, root: Path) -> None:
        import coverage

        self.data = coverage.CoverageData(str(coverage_file))
        self.data.read()
        self.seconds, self.root = durations(log), root

    def tests(self, file: str, line: int, budget: float) -> list[str]:
        """The fastest tests through a line, of at most `budget` seconds in all; of the module where none is known."""
        contexts = self.data.contexts_by_lineno(str(self.root / file))
        here = {c.rpartition("|")[0] for c in contexts.get(line, []) if c}
        everyone = {c.rpartition("|")[0] for own in contexts.values() for c in own if c}
        chosen, spent = [], 0.0
        for name in sorted(here or everyone, key=lambda test: self.seconds.get(test, 0.0)):
            spent += self.seconds.get(name, 0.0)
            if chosen and (spent > budget or len(chosen) >= 60):
                break
            chosen.append(name)
        return chosen


def shown(old: str, new: str) -> str:
    """The changed lines."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))


def main() -> None:
    """Prints the survivors of a random sample of changes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("coverage", type=Path)
    parser.add_argument("log", type=Path)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--budget", type=float, default=12.0)
    parser.add_argument("--root", type=Path, default=planting.ROOT)
    options = parser.parse_args()
    where = Map(options.coverage, options.log, options.root)
    bugs = []
    for file in options.files:
        text = (planting.ROOT / file).read_text("utf-8")
        every = list(generate.mutants(planting.ROOT / file))
        rng = random.Random(f"{options.seed} {file}")
        for line, new in rng.sample(every, min(options.count, len(every))):
            bugs.append(driver.Bug(file, text, new, tuple(where.tests(file, line, options.budget))))
    killed = 0
    for outcome in driver.fates([bug for bug in bugs if bug.tests], options.workers):
        killed += outcome.fate == "killed"
        if outcome.fate != "killed":
            print(f"{outcome.fate}: {outcome.bug.file} ({len(outcome.bug.tests)} tests)", flush=True)
            print(
                shown(outcome.bug.old, outcome.bug.new) if outcome.fate == "survived" else outcome.output[-500:],
                flush=True,
            )
    print(f"{killed} of {len(bugs)} killed; {sum(not bug.tests for bug in bugs)} on lines that no test passes through")


if __name__ == "__main__":
    main()
