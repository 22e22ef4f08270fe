"""Statements: hypotheses and a conclusion that can be decided on an instance, and where instances come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

from exactformer.conjectures.judgement import Judgement, undecided
from exactformer.errors import Declined, InvalidInput, Undecided

Status = Literal["true", "false", "open"]
STATUSES: tuple[Status, ...] = ("true", "false", "open")

#: what decides a statement on an instance of its kind, and what writes the certificate of a false verdict
Conclusion = Callable[[Any], Judgement]
Certify = Callable[[Any, Judgement, Path], None]


@dataclass(frozen=True)
class Hypothesis:
    """A condition on instances, in words and as an exact test."""

    words: str
    holds_for: Callable[[Any], bool]


@dataclass(frozen=True)
class Statement:
    """If all hypotheses hold, so does the conclusion: judged on instances that `generate` draws.

    `conclusion` sees the instance alone, never where it came from. `certify` writes the certificate of a
    counterexample from the instance and the false verdict; without it the facts are certified as an orbit.
    """

    name: str
    words: str
    status: Status
    source: str
    hypotheses: tuple[Hypothesis, ...]
    conclusion: Conclusion
    generate: Callable[[Random], Any]
    certify: Certify | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InvalidInput(f"{self.name}: expected a status of {', '.join(STATUSES)}, got {self.status!r}")

    @property
    def in_words(self) -> str:
        """The whole statement: if the hypotheses hold, then the conclusion."""
        if not self.hypotheses:
            return self.words
        *others, last = (hypothesis.words for hypothesis in self.hypotheses)
        return f"If {', '.join(others)}{' and ' if others else ''}{last}: {self.words}"

    def violated(self, instance: object) -> Hypothesis | None:
        """The first hypothesis that the instance does not satisfy, or None."""
        return next((h for h in self.hypotheses if not h.holds_for(instance)), None)

    def judge(self, instance: object) -> Judgement | None:
        """The exact verdict on an instance, or None where it lies outside the hypotheses and does not count."""
        if self.violated(instance) is not None:
            return None
        try:
            verdict = self.conclusion(instance)
        except (Undecided, Declined) as problem:
            return undecided(str(problem))
        if not isinstance(verdict, Judgement):
            raise InvalidInput(
                f"{self.name}: expected the conclusion to return holds(..), fails(..) or undecided(..), "
                f"got {type(verdict).__name__}"
            )
        return verdict
