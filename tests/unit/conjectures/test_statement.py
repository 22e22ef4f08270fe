"""Tests of `exactformer.conjectures.statement`."""

from __future__ import annotations

from random import Random

import pytest
from kits.statements import statement_of

from exactformer.conjectures.hunt import hunt
from exactformer.conjectures.search import shard_rng
from exactformer.conjectures.statement import Hypothesis, Statement
from exactformer.errors import InvalidInput
from exactformer.model.tokens import Tokens


def test_every_shard_of_every_seed_and_statement_has_numbers_of_its_own() -> None:
    def named(name: str) -> Statement:
        return Statement(name, "w", "open", "s", (), lambda z: z, lambda rng: Tokens([[1]]))

    first = [shard_rng(named(name), seed, shard).random() for name in "ab" for seed in (0, 1) for shard in (0, 1)]
    assert len(set(first)) == 8
    assert shard_rng(named("a"), 1, 11).random() != shard_rng(named("a"), 11, 1).random()
    assert first[0] == Random("a/0/0").random()


def test_a_generator_that_misses_the_hypotheses_is_told() -> None:
    never = (Hypothesis("never", lambda z: False),)
    with pytest.raises(InvalidInput, match="outside the hypotheses"):
        hunt(statement_of(hypotheses=never), budget=1)
