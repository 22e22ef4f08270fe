"""Tests of `exactformer.studies.sentiment.counterfactual`."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.counterfactual import counterfactual

NAMES = ("za", "zb", "zc", "zd", "ze")


def model_of(rows: Any, v: Any, b: int = 0, **options: Any) -> ReviewClassifier:
    options = {"denominator": 1, "layers": 2, **options}
    return ReviewClassifier(NAMES[: len(rows)], np.array(rows, dtype=np.int64), tuple(v), b, **options)


# counterfactuals --------------------------------------------------------------------------------------
def test_counterfactuals_by_their_definition() -> None:
    rng = np.random.default_rng(1)
    sizes = set()
    for _ in range(12):
        model = model_of(rng.integers(-4, 5, (5, 2)), rng.integers(-3, 4, 2).tolist(), int(rng.integers(-2, 3)))
        bag = {name: int(n) for name, n in zip(NAMES, rng.integers(1, 3, 5), strict=True)}
        value = model.value(bag)
        if not value:
            continue
        found = counterfactual(model, bag)
        for size in range(1, 5):
            rest = {
                gone: model.value({w: n for w, n in bag.items() if w not in gone}) for gone in combinations(bag, size)
            }
            turned = {gone: other for gone, other in rest.items() if other * value < 0}
            if turned:
                assert found.words in turned
                assert found.value == turned[found.words] == (min if value > 0 else max)(turned.values())
                assert (found.proved_up_to, bool(found)) == (size, True)
                break
        else:
            assert (found.words, found.value, found.proved_up_to) == (None, None, 4)
        sizes.add(found.proved_up_to if found else 0)
    assert len(sizes) > 2


@pytest.mark.parametrize(
    ("budget", "proved", "examined"), [(1, 0, 0), (4, 0, 0), (5, 1, 5), (14, 1, 5), (15, 2, 15), (30, 4, 30)]
)
def test_a_size_is_begun_where_the_budget_allows_all_of_it(budget: int, proved: int, examined: int) -> None:
    model = model_of([[1], [2], [3], [4], [5]], [1])
    found = counterfactual(model, dict.fromkeys(NAMES, 1), budget=budget)
    assert (found.words, found.proved_up_to, found.examined) == (None, proved, examined)
    assert f"at most {proved} words" in str(found)


def test_counterfactuals_of_one_word_and_without_a_budget() -> None:
    model = model_of([[1], [-9]], [1])
    alone = counterfactual(model, {"za": 3})
    assert (alone.words, alone.proved_up_to, alone.examined) == (None, 0, 0)
    with pytest.raises(InvalidInput, match="at least 1"):
        counterfactual(model, {"za": 1}, budget=0)
    found = counterfactual(model, {"za": 1, "zb": 1})
    assert str(found) == "without zb the decision changes; no smaller set of words does that"
