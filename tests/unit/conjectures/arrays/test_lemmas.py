"""Tests of `exactformer.conjectures.arrays.lemmas`: true is said only where the lemma is true, and nearly always."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from kits.array_instances import adversarial, in_arrays, named

from exactformer.conjectures.arrays.lemmas import lemma_proved
from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.catalogue.clustering import DROPPED
from exactformer.conjectures.catalogue.lemmas import LAYERS, lemma_holds

LEMMAS = range(8)


@pytest.mark.parametrize("number", LEMMAS)
def test_what_is_proved_is_true_and_as_near_to_failing(number: int) -> None:
    """Instances outside the hypotheses, too: there some lemmas fail."""
    rng = Random(number)
    drawn = [adversarial(rng) for _ in range(60)] + [family(rng) for _, _, family in DROPPED[:3] for _ in range(40)]
    conclusion = lemma_holds(number)
    for group, given in in_arrays(drawn + named(2)):
        proved = lemma_proved(number, 0 if number == 5 else LAYERS)(given)
        for k in np.flatnonzero(proved.true).tolist():
            verdict = conclusion(group[k])
            assert (verdict.outcome, verdict.nearness) == ("true", proved.nearness[k]), group[k]


@pytest.mark.parametrize("number", LEMMAS)
def test_nearly_everything_is_proved(number: int) -> None:
    statement, rng = catalogue()[f"lemma-{number}"], Random(9)
    assert statement.prove is not None
    counts = [
        (proved.true.sum(), len(group))
        for group, given in in_arrays([statement.generate(rng) for _ in range(400)])
        for proved in [statement.prove(given)]
    ]
    assert sum(found for found, _ in counts) > 0.97 * sum(size for _, size in counts)


@pytest.mark.parametrize("number", [0, 2, 5, 6])
def test_a_lemma_that_fails_is_left_open(number: int) -> None:
    """Matrices that are not symmetric positive definite break these lemmas."""
    rng, conclusion = Random(11), lemma_holds(number)
    drawn = [family(rng) for _, _, family in DROPPED for _ in range(80)]
    broken = [tokens for tokens in drawn if conclusion(tokens).outcome == "false"]
    assert len(broken) > 3
    for _, given in in_arrays(broken):
        assert not lemma_proved(number, 0 if number == 5 else LAYERS)(given).true.any()
