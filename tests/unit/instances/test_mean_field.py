"""Tests of `exactformer.instances.mean_field`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactformer.arithmetic.rational import RationalRow, RationalRows, identity
from exactformer.errors import InvalidInput
from exactformer.geometry.points import dot
from exactformer.instances.kinds import kind_of, read_instance
from exactformer.instances.mean_field import MeanField, MeanFieldKind, _other_bases, _same_matrix

F = Fraction


def rows_of(*rows: Any) -> RationalRows:
    return tuple(tuple(map(F, row)) for row in rows)


def times(A: RationalRows, x: RationalRow) -> RationalRow:
    return tuple(dot(row, x) for row in A)


def product(A: RationalRows, B: RationalRows) -> RationalRows:
    return tuple(tuple(dot(row, column) for column in zip(*B, strict=True)) for row in A)


def test_other_bases_move_tokens_with_the_matrix() -> None:
    """S V S^-1 at S x is S V x, so that tokens that are the columns of V times x move alike."""
    V, x = rows_of([2, 1], [0, 3]), (F(1), F(2))
    instance = MeanField(V, identity(2), (x, times(V, x)))
    found = list(_other_bases(instance))
    assert len(found) > 10
    assert all(times(other.V, other.tokens[0]) == other.tokens[1] for other in found)
    assert all(identity(2) == other.B and other.V[0][0] + other.V[1][1] == 5 for other in found)
    assert not list(_other_bases(replace(instance, B=rows_of([1, 0], [0, 2]))))


def test_the_same_matrix_is_written_in_other_ways() -> None:
    """M = V B', with B = I and with V = I; then M - c I for entries c of its diagonal, and multiples of M."""
    V, B = rows_of([1, 2], [0, 3]), rows_of([1, 0], [4, 1])
    M = product(V, tuple(zip(*B, strict=True)))
    first, second, *others = _same_matrix(MeanField(V, B, rows_of([1, 1])))
    assert (M, identity(2)) == (first.V, first.B)
    assert identity(2) == second.V
    assert tuple(zip(*second.B, strict=True)) == M
    shifts = [tuple(tuple(x - c * (i == j) for j, x in enumerate(row)) for i, row in enumerate(M)) for c in (1, 3)]
    multiples = [tuple(tuple(x / c for x in row) for row in M) for c in {abs(x) for row in M for x in row if x}]
    assert others
    assert all(identity(2) == other.B and other.V in [*shifts, *multiples] for other in others)
    assert any(other.V in shifts for other in others)


def test_a_coordinate_less_and_what_mean_field_files_may_leave_out() -> None:
    instance = MeanField(rows_of([1, 2], [3, 4]), rows_of([5, 6], [7, 8]), rows_of([0, 1], [2, 3]), F(2), F(1, 3))
    found = [other for other in MeanFieldKind().simpler(instance) if other.dim == 1]
    kept = [(other.V, other.B, other.tokens) for other in found]
    assert (rows_of([4]), rows_of([8]), rows_of([1], [3])) in kept
    assert (rows_of([1]), rows_of([5]), rows_of([2])) in kept
    bare = read_instance({"exactformer": "mean-field", "V": [["1", "2"], ["3", "4"]]})
    assert bare == MeanField(instance.V, identity(2))
    assert kind_of(instance).latex(instance).endswith(r"C = 2,\quad c = \tfrac{1}{3}")
    for wrong in (
        {"V": [["1"]], "W": []},
        {"B": [["1"]]},
        {"V": [["1"]], "tokens": [["0"]]},
        {"V": [["1"]], "rate": "0"},
    ):
        with pytest.raises(InvalidInput):
            read_instance({"exactformer": "mean-field", **wrong})


def test_a_variation_of_the_mean_field_changes_one_entry() -> None:
    rng, kind = Random(9), MeanFieldKind()
    instance = MeanField(rows_of([1, 2], [3, 4]), rows_of([5, 6], [7, 8]), rows_of([1, 1], [2, 3]), F(2), F(1, 3))
    changed = set()
    for _ in range(120):
        other = kind.varied(instance, rng)
        places = {
            (name, i, j)
            for name in ("V", "B", "tokens")
            for i, row in enumerate(getattr(instance, name))
            for j, x in enumerate(row)
            if getattr(other, name)[i][j] != x
        }
        assert len(places) <= 1
        assert (other.constant, other.rate) == (F(2), F(1, 3))
        changed |= places
    assert len(changed) == 12
    assert kind.size(instance)[:2] == (2, 2)
