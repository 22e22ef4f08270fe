"""Tests of `exactformer.instances.number_stream`."""

from __future__ import annotations

import numpy as np

from exactformer.instances.number_stream import NumberStream

RECORDED = [[264, 847, 316, 810], [[0, 7, 45, 29], [0, 1, 40, 583]], [[5], [7], [7]]]


def test_the_numbers_of_a_name_never_change() -> None:
    """Seeds of campaigns are remembered for years."""
    stream = NumberStream("lemma-3/0/0", np.arange(4))
    assert stream.below(1000).tolist() == RECORDED[0]
    assert stream.below(np.array([1, 10, 100, 1000]), 2).tolist() == RECORDED[1]
    assert stream.part("other", np.array([2])).choice((5, 6, 7), 3).tolist() == RECORDED[2]


def test_an_index_draws_what_it_would_draw_alone() -> None:
    together = NumberStream("x", np.arange(50)).below(10**6, 3, 2)
    for k in (0, 7, 49):
        assert NumberStream("x", np.array([k])).below(10**6, 3, 2)[..., 0].tolist() == together[..., k].tolist()


def test_numbers_are_spread_evenly_over_indices_and_over_calls() -> None:
    stream = NumberStream("even", np.arange(20_000))
    for numbers in (stream.below(10), stream.below(10), stream.part("p").below(10)):
        counts = np.bincount(numbers, minlength=10)
        assert (abs(counts - 2000) < 200).all()
    first, second = stream.below(2), stream.below(2)
    assert abs(int((first == second).sum()) - 10_000) < 400
    neighbours = NumberStream("even", np.arange(20_000)).below(2)
    assert abs(int((neighbours[1:] == neighbours[:-1]).sum()) - 10_000) < 400
