"""Runs tests under planted bugs, each in a fork of a process that has the libraries loaded: about a second a bug."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import planting

#: seconds after which a test that hangs counts as one that fails: the bug is seen
PATIENCE = 240
#: what pytest exits with
PASSED, FAILED, INTERRUPTED = 0, 1, 2


@dataclass(frozen=True)
class Bug:
    """`new` in place of `old` in a file, and the tests of which at least one must fail."""

    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file}: {self.old!r} -> {self.new!r}"


@dataclass(frozen=True)
class Outcome:
    """What became of a bug: `killed`, `survived`, or `broken` where the entry itself is wrong; and what was printed."""

    bug: Bug
    fate: str
    seconds: float
    output: str


def load_libraries() -> None:
    """What every test needs and no bug touches."""
    import importlib

    for name in (
        "numpy",
        "flint",
        "mpmath",
        "sympy",
        "networkx",
        "click",
        "rich.console",
        "cvxpy",
        "pytest",
        "hypothesis",
    ):
        importlib.import_module(name)


def run_tests(tests: Sequence[str]) -> int:
    """The exit code of pytest on these tests, in this process, stopping at the first failure."""
    import pytest

    options = [
        "--assert=plain",
        "-x",
        "-q",
        "--no-header",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:randomly",
        "--timeout=0",
        "-W",
        "ignore",
    ]
    return int(pytest.main([*options, *tests]))


def _child(bug: Bug | None, tests: Sequence[str], output: Path) -> None:
    """The life of a fork: everything it says goes to a file, and its exit code is that of pytest."""
    os.setsid()
    with open(output, "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(planting.ROOT)
    code = 70
    try:
        if bug is not None and bug.file:
            planting.plant(bug.file, bug.old, bug.new)
        code = run_tests(tests)
    except BaseException as problem:
        print(f"{type(problem).__name__}: {problem}", file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _fate(bug: Bug, code: int | None, output: str) -> str:
    if code is None or code == FAILED:
        return "killed"
    if code == INTERRUPTED and "ValueError: " not in output:
        return "killed"  # the module does not even import
    return "survived" if code == PASSED else "broken"


def fates(
    bugs: Iterable[Bug], workers: int, tests_of: Callable[[Bug], Sequence[str]] | None = None
) -> Iterator[Outcome]:
    """The outcome of every bug, in the order in which they end, `workers` at a time."""
    load_libraries()
    waiting, running = iter(bugs), dict[int, tuple[Bug, float, Path]]()
    with tempfile.TemporaryDirectory() as folder:
        number = 0
        while True:
            while len(running) < workers and (bug := next(waiting, None)) is not None:
                number += 1
                output = Path(folder) / str(number)
                pid = os.fork()
                if pid == 0:
                    _child(bug, bug.tests if tests_of is None else tests_of(bug), output)
                running[pid] = (bug, time.monotonic(), output)
            if not running:
                return
            yield from _ended(running)


def _ended(running: dict[int, tuple[Bug, float, Path]]) -> Iterator[Outcome]:
    """Waits until one of the forks has ended, by itself or by our patience."""
    pid, status = os.waitpid(-1, os.WNOHANG)
    now = time.monotonic()
    late = [p for p, (bug_of, start, _) in running.items() if bug_of.file and now - start > PATIENCE]
    if pid == 0 and not late:
        time.sleep(0.05)
        return
    for p in {pid, *late} - {0}:
        bug, start, output = running.pop(p)
        code: int | None = os.waitstatus_to_exitcode(status) if p == pid else None
        if code is None:
            os.killpg(p, signal.SIGKILL)
            os.waitpid(p, 0)
        said = output.read_text("utf-8", "replace") if output.exists() else ""
        yield Outcome(bug, _fate(bug, code, said), now - start, said)
