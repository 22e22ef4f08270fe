"""`progress=True`: one line on standard error that says how far the work is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import ParamSpec, TextIO

P = ParamSpec("P")

#: seconds between two words
_INTERVAL = 0.2


def teller(
    progress: Callable[P, object] | bool | None, words: Callable[P, str], stream: TextIO | None = None
) -> Callable[P, object] | None:
    """What is told how far the work is: the function given; for True, a line on standard error; else nothing.

    >>> import sys
    >>> tell = teller(True, lambda done, total: f"{done} of {total}", stream=sys.stdout)
    >>> tell(1, 3)
    1 of 3
    """
    if not isinstance(progress, bool):
        return progress
    return _line(words, stream or sys.stderr) if progress else None


def _line(words: Callable[P, str], stream: TextIO) -> Callable[P, object]:
    last = -_INTERVAL

    def tell(*args: P.args, **options: P.kwargs) -> None:
        nonlocal last
        if time.monotonic() - last >= _INTERVAL:
            last = time.monotonic()
            print(words(*args, **options), file=stream, flush=True)

    return tell
