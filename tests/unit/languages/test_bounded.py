"""Tests of `exactformer.languages.bounded`."""

from __future__ import annotations

import hashlib
import json
import random

import pytest
from recogniser_kit import random_recogniser, words

from exactformer.languages import bounded
from exactformer.languages.automaton import Automaton
from exactformer.languages.bounded import Question, plan_of, try_words
from exactformer.languages.expressions import of_expression
from exactformer.languages.literature import dyck_1, first, majority, parity
from exactformer.languages.named import language
from exactformer.languages.prove import prove
from exactformer.languages.recogniser import Recogniser
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import MASKS, TIES, Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Zero
from exactformer.parallel import Workers


def first_wrong(r, target, most):
    return next((w for w in words(r.letters, most) if r.is_wrong(r.verdict(w), target.accepts(w))), None)


@pytest.mark.parametrize("seed", range(20))
def test_every_plan_finds_the_first_counterexample(seed, monkeypatch):
    monkeypatch.setattr(bounded, "PARTS", 4)
    rng = random.Random(seed)
    r = random_recogniser(
        seed, masks=rng.choice([("before", "upto"), (None,), MASKS]), ties=rng.choice([("all",), TIES])
    )
    targets = [of_expression(e, "ab") for e in ("(ab)*", ".*", "a*b", "(a|b)(a|b)", "(.*aa.*)|[]")]
    targets += [Automaton.of_words("ab", [w for w in words("ab", 6) if r.accepts(w) ^ (w == tuple("bab"))])]
    for target in targets:
        found = prove(r, target, up_to=4)
        assert found.counterexample == first_wrong(r, target, 4)
        assert found.verdict == ("up to n" if found.counterexample is None else "refuted")


def test_counts_are_chosen_only_where_order_cannot_matter():
    assert plan_of(majority(), language("majority", up_to=5)) == "counts"
    assert plan_of(majority(), of_expression("0*1", "01")) == "words"
    assert plan_of(parity(), language("parity")) == "counts"
    assert plan_of(dyck_1(), language("dyck-1", up_to=5)) == "prefixes"
    assert plan_of(first(), language("first")) == "words"
    rejects = Recogniser("ab", [[-1], [-1]], [], [1], empty=False)
    only_abab = Automaton.of_words("ab", ["abab"])
    assert plan_of(rejects, only_abab) == "prefixes"
    assert prove(rejects, only_abab, up_to=4).counterexample == tuple("abab")


def test_counts_need_that_no_later_layer_reads_the_letters():
    """The same as PARITY but for one unit, query, key or value that reads the letter: no longer by counts."""
    r = parity()
    means, second = r.blocks
    odd, even = second.self_attention.heads
    reads = [[1] + [0] * 7] * 8
    changed = {
        "unit": MultiHeadBlock(FeedForward(1, [reads[0]], [0], [[0]] * 7 + [[1]]), second.self_attention),
        "value": MultiHeadBlock(second.feed_forward, MultiHeadAttention(1, [odd, Head(reads, Zero(), Zero())])),
        "query": MultiHeadBlock(second.feed_forward, MultiHeadAttention(1, [odd, Head(even.V, reads[:1], even.K)])),
        "key": MultiHeadBlock(second.feed_forward, MultiHeadAttention(1, [odd, Head(even.V, even.Q, reads[:1])])),
    }
    more = {"at": "first", "begin": r.begin, "features": r.features, "zero": "rejected"}
    for block in changed.values():
        other = Recogniser("01", r.tokens, [means, block], r.accept, **more)
        assert plan_of(other, language("parity")) == "words"
    at_a_letter = Recogniser(
        "01", r.tokens, r.blocks, [1] + [0] * 6 + [1], features=r.features, at="last", begin=r.begin
    )
    assert plan_of(at_a_letter, language("parity")) == "words"
    no_uniform_block = Recogniser("01", r.tokens, [second], r.accept, **more)
    assert plan_of(no_uniform_block, language("parity")) == "words"


def test_workers_and_a_store_do_not_change_the_answer(tmp_path):
    question = Question(dyck_1(), language("dyck-1", up_to=10), "prefixes")
    alone = try_words(question, 10)
    assert try_words(question, 10, workers=Workers(2)) == alone
    store = tmp_path / "tried.json"
    assert try_words(question, 10, store=store) == alone
    kept = json.loads(store.read_text())
    kept["parts"] = dict(list(kept["parts"].items())[:100])
    said = json.dumps([kept["question"], kept["parts"]], sort_keys=True)
    kept["sha256"] = hashlib.sha256(said.encode()).hexdigest()
    store.write_text(json.dumps(kept))
    tried = []
    assert try_words(question, 10, store=store, progress=tried.append) == alone
    assert len(tried) == 157
    assert tried[-1] == alone.words == 2047
