"""Sequence lines verified by several processes: the verdict, its words and what is spent are those of one process.

A worker gets a part of the lines and answers with what it spent and which labels it saw, or with nothing. Answers count
in the order of the parts. Wherever anything is not plain (a line refused, a label that stood for other targets before,
the limit of operations, a worker that died) this process verifies the part itself; so the first line that fails
decides. Workers are forked when the blocks have been read (see `pool`), or they are somebody else's: a `Crew`, which is
trusted like the machine the checker runs on. The definition is `subject.Task.run` on all lines.
"""

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from io import BytesIO
from typing import NamedTuple

from ..core.certificate import Certificate
from ..core.points import Point
from ..core.subject import Labels, Task
from ..core.verdict import Json, Refusal

LINES, BYTES = 4096, 1 << 20  # of a part, about
Answers = Generator[tuple["Part", bytes], None, None]  # every part with its answer, in any order
Crew = Callable[[Task, Iterator["Part"]], Answers]


class Part(NamedTuple):
    """The lines of so many sequences, those from `first` on, and how many bytes of the certificate stand before."""

    first: int
    size: int
    before: int
    text: bytes


def run_part(task: Task, part: Part) -> None:
    """Verifies the lines of a part."""
    lines = task.subject.file.lines
    stream, lines.stream = lines.stream, BytesIO(part.text)
    task.run(part.first, part.size)
    lines.stream = stream


def by_crew(crew: Crew, task: Task) -> None:
    """Every sequence line passes, verified by a crew."""
    file = task.subject.file
    task.run(0, 1)  # the first line says which keys all lines have
    with closing(crew(task, parts(file, file.header["sequences"]))) as answers:
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
                run_part(task, part)
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


def answer(task: Task, part: Part, spent: int) -> bytes:
    """What the part costs and its labels with their targets; nothing, if any line is not plainly right."""
    budget, lines = task.subject.file.budget, task.subject.file.lines
    budget.spent, lines.bytes, task.subject.labels = spent, part.before, Labels()
    try:
        run_part(task, part)
    except Exception:
        return b""
    pairs = [(label, [[hex(n) for n in x] for x in y]) for label, y in task.subject.labels.targets_of.items()]
    return json.dumps([budget.spent - spent, pairs]).encode()


# ---- the first process ----


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


def point(texts: list[Json]) -> Point:
    """The point that an answer writes."""
    return tuple([int(text, 16) for text in texts])
