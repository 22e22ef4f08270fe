"""Nearest neighbours by cosine among enclosed vectors."""

from __future__ import annotations

from fractions import Fraction

import pytest

import exactformer as ef
from exactformer.evaluate.neighbours import UnitVectors


def vector(*centre: int, off: Fraction = Fraction(0)) -> ef.NetworkAnswer:
    return ef.NetworkAnswer(tuple(map(Fraction, centre)), off, off, None, None, None, "integers", 64)


def test_the_nearest_one_and_its_lead() -> None:
    found = UnitVectors([vector(0, 1), vector(3, 4), vector(-1, 0)]).nearest(vector(2, 0), [0, 1, 2])
    assert (found.index, found.nearest, found.runner_up) == (1, 1, 0)
    assert found.cosine[0] <= Fraction(3, 5) <= found.cosine[1] < Fraction(3, 5) + Fraction(1, 10**40)
    assert found.gap is not None
    assert found.gap[0] <= Fraction(3, 5) <= found.gap[1]


def test_radii_widen_and_ties_stay_open() -> None:
    units = UnitVectors([vector(3, 4), vector(3, -4), vector(0, 1)])
    tied = units.nearest(vector(1, 0), [0, 1, 2])
    assert tied.index is None
    assert tied.gap[0] <= 0 <= tied.gap[1]
    assert units.nearest(vector(1, 0), [2]).index == 2
    assert units.nearest(vector(1, 0), [2]).gap is None
    wide = UnitVectors([vector(3, 4), vector(0, 1)]).nearest(vector(1, 0, off=Fraction(1, 4)), [0, 1])
    assert wide.index is None
    sharp = UnitVectors([vector(3, 4), vector(0, 1)]).nearest(vector(1, 0, off=Fraction(1, 10)), [0, 1])
    assert sharp.index == 0
    assert sharp.gap[0] >= Fraction(3, 5) - 2 * Fraction(2, 10) - Fraction(1, 100)


def test_the_cosine_of_every_vector_in_the_ball_is_inside() -> None:
    off = Fraction(1, 10)
    found = UnitVectors([vector(3, 4)]).nearest(vector(1, 0, off=off), [0])
    for x, y in ((Fraction(11, 10), 0), (Fraction(9, 10), 0), (1, off), (1, -off)):
        cosine = (3 * float(x) + 4 * float(y)) / 5 / (float(x) ** 2 + float(y) ** 2) ** 0.5
        assert found.cosine[0] <= cosine <= found.cosine[1]


def test_vectors_that_may_be_zero_have_no_cosine() -> None:
    with pytest.raises(ef.InvalidInput, match="input 1"):
        UnitVectors([vector(1, 0), vector(1, 0, off=Fraction(2))])
