"""Tests of `exactformer.model.norms`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import exactformer as ef
from exactformer.arithmetic.algebraic import from_text
from exactformer.errors import NotExact
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Outer, Scalar, Zero
from exactformer.model.norms import Enclosure, norm2, sum_of
from exactformer.model.transformer import Block, Transformer, pure_attention

F = Fraction


ROOT: Any = from_text("sqrt(2)")


def network(**odd: Any) -> Transformer:
    """A network of ones in which the named weights are another number."""
    part = {name: odd.get(name, 1) for name in ("eta", "U", "b", "W", "rho", "V", "Q", "K")}
    ff = FeedForward(part["eta"], [[part["U"]]], [part["b"]], [[part["W"]]])
    return Transformer(1, [Block(ff, SelfAttention(part["rho"], *([[part[name]]] for name in "VQK")))])


@pytest.mark.parametrize("name", ["eta", "U", "b", "W", "rho", "V", "Q", "K"])
def test_every_weight_counts(name: str) -> None:
    plain = network()
    assert (plain.parameters, plain.weight_bits, plain.bits, plain.is_rational) == (8, 8, 1, True)
    assert network(**{name: 0}).parameters == 7
    assert network(**{name: F(1, 3)}).weight_bits == 7 + 2
    assert network(**{name: 9}).bits == 4
    assert norm2(network(**{name: F(3, 2)})).low == 7 + F(9, 4)
    assert not network(**{name: ROOT}).is_rational


def test_the_norm_of_long_numbers_is_enclosed() -> None:
    terms = [F(1, 3**k) for k in range(1, 300)]
    for some in (terms[:5], terms, [F(2, 7**900)] * 3 + terms):
        found = sum_of(iter(some))
        assert found.low <= sum(some) <= found.high
        assert found.high - found.low <= F(len(some), 2**256)
    assert sum_of(iter(terms[:5])).exact
    assert not sum_of(iter(terms)).exact
    three = Transformer(3, [Block(FeedForward(0, Scalar(2), [0, 0, 0], Outer([1, 1, 0], [2, 0, 1])))])
    assert norm2(three).low == 3 * 4 + 2 * 5


def test_norms_are_exact_while_they_are_short() -> None:
    first = Block(FeedForward(0, Zero(), [F(1, 2), 3], Zero()))
    network = Transformer(2, [first, pure_attention([[1, 2], [0, 1]], 1)])
    assert norm2(network).low == F(1, 4) + 9 + F(1, 4) + 2 * F(1, 4) + 6 + 2
    assert (norm2(network).json(), float(norm2(network))) == ("18", 18.0)
    assert sum_of(iter([F(1, 2**4095)])).exact
    assert not sum_of(iter([F(1, 2**4096)])).exact
    assert sum_of(iter([F(1, 2**4000)] * 9)).low == F(9, 2**4000)
    assert Enclosure(F(1, 2), F(3, 4)).json() == ["1/2", "3/4"]
    with pytest.raises(NotExact, match="rational weights"):
        norm2(Transformer(1, [Block(FeedForward(ROOT, Zero(), [0], Zero()))]))


def test_norms_are_exact_or_enclosed() -> None:
    network = Transformer(
        2, [Block(None, ef.SelfAttention("1/2", {"outer": [[1, 2], [3, 0]]}, {"scalar": 2}, [[1, 1], [0, 0]]))]
    )
    assert norm2(network).json() == "221/4"
    rows = [[Fraction(1, 2**61 + 2 * k + 1)] for k in range(200)]
    long = Transformer(1, [Block(ef.FeedForward(3, rows, [0] * 200, [[0] * 200]))])
    found = norm2(long)
    assert not found.exact
    assert 9 < found.low < sum((x * x for row in rows for x in row), Fraction(9)) < found.high
