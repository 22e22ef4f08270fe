"""Tests of `exactformer.dynamics.positions`."""

from __future__ import annotations

import numpy as np

from exactformer.arithmetic.state import State
from exactformer.dynamics.positions import Positions


def test_positions_count_equal_tokens() -> None:
    positions = Positions.of(State.of([[1, 0], [1, 1], [1, 0], [2, 0]]))
    assert positions.classes == ((0, 2), (1,), (3,))
    assert positions.weights.tolist() == [2, 1, 1]
    assert positions.tokens_at(np.array([2, 0])) == (0, 2, 3)


def test_positions_stand_in_the_order_of_their_first_tokens() -> None:
    found = Positions.of(State.of([[1, 1], [0, 2], [1, 1], [0, 2], [1, 3], [1, 1]]))
    assert found.index.tolist() == [0, 1, 0, 1, 2, 0]
    assert (found.first.tolist(), found.weights.tolist(), len(found)) == ([0, 1, 4], [3, 2, 1], 3)
    assert (found.distinct, found.classes) == (False, ((0, 2, 5), (1, 3), (4,)))
    assert found.tokens_at(np.array([2, 0])) == (0, 2, 4, 5)
