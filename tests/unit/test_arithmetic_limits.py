"""Numbers exactly at the stated limits, every operation against Fractions, and what is shown of them."""

from __future__ import annotations

import math
import operator
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from flint import fmpq, fmpq_poly

from exactformer.arithmetic import number_field
from exactformer.arithmetic import power_sum as sums
from exactformer.arithmetic.algebraic import Algebraic, from_text, in_one_field, json_form
from exactformer.arithmetic.allowance import LEAST, OPTION, TIMES, allowance, reading, verify_memory
from exactformer.arithmetic.ball import Ball, Truth, decide, dyadic, largest_ball, least_ball
from exactformer.arithmetic.grammar import MAX_DEPTH, MAX_LENGTH, multiple_of_pi, parse, rational_value
from exactformer.arithmetic.integers import common_divisor, objects, wide
from exactformer.arithmetic.interval import exp_minus
from exactformer.arithmetic.number import balls, exactly, mpmath_numbers
from exactformer.arithmetic.number_field import MAX_DEGREE
from exactformer.arithmetic.power_sum import PowerSum, power, power_sum, sign_of, sum_json
from exactformer.arithmetic.rational import common_denominator, identity
from exactformer.arithmetic.short_text import show, spoken
from exactformer.arithmetic.state import State, odd_parts
from exactformer.arithmetic.text import (
    MAX_DIGITS,
    brief,
    canonical,
    exact,
    exact_integers,
    exact_row,
    integer_of,
    integer_text,
)
from exactformer.errors import Declined, InvalidInput, NotExact, Undecided

F = Fraction
ROOT: Any = from_text("sqrt(2)")
THREE: Any = from_text("sqrt(3)")


# ---------------------------------------------------------------- texts of algebraic numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2-3-4", -5),
        ("8/4/2", 1),
        ("2/3*3", 2),
        ("2+3*4", 14),
        ("-2**2", -4),
        ("(-2)**2", 4),
        ("2*-3", -6),
        ("--1", 1),
        ("-+-+-1", -1),
        ("2^3", 8),
        ("2^-3", F(1, 8)),
        ("4^(-3/2)", F(1, 8)),
        ("(-8)**(2/3)", 4),
        ("5.", 5),
        (".25", F(1, 4)),
        ("1.50*2", 3),
        (" ( 1 + 2 ) / 4 ", F(3, 4)),
        ("2**(3-1)", 4),
        ("sin(0)", 0),
        ("cos(0)", 1),
        ("cos(pi-pi/3)", F(-1, 2)),
        ("cos(pi/2+pi/6)", F(-1, 2)),
        ("cos(2*(pi/3))", F(-1, 2)),
        ("cos(pi*2/3)", F(-1, 2)),
        ("sin(-pi/6)", F(-1, 2)),
        ("sin(7*pi/6)", F(-1, 2)),
        ("sin(pi*(1/2))", 1),
        ("cos(7*pi)", -1),
    ],
)
def test_texts_have_the_value_of_the_grammar(text: str, value: Fraction | int) -> None:
    number = exact(text)
    assert number == value
    assert isinstance(number, F)


@pytest.mark.parametrize(
    ("text", "value", "equation"),
    [
        ("sqrt(2+sqrt(2))", 1.8477590650225735, lambda x: (x * x - 2) ** 2 - 2),
        ("sqrt(sqrt(2)-1)", 0.6435942529055827, lambda x: (x * x + 1) ** 2 - 2),
        ("(1+sqrt(2))**(1/3)", 1.3415037626305777, lambda x: (x**3 - 1) ** 2 - 2),
        ("5**(2/3)", 2.924017738212866, lambda x: x**3 - 25),
        ("(2/3)**(-3/4)", 1.3554030054147672, lambda x: x**4 - F(27, 8)),
        ("3*sqrt(5)/7-1", -0.041685152500090084, lambda x: (7 * (x + 1)) ** 2 - 45),
        ("1/(1+sqrt(3))", 0.36602540378443865, lambda x: (1 / x - 1) ** 2 - 3),
    ],
)
def test_roots_solve_their_equation_and_are_the_positive_ones(text: str, value: float, equation: Any) -> None:
    number = exact(text)
    assert isinstance(number, Algebraic)
    assert equation(number) == 0
    assert float(number) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("cos(pi/360)", Declined, "degree 96: the limit is 64"),
        ("cos(pi/361)", NotExact, "q <= 360"),
        ("sin(pi/361)", NotExact, "q <= 360"),
        ("(-8)**(1/3)", NotExact, "even root of a negative"),
        ("sqrt(-2)", NotExact, "even root of a negative"),
        ("cos(1)", NotExact, "rational multiple of pi"),
        ("cos(pi*pi)", NotExact, "rational multiple of pi"),
        ("cos(1/pi)", NotExact, "rational multiple of pi"),
        ("2*pi", NotExact, "pi itself is not algebraic"),
        ("0**0", InvalidInput, "0 to a power <= 0"),
        ("1/(sqrt(2)-sqrt(2))", InvalidInput, "division by zero"),
        ("2**sqrt(2)", InvalidInput, "rational exponent"),
        ("2 3", InvalidInput, "nothing after '2'"),
        ("(2", InvalidInput, r"expected \) after '\( 2'"),
        ("2+", InvalidInput, r"expected a number after '2 \+'"),
        ("2)", InvalidInput, "nothing after '2'"),
        ("2$", InvalidInput, "at character 2"),
        ("tan(1)", InvalidInput, "sqrt, sin, cos or pi at character 1"),
        ("sqrt 2", InvalidInput, r"expected \( after 'sqrt'"),
    ],
)
def test_texts_are_refused_with_the_reason_and_the_place(text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said) as caught:
        exact(text, "row 7")
    assert type(caught.value) is error
    assert error is Declined or str(caught.value).startswith("row 7: ")


def test_texts_are_read_up_to_their_limits() -> None:
    assert from_text("1" * MAX_LENGTH) == (10**MAX_LENGTH - 1) // 9
    with pytest.raises(InvalidInput, match="at most 2000 characters"):
        from_text("1+" * (MAX_LENGTH // 2) + "1")
    depth = MAX_DEPTH - 1  # the sum itself is the first
    assert from_text("(" * depth + "1" + ")" * depth) == 1
    with pytest.raises(InvalidInput, match="nested"):
        from_text("(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH)
    assert exact("1" * MAX_DIGITS) == (10**MAX_DIGITS - 1) // 9
    with pytest.raises(InvalidInput, match=f"at most {MAX_DIGITS} characters"):
        exact("1" * (MAX_DIGITS + 1))
    assert MAX_DEGREE == 64
    largest = from_text("2**(1/64)")
    assert isinstance(largest, Algebraic)
    assert largest.field.degree == 64
    with pytest.raises(Declined, match="degree 65"):
        from_text("2**(1/65)")


def test_sums_of_hundreds_of_terms_are_read_and_longer_ones_refused() -> None:
    assert from_text("+".join(["1"] * 200)) == 200
    for text in ("1" + "+1" * 990, "2**(" + "+".join(["0"] * 990) + ")", "cos(" + "+".join(["pi"] * 660) + ")"):
        with pytest.raises(InvalidInput, match=r"^x: expected a number of a few operations.*with hundreds"):
            from_text(text, "x")


def test_multiples_of_pi_and_rational_values_are_those_of_the_text() -> None:
    for text, turns in (("pi", 1), ("3*pi/4", F(3, 4)), ("pi/3-pi/2", F(-1, 6)), ("0*5", 0), ("-(pi*2)/6", F(-1, 3))):
        assert multiple_of_pi(parse(text)) == turns
    for text in ("1", "pi*pi", "2/pi", "pi+1", "pi-1", "pi/0", "sqrt(pi)"):
        assert multiple_of_pi(parse(text)) is None
    assert [rational_value(parse(text)) for text in ("1/2+1/3", "2*3-7", "1/0", "sqrt(4)", "pi", "2*pi")] == [
        F(5, 6),
        -1,
        *[None] * 4,
    ]


# ---------------------------------------------------------------- algebraic numbers among others


def test_algebraic_numbers_compute_with_every_kind_of_number_on_either_side() -> None:
    for number in (3, F(-2, 3), np.int64(5), fmpq(7, 2)):
        value = F(int(number.p), int(number.q)) if isinstance(number, fmpq) else F(number)
        assert ROOT + number == ROOT + value
        assert (ROOT - number) + value == ROOT
        assert ROOT * number / value == ROOT
        assert (ROOT / number) * value == ROOT
    for value in (F(3), F(-2, 3)):
        assert (value - ROOT) + ROOT == value
        assert (value / ROOT) * ROOT == value
        assert value + ROOT == ROOT + value
        assert (value * ROOT) / ROOT == value
    assert (5 / (ROOT + THREE)) * (ROOT + THREE) == 5
    assert ROOT**-3 * ROOT**3 == 1
    assert (1 + ROOT) ** 3 == 7 + 5 * ROOT


def test_algebraic_numbers_are_ordered_with_floats_and_infinities() -> None:
    below, above = math.sqrt(2), math.nextafter(math.sqrt(2), 2)
    below, above = (below, above) if F(below) ** 2 < 2 else (math.nextafter(below, 0), below)
    assert below < ROOT < above
    assert below <= ROOT <= above
    assert below != ROOT
    for number in (ROOT, -ROOT):
        assert number < math.inf
        assert number <= math.inf
        assert number > -math.inf
        assert number >= -math.inf
        assert not number > math.inf
        assert not number < -math.inf
        assert number != math.inf
    assert ROOT * ROOT == 2.0
    with pytest.raises(TypeError):
        operator.lt(ROOT, math.nan)
    with pytest.raises(TypeError):
        operator.add(ROOT, "1")


def test_algebraic_numbers_are_written_with_the_simplest_interval_of_their_root() -> None:
    assert json_form(ROOT) == {"minpoly": ["-2", "0", "1"], "interval": ["0", "2"], "coefficients": ["0", "1"]}
    negative = from_text("-sqrt(2)/3+1/2")
    assert isinstance(negative, Algebraic)
    assert json_form(negative)["coefficients"] == ["1/2", "-1/3"]
    cosine = from_text("cos(4*pi/7)")  # about -0.2225; its conjugates are about 0.623 and -0.901
    assert isinstance(cosine, Algebraic)
    assert json_form(cosine)["minpoly"] == ["-1", "-4", "4", "8"]
    assert json_form(cosine)["interval"] == ["-1/2", "0"]
    assert (repr(ROOT), brief(ROOT), show(ROOT)) == ("1.41421356237...",) * 3
    assert "1.4142136" in repr(ROOT.field)


def test_numbers_of_three_fields_meet_in_the_order_given() -> None:
    numbers = [F(1, 7), THREE, ROOT, 2, from_text("sqrt(5)"), -THREE]
    found = in_one_field(numbers)
    assert found is not None
    assert [float(x) for x in found] == pytest.approx([float(x) for x in numbers])
    assert [x * x for x in found] == [F(1, 49), 3, 2, 4, 5, 3]
    assert len({id(x.field) for x in found}) == 1
    assert in_one_field([ROOT * 0 + 1, 2]) == [1, 2]


# ---------------------------------------------------------------- balls


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
    assert decide(lambda bits: bits) == 64
    assert decide(lambda bits: bits, start=7) == 7
    with pytest.raises(Undecided, match="undecided at 4096 bits, the cap is 4096"):
        decide(lambda bits: Ball.of(F(1, 3), bits=bits) < F(1, 3))


def test_kinds_of_numbers_are_the_number_itself_a_ball_or_digits() -> None:
    assert exactly(ROOT) is ROOT
    assert (balls(90)(F(1, 3)).bits, balls(90)(F(1, 3)).contains(F(1, 3))) == (90, True)
    with mpmath.workdps(40):
        assert mpmath_numbers(40)(F(-2, 7)) == mpmath.mpf(-2) / 7
        assert abs(mpmath_numbers(40)(ROOT) ** 2 - 2) < mpmath.mpf(10) ** -38


# ---------------------------------------------------------------- memory


def test_an_allowance_is_used_up_to_its_last_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (allowance(0), allowance(LEAST // TIMES), allowance(LEAST // TIMES + 1)) == (LEAST, LEAST, LEAST + TIMES)
    with reading(0):
        verify_memory(LEAST)
        with pytest.raises(Declined, match=r"the tables would take about 64,000,001 bytes.*is allowed 64,000,000"):
            verify_memory(LEAST + 1, "the tables")
    monkeypatch.setenv(OPTION, "12")
    assert allowance(10**9) == 12
    with reading(10**9):
        verify_memory(12)
        with pytest.raises(Declined):
            verify_memory(13)
    for wrong in ("-1", "1.5", "ten", "١"):
        monkeypatch.setenv(OPTION, wrong)
        with pytest.raises(InvalidInput, match=OPTION):
            allowance(1)


def test_arrays_of_floats_far_apart_are_declined_where_their_integers_are_too_long() -> None:
    array = np.array([[1e300, 1e-300]] * 400)
    with reading(0):
        assert len(State.of(array)) == 400
    with reading(0), pytest.raises(Declined, match=OPTION):
        State.of(np.array([[1e300, 1e-300]] * 120_000))


# ---------------------------------------------------------------- long powers


def small_sums(rng: random.Random) -> tuple[Any, Fraction]:
    """A sum of powers, and the Fraction that it is."""
    total: Any = F(rng.randint(-2, 2), rng.randint(1, 3))
    value = F(total)
    for _ in range(rng.randint(1, 3)):
        base, e, c = F(rng.randint(1, 5), rng.randint(1, 5)), rng.randint(-7, 7), F(rng.randint(-3, 3), 2)
        total, value = total + c * power(base, e), value + c * base**e
    return total, value


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


# ---------------------------------------------------------------- reading and showing


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (sympy.Rational(-3, 7), F(-3, 7)),
        (fmpq(5, 9), F(5, 9)),
        (mpmath.mpf("-0.75"), F(-3, 4)),
        (mpmath.mpf(0), F(0)),
        (np.float16(-0.5), F(-1, 2)),
        (np.longdouble(2) ** -70, F(1, 2**70)),
        (Decimal("-1.250"), F(-5, 4)),
        (Decimal("1e3"), F(1000)),
        (np.uint64(2**64 - 1), F(2**64 - 1)),
    ],
)
def test_numbers_of_other_libraries_are_read_exactly(value: object, number: Fraction) -> None:
    assert exact(value) == number
    assert type(exact(value)) is F


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (Decimal("NaN"), NotExact),
        (Decimal("-Infinity"), NotExact),
        (np.float32("inf"), NotExact),
        (-mpmath.inf, NotExact),
        (1j, InvalidInput),
        (np.bool_(True), InvalidInput),
        (b"1", InvalidInput),
    ],
)
def test_what_is_no_number_is_refused_by_its_place(value: object, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^A\[2\]: expected") as caught:
        exact(value, "A[2]")
    assert type(caught.value) is error
    with pytest.raises(error, match=r"^b\[1\]: expected"):
        exact_row([1, value, 2], "b")


def test_lists_of_numbers_are_read_over_their_least_denominator() -> None:
    assert exact_integers(["1/4", "1/6", "-2", "1/4", "0.5"]) == ([3, 2, -24, 3, 6], 12)
    assert exact_integers([F(1, 4), "1/6", -2, 0.5]) == ([3, 2, -24, 6], 12)
    assert exact_integers([5, -7]) == ([5, -7], 1)
    assert exact_integers(["1", "sqrt(2)"]) is None
    assert exact_integers([1, ROOT]) is None
    for values in (["1", "2", "x", "x"], [1, 2.5, "x"]):
        with pytest.raises(InvalidInput, match=r"^entry 2"):
            exact_integers(values)
    with pytest.raises(InvalidInput, match=r"^third"):
        exact_integers(["1", "x"], lambda k: ["first", "third"][k])


def test_numbers_are_shown_whole_up_to_a_length() -> None:
    assert brief(2**79 - 1) == str(2**79 - 1)
    assert brief(2**79) == "~6.0446291e+23"
    assert brief(F(1, 2**79 - 1)) == f"1/{2**79 - 1}"
    assert brief(F(-1, 2**79)) == "~-1.6543612e-24"
    assert brief(1234, digits=2) == "~1234.0000"
    assert brief(63, digits=2) == "63"
    assert show([F(1, 3), (1, "x")], digits=2) == "(1/3, (1, x))"
    assert show({"a": [1, 2, 3]}, most=2) == "{a: (1, 2, ..)}"
    assert (spoken(0, "token"), spoken(1, "token"), spoken(2, "token")) == ("0 tokens", "1 token", "2 tokens")
    for n in (10**4299, 10**4300, -(10**4300), 2**13_999, 2**14_001):
        assert integer_of(integer_text(n)) == n
        assert canonical(F(n, 3)) == f"{integer_text(n)}/3"
    assert integer_of("+" + "7" * 5000) == 7 * (10**5000 - 1) // 9


# ---------------------------------------------------------------- states


def test_rational_coordinates_beside_algebraic_ones_are_fractions() -> None:
    state = State.of([["sqrt(2)", "1/3"], [2, "-sqrt(2)"]])
    assert [[type(x) is F for x in row] for row in state] == [[False, True], [True, False]]
    assert state.rows() == [(ROOT, F(1, 3)), (F(2), -ROOT)]
    assert not state.is_rational
    assert State.of([[1, 2]]).is_rational
    assert State(wide(np.array([[2**70, 1]]))).is_rational
    assert state.reduced() == state
    assert state.floats().tolist() == [[math.sqrt(2), 1 / 3], [2.0, -math.sqrt(2)]]
    assert state.take([1]).rows() == [(F(2), -ROOT)]
    assert State.of([["sqrt(2)/1024", 1]]).bits == 11


def test_states_are_of_the_integers_given() -> None:
    state = State.of_integers([2, 4, 6, 8], 2)
    assert (state.rows(), state.denominator) == ([(2, 4), (6, 8)], 1)
    assert State.of_integers([2, 4, 6, 8], 2, 4).rows() == [(F(1, 2), 1), (F(3, 2), 2)]
    assert State.of_integers([2, 4, 6, 8], 2, 4).denominator == 2
    assert State.of_integers([2**70, 0], 1, 2).denominator == 1
    assert (len(state), state.dim, list(state)) == (2, 2, state.rows())
    assert State.of(state) is state
    assert repr(State.of([["1/2", 3]])) == "State(1 point in dimension 2: (1/2, 3))"
    assert repr(State.of([[k] for k in range(7)])).endswith("(0), (1), (2), (3), (4), (5), ..)")
    assert State(np.array([[6]]), 4).reduced().array.tolist() == [[3]]
    assert State(objects([2**70, 2**71]).reshape(1, 2), 2**68).reduced().array.dtype == np.int64


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (np.array([1, 2]), r"expected a 2-dimensional array.*got shape \(2,\); reshape\(-1, 1\)"),
        (np.zeros((1, 2, 3)), r"got shape \(1, 2, 3\)$"),
        (np.zeros((0, 2)), r"expected at least one point of dimension >= 1, got shape \(0, 2\)"),
        (np.zeros((2, 0)), r"got shape \(2, 0\)"),
        ("12", "expected rows of numbers, got str"),
        (5, "expected rows of numbers, got int"),
        ([1, 2], r"here\[0\]: expected a row of numbers such as \[0, 1\], got 1"),
        ([[1], "2"], r"here\[1\]: expected a row of numbers"),
        ([], "got no row"),
        ([[]], "got an empty row"),
        ([[1, 2], [3, 4], [5]], r"here\[2\]: expected 2 numbers as in row 0, got 1"),
        ([[1, 2], [3, "x"]], r"here\[1\]\[1\]: "),
        (np.array([[True]]), r"here\[0\]\[0\]: "),
        (np.array([[1.0, 2.0], [np.inf, np.nan]]), r"here\[1\]\[0\]: expected a finite number, got inf"),
    ],
)
def test_rows_that_are_no_points_are_refused_by_their_place(rows: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as caught:
        State.of(rows, "here")
    assert str(caught.value).startswith("here")


def test_floats_are_odd_integers_times_powers_of_two() -> None:
    values = np.array([1.0, -0.375, 6.0, 0.0, 2.0**-1074, 1e300, -(2.0**53) + 1])
    odd, exponents, bits = odd_parts(values)
    for x, p, e, b in zip(values.tolist(), odd.tolist(), exponents.tolist(), bits.tolist(), strict=True):
        assert F(p) * F(2) ** e == F(x)
        assert abs(p) < 2**b
        assert p == 0 or (p % 2 == 1 and abs(p) >= 2 ** (b - 1))
    for low in (-61, -62, -63, -1074):
        assert State.of(np.array([[1.0, 2.0**low]])).rows() == [(1, F(2) ** low)]
        assert State.of(np.array([[3.0 * 2.0**50, 2.0 ** (low // 8)]])).rows() == [(3 * 2**50, F(2) ** (low // 8))]


def test_exponentials_of_large_numbers_are_the_least_interval() -> None:
    for bits in (3, 8, 20):
        assert exp_minus(fmpq(bits), bits) == exp_minus(fmpq(bits + 5), bits) == (0, fmpq(1, 2**bits))
        assert exp_minus(fmpq(bits) - fmpq(1, 9), bits)[0] >= 0
    assert exp_minus(fmpq(1), 20)[0] > fmpq(367, 1000)


def test_divisors_and_denominators_of_nothing_are_one_or_what_they_start_from() -> None:
    assert (common_denominator([]), common_denominator([3, F(-1, 6), F(5, 4)])) == (1, 12)
    assert common_divisor(objects([0, 0]), start=6) == 6
    assert common_divisor(np.array([[4, 6], [10, -2]])) == 2
    assert identity(2) == ((1, 0), (0, 1))


# ---------------------------------------------------------------- fields


@pytest.mark.parametrize(
    ("first", "second", "degree"),
    [
        ("sqrt(2)", "sqrt(3)", 4),
        ("sqrt(2)", "sqrt(8)+1", 2),
        ("sqrt(2)+sqrt(3)", "sqrt(6)", 4),
        ("cos(2*pi/7)", "cos(4*pi/7)", 3),
        ("2**(1/3)", "sqrt(5)", 6),
    ],
)
def test_the_field_of_two_is_found_by_a_primitive_element_too(
    first: str, second: str, degree: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = from_text(first), from_text(second)
    assert isinstance(x, Algebraic)
    assert isinstance(y, Algebraic)
    for heights in ((24, 96), ()):
        monkeypatch.setattr(number_field, "_HEIGHTS", heights)  # without a relation that is proposed
        for a, b in ((x, y), (y, x)):
            field, image_a, image_b = number_field.compositum.__wrapped__(a.field, b.field)
            assert field.degree == degree
            for number, image in ((a, image_a), (b, image_b)):
                moved = Algebraic(field, number_field.substitute(number.poly, image, field))
                assert float(moved) == pytest.approx(float(number))
                assert moved == number


def test_a_generator_in_terms_of_another() -> None:
    field = ROOT.field
    assert number_field._generator_in(fmpq_poly([1, 2]), field) == fmpq_poly([fmpq(-1, 2), fmpq(1, 2)])


def test_fields_that_would_take_too_long_are_declined() -> None:
    with pytest.raises(Declined, match=r"degrees 40 and 7 .*a product of degrees of 256"):
        from_text("2**(1/40)") + from_text("3**(1/7)")
    with pytest.raises(Declined, match=r"degrees 7 and 7 in a field of degree 49: .*the limit 12000"):
        from_text("2**(1/7)") + from_text("3**(1/7)")
