"""The work of one shard as plain data, so that any process on any machine can do it."""

from __future__ import annotations

import hashlib
import json
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from exactformer.arithmetic.text import canonical
from exactformer.conjectures.catalogue import statement_named
from exactformer.conjectures.enumeration import Enumeration
from exactformer.conjectures.instances import kind_of
from exactformer.conjectures.search import SHARD, judged
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.store import SKIPPED, ShardResult
from exactformer.conjectures.verdict import Verdict
from exactformer.errors import ExactformerError, InvalidInput, Malformed

#: what a user's file has to define
PARTS = ("name", "words", "status", "source", "hypotheses", "conclusion", "generate")


@dataclass(frozen=True)
class Source:
    """Where a statement is defined: a name of the catalogue, or the text of a user's file."""

    name: str
    text: str | None = None
    given: Statement | None = None

    @classmethod
    def of(cls, target: str | Statement) -> Source:
        """The source of a name, of a path that ends in .py, or of a statement itself (for one process)."""
        if isinstance(target, Statement):
            return cls(target.name, None, target)
        if not target.endswith(".py"):
            return cls(target)
        try:
            return cls(target, Path(target).read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as problem:
            raise InvalidInput(f"cannot read {target}: {problem}; check the path") from problem

    @property
    def definition(self) -> str:
        """What a store remembers: the version of the package, or the digest of the user's file."""
        if self.given is not None:
            raise InvalidInput("a statement made in Python has no text to compare: save it as a file to use a store")
        if self.text is None:
            return f"catalogue {metadata.version('exactformer')}"
        return f"sha256 {hashlib.sha256(self.text.encode()).hexdigest()}"

    def statement(self) -> Statement:
        """The statement; Malformed where a user's file fails to import or lacks a part."""
        if self.given is not None:
            return self.given
        return statement_named(self.name) if self.text is None else _load(self.name, self.text)


@lru_cache(maxsize=16)
def _load(name: str, text: str) -> Statement:
    """Runs a user's file, which must define `statement`."""
    module = ModuleType(Path(name).stem)
    module.__file__ = name
    try:
        exec(compile(text, name, "exec"), module.__dict__)
    except Exception as problem:
        raise Malformed(f"{name} fails to import: {type(problem).__name__}: {problem}") from problem
    found = getattr(module, "statement", None)
    if found is None:
        raise Malformed(f"{name}: expected it to define `statement = Statement(..)`, got no `statement`")
    if not isinstance(found, Statement):
        raise Malformed(f"{name}: expected `statement` to be a Statement, got {type(found).__name__}")
    for part in PARTS:
        value = getattr(found, part)
        if value is None or value == "":
            raise Malformed(f"{name}: the statement lacks its {part}")
    for part in ("conclusion", "generate"):
        if not callable(getattr(found, part)):
            raise Malformed(f"{name}: expected {part} to be a function, got {getattr(found, part)!r:.60}")
    return found


@dataclass(frozen=True)
class Job:
    """The first `count` instances of one shard, or those up to its first counterexample."""

    source: Source
    seed: int
    shard: int
    count: int
    enumeration: Enumeration | None = None
    keep_going: bool = True


def run(job: Job) -> ShardResult:
    """Judges a shard; the same result wherever and whenever it runs.

    What a user's own functions raise is Malformed, with the place in the file.
    """
    try:
        return _run(job)
    except ExactformerError:
        raise
    except Exception as problem:
        if job.source.text is None:
            raise
        raise Malformed(f"{_place(job.source.name, problem)}: {type(problem).__name__}: {problem}") from problem


def _place(name: str, problem: Exception) -> str:
    """The last line of the user's file that the problem came through."""
    lines = [frame.lineno for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == name]
    return f"{name}, line {lines[-1]}" if lines else name


def _run(job: Job) -> ShardResult:
    statement = job.source.statement()
    outcomes, nearness = [], []
    findings: list[tuple[int, dict[str, Any], dict[str, Any]]] = []
    undecided: list[tuple[int, str]] = []
    for k, (instance, verdict) in enumerate(_judged(statement, job)):
        if verdict is None:
            outcomes.append(SKIPPED)
            nearness.append(0.0)
            continue
        outcomes.append(verdict.outcome[0])
        nearness.append(round(verdict.nearness, 6))
        if verdict.refutes:
            findings.append((k, plain(kind_of(instance).json(instance)), plain(dict(verdict.witness))))
            if not job.keep_going:
                break
        elif verdict.outcome == "undecided":
            undecided.append((k, str(verdict.witness.get("why", ""))))
    return ShardResult(job.shard, "".join(outcomes), nearness, findings, undecided)


def _judged(statement: Statement, job: Job) -> Iterator[tuple[Any, Verdict | None]]:
    """The instances of the shard: found by search, or all of a range of ranks (None: none of its own, or outside)."""
    if job.enumeration is None:
        yield from judged(statement, job.seed, job.shard, job.count)
        return
    for rank in range(job.shard * SHARD, job.shard * SHARD + job.count):
        instance = job.enumeration.instance(rank)
        yield instance, None if instance is None else statement.judge(instance)


def plain(value: dict[str, Any]) -> dict[str, Any]:
    """The value as JSON would give it back: exact numbers as canonical text."""
    result: dict[str, Any] = json.loads(json.dumps(value, default=canonical))
    return result
