"""Tests of `exactformer.dynamics.stabilisation`."""

from __future__ import annotations

import pytest

import exactformer as ef
from exactformer.dynamics.stabilisation import stabilisation_case


def spanning(d: int, alpha: str) -> ef.Tokens:
    """d independent tokens and one more, in dimension 5."""
    rows = [[int(i == j) * (i + 1) for j in range(5)] for i in range(d)]
    return ef.Tokens([*rows, [x + y for x, y in zip(rows[0], rows[-1], strict=True)]], alpha=alpha)


@pytest.mark.parametrize(
    ("d", "alpha", "case"),
    [(1, "3", 2), (2, "3", 2), (2, "100", 2), (3, "3", 4), (3, "299/100", 3), (4, "299/100", 3), (5, "1/9", 3)],
)
def test_the_case_that_covers_an_instance(d: int, alpha: str, case: int) -> None:
    found = stabilisation_case(spanning(d, alpha))
    assert (found.case, bool(found)) == (case, True)
    assert str(found).endswith("since alpha < 3" if case == 3 else f"since the tokens span d = {d}")


@pytest.mark.parametrize(("d", "alpha"), [(4, "3"), (4, "7/2"), (5, "3")])
def test_what_is_open(d: int, alpha: str) -> None:
    found = stabilisation_case(spanning(d, alpha))
    assert (found.case, bool(found)) == (None, False)
    assert f"(here alpha = {alpha}, d = {d})" in str(found)


def test_the_open_case_names_the_sizes_of_sets_that_matter() -> None:
    for alpha, sizes in (("3", "3"), ("799/100", "3"), ("8", "3 to 4"), ("35", "3 to 7"), ("1000000", "3 to 1001")):
        assert f"in its own set of {sizes} tokens" in str(stabilisation_case(spanning(4, alpha)))


def test_repeated_tokens_are_named() -> None:
    assert "(tokens distinct: tokens 0 and 1 are equal" in str(stabilisation_case([[1, 0], [1, 0]]))


def test_a_zero_token_changes_nothing() -> None:
    assert stabilisation_case([[1, 0], [0, 0]]).case == 3


def test_irrational_tokens() -> None:
    rows = [["sqrt(2)", "sqrt(3)", 0, 1], ["sqrt(6)", 3, 0, "sqrt(3)"], [0, 0, "1/sqrt(5)", 0]]
    assert stabilisation_case(ef.Tokens(rows, alpha=8)).case == 2  # the second is sqrt(3) times the first
