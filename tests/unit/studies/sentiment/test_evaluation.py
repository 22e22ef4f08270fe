"""Tests of `exactformer.studies.sentiment.evaluation`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.evaluation import SentimentEvaluation, evaluate, labelled_reviews
from exactformer.studies.sentiment.families import reviews_csv
from exactformer.studies.sentiment.reviews import read_reviews
from exactformer.studies.sentiment.reviews_file import write_bags
from exactformer.studies.sentiment.text import part_of

NAMES = ("za", "zb", "zc", "zd", "ze")


def model_of(rows: Any, v: Any, b: int = 0, **options: Any) -> ReviewClassifier:
    options = {"denominator": 1, "layers": 2, **options}
    return ReviewClassifier(NAMES[: len(rows)], np.array(rows, dtype=np.int64), tuple(v), b, **options)


# tables and files -------------------------------------------------------------------------------------
def test_an_evaluation_of_nothing_and_its_top_words() -> None:
    empty = SentimentEvaluation().json()
    assert (empty["accuracy"], empty["leaders"], empty["top"], empty["faithfulness_reviews"]) == (0, {}, [], 0)
    assert empty["faithfulness"] == {"only_leaders": 0, "without_leaders": 0, "without_random": 0}
    model = model_of([[4, 8], [-1, 2]], [1, 0])
    told = list[int]()
    found = evaluate(
        model, [(True, {"za": 3, "zb": 1}), (False, {"za": 1, "zb": 1}), (True, {"za": 1})], progress=told.append
    )
    assert told == [1, 2, 3]
    assert (found.right, found.declined, found.leaders, found.initial, dict(found.words)) == (
        2,
        0,
        [1, 1, 1],
        [1, 1, 1],
        {"za": 2},
    )
    assert found.json(top=0)["top"] == []
    assert found.json()["accuracy"] == 0.6667
    plain = evaluate(model.without_attention(), [(True, {"za": 3, "zb": 1})])
    assert (plain.tested, plain.leaders) == (0, [0])


def test_the_progress_of_an_evaluation_counts_reviews_that_are_declined() -> None:
    told = list[int]()
    found = evaluate(
        model_of([[1], [-1]], [1]), [(True, {"za": 1}), (True, {"za": 1, "zb": 1}), (False, {})], progress=told.append
    )
    assert (found.declined, told) == (2, [1, 2, 3])


# evaluation -------------------------------------------------------------------------------------------
def test_as_many_words_are_deleted_at_random_as_there_are_occurrences_of_leaders() -> None:
    """The leader stands there thrice: of four words one is left, and each of them in turn."""
    model = ReviewClassifier(("za", "zb"), np.array([[4, 8], [-1, 2]]), (1, 0), 0, denominator=1, layers=1)
    bag = {"za": 3, "zb": 1}
    assert model.ballot(bag).leads_from == [0, None]
    found = evaluate(model, [(True, bag)] * 40, sample=40, seed=3)
    random = np.random.default_rng(3)
    random.permutation(40)
    kept = [int(random.permutation(4)[3]) for _ in range(40)]
    same = sum(k < 3 for k in kept)  # za alone is positive like both, zb alone is not
    assert (found.tested, found.same["without_random"]) == (40, same)
    assert 0 < same < 40


def test_parts_of_reviews_are_read_from_every_kind_of_source(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(reviews_csv(60, 5))
    reviews = read_reviews(tmp_path / "r.csv", min_count=1)
    write_bags(reviews, tmp_path / "r.bags.xz")
    model = ReviewClassifier(tuple(reviews.words[::2]), np.ones((len(reviews.words[::2]), 1), dtype=np.int64), (1,), 0)
    for name in ("r.csv", "r.bags.xz"):
        for part in (None, 0, 1, 2):
            found = labelled_reviews(tmp_path / name, model, part)
            chosen = [k for k in range(60) if part is None or reviews.parts[k] == part]
            known = [{w: n for w, n in reviews.bag(k).items() if w in model.index} for k in chosen]
            assert [(label, dict(bag)) for label, bag in found] == [
                (bool(reviews.labels[k]), bag) for k, bag in zip(chosen, known, strict=True)
            ]
        assert len(labelled_reviews(tmp_path / name, model)) == reviews.part_sizes[2]
    with pytest.raises(InvalidInput, match="no order"):
        labelled_reviews(tmp_path / "r.bags.xz", replace(model, pairs=True))
    (tmp_path / "one.csv").write_text("pos,great film\n")
    with pytest.raises(InvalidInput, match="`part` all"):
        labelled_reviews(tmp_path / "one.csv", model, (part_of("great film") + 1) % 3)
