"""Tests of `exactformer.conjectures.arrays.conditions`: every hypothesis agrees with its test of one instance."""

from __future__ import annotations

from collections import Counter
from random import Random

from kits.array_instances import adversarial, in_arrays

from exactformer.conjectures.arrays.conditions import signs
from exactformer.conjectures.catalogue import conditions
from exactformer.conjectures.catalogue.clustering import DROPPED
from exactformer.conjectures.statement import Hypothesis
from exactformer.model.token_arrays import TokenArrays
from exactformer.model.tokens import Tokens

ALL = [value for value in vars(conditions).values() if isinstance(value, Hypothesis)]


def test_every_hypothesis_agrees_with_its_test_of_one_instance() -> None:
    rng = Random(5)
    drawn = [adversarial(rng) for _ in range(150)] + [family(rng) for _, _, family in DROPPED for _ in range(60)]
    seen: Counter[tuple[str, bool]] = Counter()
    for group, given in in_arrays(drawn):
        for hypothesis in ALL:
            assert hypothesis.holds_for_arrays is not None
            found = hypothesis.holds_for_arrays(given).tolist()
            assert found == [hypothesis.holds_for(tokens) for tokens in group], hypothesis.words
            seen.update((hypothesis.words, truth) for truth in found)
    assert all(seen[h.words, truth] for h in ALL for truth in (True, False))


def test_large_entries_and_large_matrices_are_decided_too() -> None:
    n = 2**29
    pair = [Tokens([[1, 0]], A=[[n, n - 1], [n - 1, n]]), Tokens([[1, 0]], A=[[n, n], [n, n]])]
    assert signs(TokenArrays.of(pair)).tolist() == [1, 0]
    four = [[int(i == j) - 2 * (i == j == 3) for j in range(4)] for i in range(4)]
    assert signs(TokenArrays.of([Tokens([[1] * 4], A=four)])).tolist() == [-1]
