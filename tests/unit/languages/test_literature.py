"""Tests of `exactformer.languages.literature`."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from exactformer.errors import Malformed
from exactformer.languages.automaton import Automaton
from exactformer.languages.expressions import of_expression
from exactformer.languages.literature import dyck_1, first, majority, parity
from exactformer.languages.named import language
from exactformer.languages.prove import prove


def test_recognisers_of_the_literature():
    assert prove(dyck_1(), language("dyck-1", up_to=9), up_to=9).words == 1023
    assert prove(parity(), language("parity"), up_to=9).words == 55
    assert prove(majority(), language("majority", up_to=9), up_to=9).verdict == "up to n"
    assert prove(first(), language("first")).verdict == "all lengths"
    assert prove(parity(), language("parity")).why.startswith("a feature that is a ratio")
    draw = prove(majority(), language("majority", up_to=7), up_to=9)  # cut off at 7
    assert len(draw.counterexample) == 8


def test_a_store_of_another_question_is_refused(tmp_path):
    store = tmp_path / "tried.json"
    prove(dyck_1(), language("dyck-1", up_to=4), up_to=4, store=store)
    with pytest.raises(Malformed, match="the same recogniser"):
        prove(dyck_1(), language("dyck-1", up_to=5), up_to=5, store=store)
    kept = json.loads(store.read_text())
    store.write_text(json.dumps({**kept, "parts": {"x": 3}}))
    with pytest.raises(Malformed, match="expected parts already judged"):
        prove(dyck_1(), language("dyck-1", up_to=4), up_to=4, store=store)
    words, _ = kept["parts"][">-1"]
    for part in ([words, [0, 0]], [words - 1, None]):  # a flipped verdict, and fewer words than were tried
        store.write_text(json.dumps({**kept, "parts": {">-1": part}}))
        with pytest.raises(Malformed, match="delete the file to try them again"):
            prove(dyck_1(), language("dyck-1", up_to=4), up_to=4, store=store)
    for text in ("[]", "{}", '{"exactformer":"tried words"}', "nonsense"):
        store.write_text(text)
        with pytest.raises(Malformed):
            prove(dyck_1(), language("dyck-1", up_to=4), up_to=4, store=store)


def test_a_counterexample_in_the_store_bounds_what_is_left(tmp_path):
    store = tmp_path / "tried.json"
    wrong = language("dyck-1", up_to=12) ^ Automaton.of_words("()", ["()" * 5])
    found = prove(dyck_1(), wrong, up_to=12, store=store)
    assert found.counterexample == tuple("()" * 5)
    assert prove(dyck_1(), wrong, up_to=12, store=store) == found


def test_too_many_words_are_decided_by_the_product_where_there_is_one():
    begins = language("first")
    assert prove(first(), begins, up_to=100).plan == "product"
    assert prove(first(), begins, up_to=100).verdict == "up to n"
    wrong = begins ^ Automaton.of_words("01", ["0" * 30])
    assert prove(first(), wrong, up_to=29).verdict == "up to n"
    assert prove(first(), wrong, up_to=30).counterexample == ("0",) * 30
    declined = prove(parity(), of_expression("0*1(0*10*1)*0*", "01") ^ of_expression("01", "01"), up_to=100)
    assert declined.verdict == "declined"
    assert "`up_to`" in declined.why
    assert "infinitely many values" in declined.why


def test_values_of_parity_are_those_of_the_theorem() -> None:
    """The values that proofs_check/rocq/theories/Parity.v has for words of every length."""
    for n in range(9):
        for ones in range(n + 1):
            value, positions = parity().value("1" * ones + "0" * (n - ones)), n + 1
            if n == 0:
                assert value == 0
            elif ones % 2:
                assert value == Fraction(1, positions * (positions // 2))
            else:
                assert value == -Fraction(1, positions * ((positions + 1) // 2))
