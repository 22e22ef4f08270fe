"""Tests of `exactformer.certificates.rocq_numbers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from exactformer.certificates.rocq_numbers import number_literal, row_literal, rows_literal, verify_keys
from exactformer.errors import Malformed
from exactformer.io.canonical import canonical


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: verify_keys({"block": False}, {"block"}, "x", block=0),
        lambda: verify_keys({"block": 1}, {"block"}, "x", block=0),
        lambda: verify_keys({"block": "0"}, {"block"}, "x", block=0),
        lambda: verify_keys({"block": 0, "more": 1}, {"block"}, "x", block=0),
        lambda: verify_keys({}, {"block"}, "x"),
        lambda: verify_keys([], {"block"}, "x"),
        lambda: rows_literal([], "x"),
        lambda: rows_literal([["1"], []], "x"),
        lambda: row_literal("12", "x"),
        lambda: number_literal(1),
        lambda: number_literal("1.5"),
    ],
    ids=range(11),
)
def test_literals_of_anything_else_are_malformed(wrong: Callable[[], Any]) -> None:
    with pytest.raises(Malformed):
        wrong()
    verify_keys({"block": 0, "label": "a"}, {"block"}, "x", {"label"}, block=0)


def test_integers_of_any_length_have_a_literal() -> None:
    for n in (0, 10**18 - 1, 10**18, 10**18 + 1, -(10**18), 10**5000):
        text = number_literal(canonical(n)).strip("()")
        assert ("0x" in text) is (abs(n) >= 10**18)
        assert int(text, 16 if "0x" in text else 10) == n
