"""Tests of `exactformer.studies.sentiment.classifier_file`."""

from __future__ import annotations

import json
import lzma
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.studies.sentiment import load
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.classifier_file import model_json


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    model = load()
    model.write(tmp_path / "m.xz")
    again = ReviewClassifier.read(tmp_path / "m.xz")
    assert model_json(again) == model_json(model)
    assert (tmp_path / "m.xz").stat().st_size < 140_000


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("words", ["good"] * 3, "different strings"), ("words", 7, "different strings"),
        ("words", ["a", "b", 3], "different strings"), ("words", [], "one list of integers for each of the 2"),
        ("embeddings", [[1, 2, 3]], "one list of integers for each of the 2"),
        ("embeddings", [[1, 2, 3]] * 3, "one list of integers for each of the 2"),
        ("embeddings", {"0": [1], "1": [1]}, "one list of integers for each of the 2"),
        ("embeddings", [[1, 2], [1, 2]], "3 integers a coordinate"),
        ("embeddings", [[1, 2, 2**40], [1, 1, 1]], "embeddings"), ("embeddings", [[1.5, 2, 3], [1, 1, 1]], "embeddings"),
        ("v", [], "one list of integers for each of the 0"), ("b", "1", "b: "), ("alpha", "0", "alpha"),
        ("alpha", "x", "alpha"), ("layers", -1, "layers"), ("denominator", 0, "denominator"), ("A", [["1", "0"]], "A"),
        ("A", [["1", "0"], ["0", "-1"]], "A"), ("length", True, "length"), ("about", [], "about"), ("more", 1, "keys"),
    ],
)  # fmt: skip
def test_forged_models_are_refused(key: str, value: object, said: str, tmp_path: Path) -> None:
    model = ReviewClassifier(("good", "bad", "film"), np.array([[1, 2], [3, 4], [5, 6]]), (1, 1), 0)
    path = tmp_path / "m.xz"
    model.write(path)
    assert model_json(ReviewClassifier.read(path)) == model_json(model)
    path.write_bytes(lzma.compress(json.dumps(model_json(model) | {key: value}).encode()))
    with pytest.raises((Malformed, InvalidInput), match=said):
        ReviewClassifier.read(path)


def test_a_truncated_model_is_refused(tmp_path: Path) -> None:
    load().write(tmp_path / "m.xz")
    data = (tmp_path / "m.xz").read_bytes()
    (tmp_path / "m.xz").write_bytes(data[:-100])
    with pytest.raises(Malformed, match="cut"):
        ReviewClassifier.read(tmp_path / "m.xz")


def test_every_part_of_a_model_comes_back_from_its_file(tmp_path: Path) -> None:
    A = ((Fraction(2), Fraction(1, 3)), (Fraction(1, 3), Fraction(5)))
    model = ReviewClassifier(
        ("good", "not_good", "film"),
        np.array([[1, -2], [3, 4], [5, 2**31 - 1]]),
        (7, -8),
        1 - 2**31,
        denominator=10,
        alpha=Fraction(2, 7),
        layers=1000,
        A=A,
        length=1,
        pairs=True,
        about={"test": 0.25, "recipe": {"leaders": "few", "list": [1, "x", 0.5]}},
    )
    model.write(tmp_path / "m.xz")
    again = ReviewClassifier.read(tmp_path / "m.xz")
    for name in ("words", "v", "b", "denominator", "alpha", "layers", "A", "length", "pairs", "about"):
        assert getattr(again, name) == getattr(model, name), name
    assert again.embeddings.tolist() == model.embeddings.tolist()


@pytest.mark.parametrize(
    ("key", "value", "problem", "says"),
    [
        ("layers", 1001, Declined, "at most 1000"),
        ("b", 2**31, Malformed, "below 2147483648"),
        ("b", -(2**31), Malformed, "below 2147483648"),
        ("v", [2**31, 1], Malformed, "below 2147483648"),
        ("length", 0, Malformed, "length: expected an integer >= 1"),
        ("denominator", 2**31, Malformed, "denominator"),
        ("alpha", "-1", Malformed, "rational number > 0"),
        ("A", [["1", "0"], ["0"]], Malformed, "2 rows of 2"),
    ],
)
def test_numbers_beyond_the_limits_of_model_files(
    key: str, value: object, problem: type[Exception], says: str, tmp_path: Path
) -> None:
    model = ReviewClassifier(("good", "bad"), np.array([[1, 2], [3, 4]]), (1, 1), 0)
    path = tmp_path / "m.xz"
    path.write_bytes(lzma.compress(json.dumps(model_json(model) | {key: value}).encode()))
    with pytest.raises(problem, match=says):
        ReviewClassifier.read(path)


@pytest.mark.timeout(60)
def test_what_a_model_file_may_ask_for_is_bounded(tmp_path: Path) -> None:
    """A short file must not ask for numbers of a million bits; the longest ones allowed are explained in seconds."""
    E = np.array([[5, 1], [2, 3], [-1, 2]])
    for alpha, layers, read in ((Fraction(10**300 + 1, 7), 1000, False), (Fraction(10**300 + 1, 7), 16, True)):
        model = ReviewClassifier(("good", "film", "bad"), E, (1, -1), 1, alpha=alpha, layers=layers)
        model.write(tmp_path / "m.xz")
        if read:
            assert ReviewClassifier.read(tmp_path / "m.xz").explain("good bad film").same_from is not None
        else:
            with pytest.raises(
                Declined, match=r"make exact places of 997,000 bits, and model files may ask for 16,384"
            ):
                ReviewClassifier.read(tmp_path / "m.xz")
