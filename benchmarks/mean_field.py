"""Mean field: fast fields against every pair, closed forms, slopes of the phases, the exact projector, enclosures.

Dense times at N = 100,000 are those of 100 rows, times 1,000; everything else is run in full. Times are CPU times.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import array_api_compat.numpy as xp
import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.mean_field.approx_compressed import CompressedField
from exactformer.studies.mean_field.approx_density import Density
from exactformer.studies.mean_field.approx_flow import ZeroTemperatureFlow
from exactformer.studies.mean_field.approx_run import Settings, Simulation, approx_run
from exactformer.studies.mean_field.approx_softmax import Sources, approx_dense, approx_truncated, truncation_error
from exactformer.studies.mean_field.approx_transport import (
    ApproxLimit,
    ApproxTransport,
    approx_circle_w2,
    approx_sphere_w2,
)
from exactformer.studies.mean_field.enclosure import enclose
from exactformer.studies.mean_field.families import circle_tokens, sample_system
from exactformer.studies.mean_field.spectrum import Dominant, dominant

N = 100_000
ROWS = np.arange(N // 200, N, N // 100)


def cpu(work: Callable[[], object], *, best: int = 3) -> float:
    times = []
    for _ in range(best):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def cloud(dim: int, squeeze: float) -> Array:
    """Tokens of the generic density, pulled towards the second axis."""
    x = Density.generic(dim).tokens(N) * np.where(np.arange(dim) == 1, 1.0, squeeze)
    return np.asarray(x / np.sqrt((x**2).sum(axis=1, keepdims=True)))


def fields(dim: int, betas: Sequence[float], squeezes: Sequence[float]) -> None:
    B = np.diag([0.2, 1.0, 0.5][:dim])
    for squeeze in squeezes:
        tokens = cloud(dim, squeeze)
        sources = Sources.of(xp, tokens)
        for beta in betas:
            w = beta * tokens[ROWS] @ B
            dense = cpu(lambda s=sources, w=w: approx_dense(s, w)) * N / len(ROWS)
            quick = cpu(lambda t=tokens, b=beta: CompressedField(t, B, b)())
            field = CompressedField(tokens, B, beta)
            off = np.sqrt(((field()[ROWS] - approx_dense(sources, w)) ** 2).sum(axis=1)).max()
            proved = field.source_error(tokens[ROWS]).max()
            spread = "spread" if squeeze == 1 else f"squeezed {squeeze:g}"
            print(
                f"d = {dim}, beta = {beta:g}, {spread}: dense {dense:.0f} s, compressed {quick:.3f} s, "
                f"{dense / quick:.0f} times; error {off:.1e}, of the sources at most {proved:.1e}"
            )


def windows() -> None:
    tokens, B = cloud(2, 1.0), np.diag([0.2, 1.0])
    sources = Sources.of(xp, tokens)
    for beta in (1000.0, 10_000.0):
        dense = cpu(lambda b=beta: approx_dense(sources, b * tokens[ROWS] @ B)) * N / len(ROWS)
        found: list[Array] = []
        quick = cpu(lambda b=beta, f=found: f.append(approx_truncated(sources, b * tokens @ B)), best=1)
        off = np.abs(found[0][ROWS] - approx_dense(sources, beta * tokens[ROWS] @ B)).max()
        print(
            f"d = 2, beta = {beta:g}, truncated {quick:.1f} s: {dense / quick:.1f} times; difference {off:.0e}, proved "
            f"{truncation_error(N):.0e}"
        )


def closed_forms() -> None:
    cases = ((2, approx_circle_w2, "circle"), (3, approx_sphere_w2, "2-sphere"))
    for dim, formula, name in cases:
        tokens = Density("1", dim).tokens(N)
        projector = np.diag([0.0, 1.0, 0.0][:dim])
        transport = ApproxTransport.of(ApproxLimit(projector), tokens)
        flow = ZeroTemperatureFlow(np.eye(dim) / 2 + projector / 2, np.eye(dim))
        off = [abs(transport.bounds(flow.step(tokens, t))[0] - formula(np.exp(-t / 2))) for t in np.arange(0, 13.0)]
        print(f"W2 of {N} tokens against its closed form on the {name}, gap times t from 0 to 6: off by {max(off):.1e}")


def simulated(V: list[float], B: list[float], betas: list[float], until: float, step: float) -> Simulation:
    limit = ApproxLimit(np.diag([float(i == 1) for i in range(len(V))]))
    tokens = Density.generic(len(V)).tokens(N)
    return approx_run((np.diag(V), np.diag(B)), limit, tokens, betas, Settings(until, step))


def slopes(name: str, found: Simulation) -> None:
    measured, predicted = found.slopes(), found.predicted()
    figures = ", ".join(
        f"{key} {measured[key]:.3f} ({predicted[key]:.3f}, {100 * (measured[key] / predicted[key] - 1):+.1f} %)"
        for key in measured
    )
    print(f"{name}, beta = {', '.join(f'{run.beta:g}' for run in found.runs)}: slopes measured (predicted): {figures}")


def projector() -> None:
    M = sample_system("random", dim=8, seed=3).M
    found = dominant(M)
    if not isinstance(found, Dominant):
        raise SystemExit("expected a random matrix with a real dominant eigenvalue; take another seed")
    made, verified = cpu(lambda: dominant(M)), cpu(found.verify, best=1)
    degree = len(found.polynomial) - 1
    print(f"exact projector, 8-by-8, eigenvalue of degree {degree}: {made:.3f} s, its identities {verified:.3f} s")


def enclosures() -> None:
    found = []
    spent = cpu(
        lambda: found.append(enclose(sample_system("metastable"), circle_tokens(24).state, beta=20, steps=60)), best=1
    )
    print(
        f"Euler steps enclosed, 24 tokens, beta = 20: radii grow by {found[0].approx_growth:.3f} a step, {spent:.1f} s"
    )


if __name__ == "__main__":
    fields(2, (100.0, 1000.0, 10_000.0), (1.0, 0.05, 0.002))
    fields(3, (10.0, 100.0, 1000.0), (1.0, 0.05, 0.002))
    windows()
    closed_forms()
    slopes("circle", simulated([1, 0.5], [0.2, 1], [100, 300, 1000, 3000], 28, 0.2))
    slopes("circle, slow beside the kernel", simulated([1, 0.9], [0.8, 1], [1000, 3000, 10_000], 90, 0.5))
    projector()
    enclosures()
