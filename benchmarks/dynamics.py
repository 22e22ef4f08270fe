"""The exact engine against vectorised NumPy float64, as ratios of times measured in one run with one BLAS thread.

    python benchmarks/dynamics.py             all figures
    python benchmarks/dynamics.py --quick     fewer repetitions, no n = 5000

Both sides start from tokens in memory; the exact side verifies A, runs every layer and makes the final state, exact
integers over one denominator. The float side is `Z @ A @ Z.T`, `== max`, the mean over ties. Times are taken in turn
and the best of several counts.
"""

from __future__ import annotations

# ruff: noqa: E402 - the number of BLAS threads is read when NumPy is imported
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported: one BLAS thread on both sides

import sys
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from exactformer.dynamics.orbit import simulate
from exactformer.model.tokens import Tokens

SEED = 0
Shape = tuple[int, int, int]
Kind = Callable[[np.random.Generator, int, int], np.ndarray]

#: (n, d, layers) -> the largest ratio aimed at
NORMAL = {
    (16, 2, 50): 1.0,
    (128, 2, 30): 0.5,
    (128, 8, 30): 0.5,
    (512, 16, 20): 0.4,
    (1000, 64, 10): 0.4,
    (5000, 16, 5): 0.3,
}
ONE_LAYER = {(16, 2, 1): 5.0, (128, 2, 1): 3.0, (128, 8, 1): 3.0, (512, 16, 1): 1.5, (2000, 16, 1): 1.5}
GRIDS = {
    (16, 2, 50): 5.0,
    (128, 2, 30): 5.0,
    (128, 3, 30): 5.0,
    (128, 8, 30): 5.0,
    (1000, 3, 10): 1.0,
    (1000, 8, 10): 1.0,
}


def float_orbit(Z: np.ndarray, A: np.ndarray, share: float, layers: int) -> np.ndarray:
    """The dynamics in float64, vectorised."""
    for _ in range(layers):
        scores = Z @ A @ Z.T
        ties = scores == scores.max(axis=1, keepdims=True)
        Z = Z + share * (ties @ Z / ties.sum(axis=1, keepdims=True) - Z)
    return Z


def naive_layer(Z: list[list[Fraction]], share: Fraction) -> list[list[Fraction]]:
    """One layer with A = I in Fractions, by definition."""
    moved = []
    for z in Z:
        scores = [sum((x * y for x, y in zip(z, other, strict=True)), start=Fraction(0)) for other in Z]
        top = max(scores)
        best = [other for other, score in zip(Z, scores, strict=True) if score == top]
        means = [sum(column, start=Fraction(0)) / len(best) for column in zip(*best, strict=True)]
        moved.append([x + share * (m - x) for x, m in zip(z, means, strict=True)])
    return moved


def ratio(rows: np.ndarray, alpha: Fraction, layers: int, repeat: int) -> tuple[float, float, float]:
    """(exact seconds, float seconds, their ratio), best of `repeat`, the two sides in turn."""
    tokens = Tokens(rows, alpha=alpha)
    Z, A, share = rows.astype(np.float64), np.eye(rows.shape[1]), float(alpha / (1 + alpha))
    exact = floats = float("inf")
    for _ in range(repeat):
        exact = min(exact, seconds(lambda: simulate(tokens, layers=layers).final.numerators))
        floats = min(floats, seconds(lambda: float_orbit(Z, A, share, layers)))
    return exact, floats, exact / floats


def seconds(work: Callable[[], object]) -> float:
    """The time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def table(title: str, kind: Kind, aims: dict[Shape, float], quick: bool) -> None:
    """One line per shape and alpha: times, ratio, and the ratio aimed at."""
    print(f"\n{title}\n     n    d layers alpha   exact ms   float ms   ratio    aim")
    for (n, d, layers), aim in aims.items():
        if quick and n > 1000:
            continue
        for alpha in (Fraction(1), Fraction(1, 2)):
            rows = kind(np.random.default_rng(SEED), n, d)
            repeat = (5 if quick else 9) if n >= 512 else (50 if quick else 300)
            exact, floats, quotient = ratio(rows, alpha, layers, repeat)
            times = f"{exact * 1e3:>10.3f} {floats * 1e3:>10.3f} {quotient:>7.2f} {aim:>6}"
            print(f"{n:>6} {d:>4} {layers:>6} {alpha!s:>5} {times}{'' if quotient <= aim else '  missed'}")


def against_fractions() -> None:
    """How much slower Fractions by definition are at (128, 8): one layer of theirs against thirty of the engine's."""
    rows = np.random.default_rng(SEED).standard_normal((128, 8))
    tokens = Tokens(rows, alpha=1)
    exact = min(seconds(lambda: simulate(tokens, layers=30).final.numerators) for _ in range(20))
    naive = seconds(lambda: naive_layer([[Fraction(float(x)) for x in row] for row in rows], Fraction(1, 2)))
    print(
        f"\nFractions by definition at (128, 8): one layer takes {naive / exact:,.0f} times as long as 30 exact layers"
    )


def normal(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Normal tokens."""
    return rng.standard_normal((n, d))


def main() -> None:
    """Prints all tables."""
    quick = "--quick" in sys.argv
    print(f"seed {SEED}, NumPy {np.__version__}, one BLAS thread")
    table("normal tokens, locking", normal, NORMAL, quick)
    table("one layer, nothing is locked yet", normal, ONE_LAYER, quick)
    table("integer grids -3..3", lambda rng, n, d: rng.integers(-3, 4, (n, d)), GRIDS, quick)
    table("{-1, 0, 1}^d", lambda rng, n, d: rng.integers(-1, 2, (n, d)), GRIDS, quick)
    against_fractions()


if __name__ == "__main__":
    main()
