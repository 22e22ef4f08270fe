"""Tests of `exactformer.evaluate.balls`."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

from exactformer.errors import NotExact
from exactformer.evaluate.balls import ends, is_bounded

F = Fraction


def test_ends_of_balls_are_rational_up_to_a_size() -> None:
    assert ends(arb(2) ** 65535) == (2**65535, 2**65535)
    for large in (arb(2) ** 65536, -(arb(2) ** 70000), arb("inf"), arb("nan"), arb(0, float("inf"))):
        assert not is_bounded(large)
        with pytest.raises(NotExact, match="raise the bits"):
            ends(large)
    low, high = ends(arb(3, 0.5))
    assert low <= F(5, 2) < F(7, 2) <= high
    tiny = ends(arb(1) + arb(0, arb(2) ** -70000))
    assert tiny == (1 - F(2, 2**65536), 1 + F(2, 2**65536))


def test_what_is_just_too_large_to_be_left_out_is_kept() -> None:
    small = arb(3) / arb(2) ** 65537  # 3/2 of the bound: the ball reaches to twice that
    low, high = ends(arb(small, small))
    assert low <= 0
    assert high >= F(3, 2**65536)
