"""Runs tests under planted bugs, each in a fork of a process that has the libraries loaded: about a second a bug."""

from __future__ import annotations

import importlib
import math
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import planting
from planting import Bug

#: what a fork may take of memory, in bytes: a bug may ask for all of it
MEMORY = 8 << 30
#: how much longer than its CPU time a fork may take by the clock: the machine may be busy, and a bug may wait for ever
WAITING = 8
#: what pytest exits with, and what a fork exits with that never came to run a test
PASSED, FAILED, INTERRUPTED, NOT_FOUND, UNPLANTED = 0, 1, 2, 4, 70
LIBRARIES = "numpy flint mpmath sympy networkx click rich.console rich.table cvxpy scipy.sparse pytest hypothesis matplotlib.figure"
OPTIONS = "--assert=plain -q --no-header --no-summary -p no:cacheprovider -p no:xdist -p no:cov --timeout=0 -W ignore"


@dataclass(frozen=True)
class Trial:
    """A bug, or None for the source as it is; tests in waves, each run where the one before it saw nothing."""

    bug: Bug | None
    waves: tuple[tuple[str, ...], ...]
    #: seconds of CPU time after which tests that hang count as tests that fail
    patience: float = 240.0
    #: whether the tests after the first that fails are run too
    all_tests: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of a trial: `seen`, `survived`, or `broken` where no test could be run; and the tests that failed."""

    trial: Trial
    fate: str
    failed: tuple[str, ...]
    seconds: float
    output: str


class Recorder:
    """A plugin of pytest that writes down what fails, or cannot be collected."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def note(self, name: str) -> None:
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(name + "\n")

    def pytest_runtest_logreport(self, report: object) -> None:
        if report.failed:  # type: ignore[attr-defined]
            self.note(report.nodeid)  # type: ignore[attr-defined]

    def pytest_collectreport(self, report: object) -> None:
        if report.failed:  # type: ignore[attr-defined]
            self.note(report.nodeid)  # type: ignore[attr-defined]


def load_libraries() -> None:
    """What every test needs and no bug touches."""
    for name in LIBRARIES.split():
        importlib.import_module(name)


def _child(trial: Trial, folder: Path) -> None:
    """The life of a fork: everything it says goes to a file, and its exit code is that of pytest."""
    os.setsid()
    with open(folder / "output", "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(trial.patience),) * 2)
    os.chdir(planting.ROOT)
    sys.argv = ["pytest"]  # examples take where they write from here
    exit_code = UNPLANTED
    try:
        if trial.bug is not None:
            planting.plant(trial.bug)
        exit_code = _run(trial, folder)
    except BaseException as problem:
        print(f"{type(problem).__name__}: {problem}", file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(exit_code)


def _run(trial: Trial, folder: Path) -> int:
    """The exit code of pytest on the first wave that does not pass."""
    import pytest

    stop = [] if trial.all_tests else ["-x"]
    for wave in trial.waves:
        options = [*OPTIONS.split(), *stop, f"--basetemp={folder / 'tests'}"]
        exit_code = int(pytest.main([*options, *wave], plugins=[Recorder(folder / "failed")]))
        if exit_code != PASSED:
            return exit_code
    return PASSED


def fate(exit_code: int | None) -> str:
    """What an exit code means; None is a fork that hung. A test that fails, dies or is no longer there has seen the bug."""
    if exit_code == PASSED:
        return "survived"
    seen = exit_code is None or exit_code < 0 or exit_code in (FAILED, INTERRUPTED, NOT_FOUND)
    return "seen" if seen else "broken"


@dataclass(frozen=True)
class _Running:
    trial: Trial
    start: float
    folder: Path

    def outcome(self, exit_code: int | None) -> Outcome:
        seconds = time.monotonic() - self.start
        output, failed = (_text(self.folder / name) for name in ("output", "failed"))
        names = tuple(dict.fromkeys(failed.splitlines()))
        return Outcome(self.trial, fate(exit_code), names, seconds, output)


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.exists() else ""


def outcomes(trials: Iterable[Trial], workers: int) -> Iterator[Outcome]:
    """The outcome of every trial, in the order in which they end, `workers` at a time."""
    load_libraries()
    waiting, running = iter(trials), dict[int, _Running]()
    try:
        while True:
            while len(running) < workers and (trial := next(waiting, None)) is not None:
                folder = Path(tempfile.mkdtemp(prefix="mutant-"))
                sys.stdout.flush()
                pid = os.fork()
                if pid == 0:
                    _child(trial, folder)
                running[pid] = _Running(trial, time.monotonic(), folder)
            if not running:
                return
            yield from _ended(running)
            time.sleep(0.02)
    finally:
        for pid in running:
            os.killpg(pid, signal.SIGKILL)


def _ended(running: dict[int, _Running]) -> Iterator[Outcome]:
    """The outcomes of the forks that have ended, by themselves or by our patience."""
    for pid, job in list(running.items()):
        done, status = os.waitpid(pid, os.WNOHANG)
        late = not done and time.monotonic() - job.start > WAITING * job.trial.patience
        if late:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        if done or late:
            del running[pid]
            outcome = job.outcome(None if late else os.waitstatus_to_exitcode(status))
            _remove(pid, job.folder)
            yield outcome


def _remove(pid: int, folder: Path) -> None:
    """Ends what a fork started and did not end, and removes its files."""
    import shutil
    from contextlib import suppress

    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def failing_anyway(tests: Sequence[str], workers: int) -> set[str]:
    """Those of these tests that fail on the source as it is: what they saw was no bug."""
    found: set[str] = set()
    shares = [tuple(tests[k::workers]) for k in range(workers) if tests[k::workers]]
    for outcome in outcomes([Trial(None, (share,), 3600.0, True) for share in shares], workers):
        found |= set(outcome.failed) | (set(outcome.trial.waves[0]) if outcome.fate == "broken" else set())
    return found
