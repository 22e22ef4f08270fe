"""Tests of `exactformer.languages.word_verdicts`."""

from __future__ import annotations

import random
from itertools import product

import pytest
from recogniser_kit import random_recogniser, words

from exactformer.languages.recogniser import Polynomial, Ratio, Recogniser
from exactformer.languages.word_verdicts import PrefixWalk, WordVerdicts
from exactformer.model.heads import MASKS, TIES


def with_ratio(r, rng):
    terms = rng.choice([{(0, 0): 1, (1, 0): 1}, {(0, 0): 2, (0, 1): 1}])
    feature = Ratio(rng.randrange(r.dim), Polynomial({(1, 0): 1, (0, 0): "1/3"}), Polynomial(terms))
    marks = {"at": r.at, "begin": r.begin, "end": r.end, "zero": r.zero, "empty": r.empty}
    return Recogniser(
        r.letters, r.tokens, r.blocks, r.accept, r.threshold, features=[*r.features, feature][-1:], **marks
    )


@pytest.mark.parametrize("seed", range(25))
def test_verdicts_are_those_of_the_definition(seed):
    rng = random.Random(seed)
    r = random_recogniser(seed, masks=MASKS, ties=TIES)
    for one in (r, with_ratio(r, rng)):
        verdicts = WordVerdicts(one)
        assert [w for w in words("ab", 3) if verdicts.of(["ab".index(a) for a in w]) != one.verdict(w)] == []


def test_a_walk_comes_back_to_where_it_was():
    r = random_recogniser(3, masks=("before", "upto"), ties=TIES)
    r = Recogniser("ab", r.tokens, r.blocks, r.accept, r.threshold, begin=r.begin, zero="rejected")
    walk = PrefixWalk(WordVerdicts(r))
    for word in product(range(2), repeat=4):
        for n, k in enumerate(word):
            assert walk.push(k) == r.verdict(["ab"[j] for j in word[: n + 1]])
        for _ in word:
            walk.pop()
