"""Tests of `exactformer.conjectures.shard`."""

from __future__ import annotations

from kits.statements import statement_of

from exactformer.conjectures.campaign import Tally
from exactformer.conjectures.search import judged
from exactformer.conjectures.shard import Shard, judge_shard
from exactformer.conjectures.source import Source
from exactformer.conjectures.verdict import holds, undecided


def test_a_shard_keeps_six_digits_of_every_nearness_and_the_reasons() -> None:
    own = statement_of(lambda z: holds(len(z) / 70) if len(z) < 6 else undecided(f"{len(z)} tokens", 0.25))
    source = Source.of(own)
    result = judge_shard(source, Shard(3, 1, 40))
    verdicts = [verdict for _, verdict in judged(own, 3, 1, 40)]
    assert result.outcomes == "".join(verdict.outcome[0] for verdict in verdicts)
    assert result.nearness == [round(verdict.nearness, 6) for verdict in verdicts]
    assert result.undecided == [(k, v.witness["why"]) for k, v in enumerate(verdicts) if v.outcome == "undecided"]
    tally = Tally()
    tally.add(result)
    assert (tally.nearest, sum(tally.histogram)) == (max(result.nearness), 40)
    assert tally.undecided == [(500 + k, why) for k, why in result.undecided]
