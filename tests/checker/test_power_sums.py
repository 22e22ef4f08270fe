"""Numbers sum c b^e of certificates in stages: read, added, multiplied and their signs told, against fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from io import BytesIO
from typing import Any

import pytest

from proofs_check.core.budget import Budget, Limits
from proofs_check.core.certificate import Certificate
from proofs_check.core.lines import Lines
from proofs_check.core.verdict import Refusal
from proofs_check.fast import SHORT_CUTS
from proofs_check.stages import enclosures
from proofs_check.stages.power_sums import (
    Sum,
    added,
    enclosure,
    exact_sign,
    exponent_ranges,
    factors,
    multiplied,
    plain,
    power,
    read_monomial,
    read_sum,
    sign,
)

F = Fraction


def budget() -> Budget:
    return Budget(Limits())


def value(x: Sum) -> Fraction:
    """The number written out."""
    return sum((c * monomial(key) for key, c in x.items()), F(0))


def monomial(key: Any) -> Fraction:
    found = F(1)
    for base, e in key:
        found *= F(base) ** e
    return found


def contains(found: enclosures.Enclosure, x: Fraction) -> bool:
    lo, hi, e = found
    return lo * F(2) ** e <= x <= hi * F(2) ** e


def drawn(rng: random.Random) -> list[Any]:
    """Terms as a certificate has them: coefficients and bases that repeat, above and below 1 and 1 itself."""
    bases = ["2", "1/2", "2/3", "3/2", "1", "5"]
    terms = []
    for _ in range(rng.randint(1, 4)):
        pairs = [[rng.choice(bases), rng.randint(1, 6)] for _ in range(rng.randint(0, 3))]
        terms.append([str(F(rng.randint(-9, 9), rng.randint(1, 4))), *pairs])
    return terms


def meant(terms: list[Any]) -> Fraction:
    total = F(0)
    for c, *pairs in terms:
        term = F(c)
        for base, e in pairs:
            term *= F(base) ** e
        total += term
    return total


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], []),
        ([["1/2", 3]], [(F(1, 2), 3)]),
        ([["2", 3]], [(F(1, 2), -3)]),
        ([["1", 7]], []),
        ([["2", 3], ["1/2", 3]], []),
        ([["2", 3], ["1/2", 1]], [(F(1, 2), -2)]),
        ([["3/2", 1], ["3/2", 4], ["5", 1]], [(F(2, 3), -5), (F(1, 5), -1)]),
    ],
)
def test_bases_are_brought_below_1_and_joined(pairs: list[Any], expected: list[Any]) -> None:
    assert {(F(base), e) for base, e in read_monomial(pairs, budget())} == set(expected)


@pytest.mark.parametrize("base", ["2", "3/2", "1/3", "1"])
@pytest.mark.parametrize("e", [-3, -1, 0, 1, 4])
def test_powers_have_bases_below_1(base: str, e: int) -> None:
    found = power(F(base), e)
    assert value(found) == F(base) ** e
    assert all(b < 1 for key in found for b, _ in key)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([["-2", 1]], "a base is positive"),
        ([["0", 1]], "a base is positive"),
        ([["2", 0]], "an integer from 1"),
        ([["2", -1]], "an integer from 1"),
        ([["2"]], "a list of 2 entries"),
        ([["2", 1, 1]], "a list of 2 entries"),
    ],
)
def test_powers_that_are_none_are_malformed(pairs: list[Any], message: str) -> None:
    with pytest.raises(Refusal, match=message) as refused:
        read_monomial(pairs, budget())
    assert refused.value.args[0] == "malformed"


@pytest.mark.parametrize("seed", range(40))
def test_sums_are_the_numbers_they_stand_for(seed: int) -> None:
    rng = random.Random(seed)
    file = Certificate({}, 1, Lines(BytesIO(), budget()), budget(), SHORT_CUTS)
    texts = drawn(rng), drawn(rng)
    x, y = (read_sum(terms, file) for terms in texts)
    a, b = map(meant, texts)
    assert (value(x), value(y)) == (a, b)
    assert value(added(x, y, budget())) == a + b
    assert value(added(x, y, budget(), -3)) == a - 3 * b
    assert value(multiplied(x, y, budget())) == a * b
    for number, true in ((x, a), (y, b), (added(x, y, budget(), -1), a - b), (added(x, x, budget(), -1), F(0))):
        assert all(number.values())
        assert contains(enclosure(number, budget()), true)
        assert sign(number, budget()) == exact_sign_of(number) == (true > 0) - (true < 0)
    assert factors(x) == len(x) + sum(len(key) for key in x)


def exact_sign_of(x: Sum) -> int:
    return exact_sign(x, budget()) if x else 0


@pytest.mark.parametrize("e", [2, 3, 400])
def test_signs_that_enclosures_do_not_tell_are_told_by_writing_out(e: int) -> None:
    """(2/3)^e 3^e - 2^e and 9^e - 3^(2e) are 0, and 5^-e beside them decides, soon below what 256 bits hold."""
    two_thirds = multiplied(power(F(2, 3), e), plain(F(3) ** e), budget())
    for cancelled in (
        added(two_thirds, plain(F(2) ** e), budget(), -1),
        added(two_thirds, power(F(2), e), budget(), -1),
        added(power(F(9), e), power(F(3), 2 * e), budget(), -1),
        added(power(F(2, 3), -e), multiplied(power(F(2), -e), plain(F(3) ** e), budget()), budget(), -1),
    ):
        assert len(cancelled) == 2
        assert enclosures.sign(enclosure(cancelled, budget())) is None or e < 400
        assert sign(cancelled, budget()) == exact_sign(cancelled, budget()) == 0
        for c in (1, -1):
            beside = added(cancelled, power(F(1, 5), e), budget(), c)
            assert sign(beside, budget()) == exact_sign(beside, budget()) == c


def test_a_number_is_a_list_of_terms() -> None:
    file = Certificate({}, 1, Lines(BytesIO(), budget()), budget(), SHORT_CUTS)
    assert read_sum([], file) == {}
    for wrong in ("2", {"c": 1}, 3, None):
        with pytest.raises(Refusal, match="a number is a list of terms"):
            read_sum(wrong, file)


def test_ranges_of_exponents_know_terms_without_a_base() -> None:
    half, third = F(1, 2), F(1, 3)
    x = added(multiplied(power(half, 3), power(third, 2), budget()), power(half, -4), budget())
    assert {F(b): ends for b, ends in exponent_ranges(x).items()} == {half: (-4, 3), third: (0, 2)}
    with_one = added(x, plain(F(5)), budget())
    assert {F(b): ends for b, ends in exponent_ranges(with_one).items()} == {half: (-4, 3), third: (0, 2)}
    both = added(power(half, 3), power(half, 5), budget())
    assert {F(b): ends for b, ends in exponent_ranges(both).items()} == {half: (3, 5)}
    assert plain(F(0)) == {}


def test_terms_that_cancel_are_gone() -> None:
    half, one = power(F(1, 2), 1), plain(F(1))
    product = multiplied(added(half, one, budget()), added(half, one, budget(), -1), budget())
    assert product == added(power(F(1, 2), 2), one, budget(), -1)
    assert added(half, half, budget(), -1) == multiplied(half, {}, budget()) == {}
    assert multiplied(half, power(F(2), 1), budget()) == one


def test_enclosures_contain_what_they_are_made_of() -> None:
    rng = random.Random(4)
    for _ in range(200):
        a, b = (
            F(rng.randint(-(2**300), 2**300), rng.randint(1, 2**280)) * F(2) ** rng.randint(-600, 600) for _ in "ab"
        )
        x, y = enclosures.enclosed(a), enclosures.enclosed(b)
        assert contains(x, a)
        assert contains(y, b)
        assert (x[1] - x[0]) * 2**250 <= max(abs(x[0]), abs(x[1]))
        assert contains(enclosures.total(x, y), a + b)
        assert contains(enclosures.total(y, x), a + b)
        product = enclosures.product(x, y)
        assert contains(product, a * b)
        assert max(abs(product[0]), abs(product[1])).bit_length() <= enclosures.BITS + 1
        k = rng.randint(-40, 40)
        third = enclosures.power(F(rng.randint(1, 9), 7), k)
        assert third[0] > 0
    for base, k in ((F(2, 3), 1000), (F(2, 3), -1000), (F(5), 77), (F(5), 0), (F(7, 3), 1), (F(7, 3), -1)):
        assert contains(enclosures.power(base, k), base**k)
    assert [enclosures.sign(x) for x in ((1, 2, 0), (-2, -1, 5), (0, 0, 9), (-1, 1, 0), (0, 1, 0), (-1, 0, 0))] == [
        1, -1, 0, None, None, None,
    ]  # fmt: skip


def test_enclosures_have_256_bits_and_are_rounded_outwards() -> None:
    top = 2**256
    assert enclosures.rounded(top - 2, top - 1, 7) == (top - 2, top - 1, 7)
    assert enclosures.rounded(top - 1, top + 1, 7) == (top // 2 - 1, top // 2 + 1, 8)
    assert enclosures.rounded(-1, 4 * top, 0) == (-1, top // 2, 3)
    assert enclosures.rounded(-4 * top, 1, 0) == (-top // 2, 1, 3)
    assert enclosures.rounded(-top - 1, -top + 1, 0) == (-top // 2 - 1, -top // 2 + 1, 1)


@pytest.mark.parametrize("gap", [512, 513, 514, 515, 516, 700])
@pytest.mark.parametrize("small", [F(1), F(-1)])
def test_a_number_far_below_another_moves_its_sum_by_less_than_a_unit(gap: int, small: Fraction) -> None:
    large = enclosures.enclosed(F(1))
    little = enclosures.product(enclosures.enclosed(small), (1, 1, -gap))
    found = enclosures.total(large, little)
    assert contains(found, 1 + small / 2**gap)
    assert (found[1] - found[0]) * F(2) ** found[2] <= F(1, 2**250)
    assert enclosures.total(enclosures.ZERO, little) == enclosures.total(little, enclosures.ZERO) == little
