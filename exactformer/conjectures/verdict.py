"""What a conclusion says on one instance: true, false with a witness, or undecided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from exactformer.arithmetic.short_text import short_repr
from exactformer.errors import Undecided
from exactformer.io.untyped import JsonValue

Outcome = Literal["true", "false", "undecided"]


@short_repr
@dataclass(frozen=True)
class StatementVerdict:
    """The exact outcome on an instance; a false one carries the witness that proves it.

    `nearness` in [0, 1] says how close the conclusion came to failing. It only guides the search (a float will do)
    and never touches the outcome.
    """

    outcome: Outcome
    witness: Mapping[str, JsonValue] = field(default_factory=dict)
    nearness: float = 0.0

    def __bool__(self) -> bool:
        """Whether the conclusion holds; an undecided one raises, it never becomes False."""
        if self.outcome == "undecided":
            raise Undecided(str(self.witness.get("why", "the conclusion is undecided on this instance")))
        return self.outcome == "true"

    @property
    def refutes(self) -> bool:
        """Whether the conclusion fails."""
        return self.outcome == "false"


#: the name of version 0.2
Judgement = StatementVerdict


def holds(nearness: float = 0.0) -> StatementVerdict:
    """The conclusion is true of the instance.

    >>> holds().outcome
    'true'
    """
    return StatementVerdict("true", {}, nearness)


def fails(**witness: object) -> StatementVerdict:
    """The conclusion is false of the instance, as the witness shows.

    >>> fails(token=3).witness
    {'token': 3}
    """
    return StatementVerdict("false", witness, 1.0)


def undecided(why: str, nearness: float = 0.0) -> StatementVerdict:
    """The budget of the judge did not suffice: neither true nor false."""
    return StatementVerdict("undecided", {"why": why}, nearness)


def conclude(truth: bool, *, nearness: float = 0.0, **witness: object) -> StatementVerdict:
    """`holds` or `fails` with the given witness, for conclusions that are one comparison."""
    return holds(nearness) if truth else fails(**witness)
