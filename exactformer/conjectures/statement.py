"""Statements: hypotheses and a conclusion that can be decided on an instance, and where instances come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from exactformer.arithmetic.integers import Array
from exactformer.conjectures.arrays.proved import Prove
from exactformer.conjectures.verdict import StatementVerdict, undecided
from exactformer.errors import Declined, InvalidInput, Undecided
from exactformer.io.untyped import AnyInstance
from exactformer.model.token_arrays import TokenArrays

Status = Literal["true", "false", "open"]
STATUSES: tuple[Status, ...] = ("true", "false", "open")

#: what decides a statement on an instance of its kind, and what writes the certificate of a false verdict
Conclusion = Callable[[AnyInstance], StatementVerdict]
Certify = Callable[[AnyInstance, StatementVerdict, Path], None]


@dataclass(frozen=True)
class Hypothesis:
    """A condition on instances, in words and as an exact test; perhaps also as a test of many instances at once."""

    words: str
    holds_for: Callable[[AnyInstance], bool]
    holds_for_arrays: Callable[[TokenArrays], Array] | None = None


@dataclass(frozen=True)
class Statement:
    """If all hypotheses hold, so does the conclusion: judged on instances that `generate` draws.

    `conclusion` sees the instance alone, never where it came from. `certify` writes the certificate of a
    counterexample from the instance and the false verdict; without it the facts are certified as an orbit. `prove` may
    prove the conclusion of many tokens at once; it never refutes it, and what it leaves open is judged one by one.
    """

    name: str
    words: str
    status: Status
    source: str
    hypotheses: tuple[Hypothesis, ...]
    conclusion: Conclusion
    generate: Callable[[Random], AnyInstance]
    certify: Certify | None = None
    prove: Prove | None = None

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

    def judge(self, instance: object) -> StatementVerdict | None:
        """The exact verdict on an instance, or None where it lies outside the hypotheses and does not count."""
        if self.violated(instance) is not None:
            return None
        try:
            verdict = self.conclusion(instance)
        except (Undecided, Declined) as problem:
            return undecided(str(problem))
        if not isinstance(verdict, StatementVerdict):
            raise InvalidInput(
                f"{self.name}: expected the conclusion to return holds(..), fails(..) or undecided(..), "
                f"got {type(verdict).__name__}"
            )
        return verdict
