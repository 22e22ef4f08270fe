"""Jobs done by this process, by worker processes, or by a dask cluster, with one and the same outcome.

Jobs are drawn as workers become free. A job whose worker dies is done again, and so are all jobs under way when the
connection to a scheduler breaks: a lost worker costs nothing but its time.
"""

from __future__ import annotations

import os
import pickle
import re
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from exactformer.errors import Declined, InvalidInput, MissingExtra, SchedulerLost, SchedulerUnreachable

#: seconds a scheduler has to answer
TIMEOUT = 10
#: how often the worker of one and the same job may die
LOSSES = 50
#: jobs under way at a time on a cluster, whose size may change
CLUSTER_WINDOW = 64
#: how often the connection to a scheduler is made anew before the work is given up
CONNECTIONS = 5
_ADDRESS = re.compile(r"(?:[a-z]+://)?[^\s/]+:[0-9]+")

Job = TypeVar("Job")
Result = TypeVar("Result")
Shared = TypeVar("Shared")


@dataclass(frozen=True)
class Workers:
    """So many processes, or the workers of the dask scheduler at an address; one process is this one."""

    processes: int = 1
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.processes, int) or self.processes < 1:
            raise InvalidInput(f"expected one or more workers, got {self.processes!r}")

    @property
    def alone(self) -> bool:
        """Whether this process does everything."""
        return self.processes == 1 and self.scheduler is None

    def results(
        self, function: Callable[[Shared, Job], Result], shared: Shared, jobs: Iterable[Job]
    ) -> Iterator[tuple[Job, Result]]:
        """(job, function(shared, job)) of every job, as they end; whoever stops listening ends the workers.

        What is shared is sent to every worker once. Raises SchedulerUnreachable where no scheduler answers.

        >>> sorted(Workers().results(pow, 2, [3, 4]))
        [(3, 8), (4, 16)]
        """
        window = CLUSTER_WINDOW if self.scheduler is not None else 1 if self.alone else 2 * self.processes
        work = _Work(function, iter(jobs), window)
        for attempt in range(CONNECTIONS):
            with self._crew() as crew:
                try:
                    yield from work.done_by(crew, crew.share(shared))
                    return
                except SchedulerLost:
                    if attempt == CONNECTIONS - 1:
                        raise

    @contextmanager
    def _crew(self) -> Iterator[Crew]:
        if self.scheduler is not None:
            with _dask(self.scheduler) as client:
                yield Cluster(client)
        elif self.alone:
            yield Inline()
        else:
            with closing(Processes(self.processes)) as crew:
                yield crew


#: everything is done by this process
ALONE = Workers()


class _Work(Generic[Job, Result]):
    """The jobs that are left, those under way, and how often the worker of each died."""

    def __init__(self, function: Callable[..., Result], jobs: Iterator[Job], window: int) -> None:
        self.function, self.jobs, self.window = function, jobs, window
        self.again: list[tuple[Job, int]] = []

    def done_by(self, crew: Crew, shared: object) -> Iterator[tuple[Job, Result]]:
        """The jobs with their results; those under way when the scheduler is lost are to be done again."""
        under_way: dict[Future[Result], tuple[Job, int]] = {}
        try:
            while self._give(crew, shared, under_way):
                done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    problem = _failure_of(future)
                    job, losses = under_way.pop(future)
                    if problem is None:
                        yield job, future.result()
                    else:
                        self.again.append((job, _one_more(losses, problem)))
        finally:
            self.again += under_way.values()

    def _give(self, crew: Crew, shared: object, under_way: dict[Future[Result], tuple[Job, int]]) -> bool:
        """Hands out jobs while there are any and there is room; whether any is under way."""
        while len(under_way) < self.window:
            job, losses = self.again.pop() if self.again else (next(self.jobs, None), 0)
            if job is None:
                break
            under_way[crew.submit(self.function, shared, job)] = (job, losses)
        return bool(under_way)


def _one_more(losses: int, problem: BaseException) -> int:
    """How often the workers of a job have died by now; raises its problem where that is another one."""
    if not isinstance(problem, BrokenProcessPool) and type(problem).__name__ != "KilledWorker":
        raise problem
    if losses == LOSSES:
        raise Declined(f"the worker of one job died {LOSSES} times; is there enough memory?") from problem
    return losses + 1


def _failure_of(future: Future[Result]) -> BaseException | None:
    """What a finished job raised, or None; SchedulerLost where the scheduler took the job with it."""
    try:
        return future.exception()
    except CancelledError as lost:
        raise SchedulerLost(
            "the scheduler is gone; start again (a hunt with a `store` goes on from what is judged)"
        ) from lost


# ---- who does the jobs ----


class Crew(Protocol):
    """Whoever does jobs."""

    def share(self, value: object) -> object:
        """What stands for the value as the first argument of a job."""

    def submit(self, function: Callable[..., Result], shared: object, job: object, /) -> Future[Result]:
        """The future of the call."""


class Inline:
    """Runs everything at once in this process."""

    def share(self, value: object) -> object:
        """The value itself."""
        return value

    def submit(self, function: Callable[..., Result], shared: object, job: object, /) -> Future[Result]:
        """The finished future of the call."""
        future: Future[Result] = Future()
        try:
            future.set_result(function(shared, job))
        except Exception as problem:
            future.set_exception(problem)
        return future


class Processes:
    """Worker processes that are replaced when one of them dies."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._others = set(active_children())
        self._pool = self._new()
        self._folder = tempfile.TemporaryDirectory(prefix="exactformer-")

    def _new(self) -> ProcessPoolExecutor:
        # spawned, so that workers know nothing of this process's threads and files
        return ProcessPoolExecutor(
            self._workers, mp_context=get_context("spawn"), initializer=_worker_starts, initargs=(os.getpid(),)
        )

    def share(self, value: object) -> str:
        """The path of a file that every worker reads once."""
        path = Path(self._folder.name) / "shared"
        with open(path, "wb") as file:
            pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)
        return str(path)

    def submit(self, function: Callable[..., Result], shared: Any, job: object, /) -> Future[Result]:
        """The future of the call, in new processes if the old ones are broken."""
        try:
            return self._pool.submit(_with_file, function, shared, job)
        except BrokenProcessPool:
            self._pool.shutdown(wait=False)
            self._pool = self._new()
            return self._pool.submit(_with_file, function, shared, job)

    def close(self) -> None:
        """Ends the workers, in the middle of a job if need be: it will be done again."""
        children = set(active_children()) - self._others
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.terminate()
        self._folder.cleanup()


def _worker_starts(parent: int) -> None:
    """Ctrl-C is the coordinator's business; a worker whose coordinator is gone goes too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _with_file(function: Callable[[Any, Job], Result], path: str, job: Job) -> Result:
    """The call in a worker process."""
    return function(_read(path), job)


@lru_cache(maxsize=1)
def _read(path: str) -> object:
    """What a file of this very program's holds."""
    with open(path, "rb") as file:
        return pickle.load(file)


class Cluster:
    """The workers of a dask scheduler."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def share(self, value: object) -> object:
        """A task whose result is the value: workers pass it on, and it is made anew where all that held it are gone."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that it is large, which is why it is sent once
            return self._client.submit(_itself, value, pure=False)

    def submit(self, function: Callable[..., Result], shared: object, job: object, /) -> Future[Result]:
        """The future of the call.

        Dask's own executor waits for ever if a worker dies with a finished result and the job then fails.
        """
        future: Future[Result] = Future()
        self._client.submit(function, shared, job, pure=False).add_done_callback(partial(_settle, future))
        return future


def _settle(future: Future[Result], there: Any) -> None:
    """Ends a future as the one of dask has ended, which is fetched from its worker."""
    try:
        result = there.result()
    except BaseException as problem:  # dask's CancelledError is no Exception
        if there.cancelled():
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_exception(problem)
    else:
        future.set_result(result)


def _itself(value: Shared) -> Shared:
    return value


@contextmanager
def _dask(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address; SchedulerUnreachable where nobody answers there."""
    try:
        from distributed import Client
    except ImportError as problem:
        raise MissingExtra("`scheduler` needs dask: pip install 'exactformer[cluster]'") from problem
    if not _ADDRESS.fullmatch(address):  # dask's client would complain once more when it ends
        raise SchedulerUnreachable(
            f"expected the address of a dask scheduler, such as tcp://host:8786, got {address!r}"
        )
    try:
        client = Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise SchedulerUnreachable(f"no dask scheduler answers at {address}: {problem}") from problem
    try:
        yield client
    finally:
        client.close()
