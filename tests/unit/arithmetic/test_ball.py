"""Tests of `exactformer.arithmetic.ball`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from exactformer.arithmetic.algebraic import from_text
from exactformer.arithmetic.ball import Ball, Truth, dyadic, ends, largest_ball, least_ball, until_decided
from exactformer.errors import Undecided

F = Fraction


ROOT: Any = from_text("sqrt(2)")


def test_balls_compute_with_numbers_on_either_side() -> None:
    half = Ball.of(F(1, 2), bits=80)
    for ball, value in (
        (half + 1, F(3, 2)),
        (1 + half, F(3, 2)),
        (half - 2, F(-3, 2)),
        (2 - half, F(3, 2)),
        (3 * half, F(3, 2)),
        (half * 3, F(3, 2)),
        (half / 3, F(1, 6)),
        (-half, F(-1, 2)),
    ):
        assert ball.contains(value)
        assert ball.bits == 80
        assert ball.radius < 2.0**-75
        assert float(ball) == pytest.approx(float(value))
    assert not half.contains(F(1, 2) + F(1, 2**90))
    square = Ball.of(ROOT, bits=100) * Ball.of(ROOT, bits=100)
    assert square.contains(2)
    assert square.radius < 2.0**-95
    assert float(Ball.of(1, bits=64).exp()) == pytest.approx(math.e, rel=1e-15)
    assert Ball.of(half, bits=20).bits == 20
    assert Ball.of(3).bits == 64
    with pytest.raises(TypeError, match="not hashable"):
        hash(half)
    assert repr(Ball.of(3, bits=53)) == "Ball(3.0000000000000000000, bits=53)"


def test_comparisons_of_balls_are_true_false_or_undecided() -> None:
    third, half = Ball.of(F(1, 3), bits=64), Ball.of(F(1, 2), bits=64)
    assert (half > third, half >= third, half <= third) == (True, True, False)
    assert (half < third, half == third) == (False, False)
    assert (half >= F(1, 2), half <= F(1, 2), half > F(1, 2), half != F(1, 2)) == (True, True, False, False)
    for question in (operator.lt, operator.gt, operator.le, operator.ge, operator.eq):
        with pytest.raises(Undecided, match="raise the precision"):
            question(third, F(1, 3))
    assert [bool(Truth.YES), bool(Truth.NO)] == [True, False]
    balls_of = [Ball.of(F(k, 3), bits=64).arb for k in (2, 1, 5, 3)]
    assert Ball(least_ball(balls_of), 64).contains(F(1, 3))
    assert Ball(largest_ball(balls_of), 64).contains(F(5, 3))
    assert dyadic(Ball.of(F(-3, 8), bits=64).arb) == F(-3, 8)
    assert until_decided(lambda bits: bits) == 64
    assert until_decided(lambda bits: bits, start=7) == 7
    with pytest.raises(Undecided, match="undecided at 4096 bits, the cap is 4096"):
        until_decided(lambda bits: Ball.of(F(1, 3), bits=bits) < F(1, 3))


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
def test_balls_of_two_precisions_meet_at_the_finer(operation: Callable[[Any, Any], Ball]) -> None:
    coarse, fine = Ball.of(2, bits=32), Ball.of(F(1, 3), bits=256)  # 2 is exact at every precision
    for x, y, value in ((coarse, fine, operation(F(2), F(1, 3))), (fine, coarse, operation(F(1, 3), F(2)))):
        ball = operation(x, y)
        assert ball.bits == 256
        assert ball.contains(value)
        assert ball.radius < 2.0**-250
    assert (fine / coarse).contains(F(1, 6))
    assert (fine / coarse).radius < 2.0**-250


def test_a_question_is_asked_at_every_precision_up_to_the_cap() -> None:
    asked: list[int] = []

    def never(bits: int) -> bool:
        asked.append(bits)
        raise Undecided("not yet")

    for start, cap, wanted in ((64, 256, [64, 128, 256]), (64, 300, [64, 128, 256]), (32, 32, [32])):
        asked.clear()
        with pytest.raises(Undecided, match=f"undecided at {wanted[-1]} bits, the cap is {cap}"):
            until_decided(never, start=start, cap=cap)
        assert asked == wanted


def test_balls_that_touch_or_overlap_are_undecided_and_others_are_not() -> None:
    third, half = Ball.of(F(1, 3), bits=64), Ball.of(F(1, 2), bits=64)
    assert third < half
    assert half > third
    assert third <= half
    assert half >= third
    assert not half < third
    assert half == F(1, 2)
    assert third.equal(half) is Truth.NO
    assert half.less(F(1, 2)) is Truth.NO
    assert third.equal(F(1, 3)) is Truth.UNDECIDED
    assert third.less(F(1, 3)) is Truth.UNDECIDED
    assert ends(half.arb) == (F(1, 2), F(1, 2))
