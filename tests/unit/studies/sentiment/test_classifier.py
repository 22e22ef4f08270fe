"""Tests of `exactformer.studies.sentiment.classifier`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.errors import Declined
from exactformer.studies.sentiment.classifier import ReviewClassifier, decision_of

F = Fraction


NAMES = ("za", "zb", "zc", "zd", "ze")


def model_of(rows: Any, v: Any, b: int = 0, **options: Any) -> ReviewClassifier:
    options = {"denominator": 1, "layers": 2, **options}
    return ReviewClassifier(NAMES[: len(rows)], np.array(rows, dtype=np.int64), tuple(v), b, **options)


# the classifier ---------------------------------------------------------------------------------------
def test_numbers_of_a_classifier_are_over_its_denominator() -> None:
    model = model_of([[3, 1], [-2, 5]], [4, -6], 7, denominator=8, alpha=F(1, 2))
    assert (model.share, model.bias, model.direction) == (F(1, 3), F(7, 8), (F(1, 2), F(-3, 4)))
    assert (model.embedding("zb"), model.score("zb")) == ((F(-1, 4), F(5, 8)), F(-38, 64))
    assert model.value_at([F(1), F(2)]) == F(7, 8) + F(1, 2) - F(3, 2)
    assert model.value_at([3, 6], 3) == model.value_at([F(1), F(2)])
    assert (
        model.without_attention().value({"za": 1, "zb": 3}) == F(7, 8) + (model.score("za") + 3 * model.score("zb")) / 4
    )
    assert repr(model) == "ReviewClassifier(2 words in dimension 2, 2 layers)"
    default = ReviewClassifier(("za",), np.array([[1]]), (1,), 0)
    assert (default.denominator, default.alpha, default.layers, default.length, default.pairs) == (
        256,
        3,
        8,
        128,
        False,
    )


def test_a_bag_keeps_the_first_known_words_and_tells_the_others() -> None:
    model = model_of([[1], [2], [3]], [1], length=4)
    found = model.bag("zb xx za zb yy zc xx za zc")
    assert list(found.counts.items()) == [("zb", 2), ("za", 1), ("zc", 1)]
    assert (found.unknown, found.left_out) == (("xx", "yy"), 2)
    exactly = model.bag("za zb za zb")
    assert (dict(exactly.counts), exactly.left_out) == ({"za": 2, "zb": 2}, 0)


def test_zero_decides_nothing() -> None:
    assert (decision_of(F(1, 9)), decision_of(F(-1, 9))) == ("positive", "negative")
    with pytest.raises(Declined, match="exactly 0"):
        decision_of(F(0))
    with pytest.raises(Declined, match="vocabulary"):
        model_of([[1]], [1]).decide("nothing known")
    with pytest.raises(Declined, match="exactly 0"):
        model_of([[1], [-1]], [1]).decide("za zb")


def test_the_limit_of_the_mean_counts_every_occurrence() -> None:
    model = model_of([[4, 0], [-4, 1], [1, 0]], [1, 0])
    assert model.ballot({"za": 1, "zb": 3}).limit_mean() == [F(-2), F(3, 4)]
    assert model.ballot({"za": 1, "zb": 3, "zc": 4}).limit_mean() == [F(1), F(3, 8)]  # zc goes to za
