"""Sequence lines verified by several processes: the verdict, its words and what is spent are those of one process.

A worker gets a part of the lines and answers with what it spent and which labels it saw, or with nothing. Answers count
in the order of the parts. Wherever anything is not plain (a line refused, a label that stood for other targets before,
the limit of operations, a worker that died) this process verifies the part itself; so the first line that fails
decides. Workers are forked when the blocks have been read (where there is no `os.fork`, one process does everything),
or they are somebody else's: a `Crew`, which is trusted like the machine the checker runs on.
"""

import json
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from io import BytesIO
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NamedTuple

from .certificate import Certificate
from .points import Point
from .subject import Labels, Sequence, SequenceLines
from .verdict import Refusal

LINES, BYTES = 4096, 1 << 20  # of a part, about
FEW = 256  # sequences for which one process is enough
Answers = Generator[tuple["Part", bytes], None, None]  # every part with its answer, in any order
Crew = Callable[["Task", Iterator["Part"]], Answers]


class Part(NamedTuple):
    """The lines of so many sequences, those from `first` on, and how many bytes of the certificate stand before."""

    first: int
    size: int
    before: int
    text: bytes


class Task(NamedTuple):
    """What is to be verified of every sequence."""

    subject: SequenceLines
    verify: Callable[[int, Sequence], None]

    def run(self, first: int, count: int) -> None:
        """Verifies so many sequence lines, the next ones, in order."""
        for j in range(first, first + count):
            self.verify(j, self.subject.read(j))
            self.subject.forget()

    def run_part(self, part: Part) -> None:
        """Verifies the lines of a part."""
        lines = self.subject.file.lines
        stream, lines.stream = lines.stream, BytesIO(part.text)
        self.run(part.first, part.size)
        lines.stream = stream


def verify_sequences(file: Certificate, verify: Callable[[int, Sequence], None], *kinds: tuple[str, ...]) -> None:
    """Every sequence line, all with the keys of one kind, is the caller's and passes `verify`."""
    task, total = Task(SequenceLines(file, kinds), verify), file.header["sequences"]
    forks = type(file.workers) is int
    if forks and (file.workers == 1 or total <= min(FEW, LINES) or not hasattr(os, "fork")):
        task.run(0, total)
        return
    task.run(0, 1)  # the first line says which keys all lines have
    crew = forked(file.workers) if forks else file.workers
    with closing(crew(task, parts(file, total))) as answers:
        settle(task, answers)


def settle(task: Task, answers: Answers) -> None:
    """The parts count in their order; where the answer to one leaves a doubt, this process verifies it.

    A part that never comes back is not counted as read: the digest of the end line is then another one.
    """
    first, waiting = 1, dict[int, tuple[Part, bytes]]()
    for part, said in answers:
        waiting[part.first] = part, said
        while first in waiting:
            part, said = waiting.pop(first)
            if not settled(task, part, said):
                task.run_part(part)
            first += part.size


def parts(file: Certificate, total: int) -> Iterator[Part]:
    """The lines of all sequences but the first, in parts; what is wrong with a line is for its verification to say."""
    first, before, limit = 1, file.lines.bytes, file.budget.limits.line + 1
    while first < total:
        found, size = list[bytes](), 0
        while len(found) < min(LINES, total - first) and size < BYTES:
            found.append(file.lines.stream.readline(limit))
            size += len(found[-1])
        yield Part(first, len(found), before, b"".join(found))
        first, before = first + len(found), before + size


# ---- the worker ----


def head_of(task: Task) -> bytes:
    """The lines that have been read when a crew is asked: all before the second sequence."""
    lines = task.subject.file.lines
    lines.stream.seek(0)
    return lines.stream.read(lines.bytes)


def serve(task: Task, channel: Connection) -> None:
    """Answers requests until there are none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process is told, and closes the channel
    while True:
        first, count, before, spent = json.loads(channel.recv_bytes())
        channel.send_bytes(answer(task, Part(first, count, before, channel.recv_bytes()), spent))


def answer(task: Task, part: Part, spent: int) -> bytes:
    """What the part costs and its labels with their targets; nothing, if any line is not plainly right."""
    budget, lines = task.subject.file.budget, task.subject.file.lines
    budget.spent, lines.bytes, task.subject.labels = spent, part.before, Labels()
    try:
        task.run_part(part)
    except Exception:
        return b""
    pairs = [(label, [[hex(n) for n in x] for x in y]) for label, y in task.subject.labels.targets_of.items()]
    return json.dumps([budget.spent - spent, pairs]).encode()


# ---- the first process ----


def forked(workers: int) -> Crew:
    """So many processes, forked from this one."""

    def crew(task: Task, found: Iterator[Part]) -> Answers:
        """Every part with its answer; the processes end with it."""
        pool = Pool(task, workers)
        try:
            yield from pool.run(found)
        finally:
            pool.close()

    return crew


class Pool:
    """Workers, those that have nothing to do, the parts that others work on, and answers by the number of a part."""

    def __init__(self, task: Task, workers: int) -> None:
        self.task, self.most = task, 2 * workers
        self.channels, self.processes = list[Connection](), list[int]()
        self.busy, self.answers = dict[Connection, int](), dict[int, bytes]()
        for _ in range(workers):
            self.start()
        self.idle = list(self.channels)

    def start(self) -> None:
        """Forks a worker; it keeps no end of a channel but its own, so that it ends when this process does."""
        mine, other = Pipe()
        self.channels.append(mine)
        process = os.fork()
        if process == 0:
            for channel in self.channels:
                channel.close()
            try:
                serve(self.task, other)
            finally:
                os._exit(0)
        other.close()
        self.processes.append(process)

    def run(self, found: Iterator[Part]) -> Answers:
        """Gives out all parts; they come back with their answers in their order, and few are held at a time."""
        queue = deque[Part]()
        self.fill(queue, found)
        while queue:
            while queue[0].first not in self.answers:
                self.listen()
                self.fill(queue, found)  # before the answers are settled: nobody is to wait for that
            part = queue.popleft()
            yield part, self.answers.pop(part.first)
            self.fill(queue, found)

    def fill(self, queue: deque[Part], found: Iterator[Part]) -> None:
        """Gives out parts while there are any, and somebody who has nothing to do, or nobody at all."""
        while len(queue) < self.most and (self.idle or not self.busy):
            part = next(found, None)
            if part is None:
                return
            queue.append(part)
            self.give(part)

    def give(self, part: Part) -> None:
        """Hands a part to a worker; without one there is no answer to it."""
        self.answers[part.first] = b""
        while self.idle:
            channel = self.idle.pop()
            try:
                channel.send_bytes(json.dumps([*part[:3], self.task.subject.file.budget.spent]).encode())
                channel.send_bytes(part.text)
            except OSError:  # this worker is gone
                continue
            self.busy[channel] = part.first
            del self.answers[part.first]
            return

    def listen(self) -> None:
        """Takes the answers that are there, and waits for one if there is none."""
        for channel in wait(list(self.busy)):
            first = self.busy.pop(channel)  # type: ignore[call-overload]
            try:
                self.answers[first] = channel.recv_bytes()  # type: ignore[union-attr]
                self.idle.append(channel)  # type: ignore[arg-type]
            except (EOFError, OSError):  # this worker is gone
                self.answers[first] = b""

    def close(self) -> None:
        """Ends the workers."""
        for channel, process in zip(self.channels, self.processes):
            channel.close()
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def settled(task: Task, part: Part, said: bytes) -> bool:
    """Whether the answer, after those before it, leaves no doubt; then the part counts as read and spent."""
    file, labels = task.subject.file, task.subject.labels
    cost, pairs = json.loads(said or b"[0,[]]")
    if not said or file.budget.spent + cost > file.budget.limits.operations:
        return False
    try:
        for label, targets in pairs:
            labels.verify(label, frozenset([point(x) for x in targets]))
    except Refusal:
        return False
    file.budget.spent += cost
    file.lines.skip(part.text, part.size)
    return True


def point(texts: list[Any]) -> Point:
    """The point that an answer writes."""
    return tuple([int(text, 16) for text in texts])
