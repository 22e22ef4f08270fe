"""Floats as they are printed: 0.1 as a tenth, not as the binary fraction that is nearest to it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from exactformer.errors import InvalidInput, NotExact

#: a common denominator 2^k with k at least this comes from floats, not from halves and quarters
_BINARY = 30
HINT = "floats as binary fractions; decimals=True reads 0.1 as 1/10"


def decimals(values: Any) -> Any:
    """The values with every float replaced by the decimal fraction it prints as, exactly.

    Numbers, nested lists, arrays (then an array of Fractions), tensors and frames of pandas; what is not a float stays.

    >>> decimals(0.1), decimals([[0.5, 2], ["1/3", 1e-3]])
    (Fraction(1, 10), [[Fraction(1, 2), 2], ['1/3', Fraction(1, 1000)]])
    >>> decimals(np.array([0.1, 0.7], dtype=np.float32)).tolist()
    [Fraction(1, 10), Fraction(7, 10)]
    """
    if isinstance(values, float | np.floating):
        return _decimal(values)
    if isinstance(values, list | tuple):
        return type(values)(decimals(value) for value in values)
    if hasattr(values, "columns") and hasattr(values, "__getitem__"):
        if not hasattr(values, "iloc"):
            raise InvalidInput("decimals: expected a frame of pandas, got another one; to_pandas() makes it one")
        return values.apply(lambda column: column.map(decimals))
    if hasattr(values, "__array__") and not isinstance(values, np.generic):
        array = np.asarray(values)
        return _array(array) if array.dtype.kind in ("f", "O") else array
    return values


def _array(array: Any) -> Any:
    found = np.empty(array.shape, dtype=object)
    found.ravel()[:] = [decimals(value) for value in array.ravel()]
    return found


def _decimal(value: float | np.floating[Any]) -> Fraction:
    if not np.isfinite(value):
        raise NotExact(f"expected a finite number, got {value}")
    return Fraction(Decimal(str(value)))


def looks_binary(denominator: int) -> bool:
    """Whether a common denominator is a power of two so large that only floats have it.

    >>> looks_binary(0.1.as_integer_ratio()[1]), looks_binary(8), looks_binary(3 << 60)
    (True, False, False)
    """
    return denominator >> _BINARY > 0 and denominator & (denominator - 1) == 0
