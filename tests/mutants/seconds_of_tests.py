"""A plugin of pytest that writes the CPU time of every test: the file's name stands in SECONDS_OF_TESTS.

The clock would count what other programs take on a busy machine, and fewer tests would be tried for a mutant.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

_seconds: Counter[str] = Counter()
_last = 0.0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The report of a phase lasts as long as the CPU worked, here and in processes that ended, since the phase before."""
    global _last
    report = yield
    now = sum(os.times()[:4])
    report.duration, _last = now - _last if _last else report.duration, now
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish() -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        Path(os.environ["SECONDS_OF_TESTS"]).write_text(json.dumps(_seconds), "utf-8")
