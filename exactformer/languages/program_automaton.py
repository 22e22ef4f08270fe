"""The minimal automaton of a B-RASP program: extracted from its exact weights, compared with the program itself."""

from __future__ import annotations

from itertools import islice

from exactformer.languages.automaton import Automaton
from exactformer.languages.effort import one_question, spend
from exactformer.languages.machine import MOST
from exactformer.languages.program_weights import recogniser_of_program
from exactformer.languages.programs import Program
from exactformer.languages.prove import extract

#: on how many words, of how many letters at most, the automaton is compared with the program by definition
COMPARED, LONGEST_COMPARED = 200, 12


@one_question()
def automaton_of_program(program: Program, most: int = MOST) -> Automaton:
    """The minimal automaton of the words of a program; Declined where it has more than `most` states on the way.

    It is compared with the program on the shortest words; a difference would be a bug, and is never passed on.

    >>> from exactformer.languages.temporal import program_of_formula
    >>> automaton_of_program(program_of_formula("b & O a")).accepts("abab")
    True
    """
    found = extract(recogniser_of_program(program), most=most)
    words = list(islice(found.words(LONGEST_COMPARED), COMPARED))
    spend(sum(program.steps(len(word)) for word in words))
    for word in words:
        if program.accepts(word) != found.accepts(word):
            raise ArithmeticError(f"the program and its automaton differ on {word!r}")
    return found
