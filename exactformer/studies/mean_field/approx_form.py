"""The form that the abstract announces, held against measured curves, in floats; and what symmetry hides.

W2(t) <= K [sqrt(log(beta+1)/beta) e^{Ct} + e^{-ct}]: for a given K the least C that holds up to the escape, and the sum
of two exponentials D e^{-ct} + A beta^{-q} e^{Ct} that comes nearest to all curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.mean_field.approx_density import Density
from exactformer.studies.mean_field.approx_phases import ROUNDING
from exactformer.studies.mean_field.approx_run import Run
from exactformer.studies.mean_field.approx_transport import ApproxLimit

#: the fit looks at W2 below this, until it is exceeded again
FITTED = 0.5
#: points at which a symmetry of a density is looked for
PROBES = 2000


def least_growth(runs: Sequence[Run], c: float, K: float) -> float:
    """The least C >= 0 with W2 <= K [sqrt(log(beta+1)/beta) e^{Ct} + e^{-ct}] up to the escape; infinite if none is."""
    least = 0.0
    for run in runs:
        if not run.beta:
            continue
        end = run.phases.escape or np.inf
        t, rest = run.times, run.w2 / K - np.exp(-c * run.times)
        open_ = (rest > 0) & (t <= end)
        height = np.log(rest[open_] / np.sqrt(np.log(run.beta + 1) / run.beta))
        if (height[t[open_] == 0] > ROUNDING).any():
            return float("inf")
        later = t[open_] > 0
        least = max(least, float((height[later] / t[open_][later]).max(initial=0.0)))
    return least


@dataclass(frozen=True)
class TwoExponentials:
    """W2 ~ D e^{-ct} + A beta^{-q} e^{Ct}, and the root mean square of the difference of the logarithms."""

    D: float
    c: float
    A: float
    q: float
    C: float
    residual: float

    def json(self) -> dict[str, float]:
        """As plain data."""
        return dict(self.__dict__)


def fit_two_exponentials(runs: Sequence[Run]) -> TwoExponentials | None:
    """The nearest sum of two exponentials to all curves together; None where they are too few to tell."""
    from scipy.optimize import least_squares

    parts = [_fitted(run) for run in runs if run.beta and run.phases.settled and run.phases.escape is not None]
    if len(parts) < 2:
        return None
    t, logs, w2 = (np.concatenate(column) for column in zip(*parts, strict=True))

    def off(v: Array) -> object:
        return np.logaddexp(v[0] - v[1] * t, v[2] - v[3] * logs + v[4] * t) - np.log(w2)

    found = least_squares(off, [0.0, 1 / t.max(), -2.0, 1.0, 1 / t.max()])
    D, c, A, q, C = (float(v) for v in found.x)
    return TwoExponentials(float(np.exp(D)), c, float(np.exp(A)), q, C, float(np.sqrt((found.fun**2).mean())))


def _fitted(run: Run) -> tuple[Array, Array, Array]:
    lowest = int(run.w2.argmin())
    gone = np.flatnonzero(run.w2[lowest:] > FITTED)
    stop = lowest + int(gone[0]) if len(gone) else len(run.w2)
    first = int(np.flatnonzero(run.w2 <= FITTED)[0]) if (run.w2 <= FITTED).any() else lowest
    rows = slice(first, stop)
    return run.times[rows], np.full(stop - first, np.log(run.beta or 1.0)), run.w2[rows]


def hiding_directions(V: Array, B: Array, limit: ApproxLimit, density: Density) -> list[Array]:
    """Unit vectors v, unstable under V, whose reflection keeps V, B, E and the density: the mean never turns to them.

    R = I - 2vv' commutes with V and B and R#mu_0 = mu_0, so that R#mu_t = mu_t by uniqueness: a cluster on E, which
    R fixes, has a mean fixed by R, and the instability along v is never excited.
    """
    values, vectors = np.linalg.eig(V)
    top = max(float(e @ V @ e) for e in limit.basis.T)
    points = Density("1", len(V)).tokens(PROBES)
    before, hiding = density(points), []
    for value, v in zip(values, vectors.T, strict=True):
        if abs(value.imag) > ROUNDING or value.real <= top + ROUNDING:
            continue
        R = np.eye(len(V)) - 2 * np.outer(v.real, v.real)
        kept = max(np.abs(R @ A - A @ R).max() for A in (V, B)) < ROUNDING
        fixed = np.abs(limit.basis.T @ v.real).max() < ROUNDING
        if kept and fixed and np.abs(density(points @ R) - before).max() <= ROUNDING * before.max():
            hiding.append(np.asarray(v.real))
    return hiding
