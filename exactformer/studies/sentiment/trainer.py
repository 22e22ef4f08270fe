"""The protocol of a training: candidates, the choice by the validation part, training again, one look at the test part.

Candidates are trained on the train part; the validation part chooses one of them and the epoch after which it stops;
it is trained again on both parts together, rounded to the grid, and the test part is looked at once. The model
without attention (no layer) goes through the same protocol beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.io.json_lines import JsonObject
from exactformer.studies.sentiment.approx_hardmax import f32
from exactformer.studies.sentiment.approx_matrix import propose_matrix
from exactformer.studies.sentiment.approx_training import (
    Scores,
    SentimentRecipe,
    SentimentWeights,
    Snapshot,
    approx_scores,
    begin,
    epoch,
)
from exactformer.studies.sentiment.classifier import ReviewClassifier, classifier_of
from exactformer.studies.sentiment.resume import Resume
from exactformer.studies.sentiment.reviews import Reviews

#: how many words lead -> the deviation of the first embeddings
SPREADS = {"few": 0.01, "some": 0.3, "many": 1.0}
TRAIN, VALIDATION, TEST = 0, 1, 2

#: told what is being done, the steps done and all steps
TrainingProgress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Kept:
    """The choice of the validation part: a recipe, the epochs after which it stops, and its accuracy there."""

    recipe: SentimentRecipe
    epochs: int
    validation: float


def recipes(dim: int, layers: int, leaders: str, seed: int, reviews: int = 30_000) -> list[SentimentRecipe]:
    """The candidates among which the validation part chooses, for so many reviews of the train part."""
    size = min(256, max(16, reviews // 100))
    if leaders not in SPREADS:
        raise InvalidInput(f"leaders: expected {', '.join(SPREADS)}, got {leaders!r:.40}")
    if dim < 1 or layers < 0:
        raise InvalidInput(f"expected dim >= 1 and layers >= 0, got {dim} and {layers}")
    if not layers:
        return [SentimentRecipe(dim, 0, SPREADS["few"], 0.3, 0.02, epochs=8, size=size, seed=seed)]
    spread = SPREADS[leaders]
    if leaders == "few":
        return [SentimentRecipe(dim, layers, spread, drop, 0.02, size=size, seed=seed) for drop in (0.2, 0.4)]
    cap = math.sqrt(dim) if leaders == "many" else None  # the length of most embeddings at the start
    tried = ((0.3, 0.04, 3), (0.5, 0.04, 6), (0.3, 0.02, 6))
    return [
        SentimentRecipe(dim, layers, spread, drop, step, cap, epochs, size, seed=seed) for drop, step, epochs in tried
    ]


def train(
    reviews: Reviews,
    *,
    dim: int = 2,
    layers: int = 8,
    leaders: str = "few",
    seed: int = 0,
    matrix: bool = False,
    resume: Resume | None = None,
    progress: TrainingProgress | None = None,
) -> ReviewClassifier:
    """The classifier that the protocol gives for these reviews; `about` holds accuracies with and without attention.

    With `matrix` a matrix A found on the train part is one more candidate. `resume` keeps every epoch in a folder, so
    that an interrupted training goes on where it was.
    """
    count = reviews.part_sizes[TRAIN]
    if resume is not None:
        resume.begin(dim=dim, layers=layers, leaders=leaders, seed=seed, matrix=matrix)
    kept = choose_candidate(reviews, recipes(dim, layers, leaders, seed, count), resume, progress)
    if matrix and layers:
        kept = better(kept, choose_candidate(reviews, [with_matrix(reviews, kept, resume)], resume, progress))
    plain = choose_candidate(reviews, recipes(dim, 0, leaders, seed, count), resume, progress)
    model = rounded_classifier(reviews, fit(reviews, (TRAIN, VALIDATION), kept, resume, progress), kept.recipe)
    without = rounded_classifier(reviews, fit(reviews, (TRAIN, VALIDATION), plain, resume, progress), plain.recipe)
    test = reviews.of_part(TEST)
    labels, scores = reviews.labels[test], approx_model_scores(model, reviews, test)
    about = {
        "words": len(reviews.words),
        "reviews": reviews.part_sizes,
        "validation": kept.validation,
        "test": round(scores.accuracy(labels), 4),
        "without_attention": {
            "validation": plain.validation,
            "test": round(approx_model_scores(without, reviews, test).accuracy(labels), 4),
        },
        "attention_removed": round(approx_model_scores(model.without_attention(), reviews, test).accuracy(labels), 4),
        "leaders": leader_measures(scores.leaders, scores.initial),
        "recipe": asdict(kept.recipe) | {"leaders": leaders, "stopped_after": kept.epochs},
    }
    return replace(model, about=about)


def choose_candidate(
    reviews: Reviews, candidates: list[SentimentRecipe], resume: Resume | None, progress: TrainingProgress | None
) -> Kept:
    """The candidate and the epoch with the best accuracy on the validation part; of equal ones the first."""
    best: Kept | None = None
    for number, recipe in enumerate(candidates, 1):
        name = f"{'no attention' if not recipe.layers else 'attention'}, candidate {number} of {len(candidates)}"
        *_, last = snapshots(reviews, (TRAIN,), recipe, recipe.epochs, resume, _named(progress, name))
        for k, accuracy in enumerate(last.accuracies, 1):
            if best is None or accuracy > best.validation:
                best = Kept(recipe, k, accuracy)
    if best is None:
        raise InvalidInput("expected at least one recipe with at least one epoch")
    return best


def better(one: Kept, other: Kept) -> Kept:
    """The choice with the higher accuracy on the validation part; of equal ones the first."""
    return other if other.validation > one.validation else one


def with_matrix(reviews: Reviews, kept: Kept, resume: Resume | None) -> SentimentRecipe:
    """The recipe with a matrix A that makes the loss of its weights on the train part small."""
    recipe, chosen = kept.recipe, reviews.of_part(TRAIN)
    weights = fit(reviews, (TRAIN,), kept, None, None)
    A = propose_matrix(weights, reviews, chosen, recipe.layers, recipe.alpha, recipe.seed)
    return replace(recipe, matrix=A)


def planned_epochs(dim: int, layers: int, leaders: str) -> int:
    """The most epochs that `train` goes through, all trainings together."""
    both = [recipes(dim, layers, leaders, 0), recipes(dim, 0, leaders, 0)]
    return sum(sum(r.epochs for r in candidates) + max(r.epochs for r in candidates) for candidates in both)


def fit(
    reviews: Reviews, parts: tuple[int, ...], kept: Kept, resume: Resume | None, progress: TrainingProgress | None
) -> SentimentWeights:
    """The weights of a recipe trained on these parts, stopped after the chosen epoch."""
    *_, last = snapshots(reviews, parts, kept.recipe, kept.epochs, resume, _named(progress, "on train and validation"))
    return last.weights


def snapshots(
    reviews: Reviews,
    parts: tuple[int, ...],
    recipe: SentimentRecipe,
    epochs: int,
    resume: Resume | None,
    progress: Callable[[int, int], None] | None,
) -> Iterator[Snapshot]:
    """The training after every epoch, from the last one that `resume` knows."""
    chosen, seen = reviews.of_part(*parts), reviews.of_part(VALIDATION)
    known = resume.load(recipe, parts) if resume is not None else None
    snapshot = begin(len(reviews.words), recipe) if known is None else known
    yield snapshot
    while len(snapshot.accuracies) < epochs:
        snapshot = epoch(reviews, chosen, snapshot, recipe, progress)
        scores = approx_scores(snapshot.weights, reviews, seen, recipe.layers, recipe.alpha)
        accuracy = round(scores.accuracy(reviews.labels[seen]), 4)
        snapshot = replace(snapshot, accuracies=(*snapshot.accuracies, accuracy))
        if resume is not None:
            resume.save(snapshot, recipe, parts)
        yield snapshot


def rounded_classifier(reviews: Reviews, weights: SentimentWeights, recipe: SentimentRecipe) -> ReviewClassifier:
    """The classifier on the grid 2^-8 nearest to the weights."""
    about: JsonObject = {"layers": recipe.layers, "length": reviews.length, "pairs": reviews.pairs}
    if recipe.matrix is not None:
        about["A"] = tuple(tuple(Fraction(x, 256) for x in row) for row in recipe.matrix)
    return classifier_of(reviews.words, weights.E[1:], weights.v, weights.b, **about)


def float_weights(model: ReviewClassifier) -> SentimentWeights:
    """The numbers of a classifier in float32, with the row of no word in front."""
    E = np.vstack([np.zeros((1, model.dim)), model.embeddings / model.denominator]).astype(f32)
    v = (np.array(model.v) / model.denominator).astype(f32)
    weights = SentimentWeights(E, v, model.b / model.denominator)
    if model.A is None:
        return weights
    return replace(weights, lens=np.linalg.cholesky(np.array(model.A, dtype=float)).astype(f32))


def approx_model_scores(model: ReviewClassifier, reviews: Reviews, chosen: Array) -> Scores:
    """The decision values of a classifier in float32, for reviews over its own vocabulary."""
    return approx_scores(float_weights(model), reviews, chosen, model.layers, float(model.alpha))


def leader_measures(leaders: Array, initial: Array) -> Mapping[str, float]:
    """Mean, deviation, least and most leaders of a review, and the mean fraction that leads from layer 0 on."""
    some = leaders > 0
    return {
        "mean": round(float(leaders.mean()), 4),
        "std": round(float(leaders.std()), 4),
        "min": int(leaders.min()),
        "max": int(leaders.max()),
        "fraction_initial": round(float((initial[some] / leaders[some]).mean()), 4) if some.any() else 1.0,
    }


def _named(progress: TrainingProgress | None, name: str) -> Callable[[int, int], None] | None:
    return None if progress is None else lambda done, total: progress(name, done, total)
