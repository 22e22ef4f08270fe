"""Tests of `exactformer.dynamics.hypotheses`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exactformer.dynamics.engine_input import EngineInput
from exactformer.dynamics.hypotheses import DEFINITE, SYMMETRIC, _proved_by_cholesky, form_and_violations
from exactformer.dynamics.orbit import simulate
from exactformer.dynamics.score_form import ScoreForm
from exactformer.errors import InvalidInput
from exactformer.model.tokens import Tokens


@pytest.mark.parametrize(
    ("A", "violated"),
    [
        (((1, 0), (0, 1)), []),
        (((1, 5), (0, 1)), [SYMMETRIC, DEFINITE]),
        (((1, 1), (0, 1)), [SYMMETRIC]),
        (((1, 1), (1, 1)), [DEFINITE]),
        (((1, 2), (2, 1)), [DEFINITE]),
    ],
)
def test_hypotheses_on_the_matrix(A: Any, violated: list[str]) -> None:
    found = form_and_violations(A)[1]
    assert [v.hypothesis for v in found] == violated
    if violated == [SYMMETRIC, DEFINITE]:
        assert found[1].why.startswith("of A + A', ")


@pytest.mark.parametrize("d", [4, 5, 6])
@pytest.mark.parametrize(
    ("entry", "violated"), [((0, 1, 1), [SYMMETRIC]), ((3, 2, 1), [SYMMETRIC]), ((1, 1, -10), [DEFINITE])]
)
def test_one_entry_of_a_large_matrix_breaks_a_hypothesis(
    d: int, entry: tuple[int, int, int], violated: list[str]
) -> None:
    rows = [[9 * (i == j) + (abs(i - j) == 2) for j in range(d)] for i in range(d)]
    assert form_and_violations(tuple(map(tuple, rows)))[1] == ()
    i, j, change = entry
    rows[i][j] += change
    assert [v.hypothesis for v in form_and_violations(tuple(map(tuple, rows)))[1]] == violated


def test_hypotheses_on_tokens_name_the_first_that_break_them() -> None:
    rows = [[1, 1], [0, 2], [0, 0], [0, 2], [1, 1], [0, 0], [0, 0], [3, 0]]
    zero, equal = EngineInput(Tokens(rows)).violations
    assert (zero.why, zero.witness) == ("token 2 is zero: it ties with every token", (2, 5, 6))
    assert (equal.why, equal.witness) == (
        "tokens 0 and 4 are equal: neither can lead alone",
        ((0, 4), (1, 3), (2, 5, 6)),
    )


def test_a_large_definite_matrix_is_proved_by_cholesky_and_a_singular_one_is_not() -> None:
    rng = np.random.default_rng(0)
    B = rng.integers(-3, 4, (12, 12))
    assert _proved_by_cholesky(ScoreForm((B.T @ B + np.eye(12, dtype=int)).tolist()))
    C = rng.integers(-3, 4, (11, 12))
    assert not _proved_by_cholesky(ScoreForm((C.T @ C).tolist()))
    with pytest.raises(InvalidInput, match="positive definite"):
        simulate(Tokens(np.eye(12, dtype=int), (C.T @ C).tolist()), layers=1)
    assert simulate(Tokens(np.eye(12, dtype=int), (B.T @ B + np.eye(12, dtype=int)).tolist()), layers=1).layers == 1
