"""Tests of `exactformer.model.temperatures`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.errors import InvalidInput
from exactformer.model.temperatures import Temperatures, inverse_temperature

F = Fraction


def test_both_ends_belong_to_a_range_of_temperatures() -> None:
    for low, high, inside, outside in ((1, 2, (1, F(3, 2), 2), (F(1, 2), 3)), (2, None, (2, 10**9), (1,))):
        beta = Temperatures.of(low, high)
        assert all(beta.contains(F(x)) for x in inside)
        assert not any(beta.contains(F(x)) for x in outside)
    for ends in ((0, 1), (2, 1), (-1, None), ("sqrt(2)", None), (1, "sqrt(2)"), (1, 0)):
        with pytest.raises(InvalidInput):
            Temperatures.of(*ends)


def test_temperatures_are_rational_and_positive() -> None:
    assert (inverse_temperature("2/3"), Temperatures.of("1/2", None).json()) == (F(2, 3), ["1/2", None])
    assert Temperatures.of(1, "3/2").json() == ["1", "3/2"]
    for value, said in ((0, "> 0, got 0"), ("-1/2", "> 0, got -1/2"), ("sqrt(2)", "rational inverse temperature")):
        with pytest.raises(InvalidInput, match=f"^here: .*{said}"):
            inverse_temperature(value, "here")
    with pytest.raises(InvalidInput, match="low <= high, got 2 and 3/2"):
        Temperatures.of(2, "3/2")
