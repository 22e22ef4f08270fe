"""All lengths by the product automaton, against the definition on all short words."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from recogniser_kit import random_recogniser, words

from exactformer.checking import check
from exactformer.errors import Declined, InvalidInput
from exactformer.languages.automaton import Automaton
from exactformer.languages.machine import machine_of
from exactformer.languages.prove import extract, prove
from exactformer.languages.recogniser import Periodic, Polynomial, Ratio, Recogniser
from exactformer.languages.transitions import is_star_free
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Zero


def compare(r, most):
    """The extracted automaton is right on short words, is proved, and wrong targets are refuted by a shortest word."""
    found = extract(r, most=3000)
    assert [w for w in words("ab", most) if r.accepts(w) != found.accepts(w)] == []
    assert found == found.minimal()
    proof = prove(r, found, most=20_000)
    assert proof
    assert (proof.verdict, proof.counterexample) == ("all lengths", None)
    rng = random.Random(str(found.json()))
    for word in rng.sample(words("ab", 4), 3):
        other = found ^ Automaton.of_words("ab", [word])
        refuted = prove(r, other, most=20_000)
        assert not refuted
        assert refuted.counterexample == word
        assert refuted.is_shortest
    for q in range(len(found)):  # another verdict in one state of the automaton
        other = Automaton(found.letters, found.next, found.accepting ^ {q}, found.start)
        refuted = prove(r, other, most=20_000)
        assert other.accepts(refuted.counterexample) != r.accepts(refuted.counterexample)
        shorter = words("ab", min(len(refuted.counterexample) - 1, most))
        assert all(other.accepts(w) == r.accepts(w) for w in shorter)


@pytest.mark.parametrize("seed", range(40))
def test_past_heads(seed):
    compare(random_recogniser(seed, masks=("before", "upto")), 5)


@pytest.mark.parametrize("seed", range(100, 150))
def test_all_masks(seed):
    with suppress(Declined):  # how many are is told below
        compare(random_recogniser(seed, most_blocks=2), 5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_all_masks_and_ties_at_length(seed):
    with suppress(Declined):
        compare(random_recogniser(seed, ties=("all", "first", "last")), 6)


def test_most_random_recognisers_are_decided():
    declined = 0
    for seed in range(100, 150):
        try:
            extract(random_recogniser(seed, most_blocks=2), most=3000)
        except Declined:
            declined += 1
    assert declined <= 10


def test_every_language_of_the_class_is_star_free():
    for seed in range(200, 230):
        r = random_recogniser(seed, masks=("before", "upto"))
        if not r.features:
            assert is_star_free(extract(r))


def one_head(head, **more):
    return Recogniser("ab", [[1], [-1]], [MultiHeadBlock(None, MultiHeadAttention(0, [head]))], [1], **more)


def begins_with_a():
    return Automaton(("a", "b"), ((1, 2), (1, 1), (2, 2)), frozenset({1}), 0)


def test_the_first_letter_by_ties_and_not_by_other_ties():
    head = Head([[1]], Zero(), Zero(), None, "first")
    assert prove(one_head(head, empty=False), begins_with_a()).verdict == "all lengths"
    last = prove(one_head(Head([[1]], Zero(), Zero(), None, "last"), empty=False), begins_with_a())
    assert last.verdict == "refuted"
    assert sorted(last.counterexample) == ["a", "b"]


def test_letters_in_another_order_are_the_same_language():
    head = Head([[1]], Zero(), Zero(), None, "first")
    turned = Automaton(("b", "a"), ((2, 1), (1, 1), (2, 2)), frozenset({1}), 0)
    assert prove(one_head(head, empty=False), turned)


def test_an_average_is_declined_and_is_neither_yes_nor_no():
    mean = one_head(Head([[1]], Zero(), Zero()), empty=False)
    more_a = Automaton.of_words("ab", [w for w in words("ab", 6) if w.count("a") > w.count("b")])
    rejected = Recogniser("ab", mean.tokens, mean.blocks, [1], zero="rejected", empty=False)
    found = prove(rejected, more_a)
    assert found.verdict == "declined"
    assert "averaged" in found.why
    assert (found.recogniser, found.target) == (rejected, more_a)
    with pytest.raises(Declined):
        bool(found)
    assert prove(rejected, more_a, up_to=6).verdict == "up to n"
    assert prove(rejected, more_a, up_to=7).counterexample == ("a",) * 7


def test_a_declined_question_may_still_have_a_short_counterexample():
    mean = one_head(Head([[1]], Zero(), Zero()), empty=False)
    found = prove(mean, begins_with_a())
    assert (found.verdict, found.counterexample) == ("refuted", ("a", "b"))
    assert (found.recogniser, found.target) == (mean, begins_with_a())


def test_zero_is_neither_unless_it_counts_as_rejected():
    empty = Automaton(("a", "b"), ((0, 0),), frozenset())
    assert prove(Recogniser("ab", [[0], [0]], [], [1]), empty).counterexample == ()
    assert prove(Recogniser("ab", [[0], [0]], [], [1], zero="rejected"), empty)


def test_features_with_infinitely_many_values_and_limits_are_declined():
    ratio = Ratio(0, Polynomial({(0, 0): 1}), Polynomial({(0, 0): 1, (1, 0): 1}))
    all_words = Automaton(("a", "b"), ((0, 0),), frozenset({0}))
    r = Recogniser("ab", [[1], [1]], [], [1], features=[ratio], empty=True)
    assert "infinitely many" in prove(r, all_words).why
    assert prove(r, all_words, up_to=3).words == 15
    assert prove(r, all_words, up_to=40).verdict == "declined"
    periods = [Periodic(0, [0] * n) for n in (997, 991)]
    assert (
        "common multiple" in prove(Recogniser("ab", [[1], [1]], [], [1], features=periods, empty=True), all_words).why
    )
    upto = one_head(Head([[1]], Zero(), Zero(), "upto", "last"), empty=True)
    wrong_at_ab = prove(upto, all_words, most=1)
    assert (wrong_at_ab.verdict, wrong_at_ab.counterexample) == ("refuted", ("b",))
    assert "more than 1 summaries" in prove(upto, extract(upto), most=1).why
    with pytest.raises(InvalidInput, match="same alphabet"):
        prove(r, Automaton(("c",), ((0,),), frozenset()))
    with pytest.raises(InvalidInput, match="n >= 0"):
        prove(r, all_words, up_to=-1)


def test_a_proof_may_have_no_certificate(tmp_path):
    """Tied positions differ only in what nothing reads: proved, but means of it are infinitely many."""
    head = Head([[1, 0], [0, 1]], Zero(), Zero(), "upto")
    r = Recogniser("ab", [[1, 1], [1, -1]], [MultiHeadBlock(None, MultiHeadAttention(0, [head]))], [1, 0], empty=True)
    found = prove(r, Automaton(("a", "b"), ((0, 0),), frozenset({0})))
    assert found.verdict == "all lengths"
    with pytest.raises(Declined, match="without a certificate"):
        found.certify(tmp_path / "c.jsonl")
    assert not (tmp_path / "c.jsonl").exists()


def test_too_many_states_and_a_language_that_counts():
    """Nothing is proved, the first words are right, and pumping gives a word all the same."""
    head = Head([[1]], Zero(), Zero(), "upto", "last")
    r = one_head(head, zero="rejected", empty=True)
    odd_from_afar = Automaton.of(
        "ab", (0, 1), lambda s, a: (min(s[0] + 1, 9), (a == "a") if s[0] < 8 else 1 - s[1]), lambda s: s[1] == 1
    )
    found = prove(r, odd_from_afar, most=1)
    assert (found.verdict, found.plan, found.is_shortest) == ("refuted", "pumping", False)
    assert r.is_wrong(r.verdict(found.counterexample), odd_from_afar.accepts(found.counterexample))


def test_a_machine_has_as_many_states_as_are_allowed_and_no_more() -> None:
    r = random_recogniser(3, masks=("before", "upto"))
    states = len(machine_of(r).moves)
    assert len(machine_of(r, states).moves) == states
    with pytest.raises(Declined, match=f"more than {states - 1} states"):
        machine_of(r, states - 1)


@pytest.mark.parametrize("up_to", [0, 1, 3])
def test_a_certificate_is_of_as_many_letters_as_were_tried(up_to, tmp_path):
    """The first letter is read, and the target is another language from words of `up_to` + 1 letters on."""
    r = one_head(Head([[1]], Zero(), Zero(), None, "first"), empty=False)
    target = begins_with_a() ^ Automaton.of("ab", 0, lambda n, a: min(n + 1, up_to + 1), lambda n: n == up_to + 1)
    found = prove(r, target, up_to=up_to)
    assert found.verdict == "up to n"
    path = found.certify(tmp_path / "c.jsonl")
    assert check(path).accepted
    refuted = prove(r, target, up_to=up_to + 1)
    assert (refuted.verdict, len(refuted.counterexample)) == ("refuted", up_to + 1)
