"""Where a campaign lives: one JSON file a shard, written atomically, and an SQLite file that gathers them.

Any number of processes may write shard files side by side; only the coordinator, which holds the lock, writes the
database. Both can be lost at any moment and nothing is judged twice: what has a complete shard file is done. A shard
file has a digest of its content and of the campaign, and the database is compared with the shard files it was made of.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject, PathLike, strict_json, write_atomically
from exactformer.io.process_lock import only_process

FORMAT = 2  # since 2 shard files have a digest
#: the letters of a shard file; a rank of an enumeration that is no instance of its own is skipped
OUTCOMES = {"t": "true", "f": "false", "u": "undecided"}
SKIPPED = "-"
#: bins of the histogram of nearness
BINS = 10
REMADE = "delete it: it is made again from the shard files"
SCHEMA = """
CREATE TABLE IF NOT EXISTS shards (shard INTEGER PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS verdicts (
    idx INTEGER PRIMARY KEY, shard INTEGER NOT NULL, outcome TEXT NOT NULL, nearness REAL NOT NULL);
CREATE TABLE IF NOT EXISTS findings (idx INTEGER PRIMARY KEY, instance TEXT NOT NULL, witness TEXT NOT NULL);
"""

_Columns = tuple[object, ...]


def plain_json(value: JsonObject) -> JsonObject:
    """The value as JSON would give it back: exact numbers as canonical text."""
    result: JsonObject = json.loads(json.dumps(value, default=canonical))
    return result


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

    def asked(self, count: int, *, keep_going: bool) -> ShardResult | None:
        """The part about the first `count` instances; None if fewer were judged and no counterexample ended it."""
        done = self.count >= count or (bool(self.findings) and not keep_going)
        return self.first(count) if done else None

    def summary(self) -> ShardSummary:
        """What a report needs."""
        counts, histogram, nearest = dict.fromkeys(OUTCOMES.values(), 0), [0] * BINS, 0.0
        for letter, nearness in zip(self.outcomes, self.nearness, strict=True):
            if letter in OUTCOMES:
                counts[OUTCOMES[letter]] += 1
                nearest = max(nearest, nearness)
                histogram[min(int(nearness * BINS), BINS - 1)] += 1
        return ShardSummary(self.shard, self.count, counts, nearest, histogram, self.findings, self.undecided)


@dataclass(frozen=True)
class ShardSummary:
    """What a report needs of the first `count` instances of a shard: counts in place of the verdicts themselves."""

    shard: int
    count: int
    counts: dict[str, int]
    nearest: float
    histogram: list[int]
    findings: list[tuple[int, JsonObject, JsonObject]]
    undecided: list[tuple[int, str]]

    def first(self, count: int) -> ShardSummary:
        """The summary itself: it ends where it has to."""
        return self

    def asked(self, count: int, *, keep_going: bool) -> ShardSummary | None:
        """The summary, if it ends at `count`, or at the first counterexample where a campaign stops there."""
        end = count if keep_going or not self.findings else self.findings[0][0] + 1
        return self if self.count == end else None

    def summary(self) -> ShardSummary:
        """The summary itself."""
        return self


StoredShard = ShardResult | ShardSummary


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
            raise Malformed(
                f"{self.folder}: expected an empty folder or the store of a campaign, got other files, and no "
                "campaign.json; choose another `store`"
            )
        try:
            self._shards.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InvalidInput(f"cannot write {self.folder}: {problem.strerror}; choose another `store`") from problem
        if not head.exists():
            write_atomically(head, json.dumps({"exactformer": "campaign", **asdict(self.identity)}).encode())

    def _verify(self, head: Path) -> None:
        cure = "choose another `store`, or delete this folder to begin anew"
        try:
            content = strict_json(head.read_bytes(), str(head))
        except (OSError, Malformed) as problem:
            raise Malformed(f"{head}: expected the head of a campaign, got {_reason(problem)}; {cure}") from problem
        if not isinstance(content, dict) or content.get("exactformer") != "campaign":
            raise Malformed(f"{head}: expected the head of a campaign, got something else; {cure}")
        if content.get("format") == 1:
            raise Malformed(f"{self.folder} is a store of version 0.2, without digests; choose another `store`")
        for key, mine in asdict(self.identity).items():
            if content.get(key) != mine:
                raise Malformed(
                    f"{self.folder} is the store of another campaign: its {key} is {content.get(key)!r}, "
                    f"this one's is {mine!r}; choose another `store`, nothing was changed"
                )

    def _path(self, shard: int) -> Path:
        return self._shards / f"{shard:08d}.json"

    def write(self, result: StoredShard) -> None:
        """Adds the file of a shard, whole or not at all."""
        content = plain_json(asdict(result))
        content["sha256"] = self._digest(content)
        write_atomically(self._path(result.shard), json.dumps(content).encode())

    def _digest(self, content: JsonObject) -> str:
        """The digest of a shard of this campaign."""
        return hashlib.sha256(json.dumps([asdict(self.identity), content], sort_keys=True).encode()).hexdigest()

    def read(self, shard: int, count: int, *, keep_going: bool = True) -> StoredShard | None:
        """The stored verdicts of the first `count` instances of a shard, or None if fewer were judged.

        Unless a campaign keeps going, a shard that was left at its first counterexample is complete.
        """
        if not self._path(shard).exists():
            return None
        return self._verified(shard).asked(count, keep_going=keep_going)

    def _verified(self, shard: int) -> StoredShard:
        """The file of a shard; Malformed unless it is what this campaign wrote for this number."""
        path, cure = self._path(shard), "delete it to judge this shard again"
        try:
            content = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError) as problem:
            raise Malformed(f"{path}: expected the file of a shard, got {_reason(problem)}; {cure}") from problem
        stated = content.pop("sha256", None) if isinstance(content, dict) else None
        if stated is None or stated != self._digest(content):
            raise Malformed(
                f"{path}: the verdicts were changed after they were written, or are not this campaign's; {cure}"
            )
        if content["shard"] != shard:
            raise Malformed(f"{path}: expected shard {shard}, got the file of shard {content['shard']}; {cure}")
        return ShardSummary(**content) if "counts" in content else ShardResult(**content)

    @contextmanager
    def database(self) -> Iterator[Database]:
        """The database, for the one coordinator; InvalidInput where another process holds it."""
        with only_process(self.folder / "lock", wait=0) as mine:
            if not mine:
                raise InvalidInput(
                    f"{self.folder}: another campaign is writing here; wait for it, or use `shard` i/N for both"
                )
            path = self.folder / "campaign.sqlite"
            if path.exists() and 0 < path.stat().st_size < 100:  # less than the header, which SQLite takes for nothing
                raise Malformed(f"{path}: expected the database of this campaign, got a part of it; {REMADE}")
            try:
                with closing(sqlite3.connect(path)) as connection:
                    connection.executescript(SCHEMA)
                    _verify_schema(connection, path)
                    yield Database(connection, self.shard_size, path)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as problem:  # SQLite quotes names that are no UTF-8
                raise Malformed(f"{path}: expected the database of this campaign, got {problem}; {REMADE}") from problem


def _reason(problem: Exception) -> str:
    """What was the matter with a file, in words."""
    return str(problem.strerror if isinstance(problem, OSError) else problem)


def _verify_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Malformed unless the database has the tables of a campaign and nothing else: a view may take for ever to read."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        expected, found = (
            sorted(map(repr, base.execute("SELECT type, name, sql FROM sqlite_master"))) for base in (empty, connection)
        )
    if found != expected:
        raise Malformed(f"{path}: expected the tables of a campaign and nothing else; {REMADE}")


class Database:
    """Every judged index exactly once: its outcome and nearness; and the counterexamples."""

    def __init__(self, connection: sqlite3.Connection, shard_size: int, path: Path) -> None:
        self.connection, self.shard_size, self.path = connection, shard_size, path

    def add(self, result: ShardResult) -> None:
        """Records a shard in one transaction; of a shard known in part only what is new. What is known must agree."""
        known = self.connection.execute("SELECT count FROM shards WHERE shard = ?", (result.shard,)).fetchone()
        start = known[0] if known else 0
        if not isinstance(start, int):  # a damaged database may hold anything in any column
            raise Malformed(f"{self.path}: expected the number of verdicts on shard {result.shard}; {REMADE}")
        self._verify_known(result, start)
        rows, found = self._rows(result, start, result.count)
        if start >= result.count:
            return
        with self.connection:
            self.connection.executemany("INSERT INTO verdicts VALUES (?, ?, ?, ?)", rows)
            self.connection.executemany("INSERT INTO findings VALUES (?, ?, ?)", found)
            self.connection.execute("INSERT OR REPLACE INTO shards VALUES (?, ?)", (result.shard, result.count))

    def _rows(self, result: ShardResult, start: int, end: int) -> tuple[list[_Columns], list[_Columns]]:
        """The rows of verdicts and findings of the instances start..end-1 of a shard."""
        base = result.shard * self.shard_size
        rows: list[_Columns] = [
            (base + k, result.shard, OUTCOMES[result.outcomes[k]], result.nearness[k])
            for k in range(start, end)
            if result.outcomes[k] != SKIPPED
        ]
        found: list[_Columns] = [
            (base + k, json.dumps(instance, default=canonical), json.dumps(witness, default=canonical))
            for k, instance, witness in result.findings
            if start <= k < end
        ]
        return rows, found

    def _verify_known(self, result: ShardResult, count: int) -> None:
        """The rows of a shard, `count` instances of which are recorded, are those of the result as far as it goes."""
        base, last = result.shard * self.shard_size, min(count, result.count)
        end = (base, base + last if last < count else base + self.shard_size)
        select = "SELECT * FROM {} WHERE idx >= ? AND idx < ? ORDER BY idx"
        stored = [self.connection.execute(select.format(table), end).fetchall() for table in ("verdicts", "findings")]
        if stored != list(self._rows(result, 0, last)):
            raise Malformed(
                f"{self.path}: its verdicts on shard {result.shard} are not those of the shard file; {REMADE}"
            )
