"""What a conclusion says on one instance: true, false with a witness, or undecided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from exactformer.arithmetic.short_text import short_repr
from exactformer.errors import Undecided

Outcome = Literal["true", "false", "undecided"]


@short_repr
@dataclass(frozen=True)
class Judgement:
    """The exact outcome on an instance; a false one carries the witness that proves it.

    `nearness` in [0, 1] says how close the conclusion came to failing. It only guides the search (a float will do)
    and never touches the outcome.
    """

    outcome: Outcome
    witness: Mapping[str, Any] = field(default_factory=dict)
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


def holds(nearness: float = 0.0) -> Judgement:
    """The conclusion is true of the instance.

    >>> holds().outcome
    'true'
    """
    return Judgement("true", {}, nearness)


def fails(**witness: object) -> Judgement:
    """The conclusion is false of the instance, as the witness shows.

    >>> fails(token=3).witness
    {'token': 3}
    """
    return Judgement("false", witness, 1.0)


def undecided(why: str, nearness: float = 0.0) -> Judgement:
    """The budget of the judge did not suffice: neither true nor false."""
    return Judgement("undecided", {"why": why}, nearness)


def conclude(truth: bool, *, nearness: float = 0.0, **witness: object) -> Judgement:
    """`holds` or `fails` with the given witness, for conclusions that are one comparison."""
    return holds(nearness) if truth else fails(**witness)
