"""Tests of `exactformer.arithmetic.algebraic`."""

from __future__ import annotations

import copy
import math
import operator
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_poly

import exactformer as ef
from exactformer.arithmetic.algebraic import Algebraic, from_text, in_one_field, json_form
from exactformer.arithmetic.number_field import compositum
from exactformer.arithmetic.short_text import show
from exactformer.arithmetic.text import brief, exact
from exactformer.errors import Declined, InvalidInput

F = Fraction


def two() -> Algebraic:
    root = exact("sqrt(2)")
    assert isinstance(root, Algebraic)
    return root * root


# ---------------------------------------------------------------- numbers and floats


def test_algebraic_numbers_meet_floats_as_their_exact_values() -> None:
    assert two() == 2.0
    assert two() == np.float64(2)
    assert two() != 2.5
    assert hash(two()) == hash(2.0) == hash(2)
    assert {two(): "even"}[Fraction(2)] == "even"
    root = exact("sqrt(2)")
    assert root != math.sqrt(2)
    assert (root < math.sqrt(2)) != (root > math.sqrt(2))
    assert root < math.inf
    assert not root < -math.inf
    assert root >= -math.inf
    assert root != math.inf
    assert root != math.nan
    with pytest.raises(TypeError):
        assert root < math.nan


def test_algebraic_numbers_meet_integers_of_numpy() -> None:
    assert two() == np.int64(2)
    assert two() + np.int64(1) == 3
    assert two() > np.uint8(1)


def root(text: str) -> Algebraic:
    number = from_text(text)
    assert isinstance(number, Algebraic)
    return number


# ---------------------------------------------------------------- algebraic numbers


def test_rational_algebraic_numbers_hash_like_rationals() -> None:
    half = root("sqrt(2)") * root("sqrt(2)") / 4
    assert half == Fraction(1, 2)
    assert hash(half) == hash(Fraction(1, 2)) == hash(0.5)
    assert len({half, Fraction(1, 2)}) == 1
    one_way, other_way = root("sqrt(2)") + root("sqrt(3)"), root("sqrt(3)") + root("sqrt(2)")
    assert hash(one_way) == hash(other_way)
    assert hash(root("sqrt(8)")) == hash(2 * root("sqrt(2)"))
    assert hash(root("sqrt(2)")) != hash(root("sqrt(3)"))


def test_algebraic_arithmetic() -> None:
    a, b = root("sqrt(2)"), root("sqrt(3)")
    assert 1 - a == -(a - 1)
    assert 1 / a == a / 2
    assert a**-2 == Fraction(1, 2)
    assert a**5 == 4 * a
    assert a**0 == 1
    assert abs(-a) == a
    assert abs(a) == a
    assert (a * b) ** 2 == 6
    assert (a - a).sign() == 0
    assert (a - b).sign() == -1
    assert float(b - a) == pytest.approx(0.31783724519578205)
    with pytest.raises(ZeroDivisionError):
        (a - a).inverse()
    assert a.__floor__() == 1
    assert (-a).__floor__() == -2
    assert (a * a).__floor__() == 2
    assert a.rational is None
    assert (a * a).rational == 2
    assert a <= a
    assert a >= a
    assert not a < a
    assert not a > a


def test_one_field_for_all() -> None:
    numbers = in_one_field([root("sqrt(2)"), Fraction(1, 3), root("sqrt(3)"), 5])
    assert numbers is not None
    assert numbers == [root("sqrt(2)"), Fraction(1, 3), root("sqrt(3)"), 5]
    assert len({id(x.field) for x in numbers}) == 1
    assert in_one_field([1, Fraction(1, 2)]) is None


def test_trigonometric_values_have_their_signs() -> None:
    assert root("cos(2*pi/5)") > 0
    assert root("cos(4*pi/5)") < 0
    assert root("sin(2*pi/5)") > root("cos(2*pi/5)")
    assert root("sin(2*pi/5)") ** 2 + root("cos(2*pi/5)") ** 2 == 1


# ---------------------------------------------------------------- text


def test_floors_of_long_algebraic_numbers() -> None:
    """The floor of a number above 2^53, and of one next to an integer."""
    for k in (0, 10, 60, 200):
        assert math.floor(from_text(f"2**{k}*sqrt(2)")) == math.isqrt(2 * 4**k)
    x = from_text("(1+sqrt(2))**100")  # with its conjugate, which is below 1, an even integer
    assert math.floor(x) % 2 == 1
    assert hash(x) == hash(from_text("((1+sqrt(2))**50)**2"))


def test_floats_of_algebraic_numbers_undo_cancellation() -> None:
    """In a field of degree 48 the coefficients of sqrt(3) are long, and their sum cancels."""
    names = ["cos(2*pi/7)", "sin(2*pi/7)", "sin(2*pi/5)", "sqrt(3)"]
    numbers = in_one_field([from_text(name) for name in names])
    assert numbers is not None
    values = [math.cos(2 * math.pi / 7), math.sin(2 * math.pi / 7), math.sin(2 * math.pi / 5), math.sqrt(3)]
    assert [float(x) for x in numbers] == pytest.approx(values, rel=1e-15)


@pytest.mark.parametrize("q", [1, 2, 3, 4, 5, 6, 8, 9, 12, 15, 17, 24, 45, 60])
def test_sines_and_cosines_are_those_of_the_angle(q: int) -> None:
    for p in range(-1, 2 * q + 1, max(1, q // 4)):
        cosine, sine = from_text(f"cos({p}*pi/{q})"), from_text(f"sin({p}*pi/{q})")
        assert float(cosine) == pytest.approx(math.cos(p * math.pi / q), abs=1e-15)
        assert float(sine) == pytest.approx(math.sin(p * math.pi / q), abs=1e-15)
        assert cosine * cosine + sine * sine == 1


def test_a_field_inside_another_is_recognised() -> None:
    for inner, outer in (
        ("sqrt(6)", "sqrt(2)+sqrt(3)"),
        ("cos(6*pi/64)", "cos(2*pi/64)"),
        ("cos(2*pi/17)", "sin(2*pi/17)"),
    ):
        x, y = from_text(inner), from_text(outer)
        assert isinstance(x, Algebraic)
        assert isinstance(y, Algebraic)
        for first, second in ((x, y), (y, x)):
            field, image_first, image_second = compositum(first.field, second.field)
            assert field.degree == y.field.degree
            assert field in (x.field, y.field)
            assert Algebraic(field, image_first) == first
            assert Algebraic(field, image_second) == second
    conjugates = [from_text(f"cos({p}*pi/9)") for p in (2, 4, 8)]  # three roots of one polynomial in one field
    assert sum(conjugates) == 0
    assert conjugates[0] != conjugates[1]


ROOT: Any = from_text("sqrt(2)")


THREE: Any = from_text("sqrt(3)")


# ---------------------------------------------------------------- texts of algebraic numbers


def test_sums_of_hundreds_of_terms_are_read_and_longer_ones_refused() -> None:
    assert from_text("+".join(["1"] * 200)) == 200
    for text in ("1" + "+1" * 990, "2**(" + "+".join(["0"] * 990) + ")", "cos(" + "+".join(["pi"] * 660) + ")"):
        with pytest.raises(InvalidInput, match=r"^x: expected a number of a few operations.*with hundreds"):
            from_text(text, "x")


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


# ---------------------------------------------------------------- fields


def test_fields_that_would_take_too_long_are_declined() -> None:
    with pytest.raises(Declined, match=r"degrees 40 and 7 .*a product of degrees of 256"):
        from_text("2**(1/40)") + from_text("3**(1/7)")
    with pytest.raises(Declined, match=r"degrees 7 and 7 in a field of degree 49: .*the limit 12000"):
        from_text("2**(1/7)") + from_text("3**(1/7)")


# ---------------------------------------------------------------- reading and showing


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
    "text",
    [
        "sqrt(2)",
        "-sqrt(2)",
        "cos(2*pi/5)",
        "cos(4*pi/7)",
        "2**(1/3)/3 - 1",
        "sqrt(2)+sqrt(3)",
        "sqrt(2/10**20)",  # its conjugate is so near that it lies in a rounded ball around the interval (0, 1)
        "1 - sqrt(2/10**40)",
        "cos(2*pi/7) + sqrt(3/10**18)",
    ],
)
def test_an_algebraic_number_is_itself_again(text: str) -> None:
    number = ef.exact(text)
    for again in (pickle.loads(pickle.dumps(number)), copy.deepcopy(number)):
        assert again == number
        assert again - number == 0
        assert float(again) == float(number)


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
