"""Tests of `exactformer.dynamics.lemmas`."""

from __future__ import annotations

import exactformer as ef
from exactformer.dynamics.lemmas import check_lemmas


def test_tokens_of_equal_norm_that_follow_one_another_are_a_witness_against_lemma_6() -> None:
    """A is not definite: <A z_1, z_2> = 1 is more than <A z_1, z_1> = 0 = <A z_2, z_2>."""
    tokens = ef.Tokens([[1, 0], [0, 1]], A=[[0, 1], [1, 0]])
    found = check_lemmas(ef.simulate(tokens, layers=2, unchecked=True))
    assert found[6] is not None
