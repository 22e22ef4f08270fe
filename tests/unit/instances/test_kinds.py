"""Tests of `exactformer.instances.kinds`."""

from __future__ import annotations

from random import Random

import pytest

from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.store import plain_json
from exactformer.errors import ExactformerError
from exactformer.instances.kinds import kind_of, read_instance
from exactformer.model.tokens import Tokens


def test_the_identity_and_the_step_one_cost_nothing() -> None:
    plain = Tokens([[3, 0]])
    assert kind_of(plain).size(plain) == (1, 2, 4, 10)
    other = Tokens([[3, 0]], [[2, 1], [1, 2]], "1/2")
    assert kind_of(other).size(other) == (1, 2, 4 + 4 * 2 + 9, 5 + 4 * 2 + 3)


#: a statement of every kind of instance
NAMES = ("every-leader-leads-at-once", "one-block-suffices", "exponentially-fast", "frank-wolfe-negative")
NAMES += ("meanfield-limit", "meanfield-w2-rate-is-gap")


@pytest.mark.parametrize("name", NAMES)
def test_instances_come_back_from_their_files_and_variations_are_instances(name: str) -> None:
    rng, statement = Random(1), catalogue()[name]
    changed = 0
    for _ in range(30):
        instance = statement.generate(rng)
        kind = kind_of(instance)
        assert read_instance(plain_json(kind.json(instance))) == instance
        try:
            varied = kind.varied(instance, rng)
        except ExactformerError:
            continue
        assert read_instance(plain_json(kind.json(varied))) == varied
        changed += varied != instance
    assert changed >= 15


@pytest.mark.parametrize("name", NAMES)
def test_simplifications_are_instances_none_of_them_with_more_tokens_or_dimensions(name: str) -> None:
    rng, statement = Random(2), catalogue()[name]
    for _ in range(3):
        instance = statement.generate(rng)
        kind = kind_of(instance)
        size = kind.size(instance)
        found = [candidate for candidate, _ in zip(kind.simpler(instance), range(400), strict=False)]
        assert all(type(candidate) is type(instance) for candidate in found)
        assert all(kind.size(candidate)[0] <= size[0] for candidate in found)
        assert any(kind.size(candidate) < size for candidate in found) or size[0] == 1
