"""Jobs for workers: they must be found by processes that know nothing of the tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from exactformer.errors import InvalidInput


def power(exponent: int, base: int) -> int:
    """base^exponent."""
    return int(base**exponent)


def refuse(nothing: None, job: int) -> int:
    """Raises for one of the jobs."""
    if job == 3:
        raise InvalidInput("three")
    return job


def die_at_first(folder: str, job: int) -> int:
    """The job; its worker dies when it is tried for the first time."""
    mark = Path(folder) / str(job)
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return job


def die(nothing: None, job: int) -> None:
    """No worker survives this."""
    os.kill(os.getpid(), signal.SIGKILL)
