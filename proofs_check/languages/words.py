"""Words one by one, by definition (FORMAT.md, section 17, scopes `word` and `upto`)."""

from collections.abc import Sequence
from itertools import product

from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.points import Point, over_one_denominator
from ..core.verdict import holds
from .automata import Automaton, read_word
from .heads import after_attention, found_at, visible
from .prefixes import reads_the_past, verify_along_prefixes
from .recognisers import Block, Head, Recogniser


def found_by(head: Head, tokens: list[Point], budget: Budget) -> list[Point | None]:
    """V times the mean of the tokens that every position follows; None where it sees nothing."""
    n = len(tokens)
    queries = [head.Q.times(x, budget) for x in tokens]
    keys, _ = over_one_denominator([head.K.times(x, budget) for x in tokens], budget)
    values = [head.V.times(x, budget) for x in tokens]
    return [found_at(q, keys, values, visible(head.mask, i, n), head.ties, budget) for i, q in enumerate(queries)]


def after_block(block: Block, tokens: list[Point], budget: Budget) -> list[Point]:
    """The tokens after a block."""
    fed = tokens if block.feed_forward is None else [block.feed_forward(x, budget) for x in tokens]
    found = [found_by(head, fed, budget) for head in block.heads]
    return [after_attention(block, x, [values[i] for values in found], budget) for i, x in enumerate(fed)]


def verdict_on(recogniser: Recogniser, word: Sequence[int], budget: Budget) -> str | None:
    """The verdict on a word; None where it has no position."""
    r = recogniser
    rows = [*([] if r.begin is None else [r.begin]), *[r.tokens[k] for k in word], *([] if r.end is None else [r.end])]
    budget.spend(400 * len(rows))
    tokens = [r.token(x, i, len(rows), budget) for i, x in enumerate(rows)]
    if not tokens:
        return None
    for block in r.blocks:
        tokens = after_block(block, tokens, budget)
    return r.sign(tokens[0 if r.at == "first" else -1], budget)


def has_the_verdict(file: Certificate, automaton: Automaton, recogniser: Recogniser, word: Sequence[int]) -> bool:
    """Whether the verdict on a word is the automaton's."""
    member = automaton.run(automaton.start, word) in automaton.accepting
    return recogniser.is_right(verdict_on(recogniser, word, file.budget), member)


def verify_word(file: Certificate, automaton: Automaton, recogniser: Recogniser) -> None:
    """The verdict on the word of the certificate is not the automaton's."""
    word = read_word(file.lines.field("word"), file.header["letters"], file.header["length"])
    holds(not has_the_verdict(file, automaton, recogniser, word), "the verdict on the word is the automaton's")


def number_of_words(letters: int, most: int) -> int:
    """How many words of at most so many letters there are; of at most 64, where that is beyond all limits."""
    return most + 1 if letters == 1 else sum([letters**n for n in range(min(most, 64) + 1)])


def verify_up_to(file: Certificate, automaton: Automaton, recogniser: Recogniser) -> int:
    """The verdict on every word up to the length is the automaton's; how many there are."""
    letters, most = file.header["letters"], file.header["length"]
    words = number_of_words(letters, most)
    file.budget.spend(500 * words)
    if reads_the_past(recogniser):
        verify_along_prefixes(file, automaton, recogniser)
        return words
    for n in range(most + 1):
        for word in product(range(letters), repeat=n):
            right = has_the_verdict(file, automaton, recogniser, word)
            holds(right, f"the verdict on the word {list(word)} is not the automaton's")
    return words
