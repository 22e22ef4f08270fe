# fmt: off
"""Copies of certificates, edited."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from checker_kit import Lines

REJECTED, MALFORMED, DECLINED = {"verdict": "rejected"}, {"verdict": "malformed"}, {"verdict": "declined"}
Simple = tuple[str, Any, str, dict[str, Any]]


def changed(lines: Lines, *edits: Callable[[Lines], Any]) -> Lines:
    """A copy of the lines, edited."""
    found = copy.deepcopy(lines)
    for edit in edits:
        edit(found)
    return found


def put(line: int, *path: Any) -> Callable[[Lines], None]:
    """Sets lines[line][path..] to the last argument."""

    def edit(lines: Lines) -> None:
        *steps, last, value = path
        place = lines[line]
        for key in steps:
            place = place[key]
        place[last] = value

    return edit


def drop(line: int, key: Any) -> Callable[[Lines], None]:
    return lambda lines: lines[line].__delitem__(key)
