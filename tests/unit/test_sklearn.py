"""The estimator of scikit-learn: its own checks, and exactness on training data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import exactformer as ef

pytest.importorskip("sklearn", reason="scikit-learn is not installed")


def test_the_checks_of_scikit_learn_pass_but_for_those_with_a_reason() -> None:
    from sklearn.utils.estimator_checks import check_estimator

    left_out = ef.sklearn.LEFT_OUT
    found = check_estimator(ef.sklearn.ExactClassifier(), expected_failed_checks=left_out, on_skip=None)
    failed = [one["check_name"] for one in found if one["status"] == "xfail"]
    assert failed == list(left_out)
    assert sum(one["status"] == "passed" for one in found) > 40
    skipped = {one["check_name"] for one in found if one["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}
    page = (Path(__file__).parents[2] / "docs" / "api" / "pictures.md").read_text(encoding="utf-8")
    listed = [line for line in page.splitlines() if line.startswith("| `check_")]
    assert listed == [f"| `{name}` | {why} |" for name, why in left_out.items()]
    assert all(f"`{name}` runs only where" in page for name in skipped)


def test_sequences_of_several_tokens_are_fitted_exactly(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    X = [rng.integers(-3, 4, size=(rng.integers(1, 5), 2)) for _ in range(12)]
    y = [int(len(x) % 3) for x in X]
    model = ef.sklearn.ExactClassifier(method="deep").fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.classes_.tolist() == sorted(set(y))
    assert ef.check(model.certify(tmp_path / "c.jsonl"))
    assert model.get_params()["method"] == "deep"


def test_samples_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(ef.NoConstruction):
        ef.sklearn.ExactClassifier().fit([[1.0], [1.0]], ["a", "b"])
    with pytest.raises(ef.InvalidInput, match="y: expected 2 labels, one per sequence"):
        ef.sklearn.ExactClassifier().fit([[[1], [2]], [[3]]], ["a"])


def test_decimals_are_read_as_printed() -> None:
    model = ef.sklearn.ExactClassifier(decimals=True).fit([[0.1], [0.2]], [0, 1])
    assert model.built_.data.tokens.denominator == 10
    assert model.predict(np.array([[0.1], [0.2]])).tolist() == [0, 1]


def test_frames_are_tables_of_one_token_and_data_sets_are_sequences() -> None:
    import pandas as pd

    frame = pd.DataFrame({"left": [1.0, 2.0, 4.0], "right": [0.0, 1.0, 3.0]})
    model = ef.sklearn.ExactClassifier().fit(frame, [0, 1, 0])
    assert model.predict(frame).tolist() == [0, 1, 0]
    assert (model.n_features_in_, model.feature_names_in_.tolist()) == (2, ["left", "right"])
    data = ef.Dataset.of([[[1], [2]], [[3]]])
    assert ef.sklearn.ExactClassifier().fit(data, ["a", "b"]).predict(data).tolist() == ["a", "b"]
