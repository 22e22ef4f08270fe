"""Tests of `exactformer.studies.sentiment.approx_comparison`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exactformer.studies.sentiment.approx_comparison import approx_hardmax, approx_softmax, compare
from exactformer.studies.sentiment.classifier import ReviewClassifier

NAMES = ("za", "zb", "zc", "zd", "ze")


def model_of(rows: Any, v: Any, b: int = 0, **options: Any) -> ReviewClassifier:
    options = {"denominator": 1, "layers": 2, **options}
    return ReviewClassifier(NAMES[: len(rows)], np.array(rows, dtype=np.int64), tuple(v), b, **options)


# comparisons ------------------------------------------------------------------------------------------
def test_softmax_beside_hardmax_by_hand() -> None:
    """Scores 0 and 1/1000 at the temperature 1/1000: weights 1 : e. With one layer and share a the token moves by a."""
    Z, one, v = np.array([[1.0, 0.0], [0.0, 1.0]]), np.eye(2), np.array([1.0, 3.0])
    far = approx_softmax(Z, one, v, 0.5, 0.75, 3)
    assert far == pytest.approx(2.5)  # each attends to itself
    near = np.array([[1.0], [1.001]])
    p = 1 / (1 + np.exp(-1.0))  # <1, 1.001> - <1, 1> = 1/1000
    q = 1 / (1 + np.exp(-1.001))
    mean = (1 + 1.001) / 2 * 0.25 + 0.75 * ((1 + 0.001 * p) + (1 + 0.001 * q)) / 2
    assert approx_softmax(near, np.eye(1), np.array([1.0]), 0.0, 0.75, 1) == pytest.approx(mean, abs=1e-6)
    value, follows = approx_hardmax(near, np.eye(1), np.array([1.0]), 0.0, 0.75, 1)
    assert value == pytest.approx((1.001 + 0.25 + 0.75 * 1.001) / 2)
    assert follows[0].tolist() == [[False, True], [False, True]]


def test_what_is_compared_is_counted_review_by_review() -> None:
    model = model_of([[4, 8], [-1, 2], [3, -5]], [1, 2], 1, denominator=4)
    bags = [{"za": 1, "zb": 2}, {"zc": 1}, {"za": 2, "zb": 1, "zc": 1}]
    told = list[int]()
    found = compare(model, bags, progress=told.append)
    assert told == [1, 2, 3]
    assert found["reviews"] == 3
    assert found["predictions"] == {"float32": 0, "float64": 0, "softmax": 0}
    assert found["follower_sets"] == found["leaders"] == {"float32": 0, "float64": 0}
    gaps = []
    for bag in bags:
        Z = np.array([model.embeddings[NAMES.index(w)] for w, n in bag.items() for _ in range(n)]) / 4
        soft = approx_softmax(Z, np.eye(2), np.array([0.25, 0.5]), 0.25, 0.75, 2)
        gaps.append(abs(soft - float(model.value(bag))))
    assert found["approx_softmax_gap"] == round(float(np.mean(gaps)), 6)
    assert set(found["approx_ms"]) == {"exact", "float32", "float64"}
    assert compare(model, [])["approx_softmax_gap"] == 0
