"""The three phases of W2(t) and how they move with beta, in floats: concentration, metastable, terminal.

W2 to the limit falls until t_min (concentration), stays near its least value (metastable), and grows again as the
clusters leave along V (terminal). The laws predicted for log beta -> infinity are heuristic; those of the rates at
zero temperature are proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.mean_field.approx_transport import ApproxLimit

#: W2 beyond which a cluster has left its limit, and the factor up to which W2 counts as near its least value
ESCAPED, NEAR = 0.7, 2.0
#: eigenvectors within this of each other, and rates within this of zero, are taken as equal
ROUNDING = 1e-9


@dataclass(frozen=True)
class Phases:
    """Least W2 and when; the times between which it is at most twice that; when it exceeds 0.7 afterwards, if ever.

    `settled` is False where W2 still fell at the end: a later end might find a smaller one.
    """

    w2_min: float
    t_min: float
    metastable: tuple[float, float]
    escape: float | None
    settled: bool

    @classmethod
    def of(cls, times: Array, w2: Array) -> Phases:
        """The phases of a curve; the minimum by a parabola in log W2, the escape by a line.

        >>> t = np.linspace(0, 20, 401)
        >>> found = Phases.of(t, np.exp(-t / 2) + 1e-4 * np.exp(t / 2))
        >>> round(found.t_min, 3), round(found.escape, 2), found.settled
        (9.21, 17.71, True)
        """
        k = int(w2.argmin())
        settled = k < len(w2) - 1
        t_min, w2_min = _lowest(times, w2, k)
        near = np.flatnonzero(w2 <= NEAR * w2_min)
        gone = np.flatnonzero(w2[k:] > ESCAPED)
        escape = _crossing(times, w2, k + int(gone[0])) if len(gone) else None
        return cls(w2_min, t_min, (float(times[near[0]]), float(times[near[-1]])), escape, settled)


def _lowest(times: Array, w2: Array, k: int) -> tuple[float, float]:
    """The vertex of the parabola through log W2 at the least value and its neighbours; the value itself at an end."""
    if not 0 < k < len(w2) - 1 or w2[k] <= 0:
        return float(times[k]), float(w2[k])
    before, here, after = np.log(w2[k - 1 : k + 2])
    bend = before - 2 * here + after
    shift = (before - after) / (2 * bend) if bend > 0 else 0.0
    half = (times[k + 1] - times[k - 1]) / 2
    return float(times[k] + shift * half), float(np.exp(here - (before - after) * shift / 4))


def _crossing(times: Array, w2: Array, k: int) -> float:
    """When the line between two neighbours reaches the threshold."""
    if k == 0:
        return float(times[0])
    share = (ESCAPED - w2[k - 1]) / (w2[k] - w2[k - 1])
    return float(times[k - 1] + min(max(share, 0.0), 1.0) * (times[k] - times[k - 1]))


@dataclass(frozen=True)
class Rates:
    """What the laws are made of: the gap g, k = |B'e| on E and beside the kernel, and the instability g_V of e under V.

    `beside` is |B'e'| for e' the eigenvector of the next eigenvalue, near which tokens close to ker Pi linger.
    """

    gap: float
    on_limit: float
    beside: float
    instability: float

    @classmethod
    def of(cls, V: Array, B: Array, limit: ApproxLimit) -> Rates | None:
        """The rates where E is a line and the next eigenvalue is real and simple; None otherwise: no law is known."""
        values, vectors = np.linalg.eig(V @ B.T)
        order = np.argsort(-values.real)
        values, vectors = values[order], vectors[:, order]
        alone = len(values) == 2 or values[1].real - values[2].real > ROUNDING
        if limit.dimension != 1 or abs(values[1].imag) > ROUNDING or not alone:
            return None
        e, beside = limit.basis[:, 0], vectors[:, 1].real
        on_limit, near = (float(np.linalg.norm(x @ B) / np.linalg.norm(x)) for x in (e, beside))
        return cls(float(values[0].real - values[1].real), on_limit, near, _instability(V, e))

    def rate(self, p: float = 2.0) -> float:
        """c_p = min(g/k(E), g/(p k(ker))): W_p falls like e^{-c_p t} at zero temperature, for smooth densities."""
        return min(self.gap / self.on_limit, self.gap / (p * self.beside))

    def slopes(self) -> dict[str, float | None]:
        """What t_min, the escape and log W2_min gain with log beta; None where e is stable, or no eigenvector of V."""
        if not ROUNDING < self.instability < np.inf:
            return {"t_min": None, "escape": None, "w2_min": None}
        c = self.rate()
        escape = self.on_limit / (2 * self.gap) + 1 / (2 * self.instability)
        t_min = escape * self.instability / (c + self.instability)
        return {"t_min": t_min, "escape": escape, "w2_min": -c * t_min}


def _instability(V: Array, e: Array) -> float:
    """The largest rate at which a point leaves e under xdot = P_x V x; infinite where e is no equilibrium of it."""
    here = float(e @ V @ e)
    if np.linalg.norm(V @ e - here * e) > ROUNDING * max(1.0, float(np.linalg.norm(V))):
        return float("inf")
    tangent = np.linalg.svd(e[None])[2][1:].T
    return float(np.linalg.eigvals(tangent.T @ V @ tangent).real.max()) - here


def slopes(betas: Sequence[float], phases: Sequence[Phases]) -> dict[str, float | None]:
    """Least-squares slopes of t_min, the escape and log W2_min against log beta, over the runs that have them."""
    settled = [(np.log(beta), found) for beta, found in zip(betas, phases, strict=True) if found.settled]
    pairs: dict[str, list[tuple[float, float]]] = {
        "t_min": [(x, found.t_min) for x, found in settled],
        "escape": [(x, found.escape) for x, found in settled if found.escape is not None],
        "w2_min": [(x, np.log(found.w2_min)) for x, found in settled if found.w2_min > 0],
    }
    return {name: _slope(points) for name, points in pairs.items()}


def _slope(points: list[tuple[float, float]]) -> float | None:
    if len({x for x, _ in points}) < 2:
        return None
    x, y = np.array(points).T
    return float(np.polyfit(x, y, 1)[0])
