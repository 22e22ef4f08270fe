"""Tests of `exactformer.studies.sentiment.approx_hardmax`."""

from __future__ import annotations

import numpy as np
import pytest
from kits.few_reviews import few_reviews

from exactformer.studies.sentiment import trainer
from exactformer.studies.sentiment.approx_hardmax import batch


def test_a_batch_is_numbers_from_one_and_shares_by_count() -> None:
    reviews = few_reviews()
    numbers, shares = batch(reviews, np.array([3, 2, 0]))
    assert numbers.tolist() == [[1, 2], [0, 0], [1, 3]]
    assert shares == pytest.approx(np.array([[1 / 4, 3 / 4], [0, 0], [2 / 3, 1 / 3]]))
    numbers, shares = batch(reviews, np.array([0, 3]), lambda count: np.array([False, True, True, True]))
    assert (numbers.tolist(), shares.tolist()) == ([[3, 0], [1, 2]], [[1, 0], [0.25, 0.75]])


def test_the_table_of_leaders() -> None:
    found = trainer.leader_measures(np.array([3, 0, 1, 4]), np.array([3, 0, 0, 2]))
    assert found == {"mean": 2.0, "std": 1.5811, "min": 0, "max": 4, "fraction_initial": 0.5}
    assert trainer.leader_measures(np.zeros(2, int), np.zeros(2, int))["fraction_initial"] == 1.0
