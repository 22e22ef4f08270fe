"""Tests of `exactformer.conjectures.catalogue.conditions`."""

from __future__ import annotations

from fractions import Fraction

from exactformer.conjectures.catalogue import conditions

F = Fraction


def test_the_sign_of_a_matrix_is_that_of_its_symmetric_part() -> None:
    cases = {
        ((1, 0), (0, 1)): 1,
        ((1, 1), (1, 1)): 0,
        ((1, 2), (0, 1)): 0,
        ((1, 3), (0, 1)): -1,
        ((1, 5), (-5, 1)): 1,
        ((0, 0), (0, 0)): 0,
        ((0, 1), (1, 0)): -1,
        ((1, 0), (0, -1)): -1,
    }
    for A, sign in cases.items():
        rows = tuple(tuple(F(x, 3) for x in row) for row in A)
        assert conditions.definiteness(rows) == sign, A
