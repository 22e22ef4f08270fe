"""Which instances the theorem on constant follower sets covers (docs/mathematics/stabilisation.md)."""

from __future__ import annotations

import pytest

import exactformer as ef
from exactformer.dynamics.engine_input import EngineInput
from exactformer.dynamics.limits import Unsettled, prove_limit

FLAT = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]]
FULL = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize(
    ("rows", "alpha", "case"),
    [
        (FULL, "2999999/1000000", 3),
        (FULL, 3, None),
        (FULL, 8, None),
        (FULL[:3], 8, 4),
        (FLAT, 8, 2),
        (FLAT, "1/2", 3),
        ([[1], [2]], 100, 2),
        ([[1, 1], [1, 1]], "1/2", None),
        ([[0, 0], [1, 1]], "1/2", 3),
        ([[0, 0], [1, 1], [-1, -1]], 100, 2),
        ([*FULL, [0, 0, 0, 0]], 3, None),
        ([[0, 0], [0, 0], [1, 1]], "1/2", None),
    ],
)
def test_the_case_is_that_of_the_theorem(rows: list[list[int]], alpha: str | int, case: int | None) -> None:
    found = ef.stabilisation_case(ef.Tokens(rows, alpha=alpha))
    assert found.case == case
    assert bool(found) == (case is not None)


def test_a_matrix_outside_the_theorem_is_refused() -> None:
    with pytest.raises(ef.InvalidInput, match="positive definite"):
        ef.stabilisation_case(ef.Tokens([[1, 0], [0, 1]], A=[[1, 2], [2, 1]]))


def test_a_search_that_gives_up_says_what_is_proved() -> None:
    late = ef.Tokens(
        [[1, 1], [-1, 1], ["999999/1000000", "2000001/2000000"], ["-999999/1000000", "2000001/2000000"], [0, "1/2"]]
    )
    found = prove_limit(EngineInput(late), budget=0)
    assert isinstance(found, Unsettled)
    assert "proved to become constant, since alpha < 3" in str(found)
