"""Tests of `exactformer.languages.named`."""

from __future__ import annotations

import json
from itertools import pairwise, product
from pathlib import Path

import pytest

from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.languages.expressions import graphviz
from exactformer.languages.named import language
from exactformer.languages.transitions import Counter, counter_for_every_period

LENGTH = 5


def all_words(letters: str) -> list[tuple[str, ...]]:
    return [w for n in range(LENGTH + 1) for w in product(letters, repeat=n)]


@pytest.mark.parametrize(
    ("name", "states", "verdict"),
    [
        ("tomita-1", 2, 1),
        ("tomita-2", 3, 1),
        ("tomita-3", 5, 2),
        ("tomita-4", 4, 1),
        ("tomita-5", 4, None),
        ("tomita-6", 3, None),
        ("tomita-7", 5, 1),
        ("parity", 2, None),
        ("even-pairs", 5, 1),
        ("first", 3, 1),
        ("dyck-1-3", 5, 1),
        ("dyck-2-2", 8, 1),
        ("(aa)*", 2, 2),
        ("(ab|ba)*", 4, 1),
        ("(abc)*", 4, 1),
    ],
)
def test_named_languages_and_their_periods(name: str, states: int, verdict: int | None) -> None:
    d = language(name)
    assert len(d) == states
    found = counter_for_every_period(d)
    assert (None if isinstance(found, Counter) else found) == verdict


def test_names_by_their_definition() -> None:
    for w in all_words("01"):
        zeros, ones, text = w.count("0"), w.count("1"), "".join(w)
        assert language("parity").accepts(w) == (ones % 2 == 1)
        assert language("tomita-5").accepts(w) == (zeros % 2 == ones % 2 == 0)
        assert language("tomita-6").accepts(w) == ((zeros - ones) % 3 == 0)
        assert language("majority", up_to=LENGTH).accepts(w) == (ones > zeros)
        runs = [(r[0], len(r)) for r in text.replace("01", "0 1").replace("10", "1 0").split()]
        odd = any(a[0] == "1" and a[1] % 2 and b[1] % 2 for a, b in pairwise(runs))
        assert language("tomita-3").accepts(w) == (not odd), w
    for v in all_words("ab"):
        pairs = sum(x != y for x, y in pairwise(v))
        assert language("even-pairs").accepts(v) == (pairs % 2 == 0)
    word = language("dyck-1", up_to=8).difference(
        language("dyck-1-4")
    )  # equal up to 9 letters: balanced words are even
    assert word is not None
    assert len(word) == 10


@pytest.mark.parametrize(
    "text", ["Parity", "parity ", " PARITY", "FIRST", "Majority", "dyck 2 2", "Dyck_2_2", "TOMITA-6"]
)
def test_a_name_in_other_case_or_with_blanks_is_no_expression(text: str) -> None:
    meant = text.strip().lower().replace(" ", "-").replace("_", "-")
    with pytest.raises(InvalidInput, match=f"its name '{meant}'"):
        language(text)
    if text.isalpha():  # the word itself can be said
        assert language(f"({text})").accepts(text)


def test_what_a_language_may_be(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(language("(ab)*").json()))
    assert language(str(file)) == language("(ab)*")
    assert language("first", letters="012").letters == ("0", "1", "2")
    file.write_text("{")
    with pytest.raises(Malformed, match=r"a\.json"):
        language(str(file))
    with pytest.raises(InvalidInput, match="`up_to`"):
        language("majority")
    long = language("dyck-1", up_to=40)
    assert long.accepts("(" * 20 + ")" * 20)
    assert not long.accepts("(" * 21 + ")" * 21)
    with pytest.raises(Declined, match="transitions"):
        language("dyck-1", up_to=10**5)
    for wrong in ("tomita-9", "dyck-9-1", "dyck-1-0", "even-pair"):
        with pytest.raises(InvalidInput, match=r"expected (a language|dyck)"):
            language(wrong)
    with pytest.raises(Declined, match="transitions"):
        language("dyck-4-99999")
    assert graphviz(language("(ab)*")).count("->") == 6
