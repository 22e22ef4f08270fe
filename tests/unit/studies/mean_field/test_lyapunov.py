"""Tests of `exactformer.studies.mean_field.lyapunov`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, arb_mat, ctx

from exactformer.studies.mean_field.lyapunov import _independent, _symmetric

F = Fraction


def rows(*given: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(F, row)) for row in given)


def test_the_upper_half_of_a_form_is_reflected() -> None:
    assert _symmetric(rows((1, 2, 3), (4, 5, 6), (7, 8, 9))) == rows((1, 2, 3), (2, 5, 6), (3, 6, 9))


def test_the_rows_that_tell_a_space_are_the_longest_remainders_first() -> None:
    """(0, 3, 0) and then (2, 1, 1), of which (2, 0, 1) remains; (1, 9, 0)/9 would leave less."""
    with ctx.workprec(128):
        Pi = arb_mat([[arb(2), arb(1), arb(1)], [arb(0), arb(3), arb(0)], [arb(1), arb(2), arb(0)]])
        assert _independent(Pi, 2) == [1, 0]
        assert _independent(Pi, 3) == [1, 0, 2]
        assert _independent(Pi, 1) == [1]
