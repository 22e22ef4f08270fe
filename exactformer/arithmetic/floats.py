"""Exact numbers as floats: within 4*2^-53 of the value, relatively, infinite past the range. No proofs."""

from __future__ import annotations

import math
from fractions import Fraction

from exactformer.arithmetic.algebraic import Algebraic


def float_of(number: int | Fraction | Algebraic, denominator: int = 1) -> float:
    """number/denominator, rounded; infinite past the range.

    >>> float_of(1, 3), float_of(-(10**400)), float_of(10**400, 10**399)
    (0.3333333333333333, -inf, 10.0)
    """
    if isinstance(number, Algebraic):
        return float(number / denominator)
    try:
        return float(number / denominator)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
