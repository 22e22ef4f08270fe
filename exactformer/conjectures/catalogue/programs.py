"""Statements about B-RASP programs and their languages: what matters in an attention, and what programs recognise."""

from __future__ import annotations

from pathlib import Path

from exactformer.conjectures.statement import Conclusion, Hypothesis, Statement
from exactformer.conjectures.verdict import StatementVerdict, conclude
from exactformer.instances.programs import (
    ProgramInstance,
    not_strict,
    random_mutant,
    random_program,
    sides_exchanged,
)
from exactformer.languages.automaton import spell
from exactformer.languages.program_automaton import automaton_of_program
from exactformer.languages.program_weights import recogniser_of_program
from exactformer.languages.programs import Program
from exactformer.languages.transitions import counter

#: the most states of a machine whose automaton is extracted
MOST = 20_000
SOURCE = "Yang, Chiang, Angluin (arXiv 2310.13897)"

MUTANT = Hypothesis("a mutant is given", lambda instance: instance.mutant is not None)


def changed(statement: str, instance: ProgramInstance) -> Program:
    """The program that a statement compares with."""
    if statement == "program-side-is-irrelevant":
        return sides_exchanged(instance.program)
    if statement == "program-strictness-is-irrelevant":
        return not_strict(instance.program)
    return instance.program if instance.mutant is None else instance.mutant


def agreement(statement: str) -> Conclusion:
    """Whether the program and the changed one have the same words; if not, a shortest word that tells them apart."""

    def judge(instance: ProgramInstance) -> StatementVerdict:
        other = changed(statement, instance)
        one = automaton_of_program(instance.program, MOST)
        word = one.difference(automaton_of_program(other, MOST))
        return conclude(
            word is None, nearness=0.05 * len(one), word=None if word is None else spell(word), letters=len(word or ())
        )

    return judge


def is_star_free(instance: ProgramInstance) -> StatementVerdict:
    """Whether the minimal automaton has no counter."""
    found = counter(automaton_of_program(instance.program, MOST))
    return conclude(found is None, u=None if found is None else spell(found.u))


def certify(statement: str, instance: ProgramInstance, verdict: StatementVerdict, path: Path) -> None:
    """The changed program as a recogniser, the program as an automaton, and the word on which they differ."""
    from exactformer.languages.recognition_claim import certify_word

    automaton = automaton_of_program(instance.program, MOST)
    word = verdict.witness["word"]
    certify_word(recogniser_of_program(changed(statement, instance)), automaton, word, path)


def _false(name: str, words: str, hypotheses: tuple[Hypothesis, ...] = ()) -> Statement:
    return Statement(
        name,
        words,
        "false",
        SOURCE,
        hypotheses,
        agreement(name),
        random_mutant if hypotheses else random_program,
        lambda instance, verdict, path: certify(name, instance, verdict, path),
    )


STATEMENTS = (
    Statement(
        "program-is-star-free",
        "The language of a B-RASP program is star-free.",
        "true",
        f"{SOURCE}; Theorem 3 of the page on languages",
        (),
        is_star_free,
        random_program,
    ),
    _false(
        "program-side-is-irrelevant",
        "A B-RASP program has the same language if leftmost and rightmost are exchanged in every attention.",
    ),
    _false(
        "program-strictness-is-irrelevant",
        "A B-RASP program has the same language if every attention sees its own position, too.",
    ),
    _false(
        "program-mutant-agrees",
        "A B-RASP program has the same language if the side or the mask of one attention is changed.",
        (MUTANT,),
    ),
)
