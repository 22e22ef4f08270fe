"""Tests of `exactformer.languages.recogniser`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from kits.recognisers import attention, dyck1, parity

from exactformer.errors import InvalidInput
from exactformer.languages.automaton import Automaton
from exactformer.languages.bounded import plan_of
from exactformer.languages.recogniser import Periodic, Polynomial, Ratio, Recogniser
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Zero

EVERYTHING = Automaton(("a", "b"), ((0, 0),), frozenset({0}))


def test_prefixes_need_the_past_and_the_last_position():
    upto = [MultiHeadBlock(None, MultiHeadAttention(0, [Head([[1]], Zero(), Zero(), "upto", "last")]))]
    after = [MultiHeadBlock(None, MultiHeadAttention(0, [Head([[1]], Zero(), Zero(), "after", "last")]))]
    length = Ratio(0, Polynomial({(0, 1): 1}), Polynomial({(0, 0): 1}))
    position = Ratio(0, Polynomial({(1, 0): 1}), Polynomial({(0, 0): 1}))

    def plan(blocks, **more):
        return plan_of(Recogniser("ab", [[1], [-1]], blocks, [1], **more), EVERYTHING)

    assert plan(upto, features=[position, Periodic(0, [1, 2])]) == "prefixes"
    assert {plan(after), plan(upto, at="first"), plan(upto, end=[0]), plan(upto, features=[length])} == {"words"}


def majority(zero="neither"):
    head = Head([[0, 0], [1, 0]], Zero(), Zero())
    blocks = [MultiHeadBlock(None, attention(head))]
    return Recogniser("01", [[-1, 0], [1, 0]], blocks, [0, 1], zero=zero, empty=False)


def words(letters, most):
    return ["".join(w) for n in range(most + 1) for w in product(letters, repeat=n)]


def balanced(word):
    height = 0
    for letter in word:
        height += 1 if letter == "(" else -1
        if height < 0:
            return False
    return height == 0


def test_parity_is_right_on_all_words_but_the_empty_one_where_it_is_exactly_zero():
    r = parity()
    for word in words("01", 6)[1:]:
        ones, length = word.count("1"), len(word) + 1
        below = length // 2 if ones % 2 else -(length // -2)
        assert r.value(word) == Fraction(1 if ones % 2 else -1, length * below)
    assert r.verdict("") == "zero"
    assert not r.accepts("")


def test_majority_is_zero_where_votes_are_even():
    r = majority()
    for word in words("01", 6)[1:]:
        votes = 2 * word.count("1") - len(word)
        assert r.verdict(word) == ("accept" if votes > 0 else "reject" if votes < 0 else "zero")
    assert r.verdict("") == "reject"
    assert r.is_wrong("zero", False)
    assert not majority("rejected").is_wrong("zero", False)
    assert majority("rejected").is_wrong("zero", True)


def test_brackets():
    r = dyck1()
    assert [w for w in words("()", 7) if r.accepts(w) != balanced(w)] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"letters": ["0"]}, "one token per letter"),
        ({"letters": ["0", "0"]}, "differ"),
        ({"letters": []}, "differ"),
        ({"accept": [1]}, "dimension"),
        ({"at": "middle"}, "first or last"),
        ({"zero": True}, "rejected or neither"),
        ({"features": [Periodic(2, [1])]}, "coordinates 0 to 1"),
        ({"begin": [0, 0]}, "empty word"),
        ({"blocks": [MultiHeadBlock(None, attention(Head([[1]], Zero(), Zero())))]}, "2-by-2"),
    ],
)
def test_what_is_no_recogniser(change, said):
    given = {"letters": "01", "tokens": [[-1, 0], [1, 0]], "blocks": [], "accept": [0, 1], "empty": False}
    with pytest.raises(InvalidInput, match=said):
        Recogniser(**(given | change))


def test_a_letter_of_another_alphabet_and_a_denominator_that_vanishes():
    with pytest.raises(InvalidInput, match="position 1: expected a letter"):
        majority().verdict("0x")
    pole = Ratio(0, Polynomial({(0, 0): 1}), Polynomial({(1, 0): 1}))
    with pytest.raises(InvalidInput, match="denominator vanishes at position 0 of 1"):
        Recogniser("a", [[0]], [], [1], features=[pole]).verdict("a")
    for terms in ({}, {(0, 0): 0}, {(33, 0): 1}, {(0, -1): 1}):
        with pytest.raises(InvalidInput, match="exponents"):
            Polynomial(terms)
