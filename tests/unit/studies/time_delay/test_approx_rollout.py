"""Tests of `exactformer.studies.time_delay.approx_rollout`."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import pytest
from kits.drifting_model import Drifting

from exactformer.studies.time_delay.approx_rollout import (
    NetworkModel,
    marginal_distance,
    measure,
    phase_error,
    rollout_score,
    spectrum_error,
    window_rows,
)
from exactformer.studies.time_delay.network import contain


def quantile(values: list[float], level: float) -> float:
    """The quantile between order statistics, by linear interpolation."""
    ordered, place = sorted(values), level * (len(values) - 1)
    low = math.floor(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def transforms(x: Any) -> list[list[complex]]:
    """The Fourier coefficients of every path (a rollout's coordinate) without its mean, frequencies 0..T/2."""
    steps, paths = len(x), x.reshape(len(x), -1).T
    return [
        [
            sum((v - path.mean()) * cmath.exp(-2j * cmath.pi * f * t / steps) for t, v in enumerate(path))
            for path in paths
        ]
        for f in range(steps // 2 + 1)
    ]


@pytest.mark.parametrize("inputs", [0, 1])
def test_every_measure_of_a_drifting_model_is_what_its_definition_says(inputs: int) -> None:
    rng = np.random.default_rng(2)
    rows = np.cumsum(rng.normal(size=(30, 3)) / 3, axis=0) * np.array([1.0, 0.4, 1.5])
    model, steps, count = Drifting(), 11, 5
    found = measure(model, rows, steps, starts=count, inputs=inputs)
    places = [math.floor(k * (30 - 2 - steps) / (count - 1)) for k in range(count)]
    ((starts, asked, given),) = model.asked
    assert (asked, starts.tolist()) == (steps, [rows[s : s + 2].tolist() for s in places])
    truth = np.array([[rows[s + 2 + k] for s in places] for k in range(steps)])
    assert (given is None) if not inputs else (given.tolist() == truth[:, :, :1].tolist())
    rolled = np.array([[model.row(rows[s : s + 2], k + 1) for s in places] for k in range(steps)])
    rolled[:, :, :inputs] = truth[:, :, :inputs]
    valid, bounded = [], []
    for b in range(count):
        off = np.sqrt([sum((rolled[k, b, inputs:] - truth[k, b, inputs:]) ** 2) / (3 - inputs) for k in range(steps)])
        valid.append(next((k for k, error in enumerate(off) if error > 0.5), steps))
        bounded.append(max(abs(rolled[k, b, c]) for k in range(steps) for c in range(3)) < 10)
    assert 0 < sum(bounded) < count
    assert len(set(valid)) > 1
    x, y = rolled[:, :, inputs:], truth[:, :, inputs:]
    errors = model.one_step_errors(rows)[:, inputs:]
    assert (found.parameters, found.horizon) == (5, steps)
    assert found.approx_one_step == pytest.approx(math.sqrt(np.mean(errors**2)))
    assert found.approx_valid_steps == pytest.approx(sum(valid) / count)
    assert found.approx_bounded == pytest.approx(sum(bounded) / count)
    assert found.approx_rmse == pytest.approx(math.sqrt(np.mean((x - y) ** 2)))
    flat, true = x.reshape(-1, 3 - inputs), y.reshape(-1, 3 - inputs)
    assert found.approx_std_ratio == pytest.approx([np.std(a) / np.std(b) for a, b in zip(flat.T, true.T, strict=True)])
    levels = [0.005 * k for k in range(1, 200)]
    apart = [abs(quantile(a, q) - quantile(b, q)) for a, b in zip(flat.T, true.T, strict=True) for q in levels]
    assert found.approx_w1 == pytest.approx(sum(apart) / len(apart))
    of_x, of_y = transforms(x), transforms(y)
    powers = [[sum(abs(z) ** 2 for z in line) for line in part] for part in (of_x, of_y)]
    shares = [[p / sum(part) for p in part] for part in powers]
    assert found.approx_spectrum_error == pytest.approx(sum(abs(a - b) for a, b in zip(*shares, strict=True)) / 2)
    strongest = max(range(len(of_y)), key=lambda f: sum(map(abs, of_y[f])))
    turns = [abs(cmath.phase(a / b)) / (2 * math.pi) for a, b in zip(of_x[strongest], of_y[strongest], strict=True)]
    assert found.approx_phase_error == pytest.approx(sum(turns) / len(turns))
    assert found.json() == {name: getattr(found, name) for name in found.__dataclass_fields__}


def test_the_phase_is_taken_at_the_strongest_frequency_of_the_truth() -> None:
    t = np.arange(60.0)[:, None, None]
    truth = 2 * np.sin(2 * np.pi * t / 20) + np.sin(2 * np.pi * t / 6)
    rolled = np.sin(2 * np.pi * (t / 20 + 0.2)) + 5 * np.sin(2 * np.pi * (t / 6 + 0.4))
    assert phase_error(rolled, truth) == pytest.approx(0.2)
    assert phase_error(truth, rolled) == pytest.approx(0.4)
    shares = np.array([4 / 5, 1 / 5]) - np.array([1 / 26, 25 / 26])
    assert spectrum_error(rolled, truth) == pytest.approx(np.abs(shares).sum() / 2)


def test_quantiles_reach_nearly_to_the_ends() -> None:
    x, y = np.zeros((1001, 1)), np.zeros((1001, 1))
    x[:30] = 5.0
    assert marginal_distance(x, y) == pytest.approx(5 * 5 / 199)  # the levels 0.975, .., 0.995
    assert marginal_distance(y, x) == marginal_distance(x, y)


def test_the_score_is_the_mean_logarithm_of_errors_at_places_spread_over_the_rows() -> None:
    rows = np.random.default_rng(5).normal(size=(40, 3)) / 3
    model = Drifting()
    found = rollout_score(model, rows, steps=7, starts=4, free=2)
    places = [math.floor(k * (40 - 2 - 7) / 3) for k in range(4)]
    assert [(asked, len(starts), inputs) for starts, asked, inputs in model.asked] == [(7, 4, None), (2, 4, None)]
    logs = [
        math.log10(math.sqrt(np.mean((np.array(model.row(rows[s : s + 2], k + 1)) - rows[s + 2 + k]) ** 2)))
        for s in places
        for k in range(7)
    ]
    assert found == pytest.approx(sum(logs) / len(logs))
    assert rollout_score(model, rows, steps=7, starts=4, free=60) == found
    assert rollout_score(model, rows, steps=7, starts=4, free=90) == pytest.approx(found + 3)
    model.asked.clear()
    rollout_score(model, rows[:9])
    assert [(asked, starts.tolist()) for starts, asked, _ in model.asked] == [
        (count, [rows[s : s + 2].tolist() for s in (0, 1, 2, 4)]) for count in (3, 600)
    ]


def test_a_rollout_that_is_no_number_is_as_far_as_can_be() -> None:
    network = contain(np.array([np.diag([1e300, -1e300])]), np.zeros(2))
    start = np.array([[[1e10, -1e10]], [[0.0, 0.0]]])
    assert NetworkModel(network).rollout(start, 1).tolist() == [[[1e3, 1e3], [0, 0]]]


# TD-DMD and the reservoir -----------------------------------------------------------------------------
def test_windows_and_increments() -> None:
    rows = np.arange(10.0).reshape(5, 2) ** 2
    inputs, increments = window_rows(rows, 3)
    assert inputs.tolist() == [rows[0:3].tolist(), rows[1:4].tolist()]
    assert increments.tolist() == [(rows[3] - rows[2]).tolist(), (rows[4] - rows[3]).tolist()]


def test_divergent_rollouts_are_clipped() -> None:
    model = NetworkModel(contain(np.array([[[99.0]]]), np.array([0.0])))
    assert model.rollout(np.array([[[1.0]], [[-1.0]]]), 3)[:, :, 0].tolist() == [
        [100, -100],
        [1000, -1000],
        [1000, -1000],
    ]
    given = np.arange(6.0).reshape(3, 2, 1)
    assert model.rollout(np.array([[[1.0]], [[-1.0]]]), 3, given).tolist() == given.tolist()


class Doubling:
    """It predicts twice the truth, which it has from its start on."""

    parameters, history = 3, 1

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def one_step_errors(self, rows: Any) -> Any:
        return np.diff(rows, axis=0)

    def rollout(self, starts: Any, steps: int, inputs: Any = None) -> Any:
        begin = [int(np.flatnonzero((self.rows == start[0]).all(axis=1))[0]) for start in starts]
        return np.stack([2 * self.rows[k + 1 : k + 1 + steps] for k in begin], axis=1)


def test_the_deviation_of_rollouts_is_measured_against_that_of_the_truth() -> None:
    rows = np.random.default_rng(9).normal(size=(40, 2)) / 9
    found = measure(Doubling(rows), rows, 10, starts=3)
    assert found.approx_std_ratio == pytest.approx([2.0, 2.0])
    assert (found.parameters, found.horizon) == (3, 10)
    assert found.approx_spectrum_error == pytest.approx(0, abs=1e-12)
    assert found.approx_one_step == pytest.approx(np.sqrt((np.diff(rows, axis=0) ** 2).mean()))


def test_a_free_run_may_come_near_8_deviations_and_not_to_them() -> None:
    class Straight:
        """One step on is right; a free run of 600 steps, of which it is asked unless told, ends at `end`."""

        parameters, history = 1, 1

        def __init__(self, end: float) -> None:
            self.end = end

        def one_step_errors(self, rows: np.ndarray) -> np.ndarray:
            return 0 * rows

        def rollout(self, starts: np.ndarray, steps: int, inputs: np.ndarray | None = None) -> np.ndarray:
            found = np.zeros((steps, *starts[:, 0].shape)) + 0.1
            if steps == 600:
                found[-1, 0, 0] = self.end
            return found

    rows = np.zeros((200, 2))
    for end, more in ((7.999, 0), (-7.999, 0), (8, 3), (-8, 3), (9, 3)):
        assert rollout_score(Straight(end), rows) == pytest.approx(-1 + more)
