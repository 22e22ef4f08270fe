"""Tests of `exactformer.dynamics.stages_claim`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from exactformer.arithmetic.power_sum import power
from exactformer.conjectures.counterexample_claim import weight_pairs
from exactformer.dynamics.stages_claim import cut_rows, number_terms

F = Fraction


def test_weights_stand_in_the_order_of_their_indices() -> None:
    assert weight_pairs([(3, "1/2"), (0, F(1, 4)), (2, 0.25)]) == [[0, F(1, 4)], [2, F(1, 4)], [3, F(1, 2)]]
    assert cut_rows({(2, 0): [5], (0, 1): [3, 4], (1, 1): []}) == [[0, 1, 3, 4], [2, 0, 5]]


@pytest.mark.parametrize("exponent", [5_000, -5_000])
def test_terms_of_long_powers_have_positive_exponents(exponent: int) -> None:
    number = F(1, 3) + 2 * power(F(2, 3), exponent) - power(F(5, 7), -exponent)
    total: Any = F(0)
    for coefficient, *powers in number_terms(number):
        assert all(e > 0 for _, e in powers)
        term: Any = coefficient
        for base, e in powers:
            term = term * power(base, e)
        total = total + term
    assert total == number
