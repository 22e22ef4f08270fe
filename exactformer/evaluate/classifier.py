"""A transformer as a classifier: new sequences get the label whose target is nearest to their outputs, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from exactformer.arithmetic.integers import Array, wide
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput
from exactformer.io.untyped import Given
from exactformer.model.batch import Batch
from exactformer.model.dataset import Dataset
from exactformer.model.dataset_of import dataset_of
from exactformer.model.transformer import Transformer

#: squared distances held at once
CHUNK = 1 << 17


@short_repr
@dataclass(frozen=True)
class Nearest:
    """The labels at the least distance, in alphabetical order, and the square of that distance."""

    labels: tuple[Given, ...]
    distance2: Fraction

    @property
    def label(self) -> Given:
        """The first of the nearest labels."""
        return self.labels[0]

    @property
    def tied(self) -> bool:
        """Whether several labels are equally near."""
        return len(self.labels) > 1


@dataclass(frozen=True)
class Classifier:
    """A transformer and the target points of every label; `values` has what the user called the labels.

    The squared distance of a sequence from a label is the mean, over its output tokens, of the squared Euclidean
    distance to the nearest target of the label. With `positions`, positions are appended to new tokens first.
    """

    transformer: Transformer
    points: Mapping[str, State]
    values: Mapping[str, object] = field(default_factory=dict)
    positions: bool = False

    def nearest(self, sequences: object) -> list[Nearest]:
        """The nearest labels of every sequence, ties listed; raises InvalidInput where there are no labels."""
        found = nearest_labels(self.outputs(sequences), self.points)
        return [replace(near, labels=tuple(self.values.get(text, text) for text in near.labels)) for near in found]

    def outputs(self, sequences: object) -> Batch:
        """The exact images of new sequences: arrays, lists, a DataFrame, a path or a Dataset."""
        if not self.points:
            raise InvalidInput(
                "expected a transformer built for labels, got one for targets: there is no label to give"
            )
        return images(self.transformer, dataset_of(sequences, labelled=False), positions=self.positions)

    def predict(self, sequences: object) -> list[Given]:
        """The label of every sequence; of labels at the same distance the first in alphabetical order."""
        return [found.label for found in self.nearest(sequences)]

    def score(self, sequences: object, labels: Sequence[object] | None = None) -> Fraction:
        """The fraction of sequences with the right label; without `labels`, those of the data set."""
        data = dataset_of(sequences, labels)
        if data.label_texts is None:
            raise InvalidInput("expected the right labels, got none: score(sequences, labels)")
        found = [nearest.label for nearest in nearest_labels(self.outputs(data), self.points)]
        return Fraction(sum(a == b for a, b in zip(found, data.label_texts, strict=True)), len(data))


def images(transformer: Transformer, data: Dataset, *, positions: bool = False) -> Batch:
    """The exact images of all sequences of a data set, with their positions appended where asked for."""
    data = data.with_positions() if positions else data
    if data.dim != transformer.dim:
        cure = (
            "; a transformer that was built with positions runs with `positions`" if data.dim < transformer.dim else ""
        )
        raise InvalidInput(
            f"expected tokens of dimension {transformer.dim}, as of the transformer, got {data.dim}{cure}"
        )
    return transformer.evaluate(Batch.of(data.tokens, data.offsets))


def nearest_labels(outputs: Batch, points: Mapping[str, State]) -> list[Nearest]:
    """The nearest labels of every sequence of a batch of outputs.

    >>> points = {"left": State.of([[0, 0]]), "right": State.of([[1, 0]])}
    >>> [n.labels for n in nearest_labels(Batch.of(State.of([["1/3", 5], ["1/2", 0]]), np.array([0, 1, 2])), points)]
    [('left',), ('left', 'right')]
    """
    names = sorted(points)
    targets = State.of([row for name in names for row in points[name]])
    starts = np.cumsum([0, *(len(points[name]) for name in names)])[:-1]
    distances = _distances(outputs, targets, starts)
    scales = [int(q) * targets.denominator for q in outputs.denominators]
    weights = outputs.weights.tolist()
    return [_nearest(names, distances[a:b], scales[a:b], weights[a:b]) for a, b in pairwise(outputs.offsets.tolist())]


def _distances(outputs: Batch, targets: State, starts: Array) -> Array:
    """(rows, labels): the squared distance to the nearest target of each label, times (q s)^2 of the row."""
    rows, scale, chunks = wide(outputs.array) * targets.denominator, wide(outputs.denominators), []
    step = max(1, CHUNK // targets.array.size)
    for first in range(0, len(rows), step):
        part = slice(first, first + step)
        gaps = rows[part, None, :] - targets.numerators[None] * scale[part, None, None]
        chunks.append(np.minimum.reduceat((gaps * gaps).sum(axis=2), starts, axis=1))
    return np.concatenate(chunks)


def _nearest(names: list[str], distances: Array, scales: list[int], weights: list[int]) -> Nearest:
    """The least mean of the rows' distances, each over its own scale."""
    if len(distances) == 1:  # integers over one scale: no fraction is needed to compare them
        closest = distances[0].min()
        nearest = tuple(name for name, d in zip(names, distances[0], strict=True) if d == closest)
        return Nearest(nearest, Fraction(int(closest), scales[0] ** 2))
    total = sum(weights)
    means = [
        sum((Fraction(w * int(d), q * q) for w, d, q in zip(weights, column, scales, strict=True)), Fraction(0)) / total
        for column in distances.T
    ]
    least = min(means)
    return Nearest(tuple(n for n, mean in zip(names, means, strict=True) if mean == least), least)
