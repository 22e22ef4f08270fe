"""Tests of `exactformer.instances.frank_wolfe`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from exactformer.arithmetic.rational import RationalRows, identity
from exactformer.errors import InvalidInput
from exactformer.instances.frank_wolfe import FrankWolfe, FrankWolfeKind

F = Fraction


def rows_of(*rows: Any) -> RationalRows:
    return tuple(tuple(map(F, row)) for row in rows)


@pytest.mark.parametrize(
    "wrong",
    [
        {"step": (F(-1, 2), F(1))},
        {"step": (F(1, 2), F(0))},
        {"step": (F(3, 2), F(1))},
        {"tokens": ()},
        {"tokens": rows_of([1, 2])},
        {"B": rows_of([1], [2])},
    ],
)
def test_frank_wolfe_instances_that_are_none(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {"B": identity(1), "tokens": rows_of([1], [2]), "layers": 2, "step": (F(1, 2), F(1))}
    assert FrankWolfe(**right)
    with pytest.raises(InvalidInput):
        FrankWolfe(**{**right, **wrong})


def test_steps_and_layers_of_frank_wolfe() -> None:
    """x <- x + g_t (m - x) with g_t = 2/(t+2) or c q^t: the first open step goes all the way."""
    tokens = rows_of([1], [-2])
    open_loop = FrankWolfe(identity(1), tokens, 2)
    assert [open_loop.share(t) for t in range(3)] == [F(1), F(2, 3), F(1, 2)]
    assert [[layer.point(i) for i in range(2)] for layer in open_loop.orbit(sign=-1)][1] == [(F(-2),), (F(1),)]
    slow = replace(open_loop, step=(F(1, 2), F(1, 3)))
    assert [slow.share(t) for t in range(3)] == [F(1, 2), F(1, 6), F(1, 18)]
    assert len(list(slow.orbit())) == 3


def test_simplifications_of_frank_wolfe_keep_b_symmetric_and_steps_in_range() -> None:
    B, tokens = rows_of([2, 1], [1, 3]), rows_of([1, 0], [0, 2], [3, 3])
    instance = FrankWolfe(B, tokens, 8, (F(1, 2), F(3, 4)))
    found = list(FrankWolfeKind().simpler(instance))
    assert [other.tokens for other in found[:3]] == [tokens[1:], (tokens[0], tokens[2]), tokens[:2]]
    assert {(other.B, other.tokens) for other in found[3:5]} == {
        (rows_of([3]), rows_of([0], [2], [3])),
        (rows_of([2]), rows_of([1], [0], [3])),
    }
    assert {other.layers for other in found} == {4, 6, 7, 8}
    assert all(tuple(zip(*other.B, strict=True)) == other.B for other in found)
    assert {other.step for other in found} - {instance.step}
    assert all(other.step is not None and min(other.step) > 0 and max(other.step) < 1 for other in found)
