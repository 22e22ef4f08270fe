"""Tests of `exactformer.evaluate.piecewise_linear`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.evaluate import piecewise_linear
from exactformer.evaluate.piecewise_linear import parallel, pieces
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer
from exactformer.model.transformer import Block, Transformer

F = Fraction


TINY = F(1, 10**30)


@pytest.mark.parametrize("at", [F(1, 3), F(2, 7), F(-1, 3), F(10**20, 3)])
@pytest.mark.parametrize("off", [-TINY, F(0), TINY])
def test_a_token_beside_a_breakpoint_is_on_its_side(at: Fraction, off: Fraction) -> None:
    # kinks at `at`, and at `at` + TINY: floats see one point
    layer = FeedForward(1, Outer([1, 1, -2], [1]), [-at, -at - TINY, 2 * at], Outer([1], [10**40, -(10**41), 10**42]))
    transformer = Transformer(1, [Block(layer)])
    for x in (at + off, at + 2 * off, at + off / 2):
        assert transformer([[x]]).rows() == [tuple(layer.apply([x]))]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_quotient_that_floats_round_past_a_breakpoint_is_brought_back(sign: int) -> None:
    # 2^53 + 6/7 lies below 2^53 + 1; as a quotient of two rounded integers it lies above
    at, x = sign * F(2**53 + 1), sign * (2**53 + F(6, 7))
    assert sign * float(7 * 2**53 + 6) / 7.0 > float(2**53 + 1) or sign < 0
    layer = FeedForward(1, Outer([1], [1]), [-at], Outer([1], [10**6]))
    for token in (x, at, at + sign * F(1, 7)):
        assert Transformer(1, [Block(layer)])([[token]]).rows() == [tuple(layer.apply([token]))]


def test_every_piece_of_a_layer_agrees_with_its_definition() -> None:
    layer = FeedForward("1/2", Outer([1, -1, 2, 0, 3], [1, -2]), [0, 1, -3, 2, -3], Outer([1, 3], [1, 2, -1, 1, 5]))
    transformer = Transformer(2, [Block(layer)])
    points = [[x, y] for x in (F(-3), F(-1), F(0), F(1, 2), F(1), F(3, 2), F(4)) for y in (F(0), F(1), F(-1, 3))]
    assert transformer(points).rows() == [tuple(layer.apply(x)) for x in points]
    split = pieces(layer, 2)
    assert split is not None
    assert len(split.t_numerators) == 3  # kinks at 0, 1 (two units) and 3/2; the constant unit has none


@pytest.mark.parametrize("packed", [1, 4, 7])
def test_tables_that_are_packed_on_the_way_are_the_same(packed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some parts of the table fit the machine's integers, others do not."""
    units = [F(k) if k != 5 else F(2**80, 3) for k in range(1, 9)]
    layer = FeedForward(0, Outer([1] * 8, [1]), [-F(k, 7) for k in range(8)], Outer([1], units))
    whole = pieces(layer, 1)
    monkeypatch.setattr(piecewise_linear, "_PACKED", packed)
    parts = pieces(layer, 1)
    assert whole is not None
    assert parts is not None
    for name in ("t_numerators", "t_denominators", "slopes", "intercepts", "denominators", "acts"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()
    points = [[F(k, 9)] for k in range(-2, 20)]
    assert Transformer(1, [Block(layer)])(points).rows() == [tuple(layer.apply(x)) for x in points]


def test_rows_that_are_parallel_are_told_from_others() -> None:
    rank_one = Dense(((F(0), F(0)), (F(2), F(4)), (F(-1, 3), F(-2, 3))))
    assert parallel(rank_one, 3, 2) == ((F(0), F(1), F(-1, 6)), (F(2), F(4)))
    assert parallel(Dense(((F(2), F(4)), (F(2), F(5)))), 2, 2) is None
