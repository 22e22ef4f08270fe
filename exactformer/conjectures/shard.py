"""A shard of a campaign as plain data, and its judging, so that any process on any machine can do it."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from dataclasses import dataclass

from exactformer.conjectures.independent import judge_independent
from exactformer.conjectures.search import SHARD, judged
from exactformer.conjectures.source import Source
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.store import SKIPPED, ShardResult, StoredShard, plain_json
from exactformer.conjectures.verdict import StatementVerdict
from exactformer.errors import ExactformerError, Malformed
from exactformer.instances.enumeration import Enumeration
from exactformer.instances.kinds import kind_of
from exactformer.io.json_lines import JsonObject


@dataclass(frozen=True)
class Shard:
    """The first `count` instances of one shard, or those up to its first counterexample."""

    seed: int
    number: int
    count: int
    enumeration: Enumeration | None = None
    keep_going: bool = True
    independent: bool = False


def judge_shard(source: Source, shard: Shard) -> StoredShard:
    """Judges a shard of a statement's instances; the same result wherever and whenever it runs.

    What a user's own functions raise is Malformed, with the place in the file.
    """
    try:
        statement = source.statement()
        if shard.independent:
            return judge_independent(statement, shard.seed, shard.number, shard.count, keep_going=shard.keep_going)
        return _judge_shard(statement, shard)
    except ExactformerError:
        raise
    except Exception as problem:
        if source.text is None:
            raise
        raise Malformed(f"{_place(source.name, problem)}: {type(problem).__name__}: {problem}") from problem


def _place(name: str, problem: Exception) -> str:
    """The last line of the user's file that the problem came through."""
    lines = [frame.lineno for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == name]
    return f"{name}, line {lines[-1]}" if lines else name


def _judge_shard(statement: Statement, shard: Shard) -> ShardResult:
    outcomes, nearness = [], []
    findings: list[tuple[int, JsonObject, JsonObject]] = []
    undecided: list[tuple[int, str]] = []
    for k, (instance, verdict) in enumerate(_judged(statement, shard)):
        if verdict is None:
            outcomes.append(SKIPPED)
            nearness.append(0.0)
            continue
        outcomes.append(verdict.outcome[0])
        nearness.append(round(verdict.nearness, 6))
        if verdict.refutes:
            findings.append((k, plain_json(kind_of(instance).json(instance)), plain_json(dict(verdict.witness))))
            if not shard.keep_going:
                break
        elif verdict.outcome == "undecided":
            undecided.append((k, str(verdict.witness.get("why", ""))))
    return ShardResult(shard.number, "".join(outcomes), nearness, findings, undecided)


def _judged(statement: Statement, shard: Shard) -> Iterator[tuple[object, StatementVerdict | None]]:
    """The instances of the shard: found by search, or all of a range of ranks (None: none of its own, or outside)."""
    if shard.enumeration is None:
        yield from judged(statement, shard.seed, shard.number, shard.count)
        return
    for rank in range(shard.number * SHARD, shard.number * SHARD + shard.count):
        instance = shard.enumeration.instance(rank)
        yield instance, None if instance is None else statement.judge(instance)
