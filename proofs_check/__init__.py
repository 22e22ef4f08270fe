"""An independent checker of certificates: standard library only, exact arithmetic, no search (see README.md)."""

import gc
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from typing import Any

from . import caller
from .budget import Budget, Limits
from .claims import proved
from .lines import Lines
from .verdict import Refusal, Verdict
from .workers import Answers, Crew, Part, Task

__all__ = ["Answers", "Crew", "Limits", "Part", "Task", "Verdict", "check", "task_of"]


def check(
    path: str,
    data: str | Sequence[caller.Sequence] | None = None,
    limits: Limits | None = None,
    workers: int | Crew = 1,
) -> Verdict:
    """The verdict on the certificate in a file, about the caller's data if any: a file, or sequences already read.

    By so many processes, or by a crew of the caller's.
    """
    budget, collecting = Budget(limits or Limits()), gc.isenabled()
    allow_long_numbers(budget.limits.digits)
    with open(path, "rb") as stream:
        lines, claim = Lines(stream, budget), None
        try:
            gc.disable()  # nothing here forms cycles
            header = lines.value()
            claim = name_of_claim(header)
            words = proved(header, lines, budget, data, workers)
        except Refusal as refusal:
            return Verdict(refusal.args[0], claim, f"line {lines.read}", refusal.args[1])
        finally:
            (gc.enable if collecting else gc.disable)()
    return Verdict("accepted", claim, None, f"{words}; subject sha256 {lines.subject.hexdigest()}")


def task_of(head: bytes, limits: Limits) -> Task:
    """What is to be verified of every sequence of a certificate that begins so (see `workers.head_of`)."""
    found = list[Task]()

    def crew(task: Task, parts: object) -> Answers:
        """Nothing is verified here."""
        found.append(task)
        yield from ()

    budget = Budget(limits)
    allow_long_numbers(limits.digits)
    lines = Lines(BytesIO(head), budget)
    with suppress(Refusal):  # there is no end line
        proved(lines.value(), lines, budget, None, crew)
    return found[0]


def name_of_claim(header: Any) -> str | None:
    """The claim as the header names it, true or not."""
    claim = header.get("claim") if type(header) is dict else None
    return claim if type(claim) is str else None


def allow_long_numbers(digits: int) -> None:
    """Python's own cap on the digits of an integer yields to the caller's."""
    if 0 < sys.get_int_max_str_digits() < digits:
        sys.set_int_max_str_digits(min(digits, 2**31 - 1))
