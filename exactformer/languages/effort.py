"""What one question about a language may cost: a short file may describe a machine with millions of states.

A question opens an allowance, and whatever works for it takes its steps, and the bytes that it will keep, from there
before it works. Work outside of a question is not bounded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from exactformer.errors import Declined, InvalidInput
from exactformer.io.read_limits import OPTION as MEMORY_OPTION

#: the environment variable that raises the number of steps
STEPS_OPTION = "EXACTFORMER_MAX_STEPS"
#: steps, of 10 to 100 nanoseconds, and bytes kept at one time, of one question
MOST_STEPS, MOST_BYTES = 800_000_000, 700_000_000


@dataclass
class _Allowance:
    """What is left of the steps and bytes."""

    steps: int
    room: int


_CURRENT: ContextVar[_Allowance | None] = ContextVar("allowance of a question", default=None)


@contextmanager
def one_question(share: int = 1) -> Iterator[None]:
    """What is done inside is one question; inside another one, a part of it, for one `share`-th of what is left.

    The bytes that a part keeps are free again at its end, its steps are not.

    >>> with one_question():
    ...     spend(10)
    """
    outer = _CURRENT.get()
    total = _Allowance(_option(STEPS_OPTION, MOST_STEPS), _option(MEMORY_OPTION, MOST_BYTES))
    inner = total if outer is None else _Allowance(outer.steps // share, outer.room)
    granted, token = inner.steps, _CURRENT.set(inner)
    try:
        yield
    finally:
        _CURRENT.reset(token)
        if outer is not None:
            outer.steps -= granted - max(0, inner.steps)


def spend(steps: int) -> None:
    """Takes so many steps from the question; Declined where they are not left."""
    current = _CURRENT.get()
    if current is None:
        return
    current.steps -= steps
    if current.steps < 0:
        raise Declined(
            "this takes too long; give a smaller language or model, "
            f"or set {STEPS_OPTION} (now {_option(STEPS_OPTION, MOST_STEPS):,}) to a larger number"
        )


def keep(amount: int) -> None:
    """Takes so many bytes from the question; Declined where they are not left."""
    current = _CURRENT.get()
    if current is None:
        return
    current.room -= amount
    if current.room < 0:
        raise Declined(
            "this takes too much memory; give a smaller language or model, "
            f"or set {MEMORY_OPTION} (now {_option(MEMORY_OPTION, MOST_BYTES):,}) to a larger number of bytes"
        )


def _option(name: str, default: int) -> int:
    text = os.environ.get(name, "")
    if text and not (text.isascii() and text.isdigit()):
        raise InvalidInput(f"{name}: expected a number, got {text!r:.60}")
    return int(text) if text else default
