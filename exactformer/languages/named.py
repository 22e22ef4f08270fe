"""Languages by name, and what a user means by a language: a name, an automaton file, or an expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from exactformer.errors import InvalidInput
from exactformer.io.json_lines import read_bytes, strict_json
from exactformer.languages.automaton import Automaton, automaton_of_json, verify_size
from exactformer.languages.effort import one_question
from exactformer.languages.expressions import of_expression

#: name -> letters and expression; Tomita 1982, Bhattamishra, Ahuja, Goyal 2020, and the literature on hard attention
EXPRESSIONS = {
    "tomita-1": ("01", "1*"),
    "tomita-2": ("01", "(10)*"),
    "tomita-3": ("01", "~((.*0)?1(11)*0(00)*(1.*)?)"),
    "tomita-4": ("01", "~(.*000.*)"),
    "tomita-5": ("01", "(1*01*0)*1* & (0*10*1)*0*"),
    "tomita-7": ("01", "0*1*0*1*"),
    "parity": ("01", "0*1(0*10*1)*0*"),
    "even-pairs": ("ab", "()|a|b|a.*a|b.*b"),
    "first": ("01", "1.*"),
}
#: name -> letters, how a letter changes what has to be known (None: no word from here on), which of it accepts; these
#: are not regular, so up to a length only
NOT_REGULAR: dict[str, tuple[str, Callable[[int, str], int | None], Callable[[int], bool]]] = {
    "majority": ("01", lambda more, letter: more + (1 if letter == "1" else -1), lambda more: more > 0),
    "dyck-1": ("()", lambda height, letter: _height(height, letter), lambda height: height == 0),
}
OPENING, CLOSING = "([{<", ")]}>"
DYCK = r"dyck-([0-9]{1,3})-([0-9]{1,5})"


@one_question()
def language(text: str, *, letters: Sequence[str] | None = None, up_to: int | None = None) -> Automaton:
    """The minimal automaton that a name, the path of a .json or .brasp file, or an expression stands for.

    `majority` and `dyck-1` are not regular: with `up_to` they are cut off at that length.

    >>> language("dyck-2-2").accepts("([])"), language("majority", up_to=5).accepts("110")
    (True, True)
    """
    if text.endswith(".json"):
        found = automaton_of_json(strict_json(read_bytes(text), text), text).minimal()
    elif text.endswith(".brasp"):
        from exactformer.languages.program_automaton import automaton_of_program
        from exactformer.languages.program_files import read_program

        found = automaton_of_program(read_program(text))
    elif text in NOT_REGULAR:
        found = _up_to(text, up_to)
    else:
        named = _named(text)
        if named is None:
            return of_expression(text, letters)
        found = named
    return found if letters is None else found.over(letters).minimal()


def dyck(types: int, depth: int) -> Automaton:
    """The minimal automaton of the balanced words of so many types of brackets, nested at most so deep."""
    if not 1 <= types <= len(OPENING) or depth < 1:
        raise InvalidInput(f"expected dyck-k-D with k from 1 to {len(OPENING)} and D >= 1, got dyck-{types}-{depth}")
    verify_size(depth + 1 if types == 1 else types ** min(depth, 64), 2 * types)
    opening, closing = OPENING[:types], CLOSING[:types]
    if types == 1:  # a height is enough, and a text as long as it is deep would be too much
        return _heights(depth)

    def step(open_ones: str | None, letter: str) -> str | None:
        if open_ones is None:
            return None
        if letter in opening:
            return open_ones + letter if len(open_ones) < depth else None
        return open_ones[:-1] if open_ones.endswith(opening[closing.index(letter)]) else None

    begin: str | None = ""
    return Automaton.of(opening + closing, begin, step, lambda open_ones: open_ones == "").minimal()


def _heights(depth: int) -> Automaton:
    """The minimal automaton of the balanced words of one type of brackets."""

    def step(height: int, letter: str) -> int:
        if height < 0:
            return height
        return height - 1 if letter == ")" else -1 if height == depth else height + 1

    return Automaton.of("()", 0, step, lambda height: height == 0).minimal()


def _named(name: str) -> Automaton | None:
    if name in EXPRESSIONS:
        letters, expression = EXPRESSIONS[name]
        return of_expression(expression, letters)
    if name == "tomita-6":  # as many 0 as 1, modulo 3
        return Automaton.of("01", 0, lambda q, a: (q + (1 if a == "1" else 2)) % 3, lambda q: q == 0)
    bounded = re.fullmatch(DYCK, name)
    if bounded is not None:
        return dyck(int(bounded[1]), int(bounded[2]))
    meant = re.sub(r"[\s_-]+", "-", name.strip().lower())  # as an expression, Parity is one word of six letters
    if meant != name and (meant in {*EXPRESSIONS, *NOT_REGULAR, "tomita-6"} or re.fullmatch(DYCK, meant)):
        raise InvalidInput(
            f"expected a language by its name {meant!r}, or an expression, got {name!r}; "
            f"write {meant}, or parentheses as in '({name.strip()})' for an expression"
        )
    if re.fullmatch(r"[a-z]+([-_][0-9]+)+|[a-z]+[-_][a-z]+", name, flags=re.IGNORECASE):
        known = ", ".join(sorted([*EXPRESSIONS, *NOT_REGULAR, "tomita-6", "dyck-k-D"]))
        raise InvalidInput(
            f"expected a language by one of the names {known}, got {name!r}; the letters - and _ are quoted"
        )
    return None


def _up_to(name: str, most: int | None) -> Automaton:
    """The automaton of the words of at most so many letters."""
    letters, step, accepts = NOT_REGULAR[name]
    if most is None or most < 0:
        raise InvalidInput(
            f"{name} is not regular: expected a length, as in `up_to` 10; no automaton has all its words"
        )
    verify_size(most * (most + 2), len(letters))

    def longer(at: tuple[int, int] | None, letter: str) -> tuple[int, int] | None:
        known = None if at is None or at[1] == most else step(at[0], letter)
        return None if at is None or known is None else (known, at[1] + 1)

    begin: tuple[int, int] | None = (0, 0)
    return Automaton.of(letters, begin, longer, lambda at: at is not None and accepts(at[0])).minimal()


def _height(height: int, letter: str) -> int | None:
    return height + 1 if letter == "(" else height - 1 if height else None
