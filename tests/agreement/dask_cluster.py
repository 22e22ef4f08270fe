"""A dask cluster on this machine's loopback, for tests."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class Cluster:
    """A dask scheduler and worker processes of our own, which may be killed and replaced."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.workers = folder, list[subprocess.Popen[bytes]]()
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", "s.json"
        )
        for _ in range(300):
            if (folder / "s.json").exists():
                break
            time.sleep(0.1)
        self.address = json.loads((folder / "s.json").read_text())["address"]

    def _start(self, role: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + role, *arguments],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def add_worker(self) -> None:
        self.workers.append(
            self._start(
                "worker", self.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard"
            )
        )

    def kill_worker(self) -> None:
        victim = self.workers.pop(0)
        victim.kill()
        victim.wait()

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    running = Cluster(folder)
    try:
        yield running
    finally:
        running.close()
