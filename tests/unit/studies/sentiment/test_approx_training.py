"""Tests of `exactformer.studies.sentiment.approx_training`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from exactformer.studies.sentiment.approx_hardmax import batch, f32
from exactformer.studies.sentiment.approx_training import (
    SentimentRecipe,
    SentimentWeights,
    adam,
    batches,
    begin,
    capped,
    epoch,
)
from exactformer.studies.sentiment.families import sample_reviews
from exactformer.studies.sentiment.reviews import reviews_of


# batches and steps ------------------------------------------------------------------------------------
def test_batches_hold_every_chosen_review_once_and_similar_lengths() -> None:
    reviews = reviews_of(list(sample_reviews(90, 4)), min_count=1)
    chosen = reviews.of_part(0)
    groups = batches(reviews, chosen, 16, np.random.default_rng(1))
    assert sorted(k for group in groups for k in group.tolist()) == chosen.tolist()
    assert sorted(map(len, groups), reverse=True) == [16] * (len(chosen) // 16) + [len(chosen) % 16]
    means = sorted((float(reviews.sizes[group].mean()), len(group)) for group in groups)
    assert means[-1][0] - means[0][0] > 5
    assert all(np.ptp(reviews.sizes[group]) <= np.ptp(reviews.sizes[chosen]) for group in groups)
    assert [g.tolist() for g in groups] != [g.tolist() for g in batches(reviews, chosen, 16, np.random.default_rng(2))]


def test_the_step_of_the_dynamics_rises_geometrically_until_six_tenths_of_the_training() -> None:
    recipe = SentimentRecipe(2, 8, 0.01, 0.2, 0.02)
    found = [recipe.alpha_at(time) for time in (0.0, 0.3, 0.6, 0.8, 1.0)]
    assert found == pytest.approx([0.02, (0.02 * 3) ** 0.5, 3, 3, 3])


def test_a_training_starts_with_the_spread_of_its_recipe() -> None:
    recipe = SentimentRecipe(4, 8, 0.3, 0.2, 0.02, seed=5)
    start = begin(5000, recipe)
    assert start.weights.E.shape == (5001, 4)
    assert not start.weights.E[0].any()
    assert float(start.weights.E[1:].std()) == pytest.approx(0.3, rel=0.02)
    assert float(np.linalg.norm(start.weights.v)) == pytest.approx(3)
    assert (start.weights.b, start.steps, start.accuracies, start.first.E.any()) == (0, 0, (), False)
    assert not (begin(5000, replace(recipe, seed=6)).weights.E == start.weights.E).all()


def plain_adam(x: Any, g: Any, m: Any, q: Any, time: int, step: float) -> tuple[Any, Any, Any]:
    m, q = 0.9 * m + 0.1 * g, 0.999 * q + 0.001 * g * g
    return x - step * np.sqrt(1 - 0.999**time) / (1 - 0.9**time) * m / (np.sqrt(q) + 1e-8), m, q


def test_adam_is_adam() -> None:
    random = np.random.default_rng(0)
    x, first, second = (SentimentWeights(random.random((3, 2)), random.random(2), 0.5) for _ in range(3))
    for time in (1, 2, 7):
        slope = SentimentWeights(random.normal(size=(3, 2)), random.normal(size=2), -0.25)
        wanted = [plain_adam(*(getattr(w, n) for w in (x, slope, first, second)), time, 0.03) for n in ("E", "v", "b")]
        x, first, second = adam(x, slope, first, second, time, 0.03)
        for name, values in zip(("E", "v", "b"), wanted, strict=True):
            for weights, value in zip((x, first, second), values, strict=True):
                assert getattr(weights, name) == pytest.approx(value, rel=1e-5)


def test_only_embeddings_beyond_the_cap_are_scaled_back() -> None:
    found = capped(SentimentWeights(np.array([[0, 0], [3, 4], [0.3, 0.4], [6, 8]], dtype=f32), np.ones(2), 1.0), 5.0)
    assert pytest.approx(np.array([[0, 0], [3, 4], [0.3, 0.4], [3, 4]])) == found.E


def test_an_epoch_by_its_definition() -> None:
    """Without layers the model is linear: one pass over the batches, the steps falling to zero with the training."""
    reviews = reviews_of(list(sample_reviews(50, 6)), min_count=1)
    recipe, chosen = SentimentRecipe(2, 0, 0.3, 0.3, 0.05, epochs=3, size=7, seed=3), reviews.of_part(0)
    snapshot = begin(len(reviews.words), recipe)
    E, v, b = snapshot.weights.E.astype(float), snapshot.weights.v.astype(float), 0.0
    moments: dict[str, Any] = dict.fromkeys("Evb", (0.0, 0.0))
    done, told = 0, list[tuple[int, int]]()
    for number in range(2):
        random = np.random.default_rng([3, number])
        groups = batches(reviews, chosen, 7, random)
        for group in groups:
            numbers, shares = batch(reviews, group, lambda n, random=random: random.random(n, dtype=f32) >= 0.3)
            means = np.einsum("rp,rpd->rd", shares.astype(float), E[numbers])
            errors = (1 / (1 + np.exp(-(means @ v + b))) - reviews.labels[group]) / len(group)
            slopes = {"E": np.zeros_like(E), "v": errors @ means, "b": errors.sum()}
            np.add.at(slopes["E"], numbers, (errors[:, None] * shares)[:, :, None] * v)
            slopes["E"][0] = 0
            step = 0.05 * (1 - done / (3 * len(groups)))
            done += 1
            moved = {}
            for name, value in (("E", E), ("v", v), ("b", b)):
                moved[name], *both = plain_adam(value, slopes[name], *moments[name], done, step)
                moments[name] = tuple(both)
            E, v, b = moved["E"], moved["v"], moved["b"]
        snapshot = epoch(reviews, chosen, snapshot, recipe, lambda *steps: told.append(steps))
        snapshot = replace(snapshot, accuracies=(*snapshot.accuracies, 0.5))
    assert snapshot.steps == done
    assert told == [(k + 1, 3 * len(groups)) for k in range(done)]
    assert snapshot.weights.v == pytest.approx(v, rel=1e-3, abs=1e-4)
    assert snapshot.weights.b == pytest.approx(b, rel=1e-3, abs=1e-4)
    assert pytest.approx(E, rel=1e-3, abs=1e-4) == snapshot.weights.E
