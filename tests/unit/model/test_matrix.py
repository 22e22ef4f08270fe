"""Tests of `exactformer.model.matrix`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from kits.transformer_file import MODEL

from exactformer.arithmetic.algebraic import from_text
from exactformer.errors import InvalidInput
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Matrix, Outer, Scalar, Zero, bit_size, dot, matrix, text_bits
from exactformer.model.transformer import Block, Transformer

F = Fraction


def test_counting() -> None:
    assert MODEL.width == 2
    assert MODEL.parameters == (1 + 4 + 1 + 2) + (1 + 1 + 2)
    assert MODEL.dense_parameters == (1 + 2 * 5) + (1 + 12)
    assert MODEL.bits == 3
    assert MODEL.attention_ranks == [0, 0, 0]


THREE = [[1, 0], [0, 1], [1, 1]]


# ---------------------------------------------------------------- networks, counted


@pytest.mark.parametrize(
    "wrong",
    [{"zero": False}, {"zero": 1}, {"outer": [[1]]}, {"outer": 5}, {"outer": [[], [1]]}, {}, "12", 5, [[]], []],
)
def test_what_is_no_matrix_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput):
        matrix(wrong)


@pytest.mark.parametrize("form", [Dense(THREE), Outer([1, 2, 0], [1, "1/2"]), Zero()])
def test_the_forms_of_a_matrix_multiply_alike(form: Matrix) -> None:
    x = [F(3), F(-1, 5)]
    rows = form.dense(3, 2)
    assert form.times(x, 3, lambda v: v) == [sum(a * b for a, b in zip(row, x, strict=True)) for row in rows]
    assert form.is_zero is not any(any(row) for row in rows)
    assert matrix(form.json()) == form


def test_a_multiple_of_the_identity_is_square() -> None:
    with pytest.raises(InvalidInput, match="U: expected a 3-by-2 matrix, got a multiple of the identity"):
        Transformer(2, [Block(FeedForward(1, Scalar(1), [0, 0, 0], Zero()))])


def test_a_rank_one_matrix_is_zero_where_a_factor_is() -> None:
    assert Outer([0, 0], [1, 2]).is_zero
    assert Outer([1, 2], [0, 0]).is_zero
    assert not Outer([1, 0], [0, 2]).is_zero


ROOT: Any = from_text("sqrt(2)")


# ---------------------------------------------------------------- attention and matrices


def test_sizes_and_products_of_matrices() -> None:
    assert (bit_size(F(-9, 2)), bit_size(F(1, 1024)), bit_size(ROOT * F(3, 16) + 5)) == (4, 11, 5)
    assert (text_bits(F(-9, 2)), text_bits(F(5)), text_bits(F(0)), text_bits(ROOT * F(3, 4) + 5)) == (5, 3, 0, 3 + 4)
    assert dot([], []) == 0
    assert dot([F(0), F(2)], [ROOT, F(3)]) == 6
    assert Dense([[1, 0], [F(1, 3), 2]]).parameters == 3
    assert Outer([1, 0, 2], [3, 0]).parameters == 3
    assert Outer([1, 2], [3, 5]).dense(2, 2) == ((3, 5), (6, 10))
    assert (Zero().parameters, Zero().bits, Zero().dense(1, 2)) == (0, 0, ((0, 0),))
    assert repr(Dense([[k] for k in range(8)])) == "Dense([[0], [1], [2], [3], [4], [5], ..])"
    assert (repr(Outer([1], range(8))), repr(Scalar("1/2"))) == ("Outer([1], [0, 1, 2, 3, 4, 5, ..])", "Scalar(1/2)")
    for wrong in ([[1], [2, 3]], [[]], []):
        with pytest.raises(InvalidInput, match="rows of one positive length"):
            Dense(wrong)
    with pytest.raises(InvalidInput, match="matrix row 1"):
        Dense([[1], ["x"]])
