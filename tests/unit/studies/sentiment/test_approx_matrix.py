"""Tests of `exactformer.studies.sentiment.approx_matrix`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exactformer.studies.sentiment import approx_matrix
from exactformer.studies.sentiment.approx_matrix import _rounded, propose_matrix
from exactformer.studies.sentiment.approx_training import SentimentRecipe, SentimentWeights, approx_scores
from exactformer.studies.sentiment.families import sample_reviews
from exactformer.studies.sentiment.reviews import reviews_of


def grid(root: Any) -> Any:
    """The product of a root with its transpose, of mean diagonal 1, in 256ths; None unless definite by 1/100."""
    A = root @ root.T
    rows = np.rint(256 * A * len(A) / np.trace(A)).astype(int)
    return rows if np.linalg.eigvalsh(rows / 256).min() >= 0.01 else None


@pytest.mark.parametrize("seed", [0, 3])
def test_a_matrix_is_searched_for_in_shorter_and_shorter_steps(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The identity first; then steps around the best so far, each failure shortening them by a twentieth."""
    monkeypatch.setattr(approx_matrix, "TRIALS", 25)
    monkeypatch.setattr(approx_matrix, "JUDGES", 20)
    reviews = reviews_of(list(sample_reviews(60, 8)), min_count=1)
    weights = SentimentWeights.start(len(reviews.words), SentimentRecipe(2, 3, 1.0, 0.2, 0.02, seed=1))
    chosen = reviews.of_part(0)
    random = np.random.default_rng([seed, 7])
    judges = random.permutation(chosen)[:20]
    signs = np.where(reviews.labels[judges] > 0, 1, -1)

    def loss(rows: Any) -> float:
        values = approx_scores(weights.with_matrix(rows.tolist()), reviews, judges, 3, 3.0).values
        return float(np.log1p(np.exp(-signs * values.astype(float))).mean())

    root, step = np.eye(2), 0.5
    best, accepted = loss(grid(root)), 0
    for _ in range(24):
        trial = root + step * random.standard_normal((2, 2)) / np.sqrt(2)
        rows = grid(trial)
        if rows is None:
            continue
        if loss(rows) < best:
            best, root, accepted = loss(rows), trial, accepted + 1
        else:
            step *= 0.95
    assert accepted > 1
    assert propose_matrix(weights, reviews, chosen, 3, 3.0, seed) == tuple(map(tuple, grid(root).tolist()))


def test_a_proposed_matrix_has_trace_d_is_definite_and_no_worse_than_the_identity() -> None:
    assert _rounded(np.array([[2.0, 1.0], [1.0, 6.0]])) == ((128, 64), (64, 384))
    assert _rounded(np.array([[1.0, 1.0], [1.0, 1.0]])) is None
    assert _rounded(np.array([[1.0, 0.994], [0.994, 1.0]])) is None  # definite, but by less than 1/100
    reviews = reviews_of(list(sample_reviews(60, 8)), min_count=1)
    weights = SentimentWeights.start(len(reviews.words), SentimentRecipe(2, 4, 1.0, 0.2, 0.02, seed=1))
    chosen = reviews.of_part(0)

    def loss(matrix: Any) -> float:
        values = approx_scores(weights.with_matrix(matrix), reviews, chosen, 4, 3.0).values
        return float(np.logaddexp(0, np.where(reviews.labels[chosen] > 0, -values, values)).mean())

    found = propose_matrix(weights, reviews, chosen, 4, 3.0, 0)
    assert found[0][1] == found[1][0]
    assert abs(found[0][0] + found[1][1] - 512) <= 1
    assert np.linalg.eigvalsh(np.array(found) / 256).min() >= 0.01
    assert loss(found) < loss(((256, 0), (0, 256)))
