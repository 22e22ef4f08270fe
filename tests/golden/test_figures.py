"""Pictures show what they showed; after a change that is meant: python tests/golden/figures.py --record"""

from __future__ import annotations

import json

import pytest
from figures import DRAWN, KEPT, agree, figure_facts


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_shows_what_it_showed(name: str) -> None:
    kept = json.loads(KEPT.read_text("utf-8"))[name]
    found = json.loads(json.dumps(figure_facts(DRAWN[name]())))
    assert agree(found, kept), f"{name}: {json.dumps(found)}"


def test_facts_differ_where_one_number_or_word_does() -> None:
    facts = {"limits": [0.0, 1.0], "words": ["a"]}
    assert agree(facts, {"limits": [0.0, 1.0 + 1e-9], "words": ["a"]})
    assert not agree(facts, {"limits": [0.0, 1.01], "words": ["a"]})
    assert not agree(facts, {"limits": [0.0, 1.0], "words": ["b"]})
    assert not agree(facts, {"limits": [0.0, 1.0]})
