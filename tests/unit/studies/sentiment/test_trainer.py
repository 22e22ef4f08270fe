"""Tests of `exactformer.studies.sentiment.trainer`."""

from __future__ import annotations

from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kits.few_reviews import few_reviews

from exactformer.errors import InvalidInput
from exactformer.studies.sentiment import train, trainer
from exactformer.studies.sentiment.approx_hardmax import f32
from exactformer.studies.sentiment.approx_matrix import propose_matrix
from exactformer.studies.sentiment.approx_training import (
    SentimentRecipe,
    SentimentWeights,
    Snapshot,
    approx_scores,
    begin,
    epoch,
)
from exactformer.studies.sentiment.classifier import ReviewClassifier, classifier_of
from exactformer.studies.sentiment.families import sample_reviews
from exactformer.studies.sentiment.resume import Resume
from exactformer.studies.sentiment.reviews import Reviews, reviews_of
from exactformer.studies.sentiment.trainer import Kept, approx_model_scores, float_weights

F = Fraction


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


def test_pairs_tell_not_good_from_good() -> None:
    """Where negation turns the label, single words say nothing and pairs everything."""
    import random

    source, rows = random.Random(4), []
    for _ in range(600):
        positive, negated = source.random() < 0.5, source.random() < 0.5
        verdict = ("not " if negated else "truly ") + ("good" if positive != negated else "bad")
        rows.append((positive, f"film {source.randrange(10**9)} {verdict} plot"))
    plain, pairs = (train(reviews_of(rows, pairs=flag)).about for flag in (False, True))
    assert pairs["test"] > 0.95
    assert pairs["without_attention"]["test"] > 0.95
    assert max(plain["test"], plain["without_attention"]["test"]) < 0.8


def test_scores_come_in_the_order_of_the_reviews_whatever_the_batches() -> None:
    reviews = reviews_of(list(sample_reviews(40, 7)), min_count=1)
    random = np.random.default_rng(1)
    model = ReviewClassifier(tuple(reviews.words), random.integers(-900, 900, (len(reviews.words), 2)), (300, -200), 40)
    chosen = reviews.of_part(0)[::-1]
    scores = [
        approx_scores(trainer.float_weights(model), reviews, chosen, model.layers, 3.0, size) for size in (3, 256)
    ]
    for found in scores:
        for place, k in enumerate(chosen.tolist()):
            ballot = model.ballot(reviews.bag(k))
            assert found.values[place] == pytest.approx(float(model.value(reviews.bag(k))), abs=1e-3)
            assert found.leaders[place] == sum(start is not None for start in ballot.leads_from)
            assert found.initial[place] == sum(start == 0 for start in ballot.leads_from)
    values = np.array([1.0, -1.0, 0.0, 2.0], dtype=f32)
    told = replace(scores[0], values=values)
    assert told.accuracy(np.array([1, 0, 0, 0])) == 0.75
    assert told.accuracy(np.array([1, 0, 1, 0])) == 0.5  # the value 0 is no positive review


def test_scores_after_few_layers_are_those_of_the_exact_run() -> None:
    reviews = reviews_of(list(sample_reviews(20, 7)), min_count=1)
    random = np.random.default_rng(2)
    model = ReviewClassifier(tuple(reviews.words), random.integers(-900, 900, (len(reviews.words), 2)), (300, -200), 40)
    chosen = np.flatnonzero(reviews.sizes > 0)
    for layers in (0, 1, 2):
        found = approx_scores(trainer.float_weights(model), reviews, chosen, layers, 3.0)
        exact = [float(replace(model, layers=layers).value(reviews.bag(k))) for k in chosen.tolist()]
        assert found.values == pytest.approx(np.array(exact), abs=1e-3)


def test_a_matrix_is_one_more_candidate_and_is_proposed_by_the_train_part() -> None:
    reviews = reviews_of(list(sample_reviews(90, 12)))
    kept = Kept(trainer.recipes(2, 2, "many", 0, 50)[0], 2, 0.5)
    weights = trainer.fit(reviews, (0,), kept, None, None)
    wanted = propose_matrix(weights, reviews, reviews.of_part(0), 2, 3, 0)
    assert trainer.with_matrix(reviews, kept, None) == replace(kept.recipe, matrix=wanted)
    for seed in (0, 1):
        plain, other = (trainer.train(reviews, layers=2, seed=seed, matrix=flag) for flag in (False, True))
        assert other.about["validation"] >= plain.about["validation"]
        assert (other.A is None) == (other.about["validation"] == plain.about["validation"])


# the protocol -----------------------------------------------------------------------------------------
def test_recipes_of_every_kind() -> None:
    assert trainer.recipes(2, 8, "few", 5, 4000) == [
        SentimentRecipe(2, 8, 0.01, 0.2, 0.02, None, 3, 40, 3, 5),
        SentimentRecipe(2, 8, 0.01, 0.4, 0.02, None, 3, 40, 3, 5),
    ]
    some, many = (trainer.recipes(4, 6, leaders, 0) for leaders in ("some", "many"))
    assert [(r.drop, r.step, r.epochs) for r in some] == [(0.3, 0.04, 3), (0.5, 0.04, 6), (0.3, 0.02, 6)]
    assert {(r.spread, r.cap, r.size, r.layers, r.dim) for r in some} == {(0.3, None, 256, 6, 4)}
    assert many == [replace(r, spread=1.0, cap=2.0) for r in some]
    assert trainer.recipes(3, 0, "many", 1, 100) == [SentimentRecipe(3, 0, 0.01, 0.3, 0.02, epochs=8, size=16, seed=1)]
    sizes = [trainer.recipes(1, 1, "few", 0, n)[0].size for n in (0, 1699, 1700, 25_500, 25_600, 99_999)]
    assert sizes == [16, 16, 17, 255, 256, 256]
    for wrong in ((0, 1, "few"), (1, -1, "few"), (1, 1, "all"), (1, 0, "none")):
        with pytest.raises(InvalidInput, match="expected"):
            trainer.recipes(*wrong, 0)


@pytest.mark.parametrize(
    ("layers", "leaders", "epochs"), [(8, "few", 25), (8, "some", 37), (8, "many", 37), (0, "few", 32)]
)
def test_planned_epochs_are_those_of_all_candidates_and_of_the_longest_again(
    layers: int, leaders: str, epochs: int
) -> None:
    assert trainer.planned_epochs(2, layers, leaders) == epochs


def saved(folder: Path, reviews: Reviews, *accuracies: tuple[float, ...]) -> tuple[Resume, list[SentimentRecipe]]:
    """Trainings that are complete: `choose` has nothing to do but to choose."""
    resume, known = Resume(folder, reviews), []
    for k, told in enumerate(accuracies):
        known.append(SentimentRecipe(1, 1, 0.1, 0.1 * k, 0.1, epochs=len(told)))
        start = begin(len(reviews.words), known[-1])
        resume.save(replace(start, accuracies=told), known[-1], (0,))
    return resume, known


@pytest.mark.parametrize(
    ("accuracies", "candidate", "epochs", "best"),
    [
        (((0.5, 0.7, 0.6), (0.6, 0.65)), 0, 2, 0.7),
        (((0.5, 0.7, 0.7), (0.7, 0.7)), 0, 2, 0.7),
        (((0.5,), (0.4, 0.45, 0.5, 0.51)), 1, 4, 0.51),
        (((0.0, 0.0), (0.0,)), 0, 1, 0.0),
    ],
)
def test_the_validation_part_chooses_the_best_and_of_equal_ones_the_first(
    accuracies: Any, candidate: int, epochs: int, best: float, tmp_path: Path
) -> None:
    reviews = few_reviews()
    resume, known = saved(tmp_path / "r", reviews, *accuracies)
    assert trainer.choose_candidate(reviews, known, resume, None) == Kept(known[candidate], epochs, best)


def test_choices_of_nothing_and_between_two() -> None:
    with pytest.raises(InvalidInput, match="at least one recipe"):
        trainer.choose_candidate(few_reviews(), [], None, None)
    recipe = SentimentRecipe(1, 1, 0.1, 0.1, 0.1)
    one, equal, more = Kept(recipe, 1, 0.5), Kept(recipe, 2, 0.5), Kept(recipe, 3, 0.6)
    assert [trainer.better(one, equal), trainer.better(one, more), trainer.better(more, one)] == [one, more, more]


@pytest.mark.parametrize("length", [64, 128])
def test_a_rounded_model_is_nearest_on_the_grid_and_keeps_what_reviews_and_recipe_say(length: int) -> None:
    reviews = replace(few_reviews(), length=length, pairs=length == 64)
    E = np.array([[9, 9], [1 / 256 + 1e-4, -1.0], [0.25, 2 / 256 - 1e-4], [0, 3]])
    recipe = SentimentRecipe(2, 5, 0.1, 0.1, 0.1, matrix=((512, 64), (64, 256)))
    model = trainer.rounded_classifier(reviews, SentimentWeights(E, np.array([0.5, -0.25]), 0.125), recipe)
    assert model.embeddings.tolist() == [[1, -256], [64, 2], [0, 768]]
    assert (model.v, model.b, model.denominator, model.alpha) == ((128, -64), 32, 256, 3)
    assert (model.words, model.layers, model.length) == (("good", "bad", "film"), 5, length)
    assert model.pairs == (length == 64)
    assert ((F(2), F(1, 4)), (F(1, 4), F(1))) == model.A
    back = trainer.float_weights(model)
    assert pytest.approx(np.array([[0, 0], [1 / 256, -1], [1 / 4, 2 / 256], [0, 3]])) == back.E
    assert (back.v.tolist(), back.b) == ([0.5, -0.25], 0.125)
    assert back.lens is not None
    assert back.lens @ back.lens.T == pytest.approx(np.array([[2, 0.25], [0.25, 1]]), abs=1e-6)
    plain = trainer.rounded_classifier(
        reviews, SentimentWeights(E, np.array([0.5, -0.25]), 0.125), replace(recipe, matrix=None)
    )
    assert plain.A is None
    assert trainer.float_weights(plain).lens is None


def test_the_protocol_of_a_training_by_hand() -> None:
    """Every candidate on the train part, the best on the validation part again on both, one look at the test part."""
    reviews = reviews_of(list(sample_reviews(240, 11)))
    model = trainer.train(reviews, dim=2, layers=3, seed=4)
    parts = {
        name: reviews.of_part(*p) for name, p in (("train", (0,)), ("seen", (1,)), ("both", (0, 1)), ("test", (2,)))
    }

    def trained(recipe: SentimentRecipe, chosen: Any, epochs: int) -> list[Snapshot]:
        found = [begin(len(reviews.words), recipe)]
        for _ in range(epochs):
            after = epoch(reviews, chosen, found[-1], recipe)
            found.append(replace(after, accuracies=(*after.accuracies, 0.0)))
        return found[1:]

    def share(weights: SentimentWeights, recipe: SentimentRecipe, chosen: Any) -> float:
        return round(approx_scores(weights, reviews, chosen, recipe.layers, 3).accuracy(reviews.labels[chosen]), 4)

    def best(layers: int) -> tuple[float, SentimentRecipe, int]:
        tried = []
        for recipe in trainer.recipes(2, layers, "few", 4, reviews.part_sizes[0]):
            for k, after in enumerate(trained(recipe, parts["train"], recipe.epochs), 1):
                tried.append((share(after.weights, recipe, parts["seen"]), recipe, k))
        return max(tried, key=lambda told: told[0])

    def decided_rightly(other: ReviewClassifier) -> float:
        chosen = parts["test"].tolist()
        return round(sum((other.value(reviews.bag(k)) > 0) == reviews.labels[k] for k in chosen) / len(chosen), 4)

    validation, recipe, epochs = best(3)
    weights = trained(recipe, parts["both"], epochs)[-1].weights
    again = classifier_of(reviews.words, weights.E[1:], weights.v, weights.b, layers=3)
    assert (again.embeddings.tolist(), again.v, again.b) == (model.embeddings.tolist(), model.v, model.b)
    plain_validation, plain, plain_epochs = best(0)
    without = trained(plain, parts["both"], plain_epochs)[-1].weights
    other = classifier_of(reviews.words, without.E[1:], without.v, without.b, layers=0)
    about = model.about
    assert (about["validation"], about["test"]) == (validation, decided_rightly(model))
    assert about["without_attention"] == {"validation": plain_validation, "test": decided_rightly(other)}
    assert about["attention_removed"] == decided_rightly(model.without_attention())
    assert (about["words"], about["reviews"]) == (len(reviews.words), reviews.part_sizes)
    assert about["recipe"] == asdict(recipe) | {"leaders": "few", "stopped_after": epochs}
    scores = approx_scores(trainer.float_weights(model), reviews, parts["test"], 3, 3.0)
    assert about["leaders"] == trainer.leader_measures(scores.leaders, scores.initial)
