"""Runs of the mean field at several temperatures, made up for pictures and pages."""

from __future__ import annotations

from typing import Any

import numpy as np

from exactformer.studies.mean_field.approx_run import Run, Simulation

T = np.linspace(0, 20, 201)


def run_of(beta: float, *, until: float = 20.0) -> Run:
    """A curve that falls and grows again, up to some time; three tokens turn, each from its own place."""
    t = T[until + 1e-9 >= T]
    w2 = 0.9 * np.exp(-t / 2) + 0.01 / beta * np.exp(t / 2)
    angles = np.array([0.1, 2.0, 4.0]) + t[:, None] / 7
    return Run(beta, t, w2, w2, np.stack([np.cos(angles), np.sin(angles)], axis=2))


def two_runs(*, exact: bool = True) -> Simulation:
    t = np.linspace(0, 20, 201)
    runs = []
    for beta in (10.0, 100.0):
        w2 = np.exp(-t / 2) + 0.01 / beta * np.exp(t / 2)
        lower = w2 if exact else np.where(t > 3, w2 / 2, w2)
        shown = np.stack([np.cos(t), np.sin(t)], axis=1)[:, None]
        runs.append(Run(beta, t, lower, w2, shown))
    return Simulation(tuple(runs), Run(None, t, np.exp(-t), np.exp(-t), runs[0].shown), None)


def run_showing(beta: float, shown: np.ndarray[Any, Any], *, exact: bool = True) -> Run:
    t = np.linspace(0, 20, len(shown))
    w2 = np.exp(-t / 2) + 0.01 / beta * np.exp(t / 2)
    return Run(beta, t, w2 if exact else w2 / 2, w2, shown)


def simulation_of_dimension(dim: int, *, exact: bool = True) -> Simulation:
    cloud = np.random.default_rng(dim).standard_normal((40, dim))
    cloud /= np.linalg.norm(cloud, axis=1, keepdims=True)
    shown = np.stack([cloud] * 101)
    runs = tuple(run_showing(beta, shown, exact=exact) for beta in (10.0, 100.0))
    return Simulation(runs, run_showing(1e9, shown), None)
