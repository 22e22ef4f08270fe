"""A transformer with frozen additive attention from a proved window: the softmax weights are the proof's, rounded."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from exactformer.errors import InvalidInput
from exactformer.studies.time_delay.network import DelayNetwork
from exactformer.studies.time_delay.positive_window import PositiveWindow


def approx_window_network(found: PositiveWindow) -> DelayNetwork:
    """z+ = alpha z_m + sign * sum a_j z_j as attention: channel 0 holds z_j, channel 1 log a_j, channel 2 the query 1.

    The newest token has some weight c of its own in a softmax; the direct path takes it back.
    """
    if not found.strict:
        raise InvalidInput("expected positive weights: a softmax has no weight zero")
    m = found.window
    c = next(c for c in (Fraction(1, 8), Fraction(1, 16)) if found.newest - 1 - found.sign * c)
    direct = float(found.newest - 1 - found.sign * c)
    total = float(sum(found.weights) + c)
    position = np.zeros((m, 3))
    position[:, 1] = np.log([float(a) for a in (*found.weights, c)])
    position[:, 2] = 1.0
    value = np.zeros((3, 3))
    value[0, 0] = found.sign * total / direct
    weights = {
        "E": np.array([[[1.0], [0.0], [0.0]]]), "p": position, "WQ": np.array([[0.0, 0.0, 1.0]]),
        "WK": np.array([[0.0, 1.0, 0.0]]), "WV": value, "L": np.array([[direct, 0.0, 0.0]]), "W1": np.zeros((1, 3)),
        "b1": np.zeros(1), "W2": np.zeros((1, 1)), "b2": np.zeros(1), "A": np.zeros((m, 1, 1)),
    }  # fmt: skip
    return DelayNetwork(weights, "additive", "gelu", (0.0,), (1.0,))
