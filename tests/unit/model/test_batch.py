"""Tests of `exactformer.model.batch`."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from kits.random_batches import random_batch

from exactformer.arithmetic.state import State
from exactformer.evaluate.classifier import nearest_labels
from exactformer.model.batch import Batch, reduce_rows, sequence_denominators

F = Fraction


def test_rows_over_other_denominators_have_the_keys_of_their_points() -> None:
    batch = Batch(
        np.array([[1, 2], [2, 4], [1, 2]]), np.array([2, 4, 4]), np.array([0, 3]), np.ones(3, int), np.arange(3)
    )
    first, second, third = batch.keys()
    assert first == second != third


def test_rows_of_several_tokens_weigh_as_many() -> None:
    points = {"low": State.of([[0]]), "high": State.of([[4]])}
    batch = Batch(np.array([[1], [4]]), np.array([1, 1]), np.array([0, 2]), np.array([5, 1]), np.zeros(6, int))
    (found,) = nearest_labels(batch, points)
    assert (found.labels, found.distance2) == (("low",), F(5 * 1 + 16, 6))


def test_rows_are_reduced_and_brought_to_the_denominator_of_their_sequence() -> None:
    rng = random.Random(1)
    for _ in range(30):
        batch = random_batch(rng, 2)
        points = [batch.row(r) for r in range(len(batch.array))]
        below = batch.denominators.tolist()
        assert points == [tuple(F(v, below[r]) for v in row) for r, row in enumerate(batch.array.tolist())]
        array, denominators = reduce_rows(batch.array, batch.denominators)
        for row, q, point in zip(array.tolist(), denominators.tolist(), points, strict=True):
            assert tuple(F(v, q) for v in row) == point
            assert math.gcd(q, *row) == 1
        numerators, common = sequence_denominators(batch)
        for r, j in enumerate(batch.sequence_of_row):
            assert batch.offsets[j] <= r < batch.offsets[j + 1]
            assert tuple(F(int(v), int(common[j])) for v in numerators[r]) == points[r]
        assert (len({*batch.keys()}) == len(set(points))) is True


@pytest.mark.parametrize("rows", [1, 3, 5, 100])
def test_parts_of_a_batch_are_whole_sequences_and_join_again(rows: int) -> None:
    offsets = np.array([0, 2, 3, 7, 8, 10])
    batch = Batch.of(State.of([[F(k, 3), k] for k in range(10)]), offsets)
    parts = list(batch.parts(rows))
    assert [len(p.array) for p in parts] == {1: [2, 1, 4, 1, 2], 3: [3, 4, 3], 5: [3, 5, 2], 100: [10]}[rows]
    joined = Batch.join(iter(parts), 10)
    assert [joined.row(r) for r in range(10)] == [(F(k, 3), k) for k in range(10)]
    assert (joined.offsets.tolist(), joined.inverse.tolist()) == (offsets.tolist(), list(range(10)))
    assert joined.tokens(2, offsets).rows() == [(F(k, 3), k) for k in range(3, 7)]
