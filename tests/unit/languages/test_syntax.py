"""Tests of `exactformer.languages.syntax`."""

from __future__ import annotations

import pytest

from exactformer.errors import Declined, InvalidInput
from exactformer.languages.expressions import of_expression
from exactformer.languages.syntax import parse


@pytest.mark.parametrize(
    ("text", "place", "cause"),
    [
        ("", 0, r"write \(\) for the empty word"),
        ("a|", 2, "empty word"),
        ("|a", 0, "empty word"),
        ("(a", 2, r"the \) of the \( at position 0"),
        ("a)", 1, r"no \( before"),
        ("a**", 2, "brackets"),
        ("a+?", 2, "brackets"),
        ("*a", 0, "nothing before"),
        ("a&", 2, "empty word"),
        ("(|a)", 1, "empty word"),
        ("~", 1, "a letter"),
        ("~|a", 1, "a letter"),
        ("[a]", 1, "empty set"),
        ("a]", 1, "operator or the end"),
        ("'ab", 3, "quoted from position 0"),
        ("a''", 2, "not empty"),
        ("'a\\", 4, "quoted from position 0"),
    ],
)
def test_errors_name_place_and_cause(text: str, place: int, cause: str) -> None:
    with pytest.raises(InvalidInput, match=cause) as problem:
        parse(text)
    assert f"position {place}:" in str(problem.value)


def test_limits_are_declined() -> None:
    with pytest.raises(Declined, match="characters"):
        parse("a" * 10_001)
    for text in ("(" * 101 + "a" + ")" * 101, "~" * 200 + "a"):
        with pytest.raises(Declined, match="nested"):
            parse(text)
    assert len(of_expression("ab" * 1000)) == 2002
