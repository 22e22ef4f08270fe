"""Every exception of the package, on one screen.

A message says what was expected, what was got, where, and what to do about it.
The command line turns each class into its exit code; nothing else may escape it.
"""

from __future__ import annotations

import warnings
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


class NotAccepted(ExactformerError):
    """A certificate that had to be accepted was not; the message is the checker's verdict."""

    exit_code = 1


class MissingExtra(ExactformerError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    exit_code = 2


class MissingOption(ExactformerError, TypeError):
    """Something that no file says and that was not given; the message names everything that is missing."""

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


#: where the documentation is published; a test compares it with pyproject.toml
SITE = "https://exactformer.github.io/exactformer/"


def proof_at(place: str) -> str:
    """The address of a theorem of the documentation, for messages: "page#anchor" of the pages on mathematics.

    >>> proof_at("languages#theorem-3").removeprefix(SITE)
    'mathematics/languages/#theorem-3'
    """
    return f"{SITE}mathematics/{place.replace('#', '/#')}"


def deprecated(old: str, new: str) -> None:
    """Warns the caller of a function that it has another name now."""
    warnings.warn(f"{old} is now called {new}; the old name goes with version 1.0", DeprecationWarning, stacklevel=3)
