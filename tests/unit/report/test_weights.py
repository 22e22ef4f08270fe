"""Tests of `exactformer.report.weights`."""

from __future__ import annotations

import re
from fractions import Fraction
from html import unescape

from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer, Scalar, Zero
from exactformer.model.transformer import Block
from exactformer.report.weights import block_weights


def test_twelve_numbers_and_twelve_rows_are_shown_whole() -> None:
    for count in (11, 12, 13):
        layer = FeedForward(1, Dense([[k] * 2 for k in range(count)]), list(range(count)), Dense([[1] * count] * 2))
        shown = block_weights(Block(layer))
        assert shown.count("in all") == (3 if count > 12 else 0)
        assert ("more rows" in shown) is (count > 12)


def test_every_weight_stands_under_its_name() -> None:
    entries = {name: Dense([[k, 0], [0, k]]) for k, name in enumerate("UWVQK", start=2)}
    layer = FeedForward(7, entries["U"], [8, 9], entries["W"])
    attention = SelfAttention(10, entries["V"], entries["Q"], entries["K"])
    shown = block_weights(Block(layer, attention))
    parts = dict(part.split("</b> = ") for part in shown.replace("</p>", "").split("<p><b>")[1:])
    assert list(parts) == ["eta", "U", "b", "W", "rho", "V", "Q", "K"]
    for k, name in enumerate("UWVQK", start=2):
        assert f"({k}, 0)" in parts[name]
        assert f"(0, {k})" in parts[name]
    assert [">7<" in parts["eta"], ">(8, 9)<" in parts["b"], ">10<" in parts["rho"]] == [True] * 3


def test_weights_of_every_form_are_shown_and_long_ones_cut() -> None:
    wide = Dense([[k] * 13 for k in range(14)])
    layer = FeedForward(1, wide, list(range(13)), Zero())
    attention = SelfAttention(Fraction(1, 2), Scalar(3), Outer([1, 2], [3, 4]), Outer([5, 6], [7, 8]))
    shown = unescape(re.sub(r"<(?!br)[^>]*>", "", block_weights(Block(layer, attention))))
    assert shown.count("<br>") == 13
    assert "<br>.. 2 more rows" in shown
    assert "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, .. (13 in all)" in shown
    assert "W = 0" in shown
    assert "rho = 1/2" in shown
    assert "V = 3 times the identity" in shown
    assert "Q = column (1, 2) times row (3, 4)" in shown
    assert "K = column (5, 6) times row (7, 8)" in shown
    assert "identity" in block_weights(Block(None, None))
