"""All words up to a length with their classes, against the automaton word by word."""

from __future__ import annotations

from itertools import product

import pytest

import exactformer as ef
from exactformer.languages.named import language
from exactformer.languages.words import words


@pytest.mark.parametrize(
    ("letters", "name"),
    [("01", "parity"), ("10", "parity"), ("()", "dyck-1"), ("01", "majority"), ("abc", "(ab|c)*"), ("ba", "(ab)*")],
)
def test_classes_are_those_of_the_language(letters: str, name: str) -> None:
    target, found = language(name, letters=letters, up_to=5), words(letters, 5, name, begin=9)
    assert len(found) == sum(len(letters) ** n for n in range(6))
    for part in found.parts:
        n = part.ids.shape[1] - 1
        expected = [list(word) for word in product(range(len(letters)), repeat=n)]
        assert part.ids[:, 1:].tolist() == expected
        assert set(part.ids[:, 0].tolist()) == {9}
        assert part.labels.tolist() == [int(target.accepts([letters[i] for i in word])) for word in expected]


def test_letters_must_differ() -> None:
    with pytest.raises(ef.InvalidInput, match="different letters"):
        words("aa", 3, "a*")
