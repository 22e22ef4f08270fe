"""Where planted bugs would go unseen: random changes of a module, run against the tests that pass through their line.

    pytest -p no:xdist --cov=exactformer --cov-context=test --cov-report= --durations=0 -vv tests exactformer > suite.log
    python tests/mutants/survey.py exactformer/geometry/hull.py --coverage .coverage --log suite.log --count 30

Every survivor is printed with its change: it is equivalent, or a test is missing.
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import driver
import generate
import planting


def durations(log: Path) -> dict[str, float]:
    """Seconds of every test, from the output of pytest --durations=0 -vv."""
    found: dict[str, float] = {}
    for seconds, name in re.findall(r"^([\d.]+)s (?:call|setup) +(\S.*)$", log.read_text("utf-8", "replace"), re.M):
        whole = name.partition("[")[0]  # all cases of a test
        found[whole] = found.get(whole, 0.0) + float(seconds)
    return found


class Map:
    """Which tests pass through a line, the fastest first."""

    def __init__(self, coverage_files: list[Path], logs: list[Path], root: Path) -> None:
        import coverage

        self.root, self.seconds = root, dict[str, float]()
        self.data = [coverage.CoverageData(str(path)) for path in coverage_files]
        for data in self.data:
            data.read()
        for log in logs:
            self.seconds |= durations(log)

    def contexts(self, file: str) -> dict[int, set[str]]:
        """For every line, as it was when coverage was measured, the tests through it."""
        found: dict[int, set[str]] = {}
        for data in self.data:
            for path in (p for p in data.measured_files() if p.endswith(f"/{file}")):
                for line, names in data.contexts_by_lineno(path).items():
                    found.setdefault(line, set()).update(
                        name.rpartition("|")[0].partition("[")[0] for name in names if name
                    )
        return found

    def lines(self, file: str) -> dict[int, int]:
        """Line now -> the same line when coverage was measured."""
        old = (self.root / file).read_text("utf-8").splitlines() if (self.root / file).exists() else []
        now = (planting.ROOT / file).read_text("utf-8").splitlines()
        blocks = difflib.SequenceMatcher(None, now, old, autojunk=False).get_matching_blocks()
        return {a + k + 1: b + k + 1 for a, b, size in blocks for k in range(size)}

    def tests(self, file: str, budget: float) -> Callable[[int], tuple[str, ...]]:
        """The fastest tests through a line, of at most `budget` seconds in all; of the module where none is known."""
        contexts = {line: {t for t in tests if _is_there(t)} for line, tests in self.contexts(file).items()}
        lines = self.lines(file)
        everyone = set().union(*contexts.values()) if contexts else set()

        def chosen(line: int) -> tuple[str, ...]:
            tests, spent = [], 0.0
            here = contexts.get(lines.get(line, -1)) or everyone
            for name in sorted(here, key=lambda test: self.seconds.get(test, 0.0)):
                spent += self.seconds.get(name, 0.0)
                if tests and (spent > budget or len(tests) >= 80):
                    break
                tests.append(name)
            return tuple(tests)

        return chosen


@lru_cache
def _is_there(test: str) -> bool:
    """Whether a test that was measured still exists."""
    path, _, name = test.partition("::")
    file = planting.ROOT / path
    return file.is_file() and name.rpartition(".")[2].rpartition(":")[2] in file.read_text("utf-8")


def shown(old: str, new: str) -> str:
    """The changed lines."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))


def killer(output: str) -> str:
    """The test that failed."""
    match = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.M)
    return match[1] if match else ""


def main() -> None:
    """Prints the survivors of a random sample of changes; --kept writes what was seen, with the test that saw it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--coverage", type=Path, action="append", required=True)
    parser.add_argument("--log", type=Path, action="append", required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--budget", type=float, default=8.0)
    parser.add_argument("--root", type=Path, default=planting.ROOT)
    parser.add_argument("--kept", type=Path)
    options = parser.parse_args()
    where = Map(options.coverage, options.log, options.root)
    bugs = []
    for file in options.files:
        text = (planting.ROOT / file).read_text("utf-8")
        every, tests = list(generate.mutants(planting.ROOT / file)), where.tests(file, options.budget)
        for line, new in random.Random(f"{options.seed} {file}").sample(every, min(options.count, len(every))):
            bugs.append(driver.Bug(file, text, new, tests(line)))
    killed = 0
    for outcome in driver.fates([bug for bug in bugs if bug.tests], options.workers):
        if outcome.fate == "killed":
            killed += 1
            if options.kept:
                with open(options.kept, "a", encoding="utf-8") as kept:
                    entry = [
                        outcome.bug.file,
                        outcome.bug.old,
                        outcome.bug.new,
                        killer(outcome.output),
                        outcome.seconds,
                    ]
                    kept.write(json.dumps(entry) + "\n")
            continue
        print(f"{outcome.fate}: {outcome.bug.file} ({len(outcome.bug.tests)} tests)", flush=True)
        print(
            shown(outcome.bug.old, outcome.bug.new) if outcome.fate == "survived" else outcome.output[-500:], flush=True
        )
    print(f"{killed} of {len(bugs)} killed; {sum(not bug.tests for bug in bugs)} on lines that no test passes through")


if __name__ == "__main__":
    main()
