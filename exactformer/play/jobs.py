"""Questions answered in worker processes: one per page at a time, the newest counts, with a budget of time and memory.

A worker that is not needed any more is killed; another one is forked from a process that has the libraries loaded.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Literal

from exactformer.errors import ExactformerError
from exactformer.io.untyped import Untyped

#: seconds and bytes that one question may take
SECONDS, MEMORY = 20.0, 2_000_000_000
#: questions answered at the same time, and those that may wait
AT_ONCE, WAITING = 2, 400

ReplyKind = Literal["answer", "refused", "undecided", "stale", "busy", "bug"]
#: held while a process starts
_STARTING = threading.Lock()
STALE = "a newer question of the same page took its place"


@dataclass(frozen=True)
class Reply:
    """What became of a question: its answer in bytes, or why there is none."""

    outcome: ReplyKind
    content: bytes = b""
    why: str = ""


@dataclass
class Worker:
    """A process that answers questions, one after the other."""

    process: Untyped
    pipe: Connection

    def kill(self) -> None:
        """Ends the process, whatever it is doing."""
        self.process.kill()
        self.process.join(5)
        self.pipe.close()


@dataclass
class AskedQuestion:
    """A question that waits or is being answered; a cancelled one gets no answer."""

    worker: Worker | None = None
    cancelled: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def cancel(self) -> None:
        """Ends the worker, so that whoever waits for its answer sees that there will be none."""
        with self.lock:
            self.cancelled = True
            if self.worker is not None:
                self.worker.process.kill()


def start_worker(target: Callable[..., None], *args: object) -> Worker:
    """A new process that runs target(pipe, *args)."""
    chosen = _context()
    mine, theirs = chosen.Pipe()
    process = chosen.Process(target=target, args=(theirs, *args), daemon=True)
    with _without_main(), _without_interrupts():
        process.start()
    theirs.close()
    return Worker(process, mine)


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Processes that start meanwhile do not run the main script again, which may well have no guard."""
    with _STARTING:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__") if hasattr(main, "__file__") else main
        try:
            yield
        finally:
            sys.modules["__main__"] = main


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes that start meanwhile never see Ctrl-C: not the one either that they are forked from while it loads."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would be started with the first process, and unblocks signals again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _context() -> Untyped:
    """How processes are made: forked from one that has everything loaded where that is possible."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    chosen = multiprocessing.get_context("forkserver")
    chosen.set_forkserver_preload(["exactformer.play.loaded"])
    return chosen


class Desk:
    """Takes questions of pages and hands them to workers."""

    def __init__(self, *, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self.seconds, self.memory = seconds, memory
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._jobs: dict[str, AskedQuestion] = {}
        self._running = threading.BoundedSemaphore(AT_ONCE)
        self._waiting = 0
        self._closed = False

    def warm(self) -> None:
        """Has one worker ready, so that the first question need not wait."""
        self._put(self._make())

    def close(self) -> None:
        """Ends all workers."""
        self._closed = True
        with self._lock:
            jobs, idle = list(self._jobs.values()), self._idle
            self._idle = []
        for job in jobs:
            job.cancel()
        for worker in idle:
            worker.kill()

    def ask(self, page: str, question: str, body: bytes, options: Mapping[str, str]) -> Reply:
        """The reply to a question; one of the same page that is still being answered becomes stale."""
        job = AskedQuestion()
        with self._lock:
            if self._waiting >= WAITING:
                return Reply("busy", why=f"{WAITING} questions are waiting already; ask again later")
            self._waiting += 1
            older = self._jobs.get(page) if page else None
            self._jobs[page or f"anonymous {id(job)}"] = job
        if older is not None:
            older.cancel()
        try:
            with self._running:
                return self._answer(job, (question, body, dict(options)))
        finally:
            with self._lock:
                self._waiting -= 1
                self._jobs = {key: other for key, other in self._jobs.items() if other is not job}

    def _answer(self, job: AskedQuestion, question: tuple[str, bytes, dict[str, str]]) -> Reply:
        worker = None if job.cancelled else self._take()
        with job.lock:
            job.worker = worker
        if worker is None:
            return Reply("stale", why=STALE)
        try:
            worker.pipe.send(question)
            answered = worker.pipe.poll(self.seconds)
            reply: Reply | None = worker.pipe.recv() if answered else None
        except (EOFError, OSError):
            answered, reply = True, None
        with job.lock:
            job.worker = None
        if reply is not None and not job.cancelled:
            self._put(worker)
            return reply
        worker.kill()
        if job.cancelled:
            return Reply("stale", why=STALE)
        if answered:
            return Reply("undecided", why="the computation ended early, most likely for want of memory")
        return Reply("undecided", why=f"not decided within {self.seconds:g} seconds")

    def _take(self) -> Worker:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        return worker if worker is not None and worker.process.is_alive() else self._make()

    def _put(self, worker: Worker) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < AT_ONCE:
                self._idle.append(worker)
                return
        worker.kill()

    def _make(self) -> Worker:
        return start_worker(serve, self.memory)


def serve(pipe: Connection, memory: int) -> None:
    """Answers the questions that come through the pipe until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    limit_memory(memory)
    while True:
        try:
            question, body, options = pipe.recv()
        except (EOFError, MemoryError):  # whoever asked sees that there will be no answer
            return
        pipe.send(reply_to(question, body, options))


def reply_to(question: str, body: bytes, options: Mapping[str, str]) -> Reply:
    """The reply to one question, in this process."""
    from exactformer.play.api import answered

    try:
        return Reply("answer", answered(question, body, options))
    except ExactformerError as problem:
        undecided = problem.exit_code == 4
        return Reply("undecided" if undecided else "refused", why=str(problem))
    except MemoryError:
        return Reply("undecided", why="out of memory; try fewer tokens or shorter numbers")
    except Exception as problem:
        return Reply("bug", why=f"a bug in the program: {type(problem).__name__}: {problem}; please report it")


def limit_memory(amount: int) -> None:
    """Lets this process take so many bytes more than it has now; where the system knows no such limit, any amount."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (now + amount, now + amount))
