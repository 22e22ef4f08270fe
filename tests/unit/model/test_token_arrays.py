"""Tests of `exactformer.model.token_arrays`."""

from __future__ import annotations

from random import Random

import numpy as np
from kits.array_instances import adversarial, in_arrays

from exactformer.model.token_arrays import LARGEST, TokenArrays, fitting
from exactformer.model.tokens import Tokens


def test_an_instance_comes_back_from_arrays_as_it_was() -> None:
    rng = Random(1)
    for group, given in in_arrays([adversarial(rng) for _ in range(200)]):
        assert [given.tokens(k) for k in range(len(given))] == group
        chosen = np.arange(len(given))[::-2]
        assert [given.take(chosen).tokens(k) for k in range(len(chosen))] == group[::-2]


def test_a_matrix_with_denominators_is_held_as_a_multiple() -> None:
    tokens = Tokens([[1, "1/3"]], A=[["1/2", 0], [0, "2/3"]], alpha="3/7")
    given = TokenArrays.of([tokens])
    assert (given.A[..., 0].tolist(), given.scale.tolist()) == ([[3, 0], [0, 4]], [6])
    assert given.tokens(0) == tokens


def test_large_integers_do_not_fit_wherever_they_stand() -> None:
    assert fitting(Tokens([[LARGEST - 1]], A=[[LARGEST - 1]], alpha=LARGEST - 1))
    for wrong in (
        Tokens([[-LARGEST]]),
        Tokens([[f"1/{LARGEST}"]]),
        Tokens([[1]], A=[[LARGEST]]),
        Tokens([[1]], A=[[f"1/{LARGEST}"]]),
        Tokens([[1]], alpha=LARGEST),
        Tokens([[1]], alpha=f"1/{LARGEST}"),
        Tokens([[2**70]]),
    ):
        assert not fitting(wrong)
