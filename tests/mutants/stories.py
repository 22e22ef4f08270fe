"""The planted bugs that tell a story: each is put in the place of its text, and the test beside it must fail.

An entry names a file and a test, and still fits where they have moved: the text is looked for in that file, then in the
whole package, where it must stand once; the test is looked for by its name.
"""

from __future__ import annotations

import re
import time
from functools import cache

from driver import Trial, failing_anyway, outcomes
from line_map import package_files
from planted_bugs import PLANTED
from planting import ROOT, TextBug

Entry = tuple[str, str, str, str]
#: in the place of a test: the examples in the docstrings of the file that has the bug
DOCSTRINGS = "docstrings"


@cache
def _text(file: str) -> str:
    return (ROOT / file).read_text("utf-8")


def file_of(entry: Entry) -> str:
    """The file that holds the text of an entry exactly once; ValueError where there is none, or several."""
    name, old, _, _ = entry
    holding = [file for file in package_files() if _text(file).count(old) == 1]
    named = [file for file in holding if file.endswith(f"/{name}")]
    if len(named or holding) != 1:
        raise ValueError(f"{name}: expected in one file, exactly once, got {len(named or holding)}: {old!r}")
    return (named or holding)[0]


@cache
def _tests() -> dict[str, list[str]]:
    """For every name of a test the ids of the tests that have it."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.M):
            found.setdefault(name, []).append(f"{path.relative_to(ROOT)}::{name}")
    return found


def tests_of(entry: Entry) -> tuple[str, ...]:
    """The tests of which at least one must fail; ValueError where there is none."""
    test = entry[3]
    found = [file_of(entry)] if test == DOCSTRINGS else _tests().get(test, [])
    if not found:
        raise ValueError(f"{test}: no such test")
    return tuple(found)


def bug_of(entry: Entry) -> TextBug:
    """The bug of an entry."""
    return TextBug(file_of(entry), entry[1], entry[2])


def misfits() -> list[str]:
    """What is wrong with the entries: text or test not found, or what comes out is no Python."""
    wrong = []
    for entry in PLANTED:
        try:
            tests_of(entry)
            bug = bug_of(entry)
            compile(bug.module(_text(bug.file)), bug.file, "exec", dont_inherit=True)
        except (ValueError, SyntaxError) as problem:
            wrong.append(str(problem))
    return wrong


def run(workers: int, part: str = "") -> int:
    """0 if every bug is seen by its test, and no test fails without a bug."""
    start = time.monotonic()
    trials = [Trial(bug_of(entry), (tests_of(entry),)) for entry in PLANTED if part in file_of(entry)]
    wrong = failing_anyway(sorted({test for trial in trials for test in trial.waves[0]}), workers)
    print(*(f"fails without a bug: {test}" for test in sorted(wrong)), sep="\n", end="\n" if wrong else "")
    alive = 0
    for outcome in outcomes(trials, workers):
        if outcome.fate != "seen":
            alive += 1
            print(f"{outcome.fate}: {outcome.trial.bug}\n  {outcome.trial.waves[0]}", flush=True)
    print(f"{len(trials) - alive} of {len(trials)} planted bugs are seen, in {time.monotonic() - start:.0f} s")
    return int(bool(alive or wrong))
