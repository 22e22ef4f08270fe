"""Tests of `exactformer.conjectures.shrink`."""

from __future__ import annotations

import pytest
from kits.statements import statement_of

from exactformer.conjectures.search import judged
from exactformer.conjectures.shrink import shrink
from exactformer.errors import InvalidInput
from exactformer.model.tokens import Tokens


def test_shrinking_reaches_a_minimum() -> None:
    found = next(z for z, v in judged(statement_of(), 0, 0, 500) if v.refutes)
    small, verdict = shrink(statement_of(), found)
    assert verdict.refutes
    assert len(small) == 4
    assert small.dim == 1 or small.dim == 2
    assert small.alpha == 1
    with pytest.raises(InvalidInput, match="none"):
        shrink(statement_of(), Tokens([[1]]))


@pytest.mark.parametrize("budget", [0, 1, 5])
def test_shrinking_takes_no_more_judgements_than_its_budget(budget: int) -> None:
    found = next(z for z, v in judged(statement_of(), 0, 0, 500) if v.refutes)
    spent = list[int]()
    small, verdict = shrink(statement_of(), found, budget=budget, progress=spent.append)
    assert spent == list(range(1, budget + 1))
    assert verdict.refutes
    assert budget or small == found
