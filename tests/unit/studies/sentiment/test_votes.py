"""Tests of `exactformer.studies.sentiment.votes`."""

from __future__ import annotations

import numpy as np

from exactformer.studies.sentiment.classifier import classifier_of
from exactformer.studies.sentiment.votes import on_grid


def test_numbers_are_rounded_to_the_nearest_of_the_grid() -> None:
    assert on_grid(np.array([0.24, 0.26, -0.13, 0.125, 0.375]), 2).tolist() == [1, 1, -1, 0, 2]  # halves to even
    found = classifier_of(["za"], np.array([[0.3, -0.3]]), np.array([1.1, 0.0]), -0.6, bits=3)
    assert (found.embeddings.tolist(), found.v, found.b, found.denominator) == ([[2, -2]], (9, 0), -5, 8)
