"""Tests of `exactformer.studies.sentiment.paper`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.studies.sentiment import paper
from exactformer.studies.sentiment.approx_comparison import compare
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.classifier_file import model_json
from exactformer.studies.sentiment.evaluation import evaluate
from exactformer.studies.sentiment.families import reviews_csv, sample_reviews
from exactformer.studies.sentiment.reviews import reviews_of

NAMES = ("za", "zb", "zc", "zd", "ze")


def model_of(rows: Any, v: Any, b: int = 0, **options: Any) -> ReviewClassifier:
    options = {"denominator": 1, "layers": 2, **options}
    return ReviewClassifier(NAMES[: len(rows)], np.array(rows, dtype=np.int64), tuple(v), b, **options)


def text_of(bag: Mapping[str, int]) -> str:
    return " ".join(word for word, count in bag.items() for _ in range(count))


def test_a_row_of_the_paper_beside_the_published_figures() -> None:
    about = {"validation": 0.5, "test": 0.6, "without_attention": {"test": 0.7}, "attention_removed": 0.8}
    told = {"accuracy": 0.9, "leaders": {"mean": 1}, "faithfulness": {"x": 1}, "top": [["za", 2]]}
    model = replace(model_of([[1, 2]], [1, 0]), about=about)
    for dim, best, epoch, final, option in (
        (2, 0.79145, 100, 0.79145, "few"),
        (8, 0.85049, 38, 0.81343, "many"),
        (3, None, None, None, "many"),
    ):
        found = paper.DimensionRow(dim, model, told, {"y": 2}).json()
        assert found == {
            "dim": dim,
            "leaders_option": option,
            "validation": 0.5,
            "test": 0.6,
            "test_exact": 0.9,
            "without_attention": {"test": 0.7},
            "attention_removed": 0.8,
            "published_best": best,
            "published_best_epoch": epoch,
            "published_final": final,
            "leaders": {"mean": 1},
            "faithfulness": {"x": 1},
            "top": [["za", 2]],
            "approx": {"y": 2},
        }
    assert paper.PUBLISHED[4] == (0.82281, 46, 0.80275)
    assert paper.PUBLISHED[16] == (0.88209, 20, 0.84572)


def test_clear_reviews_are_decided_rightly_and_beyond_the_least_value() -> None:
    model = model_of([[3], [-3]], [1], layers=0)
    bags = [
        (False, {"za": 20}),
        (True, {"za": 15, "zb": 5}),
        (True, {"za": 20}),
        (True, {"za": 21}),
        (False, {"zb": 22}),
    ]
    assert paper.clear_reviews(model, bags) == (text_of({"za": 20}), text_of({"zb": 22}))
    assert paper.clear_reviews(model, bags, 1.4) == (text_of({"za": 15, "zb": 5}), text_of({"zb": 22}))
    assert paper.clear_reviews(model, bags, 1.5) == (text_of({"za": 20}), text_of({"zb": 22}))
    assert paper.clear_reviews(model, bags, 3.0) == ("", "")


@pytest.mark.parametrize(("dim", "leaders"), [(2, "few"), (3, "many")])
def test_a_model_of_the_paper_is_trained_once_and_then_read(dim: int, leaders: str, tmp_path: Path) -> None:
    reviews = reviews_of(list(sample_reviews(40, 12)), min_count=1)
    path = tmp_path / "d.model.xz"
    model = paper._model(reviews, path, dim, 1, None)
    assert (model.dim, model.layers, model.about["recipe"]["leaders"], model.about["recipe"]["seed"]) == (
        dim,
        8,
        leaders,
        1,
    )
    assert [file.name for file in tmp_path.iterdir()] == ["d.model.xz"]
    assert model_json(paper._model(reviews, path, dim, 1, None)) == model_json(model)
    other = replace(model, b=model.b + 1)
    other.write(path)
    assert paper._model(reviews, path, dim, 1, None).b == other.b


def test_rows_of_the_paper_are_about_the_same_sample(tmp_path: Path) -> None:
    """A model that is there already is taken; floats are compared on a random sample, which the seed chooses."""
    source = tmp_path / "reviews.csv"
    source.write_text(reviews_csv(60, 4))
    reviews = paper.read_reviews(source)
    random = np.random.default_rng(3)
    about = {"validation": 0.5, "test": 0.6, "without_attention": {"test": 0.7}, "attention_removed": 0.8}
    E = random.integers(-20, 20, (len(reviews.words), 2))
    ReviewClassifier(tuple(reviews.words), E, (300, -200), 2, layers=2, about=about).write(tmp_path / "d2.model.xz")
    (row,) = paper.reproduce(source, tmp_path, dims=(2,), seed=1, sample=5)
    found = paper.labelled_reviews(source, row.model)
    order = np.random.default_rng(1).permutation(len(found))[:5].tolist()
    wanted = compare(row.model, [found[k][1] for k in order if found[k][1]])
    assert {key: row.floats[key] for key in wanted if key != "approx_ms"} == {
        key: value for key, value in wanted.items() if key != "approx_ms"
    }
    assert row.floats["approx_softmax_gap"] > 0
    assert row.evaluation == evaluate(row.model, found, sample=5, seed=1).json()
    assert row.evaluation != evaluate(row.model, found, sample=5, seed=0).json()
