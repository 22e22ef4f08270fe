"""Reading a NumPy array exactly against simulating it, as ratios of times measured in one run with one BLAS thread.

    python benchmarks/reading.py

The left side is `ef.Tokens(array)`: every float64 as its exact dyadic value, all over one denominator. The right side
is `ef.simulate` of those tokens for the layers given. Times are taken in turn and the best of several counts.
"""

from __future__ import annotations

# ruff: noqa: E402 - the number of BLAS threads is read when NumPy is imported
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import time
from collections.abc import Callable

import numpy as np

import exactformer as ef

SEED = 0
#: (n, d, layers) as in benchmarks/dynamics.py
SHAPES = [
    (16, 2, 1),
    (128, 2, 1),
    (128, 8, 1),
    (128, 8, 30),
    (512, 16, 1),
    (512, 16, 20),
    (1000, 64, 10),
    (5000, 16, 5),
]


def seconds(work: Callable[[], object]) -> float:
    """The time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """One line per shape: both times, their ratio, and the ratio aimed at."""
    print(f"seed {SEED}, NumPy {np.__version__}, one BLAS thread; normal tokens\n")
    print("     n    d layers  Tokens(array) ms  simulate ms   ratio    aim")
    for n, d, layers in SHAPES:
        rows = np.random.default_rng(SEED).standard_normal((n, d))
        tokens = ef.Tokens(rows)
        read = run = float("inf")
        for _ in range(9 if n >= 512 else 200):
            read = min(read, seconds(lambda rows=rows: ef.Tokens(rows)))
            run = min(run, seconds(lambda tokens=tokens, layers=layers: ef.simulate(tokens, layers=layers)))
        missed = "" if read <= run else "  missed"
        print(f"{n:>6} {d:>4} {layers:>6} {read * 1e3:>17.3f} {run * 1e3:>12.3f} {read / run:>7.2f}    1.0{missed}")


if __name__ == "__main__":
    main()
