"""Functions give what they gave; after a change that is meant: python tests/golden/values.py --record"""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from values import CASES, KEPT, digest, digests, plain, said

FACTS = json.loads(KEPT.read_text("utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_values_are_as_they_were(name: str) -> None:
    found, kept = digests(name), FACTS[name]
    assert sorted(key for key in kept if found.get(key) != kept[key]) == []


def test_values_differ_where_a_number_does() -> None:
    assert digest((Fraction(1, 3), 2)) == digest([Fraction(1, 3), 2]) != digest([Fraction(1, 3), 3])
    assert digest(0.1 + 0.2) == digest(0.3) != digest(0.3001)
    assert plain({"a": np.array([[1, 2]]), "b": {2, 1}}) == {"a": [[1, 2]], "b": ["1", "2"]}
    assert said(int, "7") == 7
