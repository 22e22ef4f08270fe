"""Tests of `exactformer.constructions.methods.paper`."""

from __future__ import annotations

from fractions import Fraction

from exactformer.constructions.methods.paper import slab_width

F = Fraction


def test_slabs_around_tokens_are_as_wide_as_the_least_gap_and_at_most_one() -> None:
    """The least coordinate is at least 1, so that what lies at or below 0 is in no slab."""
    assert slab_width([[F(1), F(9)], [F(4)]]) == 1
    assert slab_width([[F(1), F(3, 2)], [F(4)]]) == F(1, 2)
    assert slab_width([[F(7)]]) == 1
