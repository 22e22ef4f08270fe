"""Where a campaign lives: one JSON file a shard, written atomically, and an SQLite file that gathers them.

Any number of processes may write shard files side by side; only the coordinator, which holds the lock, writes the
database. Both can be lost at any moment and nothing is judged twice: what has a complete shard file is done.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from exactformer.arithmetic.text import JsonObject, canonical
from exactformer.errors import InvalidInput, Malformed
from exactformer.model.json_lines import PathLike, strict_json, write_atomically
from exactformer.model.process_lock import only_process

FORMAT = 1
#: the letters of a shard file; a rank of an enumeration that is no instance of its own is skipped
OUTCOMES = {"t": "true", "f": "false", "u": "undecided"}
SKIPPED = "-"
SCHEMA = """
CREATE TABLE IF NOT EXISTS shards (shard INTEGER PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS verdicts (
    idx INTEGER PRIMARY KEY, shard INTEGER NOT NULL, outcome TEXT NOT NULL, nearness REAL NOT NULL);
CREATE TABLE IF NOT EXISTS findings (idx INTEGER PRIMARY KEY, instance TEXT NOT NULL, witness TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Identity:
    """What makes two campaigns the same: the statement, the text that defines it, the seed and the search."""

    statement: str
    definition: str
    seed: int
    search: str
    format: int = FORMAT


@dataclass(frozen=True)
class ShardResult:
    """The verdicts of the first `count` instances of a shard: one letter (t, f, u or -) and one nearness each.

    `findings` holds the counterexamples as (place in the shard, instance, witness), `undecided` the places and reasons.
    """

    shard: int
    outcomes: str
    nearness: list[float]
    findings: list[tuple[int, JsonObject, JsonObject]]
    undecided: list[tuple[int, str]]

    @property
    def count(self) -> int:
        """How many instances were judged."""
        return len(self.outcomes)

    def first(self, count: int) -> ShardResult:
        """The part about the first `count` instances."""
        if count >= self.count:
            return self
        findings = [found for found in self.findings if found[0] < count]
        unsettled = [found for found in self.undecided if found[0] < count]
        return ShardResult(self.shard, self.outcomes[:count], self.nearness[:count], findings, unsettled)


class Store:
    """The folder of a campaign; raises Malformed for a folder of another campaign, and writes nothing there."""

    def __init__(self, folder: PathLike, identity: Identity, shard_size: int) -> None:
        self.folder, self.identity, self.shard_size = Path(folder), identity, shard_size
        self._shards = self.folder / "shards"
        self._open()

    def _open(self) -> None:
        head = self.folder / "campaign.json"
        if head.exists():
            self._verify(head)
        elif self.folder.exists() and any(self.folder.iterdir()):
            raise Malformed(f"{self.folder}: expected an empty folder or the store of a campaign, got other files")
        try:
            self._shards.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InvalidInput(f"cannot write {self.folder}: {problem.strerror}; choose another --store") from problem
        if not head.exists():
            write_atomically(head, json.dumps({"exactformer": "campaign", **asdict(self.identity)}).encode())

    def _verify(self, head: Path) -> None:
        content = strict_json(head.read_bytes(), str(head))
        if not isinstance(content, dict) or content.get("exactformer") != "campaign":
            raise Malformed(f"{head}: expected the head of a campaign, got something else")
        for key, mine in asdict(self.identity).items():
            if content.get(key) != mine:
                raise Malformed(
                    f"{self.folder} is the store of another campaign: its {key} is {content.get(key)!r}, "
                    f"this one's is {mine!r}; choose another --store, nothing was changed"
                )

    def _path(self, shard: int) -> Path:
        return self._shards / f"{shard:08d}.json"

    def write(self, result: ShardResult) -> None:
        """Adds the file of a shard, whole or not at all."""
        write_atomically(self._path(result.shard), json.dumps(asdict(result), default=canonical).encode())

    def read(self, shard: int, count: int, *, keep_going: bool = True) -> ShardResult | None:
        """The stored verdicts of the first `count` instances of a shard, or None if fewer were judged.

        Unless a campaign keeps going, a shard that was left at its first counterexample is complete.
        """
        path = self._path(shard)
        if not path.exists():
            return None
        try:
            content = json.loads(path.read_bytes())
            result = ShardResult(**content)
        except (ValueError, TypeError) as problem:
            raise Malformed(
                f"{path}: expected the file of a shard, got {problem}; delete it to judge it again"
            ) from problem
        done = result.count >= count or (bool(result.findings) and not keep_going)
        return result.first(count) if done else None

    @contextmanager
    def database(self) -> Iterator[Database]:
        """The database, for the one coordinator; InvalidInput where another process holds it."""
        with only_process(self.folder / "lock", wait=0) as mine:
            if not mine:
                raise InvalidInput(
                    f"{self.folder}: another campaign is writing here; wait for it, or use --shard i/N for both"
                )
            connection = sqlite3.connect(self.folder / "campaign.sqlite")
            try:
                connection.executescript(SCHEMA)
                yield Database(connection, self.shard_size)
            finally:
                connection.close()


class Database:
    """Every judged index exactly once: its outcome and nearness; and the counterexamples."""

    def __init__(self, connection: sqlite3.Connection, shard_size: int) -> None:
        self.connection, self.shard_size = connection, shard_size

    def add(self, result: ShardResult) -> None:
        """Records a shard in one transaction; of a shard known in part only what is new."""
        known = self.connection.execute("SELECT count FROM shards WHERE shard = ?", (result.shard,)).fetchone()
        start, base = (known[0] if known else 0), result.shard * self.shard_size
        if start >= result.count:
            return
        rows = [
            (base + k, result.shard, OUTCOMES[result.outcomes[k]], result.nearness[k])
            for k in range(start, result.count)
            if result.outcomes[k] != SKIPPED
        ]
        found = [
            (base + k, json.dumps(instance, default=canonical), json.dumps(witness, default=canonical))
            for k, instance, witness in result.findings
            if k >= start
        ]
        with self.connection:
            self.connection.executemany("INSERT INTO verdicts VALUES (?, ?, ?, ?)", rows)
            self.connection.executemany("INSERT INTO findings VALUES (?, ?, ?)", found)
            self.connection.execute("INSERT OR REPLACE INTO shards VALUES (?, ?)", (result.shard, result.count))
