"""Tests of `exactformer.evaluate.classifier`."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq
from kits.random_batches import random_batch

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput
from exactformer.evaluate import classifier
from exactformer.evaluate.balls import BallTransformer, nearest_label
from exactformer.evaluate.classifier import Classifier, Nearest, nearest_labels
from exactformer.model.dataset import Dataset
from exactformer.model.transformer import Transformer

F = Fraction


# ---------------------------------------------------------------- batches and distances


def test_labels_at_one_distance_are_all_candidates() -> None:
    points = {"a": State.of([[0]]), "b": State.of([[2]]), "c": State.of([[9]])}
    assert nearest_label(arb_mat([[arb(1)]]), points, 64) == (None, ("a", "b"))
    assert nearest_label(arb_mat([[arb(1.5)]]), points, 64) == ("b", ("b",))
    assert nearest_label(arb_mat([[arb(1, 0.5)]]), points, 64) == (None, ("a", "b"))
    assert nearest_label(arb_mat([[arb(0.8, 0.25)]]), points, 64) == (None, ("a", "b"))  # its middle is nearer to a
    assert nearest_label(arb_mat([[arb(0.5, 0.25)]]), points, 64) == ("a", ("a",))
    with pytest.raises(InvalidInput, match="dimension 1, got 2"):
        BallTransformer(Transformer(1, []), F(1)).images(State.of([[1, 2]]))


# ---------------------------------------------------------------- balls


@pytest.mark.parametrize(
    ("images", "label", "candidates"),
    [
        ([[0], [4]], "both", ("both",)),
        ([[1], [1]], "one", ("one",)),
        ([[1], [4]], "both", ("both",)),
        ([[1], [2]], "one", ("one",)),
        ([["1/2"]], None, ("both", "one")),
    ],
)
def test_a_label_is_as_near_as_the_nearest_of_its_targets_to_every_token(
    images: Any, label: str | None, candidates: tuple[str, ...]
) -> None:
    points = {"both": State.of([[0], [4]]), "one": State.of([[1]])}
    rows = [[arb(fmpq(F(v).numerator, F(v).denominator)) for v in row] for row in images]
    assert nearest_label(arb_mat(rows), points, 64) == (label, candidates)


def distance2(x: Any, y: Any) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), F(0))


# ---------------------------------------------------------------- nearest labels


@pytest.mark.parametrize("chunk", [1, 7, 1 << 17])
def test_nearest_labels_are_those_of_the_definition(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "CHUNK", chunk)
    rng = random.Random(3)
    for _ in range(15):
        dim = rng.randint(1, 2)
        batch = random_batch(rng, dim)
        points = {
            name: State.of([[F(rng.randint(-3, 3), rng.randint(1, 2)) for _ in range(dim)] for _ in range(n)])
            for name, n in (("b", 2), ("a", 1), ("c", 3))
        }
        for j, found in enumerate(nearest_labels(batch, points)):
            rows = range(batch.offsets[j], batch.offsets[j + 1])
            total = sum(int(batch.weights[r]) for r in rows)
            means = {}
            for name, targets in points.items():
                near = [min(distance2(batch.row(r), t) for t in targets.rows()) for r in rows]
                means[name] = sum(int(batch.weights[r]) * d for r, d in zip(rows, near, strict=True)) / F(total)
            least = min(means.values())
            assert found == Nearest(tuple(sorted(n for n, d in means.items() if d == least)), least)
            assert (found.label, found.tied) == (found.labels[0], len(found.labels) > 1)


def test_scores_count_the_right_labels() -> None:
    points = {"1": State.of([[0]]), "2": State.of([[4]])}
    model = Classifier(Transformer(1, []), points, values={"1": 1, "2": 2})
    sequences = [[[0], [1]], [[5]], [[2]], [[4]]]
    assert model.predict(sequences) == [1, 2, 1, 2]  # 2 is as near to both: the first by name
    assert [n.tied for n in model.nearest(sequences)] == [False, False, True, False]
    assert model.score(sequences, [1, 2, 2, 2]) == F(3, 4)
    assert model.score(Dataset.of(sequences, labels=[1, 1, 1, 2])) == F(3, 4)
    with pytest.raises(InvalidInput, match="expected the right labels, got none"):
        model.score(sequences)
    with pytest.raises(InvalidInput, match=r"dimension 1, as of the transformer, got 2$"):
        model.predict([[[1, 2]]])
    with pytest.raises(InvalidInput, match=r"dimension 2, as of the transformer, got 1; .*`positions`"):
        Classifier(Transformer(2, []), {"1": State.of([[0, 0]])}).predict([[[1]]])
    placed = Classifier(Transformer(2, []), {"1": State.of([[0, 0]]), "2": State.of([[0, 2]])}, positions=True)
    assert placed.predict([[[0]], [[0], [0], [0], [0]]]) == ["1", "2"]


RNG = np.random.default_rng(5)


X = RNG.standard_normal((12, 4, 2))


Y = np.arange(12) % 3


def brute_force(built: ef.Built, rows: object) -> list[str]:
    """The nearest labels by definition: mean squared distance of the outputs, in Fractions."""
    outputs = built.transformer(rows).rows()
    labels = built.data.labels or []
    distances = {}
    for j, label in enumerate(labels):
        targets = built.targets.state(j).rows()
        gaps = [min(sum((a - b) ** 2 for a, b in zip(x, t, strict=True)) for t in targets) for x in outputs]
        distances[label] = sum(gaps, Fraction(0)) / len(outputs)
    return sorted(label for label, d in distances.items() if d == min(distances.values()))


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders"])
def test_predictions_are_the_nearest_targets_by_definition(method: str) -> None:
    built = ef.construct(X, Y, method=method)
    assert built.predict(X) == Y.tolist()
    assert built.score(X, Y) == 1
    new = [RNG.standard_normal((n, 2)) for n in (1, 2, 5, 3)]
    assert [list(found.labels) for found in built.classifier.nearest(new)] == [brute_force(built, rows) for rows in new]
    assert built.score(X[:4], [0, 1, 2, 1]) == Fraction(3, 4)


@pytest.mark.parametrize("method", ["shallow", "leaders"])
def test_targets_may_have_fractions(method: str) -> None:
    points = {"0": ["1/3", 0], "1": ["1/2", "1/7"], "2": [-1, "2/5"]}
    built = ef.construct(X, Y, method=method, label_targets=points)
    new = [RNG.standard_normal((n, 2)) / 4 for n in (1, 3, 2, 4, 2, 2)]
    assert [list(found.labels) for found in built.classifier.nearest(new)] == [brute_force(built, rows) for rows in new]
    outputs = ef.Transformer(1, []).evaluate(_batch([[[0]], [[1]]]))
    thirds = {"low": ef.State.of([["1/3"]]), "high": ef.State.of([["2/3"]])}
    assert [n.distance2 for n in nearest_labels(outputs, thirds)] == [Fraction(1, 9), Fraction(1, 9)]
    assert [n.label for n in nearest_labels(outputs, thirds)] == ["low", "high"]


def test_labels_come_back_as_they_were_given() -> None:
    assert ef.construct(X, Y).predict(X[:2]) == [0, 1]
    assert ef.construct(X, [f"c{y}" for y in Y]).predict(X[:2]) == ["c0", "c1"]
    assert ef.construct(X, Y).score(ef.Dataset.of(X, Y)) == 1


def test_ties_are_listed_and_the_first_by_name_is_given() -> None:
    points = {"b": ef.State.of([[1]]), "a": ef.State.of([[-1]]), "c": ef.State.of([[5]])}
    outputs = ef.Transformer(1, []).evaluate(_batch([[[0]], [[3]], [[4], [-4]]]))
    assert nearest_labels(outputs, points) == [
        Nearest(("a", "b"), Fraction(1)),
        Nearest(("b", "c"), Fraction(4)),
        Nearest(("a", "b"), Fraction(17)),
    ]


def _batch(sequences: list[list[list[int]]]) -> object:
    from exactformer.model.batch import Batch

    data = ef.Dataset.of(sequences)
    return Batch.of(data.tokens, data.offsets)


def test_positions_are_appended_to_new_sequences() -> None:
    built = ef.construct([[[0], [1]], [[1], [0]]], ["up", "down"], positions=True)
    assert built.predict([[[1], [0]], [[0], [1]]]) == ["down", "up"]


def test_there_is_no_label_to_predict_for_targets() -> None:
    built = ef.construct([[[0]], [[1]]], targets=[[1], [2]])
    with pytest.raises(InvalidInput, match="built for labels"):
        built.predict([[[0]]])
    with pytest.raises(InvalidInput, match="right labels"):
        ef.construct(X, Y).score(X)
