"""Reading numbers: what users may write, and one clear message for what they may not."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from exactformer.arithmetic.algebraic import Algebraic, from_text, json_form
from exactformer.arithmetic.text import exact
from exactformer.errors import InvalidInput, NotExact


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


@pytest.mark.parametrize("text", ["sqrt(2)/2", "cos(2*pi/5)", "sin(pi/7)*sqrt(3)", "2**(1/3)", "sqrt(2+sqrt(2))"])
def test_algebraic_output_form_names_the_number(text: str) -> None:
    number = from_text(text)
    assert isinstance(number, Algebraic)
    form = json_form(number)
    low, high = (Fraction(x) for x in form["interval"])
    poly = [int(c) for c in form["minpoly"]]

    def at(x: Fraction) -> Fraction:
        return sum((c * x**k for k, c in enumerate(poly)), Fraction(0))

    assert at(low) * at(high) < 0, "the interval isolates a root"
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if at(low) * at(middle) <= 0 else (middle, high)
    value = sum(Fraction(c) * middle**k for k, c in enumerate(form["coefficients"]))
    assert abs(float(value) - float(number)) < 1e-9
