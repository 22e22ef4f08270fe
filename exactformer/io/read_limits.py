"""How much memory the numbers of one file may take, and how much work: a short file may name long numbers (1e9999) by
the thousand, or algebraic ones whose common field takes hours to find.

Readers of files open an allowance; reading numbers then declines where they would outgrow it. Numbers that are
already in memory need none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from exactformer.errors import Declined, InvalidInput

#: the environment variable that raises the allowance, in bytes
OPTION = "EXACTFORMER_MAX_MEMORY"
#: what a small file may take, and how often its own size a large one may
LEAST, TIMES = 64_000_000, 64
#: what the algebraic numbers of one file may cost, in units of about a millisecond
WORK = 30_000

_ALLOWED: ContextVar[int | None] = ContextVar("allowance", default=None)
_WORK_LEFT: ContextVar[int | None] = ContextVar("work left", default=None)


def allowance(size: int) -> int:
    """The bytes that the numbers of a file of so many bytes may take."""
    text = os.environ.get(OPTION, "")
    if text and not (text.isascii() and text.isdigit()):
        raise InvalidInput(f"{OPTION}: expected a number of bytes, got {text!r}")
    return int(text) if text else max(LEAST, TIMES * size)


@contextmanager
def reading(size: int) -> Iterator[None]:
    """The numbers read inside come from a file of so many bytes."""
    tokens = _ALLOWED.set(allowance(size)), _WORK_LEFT.set(WORK)
    try:
        yield
    finally:
        _ALLOWED.reset(tokens[0])
        _WORK_LEFT.reset(tokens[1])


def spend_work(amount: int, what: str) -> None:
    """Takes so much from what the file that is being read may cost; raises Declined where nothing is left."""
    left = _WORK_LEFT.get()
    if left is None:
        return
    if amount > left:
        raise Declined(f"{what}: the algebraic numbers of this file take too long; give fewer, or of smaller degree")
    _WORK_LEFT.set(left - amount)


def verify_memory(amount: int, what: str = "its numbers") -> None:
    """Raises Declined if so many bytes are more than the file that is being read may take."""
    allowed = _ALLOWED.get()
    if allowed is not None and amount > allowed:
        raise Declined(
            f"{what} would take about {amount:,} bytes, and a file of this size is allowed {allowed:,}; "
            f"set {OPTION} to a larger number of bytes to read it all the same"
        )
