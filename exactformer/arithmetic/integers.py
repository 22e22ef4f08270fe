"""Exact arithmetic on integer arrays: int64 where a bound proves that nothing overflows, Python ints otherwise.

An array here has dtype int64, or dtype object with Python ints (or elements of a number field, for
which only the object path exists). Every operation first bounds its result from the largest entries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactformer.errors import InvalidInput

Array = NDArray[Any]

#: results below it in absolute value are safe in int64: a sum of two of them still is
SAFE = 2**62


def largest(x: Array) -> int:
    """max |entry| as a Python int (0 for an empty array); integer arrays only."""
    if x.size == 0:
        return 0
    return max(abs(int(x.max())), abs(int(x.min())))


def small(*sizes: Array | int) -> bool:
    """Whether all arrays are int64 and all ints fit, so that int64 may be considered at all."""
    return all(abs(s) < SAFE if isinstance(s, int) else s.dtype == np.int64 for s in sizes)


def wide(x: Array) -> Array:
    """The same array with Python ints, in which nothing overflows."""
    return x if x.dtype == object else x.astype(object)


def narrowed(x: Array) -> Array:
    """The same integers as int64 where they fit, else unchanged; number-field elements stay as they are."""
    if x.dtype != object:
        return x.astype(np.int64, copy=False)
    try:
        narrow = x.astype(np.int64)
    except (OverflowError, TypeError):  # a large integer, a number-field element
        return x
    return narrow if largest(narrow) < SAFE else x


def objects(values: Sequence[object]) -> Array:
    """The numbers as they are, in an array of Python objects.

    >>> objects([2**70, 1])[0] == 2**70
    True
    """
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def integer_array(values: Sequence[object], shape: tuple[int, ...]) -> Array:
    """The integers as an array of that shape: int64 where they fit, Python ints otherwise.

    >>> integer_array([1, 2**70], (2, 1)).tolist()
    [[1], [1180591620717411303424]]
    """
    try:
        return np.array(values, dtype=np.int64).reshape(shape)
    except OverflowError:
        return np.array(values, dtype=object).reshape(shape)


def add(x: Array, y: Array) -> Array:
    """x + y, exactly."""
    if small(x, y) and largest(x) + largest(y) < SAFE:
        return np.asarray(x + y)
    return np.asarray(wide(x) + wide(y))


def multiply(x: Array, y: Array | int) -> Array:
    """x * y entrywise, with broadcasting, exactly."""
    if isinstance(y, int):
        if y == 1:
            return x
        if small(x, y) and largest(x) * abs(y) < SAFE:
            return np.asarray(x * y)
        return np.asarray(wide(x) * y)
    if small(x, y) and largest(x) * largest(y) < SAFE:
        return np.asarray(x * y)
    return np.asarray(wide(x) * wide(y))


def matmul(x: Array, y: Array) -> Array:
    """The matrix product x @ y, exactly.

    >>> matmul(np.array([[2**40, 1]]), np.array([[2**40], [3]]))
    array([[1208925819614629174706179]], dtype=object)
    """
    inner = x.shape[-1]
    if small(x, y) and largest(x) * largest(y) * max(inner, 1) < SAFE:
        return np.asarray(x @ y)
    return np.asarray(wide(x) @ wide(y))


def segment_sums(x: Array, offsets: Array) -> Array:
    """Row j = the sum of the rows offsets[j] .. offsets[j+1]-1 of x; every segment is nonempty."""
    if x.dtype != object and largest(x) * int(np.diff(offsets).max(initial=1)) >= SAFE:
        x = wide(x)
    return np.asarray(np.add.reduceat(x, offsets[:-1], axis=0))


def common_divisor(x: Array, start: int = 0) -> int:
    """gcd of `start` and all entries, stopping at 1."""
    if x.dtype != object:
        return math.gcd(start, int(np.gcd.reduce(x, axis=None))) if x.size else start
    divisor = start
    for v in x.flat:
        if divisor == 1:
            break
        divisor = math.gcd(divisor, v)
    return divisor


def count(value: object, name: str, least: int = 0) -> int:
    """The value as an integer >= `least`; InvalidInput for anything else, booleans and floats included."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise InvalidInput(f"{name}: expected an integer >= {least}, got {value!r:.60}")
    return int(value)
