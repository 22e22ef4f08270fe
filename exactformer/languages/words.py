"""All words up to a length as inputs of a network, with class 1 in a language and 0 outside of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from exactformer.errors import InvalidInput
from exactformer.languages.automaton import Automaton
from exactformer.languages.named import language as automaton_of
from exactformer.model.domain import Domain, Integers


def words(letters: Sequence[str], most: int, language: Automaton | str, *, begin: int | None = None) -> Domain:
    """The words of at most so many letters, letter k with the id k, after the id `begin` if it is given.

    >>> found = words("ab", 2, "(ab)*")
    >>> [(part.ids.tolist(), part.labels.tolist()) for part in found.parts]
    [([[0], [1]], [0, 0]), ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 0, 0])]
    """
    if len(set(letters)) < len(letters) or not letters:
        raise InvalidInput(f"strings: expected different letters, at least one, got {''.join(letters)!r:.60}")
    target = automaton_of(language, letters=letters, up_to=most) if isinstance(language, str) else language
    order = [target.letters.index(letter) for letter in letters]
    step = np.array(target.next)[:, order]
    accepts = np.zeros(len(target), np.int64)
    accepts[list(target.accepting)] = 1

    def classes(n: int) -> Integers:
        """Those of the words of n letters: all are run at once."""
        states = np.array([target.start])
        for _ in range(n):
            states = step[states].ravel()
        return np.asarray(accepts[states], np.int64)

    return Domain.of_words(f"strings:{''.join(letters)}:{most}", len(letters), most, classes, begin)
