"""Executors for shards: this process, worker processes, or a dask cluster, all as `concurrent.futures`."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import Any

from exactformer.errors import MissingExtra

#: seconds a scheduler has to answer
TIMEOUT = 10


class SchedulerUnreachable(ConnectionError):
    """No scheduler answers at the address."""


class SchedulerLost(SchedulerUnreachable):
    """The scheduler went away, or its connection broke, and took the jobs with it."""


class Inline(Executor):
    """Runs everything at once in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The finished future of the call."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as problem:
            future.set_exception(problem)
        return future


def lost_worker(problem: BaseException) -> bool:
    """Whether a job failed because its worker died, so that it is to be done again."""
    return isinstance(problem, BrokenProcessPool) or type(problem).__name__ == "KilledWorker"


def failure_of(future: Future[Any]) -> BaseException | None:
    """What a finished job raised, or None; SchedulerLost where the scheduler took the job with it."""
    try:
        return future.exception()
    except CancelledError as lost:
        raise SchedulerLost(
            "the scheduler is gone; with --store everything judged so far is kept: start the campaign again"
        ) from lost


def _worker_starts(parent: int) -> None:
    """Ctrl-C is the coordinator's business; a worker whose coordinator is gone goes too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class Processes(Executor):
    """Worker processes that are replaced when one of them dies."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._others = set(active_children())
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        # spawned, so that workers know nothing of this process's threads and files
        return ProcessPoolExecutor(
            self._workers, mp_context=get_context("spawn"), initializer=_worker_starts, initargs=(os.getpid(),)
        )

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future of the call, in new processes if the old ones are broken."""
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenProcessPool:
            self._pool.shutdown(wait=False)
            self._pool = self._new()
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the workers, in the middle of a shard if need be: it will be judged again."""
        children = set(active_children()) - self._others
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.terminate()


@contextmanager
def executor(workers: int, address: str | None) -> Iterator[Executor]:
    """The executor for `workers` processes, or for the dask scheduler at an address.

    Raises SchedulerUnreachable where nobody answers there.
    """
    if address is not None:
        with _dask(address) as cluster:
            yield cluster
    else:
        with Inline() if workers == 1 else Processes(workers) as pool:
            yield pool


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError as problem:
        raise MissingExtra("--scheduler needs dask: pip install 'exactformer[cluster]'") from problem
    try:
        client = Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise SchedulerUnreachable(f"no dask scheduler answers at {address}: {problem}") from problem
    try:
        yield client.get_executor(pure=False)
    finally:
        client.close()
