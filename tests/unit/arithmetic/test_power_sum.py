"""Tests of `exactformer.arithmetic.power_sum`."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest

from exactformer.arithmetic import power_sum as sums
from exactformer.arithmetic.algebraic import from_text
from exactformer.arithmetic.power_sum import (
    WRITTEN_BITS,
    PowerSum,
    enclosure,
    power,
    power_sum,
    sign_of,
    sum_json,
    written,
)
from exactformer.arithmetic.text import exact
from exactformer.dynamics.closed_form import ClosedForm

F = Fraction


ROOT: Any = from_text("sqrt(2)")


def small_sums(rng: random.Random) -> tuple[Any, Fraction]:
    """A sum of powers, and the Fraction that it is."""
    total: Any = F(rng.randint(-2, 2), rng.randint(1, 3))
    value = F(total)
    for _ in range(rng.randint(1, 3)):
        base, e, c = F(rng.randint(1, 5), rng.randint(1, 5)), rng.randint(-7, 7), F(rng.randint(-3, 3), 2)
        total, value = total + c * power(base, e), value + c * base**e
    return total, value


# ---------------------------------------------------------------- long powers


def test_sums_of_powers_compute_as_their_fractions_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "SHORT_BITS", 5)
    rng, kept = random.Random(4), 0
    for _ in range(150):
        (x, a), (y, b) = small_sums(rng), small_sums(rng)
        kept += isinstance(x, PowerSum) and isinstance(y, PowerSum)
        for result, value in ((x + y, a + b), (x - y, a - b), (x * y, a * b), (x / 3, a / 3), (2 - x, 2 - a), (-x, -a)):
            assert sums.written(result) == value
            assert sign_of(result) == (value > 0) - (value < 0)
            assert bool(result) is bool(value)
        assert (x < y, x <= y, x == y, x > y, x >= y) == (a < b, a <= b, a == b, a > b, a >= b)
        assert abs(x) == abs(a)
        assert hash(sums.written(x)) == hash(a)
        assert float(x) == pytest.approx(float(a), rel=1e-14, abs=1e-14)
        if isinstance(x, PowerSum):
            assert x.written() == a
            for bits in (3, 8, 70):
                low, high = x.interval(bits)
                assert low <= a <= high
                assert high - low <= F(2, 2**bits)
                assert (2**bits * low).denominator == (2**bits * high).denominator == 1
            assert a == sum(
                term["coefficient"] * math.prod((base**e for base, e in term["powers"]), start=F(1))
                for term in x.json()["terms"]
            )
    assert kept > 50


def test_sums_of_powers_take_algebraic_numbers_as_coefficients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "SHORT_BITS", 5)
    x = ROOT * power(F(2, 3), 9) - power(F(1, 3), 7)
    assert isinstance(x, PowerSum)
    value = ROOT * F(2, 3) ** 9 - F(1, 3) ** 7
    assert x.written() == value
    assert (x > 0, -x < 0, x * x == value * value, x - value == 0) == (True,) * 4
    assert x * ROOT == value * ROOT
    assert float(x) == pytest.approx(float(value))
    assert sums.enclosure(x, 100).rel_accuracy_bits() >= 68


def test_powers_are_written_out_up_to_a_length() -> None:
    assert power(F(1, 2), 512) == F(1, 2**512)
    assert isinstance(power(F(1, 2), 512), F)
    assert isinstance(power(F(1, 2), 513), PowerSum)
    assert isinstance(power(F(2), -512), F)
    assert isinstance(power(F(2), 513), PowerSum)
    assert isinstance(power(F(1), 10**9), F)
    assert power(F(1), 10**9) == 1
    assert power(F(1, 2), 10**6) * power(F(2), 10**6) == 1
    assert isinstance(power(F(1, 2), 10**6) * power(F(1, 2), 4 - 10**6), F)
    assert power_sum({}) == 0
    assert power_sum({(): F(2, 3)}) == F(2, 3)


def test_floats_of_sums_undo_cancellation() -> None:
    rest = power(F(6, 35), 900) - power(F(2, 5), 900) * power(F(3, 7), 900)  # one number twice, under two names
    assert isinstance(rest, PowerSum)
    assert float(rest) == 0.0
    small, scale = power(F(6, 35), 1100), F(35, 6) ** 900
    assert float((rest + small) * scale) == float(F(6, 35) ** 200)
    assert float((rest + ROOT * small) * scale) == pytest.approx(2**0.5 * float(F(6, 35) ** 200), rel=1e-15)


def test_sums_of_powers_are_shown_term_by_term() -> None:
    half, third = power(F(1, 2), 600), power(F(1, 3), 700)
    for number, text in (
        (half, "(1/2)^600"),
        (-half, "-(1/2)^600"),
        (1 + half, "1 + (1/2)^600"),
        (F(-2, 3) - 5 * half, "-2/3 - 5*(1/2)^600"),
        (half * third * 7 - half, "-(1/2)^600 + 7*(1/2)^600*(1/3)^700"),
        (power(F(3), 700), "(1/3)^-700"),
    ):
        assert str(number) == repr(number) == text
    assert sum_json(1 + 3 * half) == [
        {"coefficient": 1, "powers": []},
        {"coefficient": 3, "powers": [[F(1, 2), 600]]},
    ]
    assert sum_json(F(5)) == [{"coefficient": 5, "powers": []}]
    assert (1 + half).json()["interval"] == [1 - F(1, 2**64), 1 + F(1, 2**64)]


# ---------------------------------------------------------------- digits


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


# ---------------------------------------------------------------- sums of powers


def test_power_sums_are_the_numbers_they_stand_for() -> None:
    rng = random.Random(5)
    for _ in range(200):
        numbers = []
        for _ in range(2):
            terms = [(F(rng.randint(-4, 4), rng.randint(1, 3)), rng.choice((-3, 0, 700, 2000, 2003))) for _ in range(3)]
            base = F(rng.randint(1, 3), 4)
            symbol = sum((c * power(base, e) for c, e in terms), start=F(0))
            numbers.append((symbol, sum((c * base**e for c, e in terms), start=F(0))))
        (x, u), (y, v) = numbers
        for symbol, plain in ((x + y, u + v), (x - y, u - v), (x * y, u * v), (x / 3, u / 3), (2 - x, 2 - u)):
            assert symbol == plain
            assert sign_of(symbol) == sign_of(plain)
            assert hash(symbol) == hash(plain)
        assert ((x < y), (x <= y), (x > y), (x >= y)) == ((u < v), (u <= v), (u > v), (u >= v))


def test_a_sum_that_is_zero_without_looking_so_is_zero() -> None:
    x = power(F(1, 4), 5000) - power(F(1, 2), 10000)
    assert isinstance(x, PowerSum)
    assert not x
    assert x == 0


def test_power_sums_enclose_their_value() -> None:
    form = ClosedForm.of({(F(1), 0): (F(1, 3),), (F(2, 3), 1): (F(-5),)}, 1)
    (exact,) = form.at(200)
    low, high = (power(F(2, 3), 2000) + F(1, 3)).interval(80)
    assert low <= F(1, 3) <= high
    assert high - low <= F(2, 2**80)
    assert exact == F(1, 3) - 5 * 200 * F(2, 3) ** 200
    (huge,) = form.at(10**7)
    assert isinstance(huge, PowerSum)
    assert {"coefficient": F(-5 * 10**7), "powers": [[F(2, 3), 10**7]]} in huge.json()["terms"]
    assert float(huge) == pytest.approx(1 / 3)
