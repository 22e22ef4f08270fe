"""Random batches of sequences."""

from __future__ import annotations

import random

import numpy as np

from exactformer.model.batch import Batch


def random_batch(rng: random.Random, dim: int) -> Batch:
    """Several sequences of several rows, each over a denominator of its own and of some weight."""
    lengths = [rng.randint(1, 4) for _ in range(rng.randint(1, 5))]
    count = sum(lengths)
    array = np.array([[rng.randint(-6, 6) for _ in range(dim)] for _ in range(count)])
    denominators = np.array([rng.randint(1, 6) for _ in range(count)])
    weights = np.array([rng.randint(1, 3) for _ in range(count)])
    return Batch(array, denominators, np.cumsum([0, *lengths]), weights, np.repeat(np.arange(count), weights))
