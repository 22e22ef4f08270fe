"""One process at a time: a lock file that every system has, since SQLite has, and that dies with its process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from exactformer.io.json_lines import PathLike


@contextmanager
def only_process(path: PathLike, *, wait: float) -> Iterator[bool]:
    """Whether this process holds the lock of the file, for which it waits so many seconds, until the block ends."""
    with closing(sqlite3.connect(path, timeout=wait, isolation_level=None)) as connection:
        yield _locked(connection)


def _locked(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as problem:
        if "locked" not in str(problem):
            raise
        return False
    return True
