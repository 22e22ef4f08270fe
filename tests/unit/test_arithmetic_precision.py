"""Numbers at the precision asked for: balls, exponentials, digits, long powers; and how they are read and shown."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, ctx, fmpq, fmpq_poly

from exactformer.arithmetic.algebraic import Algebraic, from_text
from exactformer.arithmetic.allowance import LEAST, WORK, reading, spend_work, verify_memory
from exactformer.arithmetic.ball import Ball, Truth, decide, ends
from exactformer.arithmetic.integers import segment_sums
from exactformer.arithmetic.interval import exp_minus, form, hull, minus, outward, plus, product, scaled
from exactformer.arithmetic.number import mpmath_numbers
from exactformer.arithmetic.power_sum import WRITTEN_BITS, PowerSum, enclosure, power, written
from exactformer.arithmetic.short_text import cut, show
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import MAX_CANONICAL, exact, exact_integers, from_canonical, integer_ratio
from exactformer.errors import Declined, InvalidInput, Malformed, Undecided

F = Fraction


# ---------------------------------------------------------------- balls


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
            decide(never, start=start, cap=cap)
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


# ---------------------------------------------------------------- intervals


def test_exponentials_are_enclosed_as_narrowly_as_asked() -> None:
    for bits in (1, 2, 8, 30, 64):
        points = [F(n, d) for n in range(1, 40) for d in (1, 3, 7)] + [F(bits, 2), bits - F(1, 9), F(bits), 3 * F(bits)]
        for x in points:
            low, high = exp_minus(fmpq(x.numerator, x.denominator), bits)
            with ctx.workprec(400):
                value = (-arb(fmpq(x.numerator, x.denominator))).exp()
                assert arb(low) <= value
                assert value <= arb(high)
            assert 0 <= low <= high <= low + fmpq(1, 1 << bits)
    assert exp_minus(fmpq(0), 8) == (1, 1)


def test_intervals_hold_every_combination_of_their_ends_and_no_more() -> None:
    signs = [(-3, -2), (-1, 2), (0, 0), (1, 4), (-2, 0), (0, 3)]
    intervals = [(fmpq(a), fmpq(b)) for a, b in signs]
    for x in intervals:
        for y in intervals:
            for operation, of in ((plus, operator.add), (minus, operator.sub), (product, operator.mul)):
                every = [of(a, b) for a in x for b in y]
                assert operation(x, y) == (min(every), max(every))
            assert hull([x, y]) == (min(*x, *y), max(*x, *y))
        for c in (-2, 0, 3):
            every = [fmpq(c) * a for a in x]
            assert scaled(fmpq(c), x) == form([fmpq(c)], (x,)) == (min(every), max(every))
    for x in ((fmpq(-1, 3), fmpq(1, 3)), (fmpq(1, 5), fmpq(1, 4)), (fmpq(-7, 3), fmpq(-9, 4))):
        low, high = outward(x, 3)
        assert x[0] - fmpq(1, 8) < low <= x[0]
        assert x[1] <= high < x[1] + fmpq(1, 8)
    assert outward((fmpq(1, 3), fmpq(1, 3)), 3) == (fmpq(1, 3), fmpq(1, 3))


def test_short_segments_beside_long_ones_do_not_overflow() -> None:
    rows = np.full((9, 1), 2**60)
    assert segment_sums(rows, np.array([0, 1, 9])).tolist() == [[2**60], [2**63]]
    assert segment_sums(-rows, np.array([0, 8, 9])).tolist() == [[-(2**63)], [-(2**60)]]


def test_arrays_of_floats_far_apart_do_not_overflow() -> None:
    for spread in range(130):
        values = [float(2**53 - 1), -3.0, 2.0**-spread, -float(2**53 - 1) * 2.0**-spread]
        assert State.of(np.array([values]))[0] == tuple(map(F, values))
        assert State.of(np.array([[2.0**spread, 1.0]])).rows() == [(2**spread, 1)]


# ---------------------------------------------------------------- digits


@pytest.mark.parametrize("digits", [15, 50, 200])
def test_algebraic_numbers_have_all_their_digits_in_mpmath(digits: int) -> None:
    with mpmath.workdps(digits):
        convert = mpmath_numbers(digits)
        for text, value in (("sqrt(2)", mpmath.sqrt(2)), ("cos(2*pi/7)", mpmath.cos(2 * mpmath.pi / 7))):
            assert abs(convert(exact(text)) - value) < mpmath.mpf(10) ** (2 - digits)
        assert convert(F(1, 3)) == mpmath.mpf(1) / 3


def test_long_powers_are_written_out_where_they_are_short_enough() -> None:
    for exponent, short in ((2_000, True), (WRITTEN_BITS // 4, True), (WRITTEN_BITS, False), (10**9, False)):
        number = 1 - power(F(1, 2), exponent)
        assert isinstance(number, PowerSum)
        assert isinstance(written(number), F) is short
        assert written(number) < 1
    assert written(1 - power(F(1, 2), 2_000)) == 1 - F(1, 2**2000)
    assert written(F(1, 3)) == F(1, 3)


@pytest.mark.parametrize("agreeing", [40, 70, 90, 110, 130, 200])
def test_powers_that_nearly_cancel_have_the_float_of_their_difference(agreeing: int) -> None:
    ratio = F(3**757, 2**1200)
    factor = F(round(ratio * 2**agreeing), 2**agreeing)
    assert 2**-6 < abs(ratio - factor) * 2**agreeing <= F(1, 2)
    difference = (power(F(1, 2), 1200) - factor * power(F(1, 3), 757)) * F(2**1200)
    assert isinstance(difference, PowerSum)
    assert float(difference) == pytest.approx(float(difference.written()), rel=2**-51, abs=0)
    assert float(-difference) == -float(difference)


def test_powers_that_nearly_agree_are_ordered() -> None:
    x, y = power(F(1, 2), 5_000), power(F(1, 4), 2_500)
    assert x == y
    assert x <= y
    assert x >= y
    assert not x < y
    assert hash(x) == hash(y)
    more = x + power(F(1, 3), 20_000)
    assert more > x
    assert not more <= y
    assert abs(x - more) == more - x
    assert float(1 - x) == 1.0
    for bits in (64, 200, 1000):
        for number in (F(1, 3), exact("sqrt(2)"), more):
            assert enclosure(number, bits).rel_accuracy_bits() >= bits - 32


# ---------------------------------------------------------------- reading and showing


@pytest.mark.parametrize(
    "text",
    ["cos(pi/0)", "sin(pi/(1-1))", "cos(pi*(1/0))", "sqrt(1/0)", "2**(1/0)", "2**(1/101)", "2**1001", "2**-1001"],
)
def test_angles_and_exponents_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        exact(text)


def test_exponents_up_to_the_limits_are_read() -> None:
    assert exact("2**1000") == 2**1000
    assert exact("2**-1000") == F(1, 2**1000)
    assert exact("1**(1/100)") == 1
    for text in ("1e-20001", "1e-999999999", "1e999999999"):
        with pytest.raises(InvalidInput, match="exponent"):
            integer_ratio(text)
    assert integer_ratio("1e-20000") == (1, 10**20000)


def test_parentheses_beside_each_other_do_not_nest() -> None:
    assert exact("+".join(["(1)"] * 60)) == 60
    assert exact("(" * 49 + "1" + ")" * 49) == 1


def test_the_allowance_of_a_file_ends_with_it() -> None:
    with reading(10):
        with reading(10**9):
            verify_memory(LEAST + 1)
        with pytest.raises(Declined, match="EXACTFORMER_MAX_MEMORY"):
            verify_memory(LEAST + 1)
        spend_work(WORK, "numbers")
        with pytest.raises(Declined, match="take too long"):
            spend_work(1, "more numbers")
    verify_memory(10**15)
    spend_work(10**15, "numbers in memory")


@pytest.mark.parametrize("number", ["1e9999", "1e-9999", F(1, 10**9999)], ids=["long", "small", "fraction"])
def test_long_numbers_of_a_short_file_are_declined_before_they_are_made(number: Any) -> None:
    assert exact_integers([number, number]) is not None
    with reading(10), pytest.raises(Declined, match="EXACTFORMER_MAX_MEMORY"):
        exact_integers([number] * 20_000)


def test_canonical_numbers_are_read_up_to_their_longest() -> None:
    assert from_canonical("1" * MAX_CANONICAL) == (10**MAX_CANONICAL - 1) // 9
    with pytest.raises(Malformed, match="characters"):
        from_canonical("1" * (MAX_CANONICAL + 1))


def test_the_interval_of_a_root_holds_no_other() -> None:
    for q in (7, 9, 11):
        roots = [x for k in range(1, (q + 1) // 2) if isinstance(x := from_text(f"cos(2*pi*{k}/{q})"), Algebraic)]
        for root in roots:
            low, high = root.field.interval
            assert [low < other < high for other in roots] == [other is root for other in roots]


@pytest.mark.parametrize("places", [20, 40, 60])
def test_the_interval_of_a_root_holds_no_other_however_near(places: int) -> None:
    numbers = [exact(f"{a}sqrt(2) {b} sqrt(3/10**{places})") for a in ("", "-") for b in "+-"]
    for number in numbers:
        assert isinstance(number, Algebraic)
        field = number.field
        theta, (low, high) = Algebraic(field, fmpq_poly([0, 1])), field.interval
        assert low < theta < high
        assert [x for x in numbers if low < x < high] == [theta]


def test_fields_of_long_numbers_are_declined() -> None:
    x, y = from_text(f"sqrt({10**1500 + 1})"), from_text(f"{10**1500 + 3}**(1/3)")
    with pytest.raises(Declined, match=r"coefficients of \d+ bits"):
        x + y


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("sqrt(2)", "1.41421356237..."),
        ("-sqrt(2)/10**299", "-1.41421356237e-299..."),
        ("sqrt(2)*10**400", "1.41421356237e+400..."),
        ("-sqrt(3)/10**400", "-1.73205080757e-400..."),
        ("10**320*(sqrt(2) - 1)", "4.14213562373e+319..."),
    ],
)
def test_algebraic_numbers_beyond_floats_are_shown_with_their_digits(text: str, shown: str) -> None:
    number = exact(text)
    assert (repr(number), show(number)) == (shown, shown)


def test_lists_are_cut_beyond_their_most_entries_only() -> None:
    for n in range(5):
        texts = [str(k) for k in range(n)]
        assert cut(texts, None) == ", ".join(texts)
        assert cut(texts, 3) == ", ".join(texts[:3] + ([".."] if n > 3 else []))
    assert show((True, 1, [False], {"a": F(1, 2)})) == "(True, 1, (False), {a: 1/2})"
