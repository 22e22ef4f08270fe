"""Whether this machine multiplies matrices as the bounds assume: IEEE float64, every term of a sum rounded at most once
per addition. A library with Strassen's scheme, a reduced mode or numbers flushed to zero would break them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from exactformer.evaluate.exact_slices import slice_bits
from exactformer.evaluate.outward import Floats, gamma

Product = Callable[[Floats, Floats], Floats]
_INNER = (3, 64, 384, 1000, 4096)


@cache
def fault(product: Product = np.matmul) -> str | None:
    """What is wrong with products of float64 matrices here; None where all trials come out as they must.

    >>> fault()
    """
    one = np.ones(1)
    if (one + 2.0**-53)[0] != 1 or (one + 3 * 2.0**-53)[0] != 1 + 2.0**-51 or (one * 2.0**-1040 * 2.0**-30)[0] == 0:
        return "float64 is not rounded to nearest here, or small numbers are flushed to zero"
    rng = np.random.default_rng(0)
    for k in _INNER:
        if not _slices_are_exact(k, rng, product):
            return f"products of integers of inner dimension {k} are not exact, although every sum stays below 2^53"
    if not _each_entry_is_accurate(rng, product):
        return "products of matrices err by more than any order of summation explains"
    return None


def _slices_are_exact(k: int, rng: np.random.Generator, product: Product) -> bool:
    """Integers as large as slices can be, of one sign and of both, against int64."""
    most = 2 ** (slice_bits(k) - 1) + 1
    for low in (most, -most):
        x, y = rng.integers(low, most, (70, k), endpoint=True), rng.integers(low, most, (k, 34), endpoint=True)
        found = product(x.astype(np.float64), y.astype(np.float64))
        if not np.array_equal(found.astype(np.int64), x @ y):
            return False
    return True


def _each_entry_is_accurate(rng: np.random.Generator, product: Product) -> bool:
    """Rows and columns of very different sizes: every entry errs by at most gamma_k |x|^T |w|, against int64."""
    k, n = 200, 96
    x, y = (rng.integers(-(2**24), 2**24, shape) for shape in ((n, k), (k, n)))
    scale = np.where(np.arange(n) < n // 2, 2.0**40, 1.0)  # powers of two, which change no rounding
    found = product(x.astype(np.float64) * scale[:, None], y.astype(np.float64) * scale) / (scale[:, None] * scale)
    bound = gamma(k) * (np.abs(x) @ np.abs(y))
    whole = np.rint(found).astype(np.int64)
    return bool((np.abs(whole - x @ y) <= bound + 1).all())
