"""Floats as they are printed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas
import pytest

import exactformer as ef


def test_every_container_is_read() -> None:
    assert ef.decimals((0.1, [0.25, "sqrt(2)"], 3)) == (Fraction(1, 10), [Fraction(1, 4), "sqrt(2)"], 3)
    array = ef.decimals(np.array([[0.1, 1e-20], [-2.5, 1e22]]))
    assert array.tolist() == [[Fraction(1, 10), Fraction(1, 10**20)], [Fraction(-5, 2), Fraction(10**22)]]
    assert ef.decimals(np.array([1, 2])).dtype.kind == "i"
    frame = ef.decimals(pandas.DataFrame({"x1": [0.1, 0.3], "label": ["a", "b"]}))
    assert frame.x1.tolist() == [Fraction(1, 10), Fraction(3, 10)]
    assert ef.decimals(np.float16(0.1)) == Fraction("0.1")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.array([1.0, -np.inf])])
def test_what_is_not_finite_is_refused(value: object) -> None:
    with pytest.raises(ef.NotExact, match="expected a finite number"):
        ef.decimals(value)


def test_every_door_reads_decimals() -> None:
    rows = [[0.1, 0.2], [0.3, -0.7]]
    assert ef.Tokens(rows, decimals=True).state.denominator == 10
    assert ef.simulate(rows, layers=1, decimals=True)[0].denominator == 10
    assert ef.limit(rows, alpha=0.1, decimals=True).engine_input.tokens.alpha == Fraction(1, 10)
    assert ef.Dataset.of([rows], labels=["a"], decimals=True).tokens.denominator == 10
    assert ef.construct([rows, rows[:1]], labels=[0, 1], decimals=True).data.tokens.denominator == 10


def test_the_text_of_binary_fractions_hints_at_decimals() -> None:
    assert "decimals=True reads 0.1 as 1/10" in repr(ef.Tokens([[0.1]]))
    assert "decimals=True" in repr(ef.Dataset.of([[[0.1]]]))
    for tokens in ([[0.5]], [["1/3"]], [[0.1, "1/3"]]):
        assert "decimals" not in repr(ef.Tokens(tokens))
