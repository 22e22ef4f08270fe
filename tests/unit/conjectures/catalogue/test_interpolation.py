"""Tests of `exactformer.conjectures.catalogue.interpolation`."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from exactformer.conjectures.catalogue import interpolation
from exactformer.instances.datasets import alone_and_together, any_data, pairs_of


def test_feasible_data_keep_the_first_of_sequences_that_exclude_each_other() -> None:
    shorter = 0
    for seed in range(60):
        drawn, kept = pairs_of(any_data(Random(seed))), list[Any]()
        for pair in drawn:
            if interpolation.violated_condition((*kept, pair)) is None:
                kept.append(pair)
        if kept:
            found = pairs_of(interpolation.feasible_data(Random(seed)))
            assert list(found) == kept
            shorter += len(kept) < len(drawn)
    assert shorter > 5


def test_families_of_data() -> None:
    rng = Random(11)
    violated = Counter[Any]()
    for _ in range(200):
        found = interpolation.violated_condition(pairs_of(any_data(rng)))
        violated[found and found[0]] += 1
    assert violated.keys() == {None, "measure", "targets"}
    feasible = [interpolation.feasible_data(rng) for _ in range(100)]
    assert sum(interpolation.FEASIBLE.holds_for(data) for data in feasible) > 85
    together = [pairs_of(alone_and_together(rng)) for _ in range(100)]
    for pairs in together:
        *alone, (tokens, targets) = pairs
        assert all(len(x) == len(y) == 1 for x, y in alone)
        assert len(targets) == 1
        assert set(tokens) <= {x[0] for x, _ in alone}
        assert len(set(tokens)) == len(tokens)
    assert {len(pairs[-1][0]) for pairs in together} >= {1, 2, 3}
