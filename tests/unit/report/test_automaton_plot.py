"""Tests of `exactformer.report.automaton_plot`."""

from __future__ import annotations

from itertools import combinations
from math import dist

import pytest

from exactformer.languages.named import language
from exactformer.report.automaton_plot import STATE, draw_automaton


@pytest.mark.parametrize("name", ["(ab)*", "dyck-2-2", "dyck-1-10", "dyck-2-4"])
def test_letters_stand_beside_the_states_and_each_other(name: str) -> None:
    automaton = language(name)
    (ax,) = draw_automaton(automaton).axes
    texts = [(t.get_text(), t.get_position()) for t in ax.texts if t.get_text()]
    states = [place for text, place in texts if text.isdigit()]
    letters = [place for text, place in texts if not text.isdigit()]
    assert len(states) == len(automaton)
    assert len(letters) > 1
    assert all(dist(a, s) > STATE for a in letters for s in states)
    assert all(dist(a, b) > 0.2 for a, b in combinations(letters, 2))
