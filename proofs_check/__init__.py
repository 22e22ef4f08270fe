"""An independent checker of certificates: standard library only, exact arithmetic, no search (see README.md)."""

import gc
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO

from .claims import Claim, chosen, proved
from .core import caller
from .core.budget import Budget, Limits
from .core.certificate import Certificate
from .core.definitions import DEFINITIONS
from .core.lines import Lines
from .core.subject import Task
from .core.verdict import Refusal, Verdict
from .fast import quick_ways
from .fast.workers import Answers, Crew, Part

__all__ = ["Answers", "Crew", "Limits", "Part", "Task", "Verdict", "check", "task_of"]


def check(
    path: str,
    data: str | Sequence[caller.Sequence] | None = None,
    limits: Limits | None = None,
    workers: int | Crew = 1,
    weights: str | None = None,
    plain: bool = False,
) -> Verdict:
    """The verdict on the certificate in a file, about the caller's data if any: a file, or sequences already read.

    By so many processes, or by a crew of the caller's; if `plain`, by the definitions alone, in this process. A
    network's weights may stand in a file of their own.
    """
    budget, collecting = Budget(limits or Limits()), gc.isenabled()
    ways = DEFINITIONS if plain else quick_ways(workers)
    allow_long_numbers(budget.limits.digits)
    with open(path, "rb") as stream:
        lines, name, claim = Lines(stream, budget, ways.outside_strings), None, None
        try:
            gc.disable()  # nothing here forms cycles
            header = lines.value()
            name = name_of_claim(header)
            if weights is not None and name not in ("argmax", "enclosure"):
                return Verdict("declined", name, "line 1", "--weights: this claim is not about such a network")
            claim = chosen(header, lines)
            words = proved(claim, Certificate(header, header["dim"], lines, budget, ways, data, weights))
        except Refusal as refusal:
            return Verdict(refusal.args[0], name, f"line {lines.read}", refusal.args[1], *known(claim))
        finally:
            (gc.enable if collecting else gc.disable)()
    return Verdict("accepted", name, None, f"{words}; subject sha256 {lines.subject.hexdigest()}", *known(claim))


def known(claim: Claim | None) -> tuple[str | None, tuple[str, ...]]:
    """The tier of a claim, and the other checkers that know it."""
    return (None, ()) if claim is None else (claim.tier, claim.also)


def task_of(head: bytes, limits: Limits) -> Task:
    """What is to be verified of every sequence of a certificate that begins so (see `workers.head_of`)."""
    found = list[Task]()

    def verify_first(task: Task) -> None:
        """The first line says which keys all lines have."""
        task.run(0, 1)
        found.append(task)

    budget, ways = Budget(limits), quick_ways(1)._replace(run=verify_first)
    allow_long_numbers(limits.digits)
    lines = Lines(BytesIO(head), budget, ways.outside_strings)
    header = lines.value()
    with suppress(Refusal):  # there is no end line
        proved(chosen(header, lines), Certificate(header, header["dim"], lines, budget, ways))
    return found[0]


def name_of_claim(header: object) -> str | None:
    """The claim as the header names it, true or not."""
    claim = header.get("claim") if type(header) is dict else None
    return claim if type(claim) is str else None


def allow_long_numbers(digits: int) -> None:
    """Python's own cap on the digits of an integer yields to the caller's."""
    if 0 < sys.get_int_max_str_digits() < digits:
        sys.set_int_max_str_digits(min(digits, 2**31 - 1))
