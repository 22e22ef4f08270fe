"""Every exception of the package, on one screen.

A message says what was expected, what was got, where, and what to do about it.
The command line turns each class into its exit code; nothing else may escape it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


class ExactformerError(Exception):
    """Any error a user can cause; `exit_code` is what the command line returns for it."""

    exit_code = 70


class InvalidInput(ExactformerError, ValueError):
    """A value that the mathematics does not allow: ragged tokens, NaN, a wrong shape, alpha <= 0."""

    exit_code = 3


class NotExact(InvalidInput):
    """A number without an exact meaning here: not algebraic, not finite, or rounded."""


class Malformed(ExactformerError, ValueError):
    """A file that is not what its format says."""

    exit_code = 3


class Undecided(ExactformerError, ArithmeticError):
    """A question that the allowed precision or budget could not decide; never an answer."""

    exit_code = 4


class Declined(ExactformerError, RuntimeError):
    """A stated limit was reached; the message names the limit and the option that raises it."""

    exit_code = 4


class MissingExtra(ExactformerError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    exit_code = 2


class SchedulerUnreachable(ExactformerError, ConnectionError):
    """No dask scheduler answers at the address."""

    exit_code = 2


class SchedulerLost(SchedulerUnreachable):
    """The scheduler went away, or its connection broke, again and again, and took the jobs with it."""

    exit_code = 4


@dataclass(frozen=True)
class Reason:
    """One reason why no construction exists: what kind, which sequences (0-based), and why in words.

    `absolute` says that it stands against every transformer, not only against those of one method.
    """

    kind: str
    sequences: tuple[int, ...]
    why: str
    witness: dict[str, object] = field(default_factory=dict)
    absolute: bool = False


class NoConstruction(ExactformerError, ValueError):
    """The data set cannot be interpolated; `reasons` lists every violated condition with its witness."""

    exit_code = 1

    def __init__(self, message: str, reasons: Sequence[Reason] = ()) -> None:
        super().__init__(message)
        self.reasons = tuple(reasons)
