"""Tests of `exactformer.conjectures.independent`: arrays or not, the verdicts are those of the judge of one instance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from kits.statements import statement_of

from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.independent import Judging, draws, judge_independent, summarised
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.store import OUTCOMES
from exactformer.conjectures.verdict import StatementVerdict, conclude, undecided
from exactformer.model.token_arrays import TokenArrays


def instances(statement: Statement, seed: int, shard: int, count: int) -> list[object]:
    """The draws of a shard one by one, in order."""
    found: dict[int, object] = {}
    for places, given in draws(statement, seed, shard, count):
        drawn = [given.tokens(k) for k in range(len(given))] if isinstance(given, TokenArrays) else given
        found |= dict(zip(places.tolist(), drawn, strict=True))
    assert sorted(found) == list(range(count))
    return [found[place] for place in range(count)]


def witness_of(verdict: StatementVerdict) -> dict[str, object]:
    """The witness, but for weights, of which there are many and a solver proposes some."""
    return {key: value for key, value in verdict.witness.items() if key != "weights"}


def compared(statement: Statement, seed: int, count: int) -> tuple[int, int]:
    """Compares letters, nearness, witnesses and order; (proved in arrays, judged one by one)."""
    judging = Judging(statement, count)
    for places, given in draws(statement, seed, 0, count):
        if isinstance(given, TokenArrays):
            judging.prove(places, given)
        else:
            judging.left |= dict(zip(places.tolist(), given, strict=True))
    alone = len(judging.left)
    told = [(place, witness_of(verdict)) for place, _, verdict in judging.judge_the_rest(keep_going=True)]
    drawn = instances(statement, seed, 0, count)
    verdicts = [statement.judge(instance) for instance in drawn]
    assert judging.letters.tolist() == ["-" if v is None else v.outcome[0] for v in verdicts]
    assert judging.nearness.tolist() == [0.0 if v is None else v.nearness for v in verdicts]
    assert told == [(k, witness_of(v)) for k, v in enumerate(verdicts) if v is not None and v.outcome != "true"]
    return count - alone, alone


@pytest.mark.parametrize("name", catalogue())
def test_every_statement_has_the_verdicts_of_single_instances(name: str) -> None:
    statement = catalogue()[name]
    compared(statement, 3, 4 if statement.prove is None else 120)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, statement in catalogue().items() if statement.prove is not None])
def test_statements_with_arrays_have_the_verdicts_of_single_instances_on_thousands(name: str) -> None:
    compared(catalogue()[name], 5, 4000)


def tokens_below_four(z: object) -> StatementVerdict:
    return conclude(len(z) < 4, nearness=len(z) / 4, layers=0)  # type: ignore[arg-type]


def test_a_shard_ends_at_its_first_counterexample_unless_it_keeps_going() -> None:
    own = statement_of(tokens_below_four)
    whole, part = (judge_independent(own, 2, 1, 50, keep_going=keep_going) for keep_going in (True, False))
    first = next(k for k, z in enumerate(instances(own, 2, 1, 50)) if len(z) >= 4)  # type: ignore[arg-type]
    assert whole.count == 50
    assert len(whole.findings) == whole.counts["false"] > 1
    assert (part.count, part.counts) == (first + 1, {"true": first, "false": 1, "undecided": 0})
    assert part.findings == whole.findings[:1]
    assert sum(part.histogram) == first + 1


def test_reasons_of_undecided_draws_are_kept_and_draws_outside_the_hypotheses_are_not_counted() -> None:
    own = statement_of(lambda z: undecided(f"{len(z)} tokens"))
    result = judge_independent(own, 0, 0, 12)
    assert result.undecided == [(k, f"{len(z)} tokens") for k, z in enumerate(instances(own, 0, 0, 12))]  # type: ignore[arg-type]
    indefinite = catalogue()["leader-indefinite"]
    result = judge_independent(indefinite, 0, 0, 100)
    inside = sum(indefinite.violated(z) is None for z in instances(indefinite, 0, 0, 100))
    assert 0 < sum(result.counts.values()) == inside < 100


def test_a_larger_count_begins_with_the_same_draws() -> None:
    for name in ("lemma-1", "graph-stabilises"):
        statement = catalogue()[name]
        assert instances(statement, 1, 2, 60)[:25] == instances(statement, 1, 2, 25)
        assert instances(statement, 1, 2, 25) != instances(statement, 1, 3, 25) != instances(statement, 2, 2, 25)


def test_statements_of_own_families_are_drawn_one_by_one_and_may_still_be_proved_in_arrays() -> None:
    lemma = catalogue()["lemma-6"]
    assert compared(replace(lemma, generate=lambda rng: lemma.generate(rng)), 1, 250)[0] > 100


def test_a_summary_counts_letters_and_bins() -> None:
    letters = np.array(list("tt-fu"))
    summary = summarised(7, letters, np.array([0.05, 0.1234567, 0.9, 1.0, 0.3]), [], [])
    assert (summary.shard, summary.count, summary.nearest) == (7, 5, 1.0)
    assert summary.counts == dict(zip(OUTCOMES.values(), (2, 1, 1), strict=True))
    assert summary.histogram == [1, 1, 0, 1, 0, 0, 0, 0, 0, 1]
