"""Exact linear algebra: each yes and each no with a witness that survives its own verification."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import exact
from exactformer.errors import InvalidInput
from exactformer.geometry.linear_algebra import (
    Asymmetry,
    Factorisation,
    Inconsistent,
    Indefinite,
    Solution,
    null_space,
    pivot_columns,
    positive_definite,
    positive_semidefinite,
    rank,
    solve,
    symmetric,
)
from exactformer.geometry.points import dot

ROOT = exact("sqrt(2)")


@pytest.mark.parametrize(
    ("M", "b", "kind"),
    [
        ([[2, 1], [1, 1]], [1, 1], Solution),
        ([[Fraction(1, 2), Fraction(1, 3)]], [Fraction(1, 5)], Solution),
        ([[1, 1], [2, 2]], [1, 2], Solution),
        ([[1, 1], [2, 2]], [1, 1], Inconsistent),
        ([[0, 0]], [1], Inconsistent),
        ([[2, ROOT], [ROOT, 3]], [1, 2], Solution),
        ([[2, ROOT], [ROOT, 1]], [1, 2], Inconsistent),
        ([[2, ROOT], [ROOT, 1]], [ROOT, 1], Solution),
    ],
)
def test_solve(M: list[list[object]], b: list[object], kind: type) -> None:
    answer = solve(M, b)
    assert isinstance(answer, kind)
    answer.verify(M, b)


def test_solve_says_whether_the_solution_is_unique() -> None:
    assert solve([[2, 1], [1, 1]], [1, 1]).unique
    assert not solve([[1, 1]], [1]).unique


def test_solve_refuses_a_right_hand_side_of_the_wrong_length() -> None:
    with pytest.raises(InvalidInput, match="expected 2 entries"):
        solve([[1], [2]], [1])


@pytest.mark.parametrize("M", [[[1, 2, 3], [2, 4, 7]], [[0, 0]], [[1, ROOT], [ROOT, 2]], [[1, 0], [0, 1]]])
def test_null_space_and_rank_add_up_to_the_number_of_columns(M: list[list[object]]) -> None:
    basis = null_space(M)
    assert all(dot(row, x) == 0 for row in M for x in basis)
    assert rank(M) + len(basis) == len(M[0]) == rank(M) + (rank(basis) if basis else 0)
    assert len(pivot_columns(M)) == rank(M)


def test_the_factorisation_multiplies_back() -> None:
    A = [[4, 2, Fraction(1, 2)], [2, 3, 0], [Fraction(1, 2), 0, 1]]
    answer = positive_definite(State.of(A))
    assert isinstance(answer, Factorisation)
    answer.verify(A)
    with pytest.raises(InvalidInput):
        answer.verify([[4, 2, 0], [2, 3, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    ("A", "order", "minor"),
    [
        ([[1, 2], [2, 1]], 2, -3),
        ([[0]], 1, 0),
        ([[-1, 0], [0, 1]], 1, -1),
        ([[1, 1, 0], [1, 1, 0], [0, 0, 1]], 2, 0),
        ([[2, 0, 0], [0, 1, Fraction(1, 2)], [0, Fraction(1, 2), Fraction(1, 4)]], 3, 0),
        ([[Fraction(1, 2), 1], [1, 1]], 2, Fraction(-1, 2)),
        ([[1, ROOT], [ROOT, 1]], 2, -1),
    ],
)
def test_a_matrix_that_is_not_positive_definite_names_minor_and_vector(
    A: list[list[object]], order: int, minor: Fraction
) -> None:
    answer = positive_definite(A)
    assert isinstance(answer, Indefinite)
    assert (answer.order, answer.minor) == (order, minor)
    answer.verify(A)
    assert f"{order}-by-{order} minor" in str(answer)


@pytest.mark.parametrize(
    ("A", "semidefinite"),
    [
        ([[1, 1], [1, 1]], True),
        ([[0, 0], [0, 0]], True),
        ([[0, 1], [1, 0]], False),
        ([[0, 1], [1, 5]], False),
        ([[1, 1, 1], [1, 1, 2], [1, 2, 9]], False),
        ([[1, 1, 1], [1, 1, 1], [1, 1, 9]], True),
        ([[2, ROOT], [ROOT, 1]], True),
        ([[0, ROOT], [ROOT, 1]], False),
    ],
)
def test_positive_semidefinite(A: list[list[object]], semidefinite: bool) -> None:
    answer = positive_semidefinite(A)
    answer.verify(A)
    assert bool(answer) == semidefinite
    assert semidefinite or answer.value < 0
    assert not positive_definite(A)


def determinant(A: list[list[Fraction]]) -> Fraction:
    if not A:
        return Fraction(1)
    minors = ([row[:k] + row[k + 1 :] for row in A[1:]] for k in range(len(A)))
    return sum(((-1) ** k * A[0][k] * determinant(minor) for k, minor in enumerate(minors)), Fraction(0))


@pytest.mark.parametrize(
    ("A", "order"),
    [
        ([[0, 0, 0], [0, 3, 0], [0, 0, -1]], 1),
        ([[0, 0, 0], [0, -3, 0], [0, 0, 1]], 1),
        ([[2, 2, 0], [2, 2, 0], [0, 0, -5]], 2),
        ([["1/2", "1/2", 0, 0], ["1/2", "1/2", 0, 0], [0, 0, "1/3", 0], [0, 0, 0, "-1/5"]], 2),
        ([["1/2", "1/2", 0], ["1/2", "1/2", 1], [0, 1, 7]], 2),
        ([["1/2", "1/3", 0], ["1/3", "1/2", 1], [0, 1, "1/7"]], 3),
    ],
)
def test_the_minor_named_is_the_first_that_is_not_positive(A: list[list[str | int]], order: int) -> None:
    rows = [[Fraction(x) for x in row] for row in A]
    minors = [determinant([row[:k] for row in rows[:k]]) for k in range(1, len(rows) + 1)]
    assert [minor > 0 for minor in minors].index(False) == order - 1
    for answer in (positive_definite(A), positive_semidefinite(A)):
        assert isinstance(answer, Indefinite)
        assert (answer.order, answer.minor) == (order, minors[order - 1])
        answer.verify(A)
    assert answer.value < 0


def test_an_asymmetric_matrix_names_the_entry() -> None:
    A = [[1, 0, 0], [0, 1, 2], [0, 3, 1]]
    assert symmetric(A) == positive_definite(A) == positive_semidefinite(A) == Asymmetry(1, 2)
    positive_definite(A).verify(A)
    assert symmetric([[1, 2], [2, 1]]) is None


@pytest.mark.parametrize("A", [[[1, 2]], [[1], [2]], [[1, 2], [3]], []])
def test_a_matrix_must_be_square(A: list[list[int]]) -> None:
    with pytest.raises(InvalidInput):
        positive_definite(A)


def test_forged_witnesses_are_refused() -> None:
    A = [[2, 1], [1, 2]]
    forged = [
        Indefinite((0, 0), 0, 1, 0),
        Indefinite((1, 0), 2, 1, 2),
        Indefinite((1, 0), -1, 1, -1),
        Asymmetry(0, 1),
        Factorisation(((1, 0), (0, 1)), (2, 2), True),
        Factorisation(((1, 1), (0, 1)), (1, 1), True),
    ]
    for witness in forged:
        with pytest.raises(InvalidInput):
            witness.verify(A)
    with pytest.raises(InvalidInput):
        Solution((1, 1), True).verify(A, [1, 1])
    with pytest.raises(InvalidInput):
        Inconsistent((1, 1)).verify(A, [1, 1])
