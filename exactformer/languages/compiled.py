"""A language as exact weights with a proof for words of every length, or the counter that shows that none exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from exactformer.display.verbs import Certified, Drawn, Listed
from exactformer.errors import Declined, InvalidInput, proof_at
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.languages.automaton import Automaton, Word, spell
from exactformer.languages.cascade import MOST_CHAINS, cascade
from exactformer.languages.cascade_weights import recogniser_of_cascade
from exactformer.languages.effort import one_question
from exactformer.languages.forward import depth_of, recogniser_of_forward
from exactformer.languages.named import NOT_REGULAR
from exactformer.languages.named import language as language_of
from exactformer.languages.parts import parts_of, recogniser_of_parts
from exactformer.languages.program_automaton import automaton_of_program
from exactformer.languages.program_files import read_program
from exactformer.languages.program_weights import recogniser_of_program
from exactformer.languages.programs import Program
from exactformer.languages.prove import Recognition, prove
from exactformer.languages.pumping import pumped_word
from exactformer.languages.recogniser import Recogniser
from exactformer.languages.temporal import program_of_formula
from exactformer.languages.transitions import Counter, counter, counter_for_every_period, verify_counter

#: the largest period that is tried; chains of a cascade, times letters and levels, beyond which other ways come first
MOST_PERIOD, LONG = 1_000, 1_000


@dataclass(frozen=True)
class Compiled(Listed, Certified, Drawn):
    """A minimal automaton with a proved recogniser of its language, or with a counter that shows that there is none.

    `period` is that of the positional features; None, with a counter, stands for every period.
    """

    automaton: Automaton
    period: int | None
    recognition: Recognition | None = None
    counter: Counter | None = None

    @property
    def possible(self) -> bool:
        """Whether there is a recogniser with unique ties and features of the period."""
        return self.recognition is not None

    def __bool__(self) -> bool:
        return self.possible

    @property
    def recogniser(self) -> Recogniser:
        """The recogniser; InvalidInput where there is none."""
        if self.recognition is None:
            raise InvalidInput(f"expected a language that can be compiled, got one that counts: {self.counter}")
        return self.recognition.recogniser

    def __repr__(self) -> str:
        if self.counter is not None:
            return f"Compiled(impossible: {self.automaton!r} counts modulo {self.counter.p})"
        return f"Compiled({self.recogniser!r}, proved for words of every length)"

    def accepts(self, word: Word) -> bool:
        """Whether the recogniser accepts a word, by definition; InvalidInput where there is none."""
        return self.recogniser.accepts(word)

    def refutation_of(self, model: Recogniser) -> tuple[str, ...] | None:
        """A word on which a model with unique ties is wrong, since the language counts; None where it does not."""
        return pumped_word(model, self.automaton, self.counter)

    def certify(self, path: PathLike) -> Path:
        """Writes the certificate: of claim `recognition` for all lengths, or of claim `no-recogniser`."""
        from exactformer.languages.recognition_claim import certify_no_recogniser

        if self.recognition is not None:
            self.recognition.certify(path)
        elif self.counter is not None:
            certify_no_recogniser(self.automaton, self.counter, self.period, path)
        return Path(path)

    def json(self) -> JsonObject:
        """The answer of `exactformer language compile --json`."""
        if self.counter is not None:
            words = {name: spell(getattr(self.counter, name)) for name in ("x", "u", "z")}
            e = {} if self.counter.e is None or self.period is not None else {"e": spell(self.counter.e)}
            return {"possible": False, "period": self.period, **words, "p": self.counter.p, **e}
        r = self.recogniser
        return {
            "possible": True,
            "period": self.period,
            "automaton_states": len(self.automaton),
            "blocks": len(r.blocks),
            "heads": sum(len(block.heads) for block in r.blocks),
            "dim": r.dim,
            "product_states": None if self.recognition is None else self.recognition.product_states,
        }


@one_question()
def compile_language(
    language: str | Automaton | Program | None = None,
    *,
    ltl: str | None = None,
    letters: Sequence[str] | None = None,
    period: int | Literal["any"] = 1,
    at: Literal["first", "last"] = "last",
) -> Compiled:
    """Weights with a proof for all lengths, or the counter that shows that no recogniser of the class exists.

    The class has heads with unique ties and features of the period; "any" asks for the least period that works. A
    language is an expression, a name, a file, an automaton, a program, or a formula `ltl`, which is read at the last
    position of a word or `at` the first. Declined is neither answer.

    Proofs: mathematics/languages#theorem-3 and mathematics/languages#theorem-4.

    >>> compile_language("(ab)*").accepts("abab"), compile_language("(aa)*").possible
    (True, False)
    >>> compile_language("(aa)*", period="any").period
    2
    """
    if period != "any" and (isinstance(period, bool) or not isinstance(period, int) or period < 1):
        raise InvalidInput(f"expected a period of at least 1, or any, got {period!r:.60}")
    if period != "any" and period > MOST_PERIOD:
        raise Declined(f"a period of {period:,}; at most {MOST_PERIOD:,} are tried")
    automaton, program = _meant(language, ltl, letters, at)
    if period != "any":
        return _of_period(automaton, period, program)
    found = _of_period(automaton, 1, program)
    if found.possible:
        return found
    least = counter_for_every_period(automaton)
    if isinstance(least, Counter):
        verify_counter(automaton, least, None)
        return Compiled(automaton, None, counter=least)
    return _of_period(automaton, least, program)


def _meant(
    language: str | Automaton | Program | None,
    ltl: str | None,
    letters: Sequence[str] | None,
    at: Literal["first", "last"],
) -> tuple[Automaton, Program | None]:
    """The minimal automaton that is meant, and the program that was given."""
    if ltl is not None and language is not None:
        raise InvalidInput("expected a language or a formula, got both")
    if ltl is not None:
        language = program_of_formula(ltl, letters, at=at)
    elif language is None:
        raise InvalidInput("expected a language or a formula, got neither")
    elif language in NOT_REGULAR:
        raise InvalidInput(
            f"{language} is not regular, so no recogniser with unique ties and periodic features recognises it "
            f"({proof_at('languages#theorem-1')}); "
            "of weights that you have, `language prove` decides all words up to a length"
        )
    elif isinstance(language, str):
        if not language.endswith(".brasp") or letters is not None:
            return language_of(language, letters=letters), None
        language = read_program(language)
    elif letters is not None:
        raise InvalidInput("expected letters with a text only: an automaton or a program has its own")
    if isinstance(language, Program):
        return automaton_of_program(language), language
    return language.minimal(), None


def _of_period(automaton: Automaton, period: int, program: Program | None) -> Compiled:
    """The recogniser with its proof, or the counter that shows that there is none."""
    recogniser = _constructed(automaton, period, program)
    if recogniser is None:
        return _impossible(automaton, period)
    recognition = prove(recogniser, automaton)
    if recognition.verdict == "refuted":
        raise ArithmeticError(f"the compiled weights fail on {recognition.counterexample!r}")
    if recognition.verdict == "declined":
        raise Declined(recognition.why)
    return Compiled(automaton, period, recognition)


def _constructed(automaton: Automaton, period: int, program: Program | None) -> Recogniser | None:
    """The cascade; where it is long, the smaller of two other ways, or the program's own weights; None if it counts.

    Declined where everything is too large, with what the cascade said.
    """
    depth = depth_of(automaton) if period == 1 else None
    if depth is not None and _is_long(len(automaton), automaton, depth):
        others = list(_without_cascade(automaton, MOST_CHAINS))
        if others:
            return _smallest(others)
    found = None
    try:
        found = cascade(automaton, period)
        if found is None:
            return None
        if not _is_long(len(found.moves), automaton, len(found.start)):
            return recogniser_of_cascade(found, automaton, period)
    except Declined as problem:
        too_large = problem
        if counter(automaton, period) is not None:
            return None
    if period == 1:
        others = list(_without_cascade(automaton, MOST_CHAINS if found is None else len(found.moves)))
        if others:
            return _smallest(others)
        if found is None and program is not None:
            return recogniser_of_program(program)
    if found is None:
        raise too_large
    return recogniser_of_cascade(found, automaton, period)


def _is_long(chains: int, automaton: Automaton, levels: int) -> bool:
    """Whether a cascade of so many chains, and levels, takes long."""
    return chains * (len(automaton.letters) + levels) > LONG


def _smallest(recognisers: list[Recogniser]) -> Recogniser:
    return min(recognisers, key=lambda r: sum(block.parameters for block in r.blocks))


def _without_cascade(automaton: Automaton, chains: int) -> Iterator[Recogniser]:
    """Small parts side by side with fewer chains than these, and heads for every change, where that is possible."""
    with suppress(Declined):
        if all(2 * len(part) <= len(automaton) for part in parts_of(automaton) or ()):
            yield recogniser_of_parts(automaton, chains)
    with suppress(Declined):
        yield recogniser_of_forward(automaton)


def _impossible(automaton: Automaton, period: int) -> Compiled:
    found = counter(automaton, period)
    if found is None:
        raise ArithmeticError("the cascade fails, and the automaton has no counter")
    verify_counter(automaton, found, period)
    return Compiled(automaton, period, counter=found)
