"""Tests of `exactformer.languages.pumping`."""

from __future__ import annotations

import random

import pytest
from kits.random_languages import random_recogniser

from exactformer.errors import Declined, InvalidInput
from exactformer.languages import pumping
from exactformer.languages.expressions import of_expression
from exactformer.languages.named import language
from exactformer.languages.prove import prove
from exactformer.languages.pumping import period_of, pumped_word
from exactformer.languages.recogniser import Periodic, Recogniser
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Scalar, Zero


def only_the_empty_word(blocks: int) -> Recogniser:
    """Over a, b: every other word is rejected, after heads that look at the position before."""
    before = Head(Scalar(1), Zero(), Zero(), "before", "last")
    attention = [MultiHeadBlock(None, MultiHeadAttention(1, [before])) for _ in range(blocks)]
    return Recogniser("ab", [[-1], [-1]], attention, [1], empty=True)


def test_the_period_of_a_recogniser() -> None:
    features = [Periodic(0, [1, 2]), Periodic(0, [1, 2, 3])]
    assert period_of(Recogniser("a", [[1]], [], [1], features=features)) == 6
    assert period_of(Recogniser("a", [[1]], [], [1])) == 1


@pytest.mark.parametrize("seed", range(40))
def test_the_word_of_pumping_refutes(seed: int) -> None:
    model = random_recogniser(random.Random(seed))
    for name in ("parity", "tomita-5", "tomita-6"):
        target = language(name)
        word = pumped_word(model, target)
        assert word is not None
        assert model.is_wrong(model.verdict(word), target.accepts(word))


def test_where_the_product_is_too_large_pumping_refutes() -> None:
    """With a limit of one state the product declines; on the first words the model is right; pumping finds a word."""
    model, target = only_the_empty_word(3), of_expression("(aaaaaaaa)*", "ab")
    found = prove(model, target, most=1)
    assert (found.verdict, found.plan, found.is_shortest) == ("refuted", "pumping", False)
    assert found.counterexample == ("a",) * 8
    assert prove(model, of_expression("()", "ab"), most=1).verdict == "declined"


def test_words_that_are_too_long_are_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pumping, "LONGEST", 3)
    with pytest.raises(Declined, match="at most 3 are evaluated"):
        pumped_word(only_the_empty_word(2), of_expression("(aa)*", "ab"))


def test_outside_the_class() -> None:
    mean = MultiHeadBlock(None, MultiHeadAttention(1, [Head(Scalar(1), Scalar(1), Scalar(1))]))
    with pytest.raises(InvalidInput, match="ties first or last"):
        pumped_word(Recogniser("a", [[1]], [mean], [1]), of_expression("(aa)*"))
