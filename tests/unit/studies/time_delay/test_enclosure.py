"""Tests of `exactformer.studies.time_delay.enclosure`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from exactformer.errors import Undecided
from exactformer.studies.time_delay.approx_training import with_units
from exactformer.studies.time_delay.enclosure import RowBox, _activation, enclose
from exactformer.studies.time_delay.network import contain

F = Fraction


@pytest.mark.parametrize("swapped", [False, True])
def test_enclosures_end_at_the_first_that_is_a_deviation_wide(swapped: bool) -> None:
    """z+ = 4 z + 1/2 in one coordinate and z+ = z/2 in the other: only the first widens."""
    A = np.diag([-0.5, 3.0] if swapped else [3.0, -0.5])
    network = with_units(contain(A[None], np.array([0.5, 0.5])), np.zeros(2), np.array([7.0, 7.0]))
    start = [(F(1, 3), F(2, 3))]
    told = list[int]()
    with pytest.raises(Undecided, match="at 24 bits is too wide") as caught:
        enclose(network, start, 99, bits=24, progress=told.append)
    last = told[-1]
    assert f"after {last} steps" in str(caught.value)
    rows = enclose(network, start, last - 1, bits=24)
    wide = 0 if not swapped else 1
    assert float(F(1, 6)) < float(rows[-1].radius) / 7 < 1
    assert rows[-1].radius == (rows[-1].high[wide] - rows[-1].low[wide]) / 2
    finer = enclose(network, start, last + 4, bits=48)
    assert all(coarse.radius > fine.radius for coarse, fine in zip(rows, finer, strict=False))


def test_the_radius_of_an_enclosure_is_half_its_widest_side_and_it_holds_its_ends() -> None:
    box = RowBox((F(0), F(-1), F(2)), (F(1, 2), F(3), F(2)))
    assert box.radius == 2
    for inside in ([0.0, -1.0, 2.0], [0.5, 3.0, 2.0], [0.25, 0.0, 2.0]):
        assert box.contains(np.array(inside))
    for outside in ([-0.01, 0.0, 2.0], [0.25, 3.01, 2.0], [0.25, 0.0, 2.01], [0.51, 0.0, 2.0]):
        assert not box.contains(np.array(outside))


@pytest.mark.parametrize("kind", ["gelu", "relu"])
def test_slopes_of_activations_contain_every_quotient(kind: str) -> None:
    for low, high in ((-2, -1), (-1, 1), (-3, 2), (0, 1), (1, 3)):
        value, slope = _activation(arb((low + high) / 2, (high - low) / 2), kind)
        ends = [_activation(arb(end), kind)[0] for end in (low, high)]
        assert all(value.contains(end) for end in ends)
        assert slope.contains((ends[1] - ends[0]) / (high - low))
