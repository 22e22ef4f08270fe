"""Tests of `exactformer.conjectures.strategies`."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import find, given, settings
from hypothesis.errors import NoSuchExample

from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.strategies import coordinates, instances, tokens
from exactformer.model.tokens import Tokens


@settings(max_examples=150, derandomize=True, deadline=None, database=None)
@given(coordinates())
def test_coordinates_have_denominators_up_to_twelve(x: Fraction) -> None:
    assert x.denominator <= 12
    assert abs(x) <= 60


def test_strategies_draw_no_zero_token_and_no_token_twice_unless_told() -> None:
    few = settings(max_examples=60)
    line = tokens(most=2, dims=(1,))
    with pytest.raises(NoSuchExample):
        find(line, lambda z: not all(map(any, z.state.rows())), settings=few)
    with pytest.raises(NoSuchExample):
        find(line, lambda z: len(set(z.state.rows())) < len(z), settings=few)
    twice = find(tokens(most=2, dims=(1,), distinct=False), lambda z: len(set(z.state.rows())) < len(z))
    assert (len(twice), twice.dim) == (2, 1)


@settings(max_examples=30)
@given(tokens(most=4))
def test_strategies_satisfy_the_hypotheses(z: Tokens) -> None:
    assert catalogue()["lemma-5"].judge(z).outcome == "true"


@settings(max_examples=10)
@given(instances(catalogue()["leader-semidefinite"]))
def test_strategies_follow_a_statement(z: Tokens) -> None:
    assert catalogue()["leader-semidefinite"].violated(z) is None
