"""Strict separation of two sets: short normals, common points, edge cases."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.arithmetic.text import exact
from exactformer.errors import InvalidInput
from exactformer.geometry.points import dot
from exactformer.geometry.separation import CommonPoint, Hyperplane, separate

TINY = Fraction(1, 10**12)


@pytest.mark.parametrize(
    ("left", "right", "separable"),
    [
        ([[1]], [[0]], True),
        ([[0]], [[0]], False),
        ([[0], [2]], [[1]], False),
        ([[0], [2]], [[3], [5]], True),
        ([[0, 0], [2, 2]], [[0, 2], [2, 0]], False),
        ([[0, 0], [2, 2]], [[0, 2], [1 - TINY, 1]], True),
        ([[0, 0], [2, 2]], [[0, 2], [1, 1]], False),
        ([[0, 0], [2, 2], [2, 2]], [[0, 2], [1 + TINY, 1]], False),
        ([[10**9, 0], [10**9, 1]], [[10**9 + TINY, 0], [10**9 + TINY, 1]], True),
        ([[0, 0], [exact("sqrt(2)"), 1]], [[1, 0], [2, exact("sqrt(2)")]], True),
        ([[0, 0], [exact("sqrt(2)"), 1]], [[0, 1], [exact("sqrt(2)"), 0]], False),
    ],
)
def test_separate(left: list[list[object]], right: list[list[object]], separable: bool) -> None:
    answer = separate(left, right)
    assert isinstance(answer, Hyperplane if separable else CommonPoint)
    answer.verify(left, right)
    mirrored = separate(right, left)
    mirrored.verify(right, left)
    assert bool(mirrored) == separable


def test_the_normal_is_short() -> None:
    left = [[Fraction(2), Fraction(123456, 1000003)]]
    right = [[Fraction(k, 10), Fraction(k * k % 97, 89)] for k in range(11)]
    answer = separate(left, right)
    assert (answer.normal, answer.offset) == ((1, 0), Fraction(3, 2))


def test_the_normal_of_two_sets_is_primitive() -> None:
    answer = separate([[4, 0], [5, 3]], [[0, 0], [1, 2]])
    answer.verify([[4, 0], [5, 3]], [[0, 0], [1, 2]])
    assert max(map(abs, answer.normal)) == 1


@pytest.mark.parametrize(("left", "right"), [([], [[1]]), ([[1]], []), ([[1]], [[1, 2]]), ([[1], [1, 2]], [[1]])])
def test_bad_input(left: list[list[int]], right: list[list[int]]) -> None:
    with pytest.raises(InvalidInput):
        separate(left, right)


def test_a_forged_common_point_is_refused() -> None:
    half = Fraction(1, 2)
    left, right = [[0, 0], [2, 2]], [[0, 2], [2, 0]]
    CommonPoint((1, 1), ((0, half), (1, half)), ((0, half), (1, half)), "").verify(left, right)
    for forged in [
        CommonPoint((1, 2), ((0, half), (1, half)), ((0, half), (1, half)), ""),
        CommonPoint((0, 0), ((0, Fraction(1)),), ((0, Fraction(1)),), ""),
        CommonPoint((1, 1), ((0, half), (1, half)), (), ""),
    ]:
        with pytest.raises(InvalidInput):
            forged.verify(left, right)


@pytest.mark.parametrize(
    "hint",
    [
        (Fraction(-7, 2), Fraction(1), Fraction(-2, 3)),
        (Fraction(-9, 10), Fraction(9, 10), Fraction(9, 10)),
        (0, 0, 0),
        (-3, 1, 0),
        (-exact("sqrt(2)"), Fraction(1, 3), 0),
    ],
)
def test_a_hint_that_is_no_integer_or_no_normal_does_no_harm(hint: tuple[object, ...]) -> None:
    below = [[4, 8, 9], [1, -7, -7], [7, -4, 3], [-1, -6, -9], [0, -4, 0], [3, 8, 2]]
    for left in ([[0, 0, 0]], [[0, 0, 0], [-1, 0, 1]]):
        answer = separate(left, below, hints=[hint])
        assert bool(answer) is bool(separate(left, below))
        answer.verify(left, below)


def test_a_normal_of_proper_fractions_that_is_hinted_is_taken() -> None:
    below = [[-4, 3], [6, -11], [-5, 4]]
    hint = (Fraction(1, 2), Fraction(2, 5))
    assert all(dot(hint, point) < 0 for point in below)
    assert separate([[0, 0]], below).method != "free"
    hinted = separate([[0, 0]], below, hints=[(-1, 1), hint])
    assert hinted.method == "free"
    hinted.verify([[0, 0]], below)
