"""`make mutants`: every bug of the tables is planted in turn, and the test beside it must fail; without bugs, all pass.

    python tests/mutants/run.py [--workers 2] [--file PART] [--check] [--only-bugs]

Prints what survives and exits 1; --check only verifies that every entry still fits its file.
"""

from __future__ import annotations

import argparse
import sys
import time

import driver
import planting
from equivalent import EQUIVALENT
from found_bugs import FOUND
from planted_bugs import PLANTED


def table() -> list[driver.Bug]:
    """All entries of the tables."""
    return [driver.Bug(f"exactformer/{file}", old, new, (test,)) for file, old, new, test in [*PLANTED, *FOUND]]


def unfit(file: str, old: str, new: str) -> list[str]:
    """Why a change does not fit: its text is not there exactly once, or what comes out is no Python."""
    try:
        compile(planting.mutated(file, old, new), file, "exec", dont_inherit=True)
    except (ValueError, SyntaxError, OSError) as problem:
        return [str(problem)]
    return []


def misfits(bugs: list[driver.Bug]) -> list[str]:
    """The entries that do not fit their file, or whose test is unknown."""
    wrong = []
    for bug in bugs:
        wrong += unfit(bug.file, bug.old, bug.new)
        path, _, name = bug.tests[0].partition("::")
        text = (planting.ROOT / path).read_text("utf-8") if path.startswith("tests/") and path.endswith(".py") else name
        if name and name.partition("[")[0] not in text:
            wrong.append(f"{bug.tests[0]}: no such test")
    return wrong


def clean(bugs: list[driver.Bug]) -> bool:
    """Whether the tests of the tables pass without any bug."""
    tests = sorted({test for bug in bugs for test in bug.tests})
    (outcome,) = driver.fates([driver.Bug("", "", "", tuple(tests))], 1)
    if outcome.fate != "survived":
        print(f"the tests fail without a bug:\n{outcome.output[-3000:]}")
    return outcome.fate == "survived"


def survivors(bugs: list[driver.Bug], workers: int) -> list[driver.Outcome]:
    """The bugs that no test saw, printed as they are found."""
    found = []
    for count, outcome in enumerate(driver.fates(bugs, workers), 1):
        if outcome.fate != "killed":
            found.append(outcome)
            print(f"{outcome.fate}: {outcome.bug}\n  {outcome.bug.tests[0]}", flush=True)
            if outcome.fate == "broken":
                print(outcome.output[-800:], flush=True)
        elif count % 25 == 0:
            print(f"{count} of {len(bugs)}", flush=True)
    return found


def main() -> int:
    """0 if every bug is seen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2, help="bugs at a time")
    parser.add_argument("--file", default="", help="only the bugs of files whose path contains this")
    parser.add_argument("--check", action="store_true", help="only whether the entries fit")
    parser.add_argument("--only-bugs", action="store_true", help="do not first run the tests without a bug")
    options = parser.parse_args()
    bugs = [bug for bug in table() if options.file in bug.file]
    wrong = misfits(bugs)
    wrong += [why for file, old, new, _ in EQUIVALENT for why in unfit(f"exactformer/{file}", old, new)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    if wrong or options.check:
        return int(bool(wrong))
    start = time.monotonic()
    if not options.only_bugs and not clean(bugs):
        return 1
    alive = survivors(bugs, options.workers)
    print(f"{len(bugs) - len(alive)} of {len(bugs)} planted bugs are seen, in {time.monotonic() - start:.0f} s")
    return int(bool(alive))


if __name__ == "__main__":
    sys.exit(main())
