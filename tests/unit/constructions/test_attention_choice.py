"""Tests of `exactformer.constructions.attention_choice`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from exactformer.constructions.attention_choice import AttentionChoice
from exactformer.errors import InvalidInput

F = Fraction


@pytest.mark.parametrize(
    ("method", "attention", "beta", "kind", "low", "high"),
    [
        ("shallow", None, None, "hardmax", None, None),
        ("leaders", None, None, "hardmax", None, None),
        ("paper", "hardmax", None, "hardmax", None, None),
        ("shallow", "softmax", None, "softmax", None, None),
        ("deep", "softmax", 2, "softmax", None, None),
        ("compact", "softmax", None, "softmax", None, None),
        ("extraction", "softmax", "1/2", "softmax", None, None),
        ("leaders", "softmax", None, "softmax", 1, math.inf),
        ("leaders", "softmax", "5/2", "softmax", F(5, 2), math.inf),
        ("temperature", None, "1/3", "softmax", F(1, 3), F(1, 3)),
        ("temperature", "softmax", 2, "softmax", 2, 2),
    ],
)
def test_the_temperatures_of_a_method(method: str, attention: Any, beta: Any, kind: str, low: Any, high: Any) -> None:
    found = AttentionChoice.of(method, attention, beta)
    assert found.kind == kind
    if low is None:
        assert found.temperatures is None
    else:
        assert found.temperatures is not None
        assert (found.temperatures.low, found.temperatures.high) == (low, None if high == math.inf else high)


@pytest.mark.parametrize(
    ("method", "attention", "beta", "words"),
    [
        ("shallow", "sparse", None, "expected attention hardmax or softmax"),
        ("shallow", None, 1, "add attention softmax"),
        ("leaders", "hardmax", 1, "add attention softmax"),
        ("temperature", "hardmax", 1, "leave out the attention"),
        ("temperature", None, None, "give beta"),
        ("temperature", None, 0, "inverse temperature"),
        ("leaders", "softmax", "-1/2", "inverse temperature"),
        ("paper", "softmax", None, "method paper is built for hardmax only"),
    ],
)
def test_attention_that_a_method_does_not_have(method: str, attention: Any, beta: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        AttentionChoice.of(method, attention, beta)
