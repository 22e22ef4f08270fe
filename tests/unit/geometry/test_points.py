"""Tests of `exactformer.geometry.points`."""

from __future__ import annotations

from fractions import Fraction

from exactformer.geometry.points import primitive


def test_the_zero_vector_is_primitive() -> None:
    assert primitive((Fraction(0), 0)) == (0, 0)
    assert primitive((Fraction(2, 3), 0, Fraction(-4, 3))) == (1, 0, -2)
