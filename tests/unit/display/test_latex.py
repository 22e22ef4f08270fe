"""Tests of `exactformer.display.latex`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.arithmetic.algebraic import from_text
from exactformer.display.latex import latex_number, latex_rows
from exactformer.instances.dataset_families import sample

F = Fraction


ROOT: Any = from_text("sqrt(2)")


@pytest.mark.parametrize(("height", "width"), [(2, 2), (3, 5), (5, 3), (6, 6), (1, 9), (9, 1)])
@pytest.mark.parametrize("most", [None, 2, 3, 5])
def test_rows_in_latex_are_of_one_length_however_they_are_cut(height: int, width: int, most: int | None) -> None:
    rows = [[F(i * width + j) for j in range(width)] for i in range(height)]
    text = latex_rows(rows, most=most)
    lines = text.removeprefix(r"\begin{pmatrix}").removesuffix(r"\end{pmatrix}").split(r" \\ ")
    shown = (min(height, most or height), min(width, most or width))
    assert len(lines) == shown[0] + (height > shown[0])
    assert {len(line.split(" & ")) for line in lines} == {shown[1] + (width > shown[1])}
    assert lines[0].split(" & ")[: shown[1]] == [str(j) for j in range(shown[1])]


def test_algebraic_numbers_in_latex_are_sums_of_powers() -> None:
    assert latex_number(1 - ROOT / 2) == r"1 - \tfrac{1}{2}\theta"
    assert latex_number(ROOT * 0) == "0"
    assert latex_number(F(-7, 3)) == r"-\tfrac{7}{3}"


def test_long_numbers_in_latex() -> None:
    assert "7" * 6000 in ef.Tokens([["7" * 6000]]).latex()


def test_instance_and_weights_as_latex() -> None:
    assert r"\tfrac{7}{5}" in ef.Tokens([["7/5", "1/5"], [1, 1]]).latex()
    big = ef.Tokens(np.arange(60).reshape(30, 2))
    assert r"\vdots" in big._repr_latex_()
    assert r"\vdots" not in big.latex()
    built = ef.construct(sample("one-token", 20, 2))
    assert len(built.transformer._repr_latex_()) < len(built.transformer.latex())
