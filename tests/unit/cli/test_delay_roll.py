"""Tests of `exactformer.cli.delay_roll`."""

from __future__ import annotations

from fractions import Fraction

from exactformer.cli.delay_roll import _cell


def test_cells_of_a_rollout() -> None:
    assert _cell([Fraction(1), Fraction(2)]) == "1.5 +- 0.5"
    assert _cell(Fraction(1, 3)) == "1/3"
    assert _cell(1 / 3) == "0.33333333"
