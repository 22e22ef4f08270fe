"""The search for a matrix of the scores: by its definition, trial by trial."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.studies.sentiment import approx_matrix
from exactformer.studies.sentiment.approx_matrix import propose_matrix
from exactformer.studies.sentiment.approx_training import Recipe, Weights, approx_scores
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.families import sample_reviews
from exactformer.studies.sentiment.reviews import reviews_of
from exactformer.studies.sentiment.trainer import approx_model_scores, float_weights


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
    weights = Weights.start(len(reviews.words), Recipe(2, 3, 1.0, 0.2, 0.02, seed=1))
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


@pytest.mark.parametrize("layers", [1, 3])
def test_scores_with_a_matrix_are_those_of_the_exact_run(layers: int) -> None:
    reviews = reviews_of(list(sample_reviews(20, 7)), min_count=1)
    random = np.random.default_rng(2)
    E = random.integers(-900, 900, (len(reviews.words), 2))
    A = ((Fraction(5, 4), Fraction(3, 4)), (Fraction(3, 4), Fraction(3, 4)))
    model = ReviewClassifier(tuple(reviews.words), E, (300, -200), 40, layers=layers, A=A)
    chosen = np.flatnonzero(reviews.sizes > 0)
    exact = [model.value(reviews.bag(k)) for k in chosen.tolist()]
    assert exact != [replace(model, A=None).value(reviews.bag(k)) for k in chosen.tolist()]
    wanted = pytest.approx(np.array(exact, dtype=float), abs=1e-3)
    scores = approx_model_scores(model, reviews, chosen)
    assert scores.values == wanted
    starts = [model.ballot(reviews.bag(k)).leads_from for k in chosen.tolist()]
    assert scores.leaders.tolist() == [sum(start is not None for start in own) for own in starts]
    assert scores.initial.tolist() == [sum(start == 0 for start in own) for own in starts]
    weights = float_weights(replace(model, A=None)).with_matrix(((320, 192), (192, 192)))
    assert approx_scores(weights, reviews, chosen, layers, 3.0).values == wanted
