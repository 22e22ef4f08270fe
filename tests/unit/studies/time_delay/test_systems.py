"""Tests of `exactformer.studies.time_delay.systems`."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from exactformer.studies.time_delay import systems

F = Fraction


# generated series -------------------------------------------------------------------------------------
def test_tones_are_sums_of_cosines_and_sines_at_pythagorean_angles() -> None:
    triples = ((4, 3, 5), (12, 5, 13), (15, 8, 17), (24, 7, 25), (35, 12, 37))
    assert tuple((F(a, c), F(b, c)) for a, b, c in triples) == systems.PYTHAGOREAN
    for given in (None, [(F(2), F(-1)), (F(0), F(1, 2)), (F(3), F(0))]):
        found = [float(x) for (x,) in systems.tones(3, 30, given).rows()]
        sizes = given or [(F(1), F(0)), (F(1), F(1, 3)), (F(1), F(2, 3))]
        wanted = np.zeros(30)
        for (a, b, _), (x, y) in zip(triples, sizes, strict=False):
            angle = math.atan2(b, a) * np.arange(30)
            wanted += float(x) * np.cos(angle) - float(y) * np.sin(angle)
        assert found == pytest.approx(wanted)
    assert len(systems.tones(5, 7)) == 7


def test_two_tones_by_their_formula() -> None:
    t = np.arange(50)
    assert systems.approx_two_tones(50)[:, 0] == pytest.approx(np.sin(t / 5) + np.sin(0.2 * 2**0.5 * t + 0.3) / 2)
    assert systems.approx_two_tones().shape == (1200, 1)


def lorenz(z: Any) -> Any:
    x, y, u = z
    return np.array([10 * (y - x), x * (28 - u) - y, x * y - 8 * u / 3])


def taylor(flow: Any, z: Any, time: float, parts: int) -> Any:
    """Runge-Kutta of order 4, written out."""
    h = time / parts
    for _ in range(parts):
        k1 = flow(z)
        k2 = flow(z + k1 * h / 2)
        k3 = flow(z + k2 * h / 2)
        k4 = flow(z + k3 * h)
        z = z + (k1 / 6 + k2 / 3 + k3 / 3 + k4 / 6) * h
    return z


def test_lorenz_is_the_flow_of_its_equation_after_a_thousand_steps() -> None:
    rows = systems.approx_lorenz(12)
    for before, after in pairwise(rows):
        assert after == pytest.approx(taylor(lorenz, before, 0.02, 40), abs=1e-5)
    assert rows[0] == pytest.approx(taylor(lorenz, np.ones(3), 20.0, 5000), abs=1e-3)
    slow = systems.approx_lorenz(3, step=0.01)
    assert slow[1] == pytest.approx(taylor(lorenz, slow[0], 0.01, 20), abs=1e-6)


@pytest.mark.parametrize("seed", [0, 3])
def test_the_lift_of_a_pitching_aerofoil_lags_behind_its_static_curve(seed: int) -> None:
    angle, lift = systems.approx_pitching(400, 0.05, seed).T
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, 3)
    t = np.arange(400) / 20
    sines = [a * np.sin(w * t + p) for a, w, p in zip((0.12, 0.05, 0.03), (1, 0.37, 2.3), phases, strict=True)]
    assert angle == pytest.approx(0.15 + sum(sines))
    assert lift[0] == 0
    static = 0.4 * np.pi * np.tanh(5 * angle) - 2 * np.where(angle > 0.2, angle - 0.2, 0)
    speed = np.diff(angle) / 0.05
    tau = np.where(speed > 0, 0.6, 1.2)
    assert np.diff(lift) == pytest.approx(0.05 * ((static[:-1] - lift[:-1]) / tau + speed / 4))


def test_the_spiral_reacts_and_diffuses() -> None:
    """u' = Delta u/10 + (1 - s) u + s v, v' = Delta v/10 + (1 - s) v - s u, s = u^2 + v^2, periodic, spacing 20/cells."""
    cells = 10
    states = systems._spiral(3, cells, 0.2).reshape(3, 2, cells, cells)
    x = -10 + 2.0 * np.arange(cells)
    for i, j in ((0, 0), (3, 7), (5, 5), (9, 2)):
        r, angle = math.hypot(x[j], x[i]), math.atan2(x[i], x[j])
        assert states[0, :, i, j] == pytest.approx(
            [math.tanh(r) * math.cos(angle - r), math.tanh(r) * math.sin(angle - r)]
        )

    def flow(w: Any) -> Any:
        around = -4 * w
        for k in range(cells):
            around[:, k] += w[:, k - 1] + w[:, (k + 1) % cells]
            around[:, :, k] += w[:, :, k - 1] + w[:, :, (k + 1) % cells]
        (u, v), s = w, (w**2).sum(axis=0)
        return around / 10 / 4 + np.stack([(1 - s) * u + s * v, (1 - s) * v - s * u])

    for k in (0, 1):
        assert states[k + 1] == pytest.approx(taylor(flow, states[k], 0.2, 16), abs=1e-4)


def test_modes_are_those_of_the_first_six_tenths() -> None:
    rows = systems.approx_reaction_diffusion(30, modes=3, cells=8)
    assert rows.shape == (30, 3)
    first = rows[:18]
    assert np.abs(first.mean(axis=0)).max() < 1e-10
    assert abs(rows.mean(axis=0)).max() > 1e-3
    spread = first.T @ first
    assert np.abs(spread - np.diag(np.diag(spread))).max() < 1e-8 * spread[0, 0]
    assert list(np.diag(spread)) == sorted(np.diag(spread), reverse=True)
    states = systems._spiral(30, 8, 0.2)
    centred = states[:18] - states[:18].mean(axis=0)
    assert np.sqrt(np.diag(spread)) == pytest.approx(np.linalg.svd(centred)[1][:3])


def test_rows_of_named_series() -> None:
    assert systems.sample_rows("tones", 9) == systems.tones(2, 9).rows()
    assert systems.sample_rows("tones", 9, count=3) == systems.tones(3, 9).rows()
    assert [x for (x,) in systems.sample_rows("fibonacci", 8)] == [1, 1, 2, 3, 5, 8, 13, 21]
    arrays = {
        "two-tones": systems.approx_two_tones(7),
        "lorenz": systems.approx_lorenz(7),
        "pitching": systems.approx_pitching(7),
        "reaction-diffusion": systems.approx_reaction_diffusion(7),
    }
    for name, array in arrays.items():
        assert systems.sample_rows(name, 7) == [tuple(row) for row in array.tolist()]
    assert systems.sample_rows("pitching", 7, seed=4) == [tuple(r) for r in systems.approx_pitching(7, seed=4).tolist()]
    with pytest.raises(KeyError):
        systems.sample_rows("none", 7)
