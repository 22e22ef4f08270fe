"""The claim `recognition` (FORMAT.md, section 17): a recogniser has an automaton's verdicts, or has not."""

from ..core.certificate import Certificate
from .automata import Automaton, read_automaton, verify_scope
from .closure import verify_closed
from .recognisers import Recogniser, read_recogniser
from .subject_file import verify_data
from .words import verify_up_to, verify_word


def read_subject(file: Certificate, periodic: bool) -> tuple[Automaton, Recogniser]:
    """The automaton and the recogniser, which are those of the caller if there is a data file."""
    automaton = read_automaton(file)
    recogniser = read_recogniser(file, file.header["letters"], periodic)
    verify_data(file, automaton, recogniser)
    return automaton, recogniser


def recognition_of_all(file: Certificate) -> str:
    """On words of every length."""
    verify_scope(file.header["scope"], ("all",))
    automaton, recogniser = read_subject(file, periodic=True)
    verify_closed(file, automaton, recogniser)
    return f"{subject(file)} on words of every length, by {file.header['product']} states"


def recognition_of_words(file: Certificate) -> str:
    """On words up to a length; or not, on one word."""
    verify_scope(file.header["scope"], ("word", "upto"))
    automaton, recogniser = read_subject(file, periodic=False)
    if file.header["scope"] == "word":
        verify_word(file, automaton, recogniser)
        return f"{subject(file)} on a word of {file.header['length']} letters"
    words = verify_up_to(file, automaton, recogniser)
    return f"{subject(file)} on all {words} words of at most {file.header['length']} letters"


def subject(file: Certificate) -> str:
    """What is said about recogniser and automaton, in words."""
    h = file.header
    which = f"the automaton ({h['states']} states, {h['letters']} letters)"
    has = "has not" if h["scope"] == "word" else "has"
    return f"the recogniser ({h['blocks']} blocks in Q^{h['dim']}) {has} the verdict of {which}"
