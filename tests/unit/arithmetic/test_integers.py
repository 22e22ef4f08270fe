"""Tests of `exactformer.arithmetic.integers`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.arithmetic.integers import (
    SAFE,
    add,
    common_divisor,
    integer_array,
    largest,
    matmul,
    multiply,
    narrowed,
    objects,
    segment_sums,
    small,
    wide,
)
from exactformer.arithmetic.rational import common_denominator, identity

F = Fraction


BIG = 2**61


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


# ---------------------------------------------------------------- integers


def test_sums_and_products_past_int64_are_python_ints() -> None:
    assert add(ints(BIG, 1), ints(BIG, 2)).tolist() == [2 * BIG, 3]
    assert add(ints(2**62, 1), ints(2**62, 2)).tolist() == [2**63, 3]
    assert add(ints(-(2**62)), ints(-(2**62) - 5)).tolist() == [-(2**63) - 5]
    assert multiply(ints(2**40, 3), 2**30).tolist() == [2**70, 3 * 2**30]
    assert multiply(ints(2**40, 3), ints(2**40, 5)).tolist() == [2**80, 15]
    assert multiply(ints(-(2**40)), -(2**40)).tolist() == [2**80]
    assert multiply(ints(3), 2**70).tolist() == [3 * 2**70]
    assert multiply(ints(3, 4), 1).tolist() == [3, 4]


@pytest.mark.parametrize("inner", [2, 3, 8, 100])
def test_matrix_products_count_the_length_of_the_sum(inner: int) -> None:
    # every product fits into 62 bits, and their sum does not
    x, y = np.full((1, inner), 2**30), np.full((inner, 1), 2**31)
    assert matmul(x, y).tolist() == [[inner * 2**61]]
    assert matmul(-x, y).tolist() == [[-inner * 2**61]]


def test_segment_sums_count_the_rows() -> None:
    rows = np.full((8, 1), BIG)
    assert segment_sums(rows, np.array([0, 3, 8])).tolist() == [[3 * BIG], [5 * BIG]]
    assert segment_sums(ints(1, 2, 3).reshape(-1, 1), np.array([0, 1, 3])).tolist() == [[1], [5]]


def test_sizes_are_bounds_and_never_wrap() -> None:
    assert largest(ints(-(2**63), 5)) == 2**63
    assert largest(ints(3, -7)) == 7
    assert largest(ints()) == 0
    assert small(ints(1), SAFE - 1)
    assert not small(ints(1), SAFE)
    assert not small(ints(1), -SAFE)
    assert not small(wide(ints(1)))


def test_arrays_shrink_only_where_they_fit() -> None:
    fits, too_large = (np.array([v, 1], dtype=object) for v in (SAFE - 1, SAFE))
    assert narrowed(fits).dtype == np.int64
    assert narrowed(too_large).dtype == object
    assert narrowed(np.array([2**70], dtype=object)).tolist() == [2**70]
    assert narrowed(np.array([1, 2], dtype=np.int32)).dtype == np.int64
    assert integer_array([1, 2, 3, 4], (2, 2)).dtype == np.int64
    assert integer_array([2**64, 1], (1, 2)).tolist() == [[2**64, 1]]


def test_common_divisors() -> None:
    assert common_divisor(ints(6, 9, 12)) == 3
    assert common_divisor(ints(6, 9), start=2) == 1
    assert common_divisor(np.array([2**70 * 6, 2**70 * 9], dtype=object)) == 3 * 2**70
    assert common_divisor(np.array([6, 4], dtype=object), start=8) == 2
    assert common_divisor(ints(), start=5) == 5
    assert common_denominator([Fraction(1, 4), Fraction(5, 6), 2]) == 12


# ---------------------------------------------------------------- states


def test_divisors_and_denominators_of_nothing_are_one_or_what_they_start_from() -> None:
    assert (common_denominator([]), common_denominator([3, F(-1, 6), F(5, 4)])) == (1, 12)
    assert common_divisor(objects([0, 0]), start=6) == 6
    assert common_divisor(np.array([[4, 6], [10, -2]])) == 2
    assert identity(2) == ((1, 0), (0, 1))


# ---------------------------------------------------------------- intervals


def test_short_segments_beside_long_ones_do_not_overflow() -> None:
    rows = np.full((9, 1), 2**60)
    assert segment_sums(rows, np.array([0, 1, 9])).tolist() == [[2**60], [2**63]]
    assert segment_sums(-rows, np.array([0, 8, 9])).tolist() == [[-(2**63)], [-(2**60)]]


def test_sums_below_the_limit_stay_machine_integers() -> None:
    """What a sum may be is bounded before it is made: the largest entry times the longest segment."""
    rows = np.full((4, 1), SAFE // 4 - 1)
    assert segment_sums(rows, np.array([0, 4])).dtype == np.int64
    assert segment_sums(rows + 1, np.array([0, 3, 4])).dtype == np.int64
    for found in (segment_sums(rows + 1, np.array([0, 4])), segment_sums(-rows - 1, np.array([0, 4]))):
        assert (found.dtype, abs(found.item())) == (np.dtype(object), SAFE)
