"""Exact rollouts: the rows a network predicts, as rational numbers, where attention is uniform and units are relus."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from exactformer.arithmetic.rational import RationalRow
from exactformer.errors import InvalidInput
from exactformer.studies.time_delay.network import DelayNetwork, ExactFunctions, fractions


def exact_rollout(network: DelayNetwork, start: list[RationalRow], steps: int) -> list[RationalRow]:
    """The next `steps` rows after `start`; raises NotExact where the network is not rational.

    >>> import numpy as np
    >>> from exactformer.studies.time_delay.network import contain
    >>> fibonacci = contain(np.array([[[1.0]], [[0.0]]]), np.array([0.0]))
    >>> exact_rollout(fibonacci, [(Fraction(1),), (Fraction(1),)], 4)
    [(Fraction(2, 1),), (Fraction(3, 1),), (Fraction(5, 1),), (Fraction(8, 1),)]
    """
    if len(start) < network.window:
        raise InvalidInput(f"expected at least {network.window} rows to start from, got {len(start)}")
    rational, functions = network.exact(), ExactFunctions()
    mean, scale = (fractions(np.array(values)) for values in (network.mean, network.scale))
    window = (np.array(start[-network.window :], dtype=object) - mean) / scale
    rows = []
    for _ in range(steps):
        new = window[-1] + rational.increment(window, functions)
        rows.append(tuple(Fraction(x) for x in new * scale + mean))
        window = np.vstack([window[1:], new[None]])
    return rows
