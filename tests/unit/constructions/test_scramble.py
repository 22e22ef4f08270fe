"""Tests of `exactformer.constructions.scramble`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from kits.simplest_rationals import simplest

from exactformer.constructions.scramble import draw_slopes, fold, scale_into_unit, slope_bits

F = Fraction


@pytest.mark.parametrize(
    ("low", "high"), [(F(-3), F(5)), (F(0), F(3, 4)), (F(1, 7), F(2, 7)), (F(10**9), F(10**9) + 1), (F(-5), F(-1, 3))]
)
def test_the_scale_into_the_unit_interval_is_the_largest_power_of_two_that_leaves_a_quarter(
    low: Fraction, high: Fraction
) -> None:
    alpha, kappa = scale_into_unit(low, high)
    assert alpha == max(F(2) ** k for k in range(-40, 9) if F(2) ** k * (high - low) <= F(3, 4))
    assert kappa == simplest(F(1, 16) - alpha * low, F(15, 16) - alpha * high)


@pytest.mark.parametrize(("resolved", "tents", "bits"), [(40, 1, 65), (40, 4, 17), (41, 4, 18), (8, 32, 6), (8, 0, 33)])
def test_slopes_have_the_bits_that_keys_need(resolved: int, tents: int, bits: int) -> None:
    assert slope_bits(resolved, tents) == bits


def test_slopes_are_odd_and_in_their_ranges() -> None:
    rng = np.random.default_rng(1)
    for bits in (4, 5, 9, 70):
        for _ in range(20):
            left, right = draw_slopes(bits, rng)
            assert left % 2 == right % 2 == 1
            assert F(15, 8) <= F(left, 1 << bits) < 2
            assert F(7, 4) <= F(right, 1 << bits) <= F(15, 8)
    assert fold([0, 3, 4, 5, 8], 4, 7, 5) == [0, 21, 28, 23, 8]
