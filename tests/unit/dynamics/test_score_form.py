"""Tests of `exactformer.dynamics.score_form`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from exactformer.dynamics.score_form import ScoreForm, float_of
from exactformer.model.tokens import Tokens


def test_floats_of_cancelling_algebraic_numbers_are_relatively_accurate() -> None:
    tiny = Tokens([["sqrt(2)-1414213562373095048801688724209698078569671875376948073176679737990732478462/10**75"]])
    value = float_of(tiny.state.array[0, 0])
    assert value != 0
    assert math.isclose(value, float(tiny.state.array[0, 0].enclosure(600).mid()), rel_tol=1e-15)


@pytest.mark.parametrize(
    ("A", "identity"),
    [([[3, 0], [0, 3]], True), ([[-1, 0], [0, -1]], False), ([[1, 0], [0, 2]], False), ([[0, 0], [0, 0]], False)],
)
def test_positive_multiples_of_the_identity_alone_are_taken_for_it(A: Any, identity: bool) -> None:
    form = ScoreForm(A)
    assert form.is_identity == identity
    rows = np.array([[1, 2], [-3, 4]])
    expected = rows if identity else rows @ np.array(A).T
    assert form.left(rows).tolist() == expected.tolist()
