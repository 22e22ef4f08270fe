"""One process at a time: a lock file that every system has, since SQLite has, and that dies with its process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from exactformer.errors import Malformed
from exactformer.io.json_lines import PathLike


@contextmanager
def only_process(path: PathLike, *, wait: float) -> Iterator[bool]:
    """Whether this process holds the lock of the file, for which it waits so many seconds, until the block ends."""
    try:
        connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
    except sqlite3.Error as problem:
        raise _no_lock(path, problem) from problem
    with closing(connection):
        yield _locked(connection, path)


def _locked(connection: sqlite3.Connection, path: PathLike) -> bool:
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as problem:
        if "locked" not in str(problem):
            raise _no_lock(path, problem) from problem
        return False
    return True


def _no_lock(path: PathLike, problem: sqlite3.Error) -> Malformed:
    return Malformed(f"{path}: expected a lock, got {problem}; delete it: it keeps nothing")
