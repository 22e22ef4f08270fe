"""A word on which a given recogniser is wrong about a language that counts, without search.

Proof: mathematics/languages#theorem-3 (a).
"""

from __future__ import annotations

from math import lcm

from exactformer.errors import Declined, InvalidInput
from exactformer.languages.automaton import Automaton
from exactformer.languages.effort import spend
from exactformer.languages.recogniser import Periodic, Recogniser
from exactformer.languages.transitions import Counter, counter, refuting_words
from exactformer.languages.word_verdicts import BY_DEFINITION, WordVerdicts

#: the longest word that is evaluated by definition
LONGEST = 2_000


def period_of(recogniser: Recogniser) -> int:
    """The m of the class of recognisers with unique ties and features whose periods divide m.

    Raises InvalidInput where the recogniser is outside: ties to all, or a feature that is a ratio.
    """
    if any(head.ties == "all" for block in recogniser.blocks for head in block.heads):
        raise InvalidInput("expected ties first or last in every head, got all: pumping says nothing about means")
    if not all(isinstance(f, Periodic) for f in recogniser.features):
        raise InvalidInput("expected periodic features, got a ratio: pumping says nothing about it")
    return lcm(*(len(f.values) for f in recogniser.features if isinstance(f, Periodic)))


def pumped_word(recogniser: Recogniser, automaton: Automaton, found: Counter | None = None) -> tuple[str, ...] | None:
    """A word on which the recogniser is wrong, since the language counts; None where nothing counts for its period.

    `found` is a counter of the automaton, if one is known. On x w^n z and x w^(n+1) z the recogniser has the same
    value and the language has one of the two: one verdict is wrong.

    >>> from exactformer.languages.expressions import of_expression
    >>> pumped_word(Recogniser("a", [[1]], [], [1]), of_expression("(aa)*"))
    ('a', 'a', 'a')
    """
    period = period_of(recogniser)
    if found is None or (found.e is None and len(found.u) % period):
        found = counter(automaton, period)
    if found is None:
        return None
    blocks = sum(bool(block.heads) for block in recogniser.blocks)
    words = refuting_words(found, blocks, period)
    if len(words[1]) > LONGEST:
        raise Declined(f"pumping gives words of {len(words[1]):,} letters; at most {LONGEST:,} are evaluated")
    for word in words:
        spend(BY_DEFINITION * WordVerdicts(recogniser).steps(len(word)))
        if recogniser.is_wrong(recogniser.verdict(word), automaton.accepts(word)):
            return word
    raise ArithmeticError("two words with the same value, one of them in the language, and no verdict is wrong")
