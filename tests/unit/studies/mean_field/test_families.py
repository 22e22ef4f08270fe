"""Tests of `exactformer.studies.mean_field.families`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.studies.mean_field.families import SYSTEMS, circle_tokens, sample_system

F = Fraction


def rows(*given: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(F, row)) for row in given)


TALL, TURN, BLOCK = ((2, 0), (0, 1)), ((0, -1), (1, 0)), ((1, 1), (0, 1))


GOLDEN = ((1, 1), (1, 0))


# named systems ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "V", "B"),
    [
        ("metastable", ((1, 0), (0, "1/2")), (("1/5", 0), (0, 1))),
        ("sphere", ((1, 0, 0), (0, "1/2", 0), (0, 0, "3/10")), (("1/5", 0, 0), (0, 1, 0), (0, 0, "1/2"))),
        ("plane", ((1, 0, 0), (0, 1, 0), (0, 0, "3/2")), ((1, 0, 0), (0, 1, 0), (0, 0, "1/5"))),
        ("golden", GOLDEN, ((1, 0), (0, 1))),
        ("rotation", TURN, ((1, 0), (0, 1))),
        ("jordan", BLOCK, ((1, 0), (0, 1))),
    ],
)
def test_named_systems_are_those_of_the_documentation(name: str, V: Any, B: Any) -> None:
    found = sample_system(name)
    assert (rows(*V), rows(*B)) == (found.V, found.B)


def test_random_systems_have_small_entries_and_a_unimodular_B() -> None:
    seen = set()
    for seed in range(20):
        system = sample_system("random", dim=4, seed=seed)
        assert all(abs(x) <= 9 and x.denominator <= 4 for row in system.V for x in row)
        assert all(x == (i == j) for i, row in enumerate(system.B) for j, x in enumerate(row) if j <= i)
        assert all(x.denominator == 1 and abs(x) <= 9 for row in system.B for x in row)
        seen.add(system.V)
    assert len(seen) == 20
    assert sample_system("random").dim == 3
    assert sample_system("random", dim=2).dim == 2
    for wrong in ({"name": "random", "dim": 1}, {"name": "none"}):
        with pytest.raises(InvalidInput, match="expected"):
            sample_system(**wrong)
    assert list(SYSTEMS) == ["metastable", "sphere", "plane", "golden", "rotation", "jordan", "random"]


@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_tokens_of_the_circle_are_at_equal_angles(count: int) -> None:
    found = np.array([[float(x) for x in row] for row in circle_tokens(count).state.rows()])
    angles = [math.pi * ((2 * i + 1) / count - 1) for i in range(count)]
    assert found == pytest.approx(np.column_stack([np.cos(angles), np.sin(angles)]), abs=1e-3)
