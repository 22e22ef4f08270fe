"""What every head looks at on one word, block by block."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from exactformer.display.verbs import Drawn, Listed
from exactformer.errors import NotExact
from exactformer.io.json_lines import JsonObject
from exactformer.languages.automaton import Word, spell
from exactformer.languages.effort import keep, one_question, spend
from exactformer.languages.recogniser import Recogniser, WordVerdict
from exactformer.languages.word_verdicts import BY_DEFINITION, WordVerdicts
from exactformer.model.heads import MultiHeadStep
from exactformer.model.matrix import Row

#: bytes of an exact number
_NUMBER = 110


@dataclass(frozen=True)
class Attended(Listed, Drawn):
    """A recogniser on one word: the tokens at first, what every block did, and the verdict."""

    names: tuple[str, ...]
    tokens: tuple[Row, ...]
    steps: tuple[MultiHeadStep, ...]
    verdict: WordVerdict
    word: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Attended({spell(self.word)!r}: {self.verdict}, {len(self.steps)} blocks)"

    def json(self) -> JsonObject:
        """Per block the tokens after it and, per head and position, the positions followed."""
        blocks = [
            {"tokens": [list(x) for x in step.outputs], "heads": [[list(c) for c in head] for head in step.follows]}
            for step in self.steps
        ]
        return {"blocks": blocks, "verdict": self.verdict}


@one_question()
def attend(recogniser: Recogniser, word: Word) -> Attended:
    """Whom every head of every block follows on the word, by definition, and the verdict."""
    begin, end = ([] if mark is None else [name] for mark, name in ((recogniser.begin, "^"), (recogniser.end, "$")))
    names = (*begin, *word, *end)
    with suppress(NotExact):  # of algebraic numbers the effort is not known
        verdicts = WordVerdicts(recogniser)
        spend(BY_DEFINITION * verdicts.steps(len(names)))
        keep(len(recogniser.blocks) * len(names) * (_NUMBER * recogniser.dim))
    steps = tuple(recogniser.steps(word))
    return Attended(names, tuple(recogniser.embed(word)), steps, recogniser.verdict(word), tuple(word))
