"""Where machine integers end and exact ones begin: bounds, wraps, equality, hashes."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from exactformer.arithmetic import number_field
from exactformer.arithmetic.algebraic import Algebraic, from_text, in_one_field
from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import (
    SAFE,
    add,
    common_divisor,
    integer_array,
    largest,
    matmul,
    multiply,
    segment_sums,
    shrink,
    small,
    wide,
)
from exactformer.arithmetic.number_field import compositum
from exactformer.arithmetic.rational import common_denominator, simplest_between
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import brief, canonical, exact, from_canonical, integer_ratio
from exactformer.errors import InvalidInput, Malformed, NotExact

BIG = 2**61


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


# ---------------------------------------------------------------- integers


def test_sums_and_products_past_int64_are_python_ints() -> None:
    assert add(ints(BIG, 1), ints(BIG, 2)).tolist() == [2 * BIG, 3]
    assert add(ints(2**62, 1), ints(2**62, 2)).tolist() == [2**63, 3]
    assert add(ints(-(2**62)), ints(-(2**62) - 5)).tolist() == [-(2**63) - 5]
    assert multiply(ints(2**40, 3), 2**30).tolist() == [2**70, 3 * 2**30]
    assert multiply(ints(2**40, 3), ints(2**40, 5)).tolist() == [2**80, 15]
    assert multiply(ints(-(2**40)), -(2**40)).tolist() == [2**80]
    assert multiply(ints(3), 2**70).tolist() == [3 * 2**70]
    assert multiply(ints(3, 4), 1).tolist() == [3, 4]


@pytest.mark.parametrize("inner", [2, 3, 8, 100])
def test_matrix_products_count_the_length_of_the_sum(inner: int) -> None:
    # every product fits into 62 bits, and their sum does not
    x, y = np.full((1, inner), 2**30), np.full((inner, 1), 2**31)
    assert matmul(x, y).tolist() == [[inner * 2**61]]
    assert matmul(-x, y).tolist() == [[-inner * 2**61]]


def test_segment_sums_count_the_rows() -> None:
    rows = np.full((8, 1), BIG)
    assert segment_sums(rows, np.array([0, 3, 8])).tolist() == [[3 * BIG], [5 * BIG]]
    assert segment_sums(ints(1, 2, 3).reshape(-1, 1), np.array([0, 1, 3])).tolist() == [[1], [5]]


def test_sizes_are_bounds_and_never_wrap() -> None:
    assert largest(ints(-(2**63), 5)) == 2**63
    assert largest(ints(3, -7)) == 7
    assert largest(ints()) == 0
    assert small(ints(1), SAFE - 1)
    assert not small(ints(1), SAFE)
    assert not small(ints(1), -SAFE)
    assert not small(wide(ints(1)))


def test_arrays_shrink_only_where_they_fit() -> None:
    fits, too_large = (np.array([v, 1], dtype=object) for v in (SAFE - 1, SAFE))
    assert shrink(fits).dtype == np.int64
    assert shrink(too_large).dtype == object
    assert shrink(np.array([2**70], dtype=object)).tolist() == [2**70]
    assert shrink(np.array([1, 2], dtype=np.int32)).dtype == np.int64
    assert integer_array([1, 2, 3, 4], (2, 2)).dtype == np.int64
    assert integer_array([2**64, 1], (1, 2)).tolist() == [[2**64, 1]]


def test_common_divisors() -> None:
    assert common_divisor(ints(6, 9, 12)) == 3
    assert common_divisor(ints(6, 9), start=2) == 1
    assert common_divisor(np.array([2**70 * 6, 2**70 * 9], dtype=object)) == 3 * 2**70
    assert common_divisor(np.array([6, 4], dtype=object), start=8) == 2
    assert common_divisor(ints(), start=5) == 5
    assert common_denominator([Fraction(1, 4), Fraction(5, 6), 2]) == 12


# ---------------------------------------------------------------- states


def test_states_are_equal_as_points_whatever_their_denominators() -> None:
    thirds, sixths = State(ints(1, 2).reshape(1, 2), 3), State(ints(2, 4).reshape(1, 2), 6)
    assert thirds == sixths
    assert hash(thirds) == hash(sixths)
    assert thirds != State(ints(1, 2).reshape(1, 2), 6)
    assert thirds != State(ints(1, 2).reshape(1, 2), 1)
    assert thirds != State(ints(2, 4).reshape(1, 2), 3)
    assert thirds != State(ints(1, 2).reshape(2, 1), 3)
    assert (thirds == 5) is False


def test_states_reduce_over_the_least_denominator() -> None:
    state = State(ints(2, 4).reshape(1, 2), 6).reduced()
    assert (state.array.tolist(), state.denominator) == ([[1, 2]], 3)
    assert State(ints(0, 0).reshape(1, 2), 6).reduced().denominator == 1
    assert State.of([["1/6", "1/4"]]).denominator == 12
    with pytest.raises(InvalidInput):
        State(ints(1).reshape(1, 1), 0)


@pytest.mark.parametrize("value", [2**63, 2**64 - 1, 2**62, 5])
def test_unsigned_integers_do_not_wrap(value: int) -> None:
    assert State.of(np.array([[value, 1]], dtype=np.uint64)).rows() == [(Fraction(value), Fraction(1))]


def test_the_size_of_a_state_counts_numerators_and_denominator() -> None:
    assert State.of([["1/1024", 0]]).bits == 11
    assert State.of([[1024, 0]]).bits == 11
    assert State.of([["-1023", 0]]).bits == 10
    assert State.of([["sqrt(2)", 300]]).bits == 9


def test_floats_of_states() -> None:
    assert State.of([["1/3", -(10**400)]]).floats().tolist() == [[1 / 3, -np.inf]]
    assert float_of(10**400) == np.inf
    assert float_of(3 * 10**400, 10**400) == 3.0
    near = exact("sqrt(2)") - Fraction(141421356237309504880168872420969807856967187537694, 10**50)
    assert float_of(near) == pytest.approx(8.0731766797379907e-51, rel=1e-12)
    assert float_of(exact("sqrt(2)") * 0) == 0.0


# ---------------------------------------------------------------- algebraic numbers


def root(text: str) -> Algebraic:
    number = from_text(text)
    assert isinstance(number, Algebraic)
    return number


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


def test_trigonometric_values_have_their_signs() -> None:
    assert root("cos(2*pi/5)") > 0
    assert root("cos(4*pi/5)") < 0
    assert root("sin(2*pi/5)") > root("cos(2*pi/5)")
    assert root("sin(2*pi/5)") ** 2 + root("cos(2*pi/5)") ** 2 == 1


# ---------------------------------------------------------------- text


def test_canonical_text_and_nothing_else() -> None:
    for number in (Fraction(0), Fraction(-3, 2), Fraction(10**5000 + 1, 3), Fraction(7)):
        assert from_canonical(canonical(number)) == number
    for text in ("+1", "01", "-0", "2/4", "1/1", "1/-2", "1.5", " 1", "1 ", "1/0", "", "1/", "/2", "--1", "١"):
        with pytest.raises(Malformed):
            from_canonical(text)
    with pytest.raises(NotExact):
        canonical(root("sqrt(2)"))


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


@pytest.mark.parametrize(
    ("low", "high", "simplest"),
    [
        (Fraction(3, 10), Fraction(1, 2), Fraction(1, 3)),
        (Fraction(-1, 2), Fraction(-3, 10), Fraction(-1, 3)),
        (0, 1, Fraction(1, 2)),
        (1, 2, Fraction(3, 2)),
        (-1, 1, Fraction(0)),
        (0, None, Fraction(1)),
        (None, 0, Fraction(-1)),
        (None, -3, Fraction(-4)),
        (None, None, Fraction(0)),
        (3, None, Fraction(4)),
        (Fraction(311, 100), Fraction(313, 100), Fraction(25, 8)),
        (2, 5, Fraction(3)),
        (-5, -2, Fraction(-3)),
    ],
)
def test_the_simplest_rational(low: Fraction | int | None, high: Fraction | int | None, simplest: Fraction) -> None:
    assert simplest_between(low, high) == simplest


@pytest.mark.parametrize("ends", [(1, 1), (2, 1)])
def test_an_empty_interval_has_no_rational(ends: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput):
        simplest_between(*ends)


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


def test_proposals_of_a_relation_are_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    """A near-relation between sqrt(2) and sqrt(3) is none, and an exact one for another root is not that of the root."""
    fields = [from_text(text).field for text in ("sqrt(2)", "sqrt(3)", "cos(2*pi/9)", "cos(4*pi/9)")]  # type: ignore[union-attr]
    near = number_field._short_relation(fields[0], fields[1], 600)
    monkeypatch.setattr(number_field, "_short_relation", lambda x, y, bits: near)
    assert near[-1] != 0
    assert number_field._inside(fields[0], fields[1], 1) is None
    monkeypatch.setattr(number_field, "_short_relation", lambda x, y, bits: [0, 1, 0, -1])
    assert number_field._inside(fields[2], fields[2], 24) is not None
    assert number_field._inside(fields[2], fields[3], 24) is None
