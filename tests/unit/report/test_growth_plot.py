"""Tests of `exactformer.report.growth_plot`."""

from __future__ import annotations

import math

import numpy as np

import exactformer as ef
from exactformer.report.growth_plot import draw_growth, orbit_bits


def test_bits_of_a_layer_are_those_of_its_points_in_lowest_terms() -> None:
    orbit = ef.simulate(ef.Tokens([[4, 0], [0, 8], [2, 2]], alpha=1), layers=5)
    bits = []
    for k in range(6):
        numbers = [x for row in orbit.tokens(k).rows() for x in row]
        common = math.lcm(*(x.denominator for x in numbers))
        bits.append(max(common, *(abs(int(x * common)) for x in numbers)).bit_length())
    assert orbit_bits(orbit) == bits == [4, 4, 5, 6, 7, 8]


def test_bits_against_layers() -> None:
    (ax,) = draw_growth([3, 60, 5], across="layer").axes
    curve, limit = ax.lines
    assert curve.get_xydata().tolist() == [[0, 3], [1, 60], [2, 5]]
    assert list(limit.get_ydata()) == [53, 53]
    assert (ax.get_xlabel(), ax.get_title(), ax.get_ylim()[0]) == (
        "layer",
        "bits of the exact numbers, layer by layer",
        0,
    )
    assert [draw_growth([1] * n, across="x", title="t").axes[0].lines[0].get_marker() for n in (60, 61)] == [
        "o",
        "None",
    ]
    orbit = ef.simulate(ef.Tokens([[4, 0], [0, 6]], alpha="1/3"), layers=4)
    heights = list(ef.plot(orbit, "bits").axes[0].lines[0].get_ydata())
    for k, bits in enumerate(heights):
        state = orbit.tokens(k)
        common = np.lcm.reduce([x.denominator for row in state for x in row])
        numbers = [int(common), *(int(x * int(common)) for row in state for x in row)]
        assert bits == max(abs(n).bit_length() for n in numbers)
