"""Tests of `exactformer.arithmetic.text`."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from flint import fmpq

from exactformer.arithmetic.algebraic import Algebraic, from_text
from exactformer.arithmetic.text import brief, exact, exact_integers, exact_row, integer_ratio
from exactformer.errors import Declined, InvalidInput, NotExact
from exactformer.io.read_limits import reading

F = Fraction


# ---------------------------------------------------------------- algebraic numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("cos(pi/3)", Fraction(1, 2)),
        ("sin(pi/6)", Fraction(1, 2)),
        ("sqrt(9/4)", Fraction(3, 2)),
        ("8**(1/3)", 2),
        ("2**-2", Fraction(1, 4)),
        ("(1+2)*3-4/2", 7),
        ("-sqrt(4)", -2),
        ("4**(3/2)", 8),
        ("sqrt(2)*sqrt(2)", 2),
    ],
)
def test_texts_of_rational_values(text: str, value: Fraction | int) -> None:
    assert exact(text) == value
    assert isinstance(exact(text), Fraction)


@pytest.mark.parametrize("text", ["pi", "sin(1)", "sqrt(-2)", "cos(pi/361)", "1/0", "0**0", "0**-1", "1/(2-2)", "nan"])
def test_texts_that_are_no_number_here(text: str) -> None:
    with pytest.raises(InvalidInput):
        exact(text)


# ---------------------------------------------------------------- text


def test_decimal_texts() -> None:
    assert integer_ratio("2.50") == (250, 100)
    assert integer_ratio("-.5e1") == (-5, 1)
    assert integer_ratio("1e-3") == (1, 1000)
    assert integer_ratio("12e2") == (1200, 1)
    assert integer_ratio("+3/6") == (3, 6)
    assert integer_ratio(".") is None
    assert integer_ratio("") is None
    with pytest.raises(InvalidInput):
        integer_ratio("1/0")
    with pytest.raises(InvalidInput, match="exponent"):
        integer_ratio("1e20001")
    assert exact("1e20000") == 10**20000
    assert brief(Fraction(1, 3)) == "1/3"
    assert brief(10**30).startswith("~1.0")


ROOT: Any = from_text("sqrt(2)")


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


@pytest.mark.parametrize("number", ["1e9999", "1e-9999", F(1, 10**9999)], ids=["long", "small", "fraction"])
def test_long_numbers_of_a_short_file_are_declined_before_they_are_made(number: Any) -> None:
    assert exact_integers([number, number]) is not None
    with reading(10), pytest.raises(Declined, match="EXACTFORMER_MAX_MEMORY"):
        exact_integers([number] * 20_000)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("-2.50", Fraction(-5, 2)),
        (" 3/6 ", Fraction(1, 2)),
        (".5", Fraction(1, 2)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.float32(0.5), Fraction(1, 2)),
        (np.int8(-3), Fraction(-3)),
        (0.1, Fraction(3602879701896397, 36028797018963968)),
        (mpmath.mpf("0.25"), Fraction(1, 4)),
        (mpmath.mpf("-3"), Fraction(-3)),
        ("cos(pi/3)", Fraction(1, 2)),
        ("sqrt(9/4)", Fraction(3, 2)),
        ("2**-2", Fraction(1, 4)),
        ("-(1+2)*3", Fraction(-9)),
    ],
)
def test_exact_reads(value: object, number: Fraction) -> None:
    assert exact(value) == number


@pytest.mark.parametrize(
    "value", [True, None, "", "abc", "1 2", "__import__('os')", "sqrt(", "1/0", "1e99999999", [1], {}]
)
def test_exact_refuses(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"tokens\[3\]|expected") as caught:
        exact(value, "tokens[3]")
    assert "got" in str(caught.value) or "division" in str(caught.value)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), np.float64("-inf"), mpmath.inf, mpmath.nan, "pi", "cos(1)", "sqrt(-2)"]
)
def test_numbers_without_exact_meaning(value: object) -> None:
    with pytest.raises(NotExact):
        exact(value)


def test_depth_and_length_are_capped() -> None:
    with pytest.raises(InvalidInput, match="nested"):
        from_text("(" * 60 + "1" + ")" * 60)
    with pytest.raises(InvalidInput):
        exact("1" * 30_000)
