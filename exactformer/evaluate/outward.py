"""Radii rounded outwards: bounds made of nonnegative float64 numbers that hold in spite of their own rounding.

Fewer than 10^6 sums, products, quotients and roots of nonnegative numbers err by less than 1.2e-10 of the result; `up`
multiplies by 1 + 1e-9, and adds 2^-400 for what underflowed. Infinity and NaN stay what they are: not a bound.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from exactformer.io.untyped import AnyArray

Floats = NDArray[np.float64]
Bound = TypeVar("Bound", float, Floats)

#: the unit roundoff of binary64
U = 2.0**-53
SLACK = 1 + 1e-9
LEAST = 2.0**-400


def up(x: Bound) -> Bound:
    """A bound of every number that this nonnegative one was computed for."""
    return x * SLACK + LEAST


def gamma(k: int) -> float:
    """ku / (1 - ku), which bounds the relative error of k roundings, from above."""
    return k * U / (1 - k * U) * SLACK


def length(x: AnyArray) -> Floats:
    """The Euclidean norms of the rows (last axis), from above."""
    return up(np.sqrt(np.einsum("...i,...i->...", x, x)))


def size(x: AnyArray) -> float:
    """The Frobenius norm of an array of up to 10^9 entries, from above."""
    flat = np.ascontiguousarray(x).reshape(-1)
    return float(np.sqrt(flat @ flat)) * (1 + 1e-7) + LEAST
