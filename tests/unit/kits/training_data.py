"""Small data sets to train on."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import exactformer as ef
from exactformer.model.dataset import Dataset


def small_data(count: int = 8) -> Dataset:
    rng = np.random.default_rng(4)
    rows = rng.integers(-8, 9, (count, 3, 2)).tolist()
    targets = rng.integers(-2, 3, (count, 2)).tolist()
    return Dataset.of(
        [
            ef.Sequence.of([[Fraction(v, 8) for v in x] for x in s], targets=[y])
            for s, y in zip(rows, targets, strict=True)
        ]
    )
