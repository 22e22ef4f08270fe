"""Worker processes for the sequence lines of a certificate, forked from this one (see `workers`)."""

import json
import os
import signal
from collections import deque
from collections.abc import Iterator
from multiprocessing.connection import Connection, Pipe, wait

from ..core.subject import Task
from . import workers
from .workers import Answers, Crew, Part, answer, by_crew

FEW = 256  # sequences for which one process is enough


def by_processes(number: int, task: Task) -> None:
    """Every sequence line passes, verified by so many processes; by this one where lines are few, or none can fork."""
    total = task.subject.file.header["sequences"]
    if total <= min(FEW, workers.LINES) or not hasattr(os, "fork"):
        task.run(0, total)
    else:
        by_crew(forked(number), task)


def serve(task: Task, channel: Connection) -> None:
    """Answers requests until there are none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process is told, and closes the channel
    while True:
        first, count, before, spent = json.loads(channel.recv_bytes())
        channel.send_bytes(answer(task, Part(first, count, before, channel.recv_bytes()), spent))


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
