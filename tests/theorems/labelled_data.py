"""Data sets with one label per sequence: the families coloured at random, and random decimals."""

from __future__ import annotations

import numpy as np

from exactformer.arithmetic.state import State
from exactformer.constructions.empirical_measures import distinct_points, supports
from exactformer.instances.dataset_families import FAMILIES
from exactformer.model.dataset import Dataset

SINGLE = [f for f in FAMILIES if f not in {"random-targets", "coinciding-targets", "targets-are-inputs", "far-targets"}]


def coloured(data: Dataset, classes: int, seed: int = 1) -> Dataset:
    """The data with random labels: one for every measure, each class there at least once."""
    rng = np.random.default_rng(seed)
    measures = supports(distinct_points(data.tokens, rng)[1], data.offsets)
    labels: dict[bytes, str] = {}
    for j in range(len(measures)):
        labels.setdefault(measures.key(j), str(len(labels) if len(labels) < classes else rng.integers(0, classes)))
    return Dataset(data.tokens, data.offsets, [labels[measures.key(j)] for j in range(len(measures))])


def random_data(count: int, classes: int, *, length: int = 5, dim: int = 2, seed: int = 0) -> Dataset:
    """Sequences of six-decimal tokens with uniformly random labels."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(-(10**6), 10**6, (count * length, dim))
    labels = [str(x) for x in rng.integers(0, classes, count)]
    return Dataset(State(tokens, 10**6), np.arange(0, count * length + 1, length), labels)
