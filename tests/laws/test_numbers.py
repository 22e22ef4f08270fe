"""Laws of the numbers: field axioms, order, text round trips, enclosures, exact integer arrays."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactformer.arithmetic import integers
from exactformer.arithmetic.algebraic import Algebraic, from_text, in_one_field
from exactformer.arithmetic.ball import Ball, Truth, until_decided
from exactformer.arithmetic.rational import common_denominator, simplest_between
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import exact
from exactformer.errors import InvalidInput, Malformed, Undecided
from exactformer.io.canonical import canonical, from_canonical

fractions = st.fractions(min_value=-50, max_value=50, max_denominator=40)
SQRT2, SQRT3, COS = from_text("sqrt(2)"), from_text("sqrt(3)"), from_text("cos(2*pi/5)")


@st.composite
def algebraic(draw: st.DrawFn) -> Algebraic:
    a, b, c = (draw(st.fractions(min_value=-5, max_value=5, max_denominator=6)) for _ in range(3))
    return a + b * SQRT2 + c * draw(st.sampled_from([SQRT3, SQRT2, COS, SQRT2 * SQRT3]))


@settings(max_examples=25)
@given(algebraic(), algebraic(), algebraic())
def test_algebraic_numbers_form_an_ordered_field(x: Algebraic, y: Algebraic, z: Algebraic) -> None:
    assert x + y == y + x
    assert (x + y) + z == x + (y + z)
    assert x * (y + z) == x * y + x * z
    assert x - x == 0
    if y:
        assert x / y * y == x
    assert (x < y) + (x == y) + (x > y) == 1
    if x < y:
        assert x + z < y + z
        assert float(x) <= float(y) + 1e-12
    if x > 0 and y > 0:
        assert x * y > 0


@settings(max_examples=60)
@given(algebraic())
def test_equal_algebraic_numbers_hash_alike_in_every_field(x: Algebraic) -> None:
    moved = (x + SQRT3) - SQRT3
    assert moved == x
    assert hash(moved) == hash(x)
    assert math.floor(x) <= x < math.floor(x) + 1


def test_a_near_tie_is_decided_and_an_exact_tie_is_zero() -> None:
    close = from_text("sqrt(2)") - Fraction(665857, 470832)
    assert -1e-11 < close < 0
    assert from_text("sqrt(3+2*sqrt(2))") == 1 + SQRT2
    tiny = SQRT2 - Fraction(math.isqrt(2 * 10**200), 10**100)
    assert 0 < tiny < Fraction(1, 10**99)


@given(fractions)
def test_canonical_text_round_trips(x: Fraction) -> None:
    assert from_canonical(canonical(x)) == x
    assert exact(canonical(x)) == x


@given(st.integers(min_value=-(10**6000), max_value=10**6000))
@settings(max_examples=20)
def test_numbers_of_any_length_round_trip(n: int) -> None:
    assert from_canonical(canonical(Fraction(n, 7))) == Fraction(n, 7)


@pytest.mark.parametrize(
    "text", ["2/4", "-0", "+1", "01", "1/1", "1/-2", " 1", "1_0", "٣", "1.0", "1e3", "", "1/0", "--1"]
)
def test_what_is_not_canonical_is_malformed(text: str) -> None:
    with pytest.raises(Malformed, match="canonical"):
        from_canonical(text)


@given(fractions, fractions)
def test_simplest_between_is_the_simplest(a: Fraction, b: Fraction) -> None:
    low, high = min(a, b), max(a, b)
    if low == high:
        with pytest.raises(InvalidInput):
            simplest_between(low, high)
        return
    best = simplest_between(low, high)
    assert low < best < high
    for q in range(1, best.denominator):
        assert math.floor(low * q) + 1 >= high * q, f"{q} is a smaller denominator"
    inside = [
        p
        for p in range(math.floor(low * best.denominator), math.ceil(high * best.denominator) + 1)
        if low < Fraction(p, best.denominator) < high
    ]
    assert abs(best.numerator) == min(map(abs, inside))


def test_simplest_between_infinite_ends() -> None:
    assert simplest_between(None, None) == 0
    assert simplest_between(Fraction(7, 2), None) == 4
    assert simplest_between(None, Fraction(-7, 2)) == -4
    assert simplest_between(0, Fraction(1, 10**30)) == Fraction(1, 10**30 + 1)


@given(st.lists(st.tuples(fractions, fractions), min_size=1, max_size=6))
def test_a_state_is_its_rows(rows: list[tuple[Fraction, Fraction]]) -> None:
    state = State.of(rows)
    assert state.rows() == rows
    assert state.denominator == common_denominator([x for row in rows for x in row])
    assert State.of([[canonical(x) for x in row] for row in rows]) == state


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_floats_are_read_as_their_dyadic_value(values: list[float]) -> None:
    state = State.of(np.array([values]))
    assert state[0] == tuple(Fraction(v) for v in values)
    assert state.floats().tolist() == [values]


@given(fractions, fractions, st.integers(min_value=20, max_value=200))
def test_balls_contain_the_truth(x: Fraction, y: Fraction, bits: int) -> None:
    a, b = Ball.of(x, bits=bits), Ball.of(y, bits=bits)
    for ball, value in ((a + b, x + y), (a - b, x - y), (a * b, x * y), (1 - a, 1 - x)):
        assert ball.contains(value)
    verdict = a.less(b)
    assert verdict is Truth.UNDECIDED or bool(verdict) == (x < y)


def test_an_undecided_comparison_raises() -> None:
    third = Ball.of(Fraction(1, 3), bits=64)
    with pytest.raises(Undecided):
        bool(third < third + 0)
    with pytest.raises(Undecided):
        bool(third == Ball.of(Fraction(1, 3), bits=64))
    with pytest.raises(Undecided, match="cap is 256"):
        until_decided(lambda bits: Ball.of(SQRT2, bits=bits) < Ball.of(from_text("sqrt(8)") / 2, bits=bits), cap=256)


@given(
    st.lists(st.integers(-(2**70), 2**70), min_size=6, max_size=6), st.lists(st.integers(-9, 9), min_size=6, max_size=6)
)
def test_integer_arrays_never_overflow(left: list[int], right: list[int]) -> None:
    x = integers.narrowed(np.array(left, dtype=object).reshape(2, 3))
    y = integers.narrowed(np.array(right, dtype=object).reshape(3, 2))
    wanted = [[sum(left[3 * i + k] * right[2 * k + j] for k in range(3)) for j in range(2)] for i in range(2)]
    assert integers.matmul(x, y).tolist() == wanted
    big = integers.narrowed(np.array([[2**61, 2**61]]))
    assert integers.add(big, big).tolist() == [[2**62, 2**62]]
    assert integers.multiply(big, 2**40).tolist() == [[2**101, 2**101]]
    assert integers.segment_sums(np.full((4, 1), 2**61), np.array([0, 4])).tolist() == [[2**63]]


def test_numbers_of_several_fields_meet_in_one() -> None:
    elements = in_one_field([SQRT2, SQRT3, COS, Fraction(1, 3), 2])
    assert elements is not None
    assert len({id(e.field) for e in elements}) == 1
    assert elements[0] ** 2 == 2
    assert elements[1] ** 2 == 3
    assert 4 * elements[2] ** 2 + 2 * elements[2] == 1


@settings(max_examples=200)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9).map(float), min_size=1, max_size=6),
    st.sampled_from([np.float64, np.float32, np.float16, np.longdouble]),
)
def test_arrays_are_read_as_their_exact_dyadic_values_in_lowest_terms(values: list[float], dtype: type) -> None:
    with np.errstate(over="ignore"):
        array = np.array(values).astype(dtype).reshape(1, -1)
    array = np.where(np.isfinite(array), array, 1)
    state = State.of(array)
    assert state[0] == tuple(Fraction(*x.as_integer_ratio()) for x in array[0])
    assert math.gcd(state.denominator, *map(int, state.numerators.flat)) == 1 or state.denominator == 1
