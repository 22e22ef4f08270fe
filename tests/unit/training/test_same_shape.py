"""Tests of `exactformer.training.same_shape`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq, fmpq_mat

from exactformer.constructions.targets import targets_of
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Scalar, Zero
from exactformer.model.transformer import Block, Transformer
from exactformer.training.same_shape import _Problem, _solvable

F = Fraction


def test_a_correction_has_as_many_rows_as_unknowns_and_a_length_that_checkers_read() -> None:
    """Rows times bits of the longest number are at most 12000."""
    for rows, bits, unknowns, solvable in (
        (1, 12_000, 1, True),
        (1, 12_001, 1, False),
        (2, 6_000, 2, True),
        (2, 6_001, 2, False),
        (2, 6_000, 1, False),
        (3, 4_000, 5, True),
        (3, 4_001, 5, False),
    ):
        for long in (fmpq(2**bits - 1), fmpq(1 - 2**bits), fmpq(1, 2**bits - 1)):
            entries = [fmpq(k) for k in range(2 * rows - 1)] + [long]
            assert _solvable(fmpq_mat(rows, 2, entries), unknowns) is solvable


@pytest.mark.parametrize(
    ("U", "b", "W", "target"),
    [
        ([[-1], [1]], [-5, 2], [[3, 1]], 7),  # the second unit alone is active: y = 2 x + 2
        ([[1], [1]], [-2, -9], [[1, 4]], "3/2"),  # at its kink a unit is not active: y = x
        ([[1], [-1], [2]], [1, -7, "1/2"], [[1, 5, -3]], -4),  # the first and the third are
    ],
)
def test_v_is_corrected_with_the_units_that_are_active(U: Any, b: Any, W: Any, target: Any) -> None:
    mean = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    network = Transformer(1, [Block(None, mean), Block(FeedForward(1, U, b, W))])
    data = Dataset.of([[[1], [3]]], targets=[[target]])
    problem = _Problem.of(network, data, targets_of(data))
    for correction, changed in ((problem.other_value, 0), (problem.other_columns, 1)):
        for found in correction():
            assert found([[1], [3]]).rows()[0] == (F(target),)
            assert found.blocks[1 - changed] == network.blocks[1 - changed]
    assert len(list(problem.other_value())) == 1


def test_more_means_than_unknowns_are_not_corrected() -> None:
    """One dimension and one unit: V is one number and W is one, and two means ask for two."""
    mean = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    network = Transformer(1, [Block(None, mean), Block(FeedForward(1, [[1]], [0], [[1]]))])
    data = Dataset.of([[[1]], [[2]]], targets=[[3], [7]])
    problem = _Problem.of(network, data, targets_of(data))
    assert list(problem.other_value()) == list(problem.other_columns()) == []
    long = Dataset.of([[[2**12_001]]], targets=[[3]])
    assert list(_Problem.of(network, long, targets_of(long)).other_value()) == []
