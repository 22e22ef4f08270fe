"""Tests of `exactformer.studies.time_delay.approx_window`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.studies.time_delay.approx_window import approx_window_network
from exactformer.studies.time_delay.network import ApproxFunctions, verify_shapes
from exactformer.studies.time_delay.positive_window import PositiveWindow

F = Fraction


@pytest.mark.parametrize("newest", [F(1, 2), F(9, 8), F(3)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_window_as_attention_whatever_the_newest_weight(newest: Fraction, sign: int) -> None:
    """9/8 - 1 - 1/8 = 0: there the newest token takes another weight."""
    network = approx_window_network(PositiveWindow((), newest, sign, (F(1, 3), F(2)), ()))
    verify_shapes(network)
    window = np.array([[0.7], [-1.1], [0.4]])
    wanted = float(newest) * 0.4 + sign * (0.7 / 3 - 2.2) - 0.4
    assert network.increment(window, ApproxFunctions()) == pytest.approx([wanted])
    with pytest.raises(InvalidInput, match="positive weights"):
        approx_window_network(PositiveWindow((), newest, sign, (F(1, 3), F(0)), ()))
