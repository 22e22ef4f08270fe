"""Mutants of recognisers, one mask or tie rule changed: refuted with a shortest word, or proved equivalent."""

from collections.abc import Iterator
from itertools import product

from recogniser_kit import words

from exactformer.languages.automaton import Automaton
from exactformer.languages.compiled import compile_language
from exactformer.languages.literature import dyck_by_passes, first
from exactformer.languages.named import language
from exactformer.languages.program_weights import recogniser_of_program
from exactformer.languages.prove import prove
from exactformer.languages.recogniser import Recogniser
from exactformer.languages.word_verdicts import WordVerdicts
from exactformer.model.heads import MASKS, Head, MultiHeadAttention, MultiHeadBlock

NAMES = ("(ab)*", "dyck-1-2", "dyck-2-1", "dyck-1-3", "tomita-4", "even-pairs", "a*b*a*", "tomita-2")


def subjects() -> Iterator[tuple[Recogniser, Automaton]]:
    """Recognisers with their languages: of the past only, and with heads that look both ways."""
    yield first(), language("first")
    for types, depth in ((1, 1), (2, 1)):
        yield recogniser_of_program(dyck_by_passes(types, depth)), language(f"dyck-{types}-{depth}")
    yield compile_language(ltl="b & Y a & H (a -> !Y a)", letters="ab").recogniser, None
    for name in NAMES:
        yield compile_language(name).recogniser, language(name)


def mutants(r: Recogniser) -> Iterator[Recogniser]:
    """Every head with every other mask and unique tie rule."""
    for b, block in enumerate(r.blocks):
        for h, head in enumerate(block.heads):
            for mask, ties in product(MASKS, ("first", "last")):
                if (mask, ties) != (head.mask, head.ties):
                    heads = list(block.heads)
                    heads[h] = Head(head.V, head.Q, head.K, mask, ties)
                    attention = MultiHeadAttention(block.self_attention.rho, heads)
                    blocks = (*r.blocks[:b], MultiHeadBlock(block.feed_forward, attention), *r.blocks[b + 1 :])
                    yield replaced(r, blocks)


def replaced(r: Recogniser, blocks: tuple[MultiHeadBlock, ...]) -> Recogniser:
    more = {"at": r.at, "begin": r.begin, "end": r.end, "features": r.features, "zero": r.zero, "empty": r.empty}
    return Recogniser(r.letters, r.tokens, blocks, r.accept, r.threshold, **more)


def first_wrong(r: Recogniser, target: Automaton, most: int) -> tuple[str, ...] | None:
    """The first word on which the verdict is wrong, by definition."""
    verdicts = WordVerdicts(r)
    for word in words(r.letters, most):
        if r.is_wrong(verdicts.of([r.letters.index(a) for a in word]), target.accepts(word)):
            return word
    return None


def judge(r: Recogniser, target: Automaton) -> str:
    """The verdict on a mutant, after brute force agrees with it."""
    found = prove(r, target)
    most = {1: 12, 2: 7, 4: 4}[len(r.letters)]
    if found.verdict == "refuted":
        word = found.counterexample
        assert found.is_shortest
        assert r.is_wrong(r.verdict(word), target.accepts(word))
        assert first_wrong(r, target, min(len(word) - 1, most)) is None
    else:
        assert found.verdict == "all lengths"
        assert first_wrong(r, target, most) is None
    return found.verdict


def test_two_hundred_mutants_are_decided() -> None:
    verdicts = []
    for r, target in subjects():
        target = extracted(r) if target is None else target
        assert judge(r, target) == "all lengths"
        verdicts += [judge(mutant, target) for mutant in list(mutants(r))[:: 1 if len(r.blocks) < 30 else 2]]
    assert len(verdicts) >= 200
    assert verdicts.count("refuted") > 100
    assert verdicts.count("all lengths") > 10


def extracted(r: Recogniser) -> Automaton:
    from exactformer.languages.prove import extract

    return extract(r)
