"""Shards of independent draws: every instance follows from the seed and its index alone, none from another one.

Nothing is varied, so that thousands of instances can be drawn and judged at once, in arrays. What arrays cannot draw is
drawn one by one, and what they cannot prove is judged one by one: verdicts are those of the judge of single instances.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.conjectures.arrays.proved import Proved
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.store import BINS, OUTCOMES, ShardSummary, plain_json
from exactformer.conjectures.verdict import StatementVerdict, fails
from exactformer.instances.array_families import drawn, has_arrays
from exactformer.instances.kinds import kind_of
from exactformer.instances.number_stream import NumberStream
from exactformer.io.json_lines import JsonObject
from exactformer.model.token_arrays import TokenArrays, fitting
from exactformer.model.tokens import Tokens

#: instances a shard draws
INDEPENDENT_SHARD = 50_000
#: scores held at once: more would leave the cache of a core, fewer would make calls of NumPy dominate
_SCORES = 300_000
#: instances of one dimension and size from which on an array is worth its while
_WORTH = 8


class Judging:
    """The verdicts of a shard, place by place: proved in arrays where that is possible, the rest in order."""

    def __init__(self, statement: Statement, count: int) -> None:
        self.statement = statement
        self.letters = np.full(count, "-")
        self.nearness = np.zeros(count)
        self.left: dict[int, object] = {}
        self.refuted: dict[int, StatementVerdict] = {}

    def prove(self, places: Array, given: TokenArrays) -> None:
        """Takes in instances of equal n and d: those outside the hypotheses are passed over, the others proved."""
        statement, inside = self.statement, np.ones(len(given), dtype=bool)
        for hypothesis in statement.hypotheses if statement.prove is not None else ():
            if hypothesis.holds_for_arrays is None:
                self.left |= {int(k): given.tokens(i) for i, k in enumerate(places)}
                return
            inside &= hypothesis.holds_for_arrays(given)
        places, given = places[inside], given.take(inside)
        proved = Proved.nothing(len(given)) if statement.prove is None else _proved(statement, given)
        self.letters[places[proved.true]] = "t"
        self.nearness[places[proved.true]] = proved.nearness[proved.true]
        self.left |= {int(places[i]): given.tokens(i) for i in np.flatnonzero(~proved.true).tolist()}
        self.refuted |= {int(places[i]): fails(**witness) for i, witness in proved.false.items()}

    def judge_the_rest(self, *, keep_going: bool) -> Iterator[tuple[int, object, StatementVerdict]]:
        """Judges what is left one by one, in order, unless it is refuted already, and yields what is not true."""
        for place in sorted(self.left):
            instance = self.left.pop(place)
            known = self.refuted.get(place)
            verdict = self.statement.judge(instance) if known is None else known
            if verdict is None:
                continue
            self.letters[place], self.nearness[place] = verdict.outcome[0], verdict.nearness
            if verdict.outcome != "true":
                yield place, instance, verdict
                if verdict.refutes and not keep_going:
                    return


def _proved(statement: Statement, given: TokenArrays) -> Proved:
    """What the statement proves of the instances, so many at a time as a core holds."""
    result, most = Proved.nothing(len(given)), max(_SCORES // given.size**2, 1)
    for start in range(0, len(given), most):
        part = slice(start, start + most)
        if statement.prove is not None:
            proved = statement.prove(given.take(part))
            result.true[part], result.nearness[part] = proved.true, proved.nearness
            result.false |= {start + k: witness for k, witness in proved.false.items()}
    return result


def judge_independent(
    statement: Statement, seed: int, shard: int, count: int, *, keep_going: bool = True
) -> ShardSummary:
    """The summary of the first `count` draws of a shard, or of those up to its first counterexample."""
    judging = Judging(statement, count)
    for places, given in draws(statement, seed, shard, count):
        if isinstance(given, TokenArrays):
            judging.prove(places, given)
        else:
            judging.left |= dict(zip(places.tolist(), given, strict=True))
    findings: list[tuple[int, JsonObject, JsonObject]] = []
    undecided: list[tuple[int, str]] = []
    for place, instance, verdict in judging.judge_the_rest(keep_going=keep_going):
        if verdict.refutes:
            findings.append((place, plain_json(kind_of(instance).json(instance)), plain_json(dict(verdict.witness))))
        else:
            undecided.append((place, str(verdict.witness.get("why", ""))))
    end = count if keep_going or not findings else findings[0][0] + 1
    return summarised(shard, judging.letters[:end], judging.nearness[:end], findings, undecided)


def draws(
    statement: Statement, seed: int, shard: int, count: int
) -> Iterator[tuple[Array, TokenArrays | list[object]]]:
    """The first `count` draws of a shard with their places: arrays of equal n and d, or a list where there are none."""
    name = f"{statement.name}/{seed}/{shard}/independent"
    if has_arrays(statement.generate):
        yield from drawn(statement.generate, NumberStream(name, np.arange(count)))
        return
    rng = Random(name)
    instances = [statement.generate(rng) for _ in range(count)]
    groups: dict[tuple[int, int] | None, list[int]] = {}
    for place, instance in enumerate(instances):
        fits = statement.prove is not None and isinstance(instance, Tokens) and fitting(instance)
        groups.setdefault((len(instance), instance.dim) if fits else None, []).append(place)
    for shape, places in groups.items():
        chosen = [instances[place] for place in places]
        yield np.array(places), chosen if shape is None or len(places) < _WORTH else TokenArrays.of(chosen)


def summarised(
    shard: int,
    letters: Array,
    nearness: Array,
    findings: list[tuple[int, JsonObject, JsonObject]],
    undecided: list[tuple[int, str]],
) -> ShardSummary:
    """The counts of the letters, the largest nearness to six digits, and the histogram of all."""
    judged = nearness[letters != "-"]
    counts = {word: int(np.count_nonzero(letters == letter)) for letter, word in OUTCOMES.items()}
    nearest = round(float(judged.max(initial=0.0)), 6)
    bins = np.minimum((np.rint(judged * 1e6) * (BINS / 1e6)).astype(np.int64), BINS - 1)
    histogram = np.bincount(bins, minlength=BINS).tolist()
    return ShardSummary(shard, len(letters), counts, nearest, histogram, findings, undecided)
