"""Tests of `exactformer.studies.mean_field.approx_run`."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.studies.mean_field import approx_run as runs
from exactformer.studies.mean_field.approx_phases import Rates, slopes
from exactformer.studies.mean_field.approx_run import Run, Settings, Simulation, approx_run, approx_simulation
from exactformer.studies.mean_field.approx_transport import ApproxLimit
from exactformer.studies.mean_field.families import sample_system
from exactformer.studies.mean_field.system import System

# what a run records -----------------------------------------------------------------------------------
METASTABLE = (np.diag([1.0, 0.5]), np.diag([0.2, 1.0])), ApproxLimit(np.diag([0.0, 1.0]))


FOUR = np.array([[0.6, 0.8], [-0.8, 0.6], [0.6, -0.8], [0.28, 0.96]])


@pytest.mark.parametrize(("steps", "stride"), [(1, 1), (999, 1), (1000, 1), (1001, 2), (2000, 2), (2001, 3)])
def test_at_most_a_thousand_strides_reach_the_end(steps: int, stride: int) -> None:
    settings = Settings(float(steps), 1.0)
    assert (settings.steps, settings.stride) == (steps, stride)


def test_the_first_and_the_last_time_are_recorded_and_those_between_by_strides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "RECORDS", 3)
    told = list[int]()
    found = approx_run(*METASTABLE, FOUR, [5.0, 20.0], Settings(3.5, 0.5), told.append)
    for run in (*found.runs, found.cold):
        assert run.times.tolist() == [0.0, 1.5, 3.0, 3.5]
        assert len(run.w2) == len(run.lower) == len(run.shown) == 4
        assert run.shown[0].tolist() == FOUR.tolist()
    assert told == list(range(1, 3 * 8 + 1))
    assert [run.beta for run in (*found.runs, found.cold)] == [5.0, 20.0, None]
    monkeypatch.undo()
    every = approx_run(*METASTABLE, FOUR, [5.0], Settings(3.5, 0.5))
    assert every.cold.times.tolist() == [0.5 * k for k in range(8)]
    assert every.cold.w2[[0, 3, 6, 7]].tolist() == found.cold.w2.tolist()
    assert every.runs[0].w2[-1] == found.runs[0].w2[-1]


def test_few_tokens_are_kept_for_pictures_and_they_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "SHOWN", 2)
    found = approx_run(*METASTABLE, FOUR, [5.0], Settings(1.0, 0.5)).runs[0]
    assert found.shown.shape == (3, 2, 2)
    assert all(row in FOUR.tolist() for row in found.shown[0].tolist())


@pytest.mark.parametrize(
    ("time", "step", "words"),
    [
        (0.0, 0.5, "--time: expected a positive"),
        (1.0, 0.0, "--step: expected a positive"),
        (math.inf, 1.0, "--time"),
        (math.nan, 1.0, "--time"),
        (1.0, -1.0, "--step"),
        (1.0, 1.5, "at most the time 1"),
        (1.0, 0.9e-6, "at most 1000000 steps"),
    ],
)
def test_times_and_steps_that_are_none(time: float, step: float, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        Settings(time, step)


def test_times_and_steps_at_their_limits() -> None:
    assert Settings(1.5, 1.5).steps == 1
    assert Settings(1.0, 1e-6).steps == 10**6
    assert (Settings(1, 1).scheme, Settings(1, 1).solve, Settings(1, 1).method) == ("rk4", False, None)


@pytest.mark.parametrize(
    ("count", "dim", "method"),
    [(1000, 2, "dense"), (1001, 2, "compressed"), (1001, 3, "compressed"), (1001, 4, "truncated"), (1000, 9, "dense")],
)
def test_the_method_is_chosen_by_number_and_dimension(count: int, dim: int, method: str) -> None:
    assert Settings(1, 1).method_for(count, dim) == method
    assert Settings(1, 1, method="truncated").method_for(count, dim) == "truncated"


def test_steps_that_floats_cannot_follow_are_refused_with_the_longest() -> None:
    (V, B), end = METASTABLE
    with pytest.raises(InvalidInput, match=r"h \|V\| cond\(B\) <= 10000, got 2e\+04; take a step of at most 2e\+03"):
        approx_run((V, B), end, FOUR, [1.0], Settings(4000.0, 4000.0))
    with pytest.raises(InvalidInput, match="at most 1e-05"):
        approx_run((V, np.diag([1e-9, 1.0])), end, FOUR, [1.0], Settings(1.0, 0.5))
    with pytest.raises(InvalidInput):
        approx_run((3 * V, B), end, FOUR, [1.0], Settings(1000.0, 1000.0))


def test_tokens_are_brought_to_the_sphere_where_rounding_took_them_off() -> None:
    near = np.array([[0.6, 0.8], [0.0, 1 + 9e-10], [-(1 - 9e-10), 0.0]])
    found = runs.on_sphere(near)
    assert np.abs((found**2).sum(axis=1) - 1).max() < 1e-15
    for wrong in (1 + 2e-9, 1 - 2e-9, 2.0, math.nan):
        with pytest.raises(InvalidInput, match=r"mine: expected tokens on the unit sphere.* got token 1 of length"):
            runs.on_sphere(np.array([[0.6, 0.8], [wrong, 0.0], [3.0, 0.0]]), "mine")


def test_a_run_in_json_has_lower_bounds_where_they_differ_alone() -> None:
    t, w2 = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.25, 0.5, 0.9])
    run = Run(7.0, t, w2, w2, np.zeros((4, 1, 2)))
    told = run.json()
    assert list(told) == [
        "beta",
        "approx_times",
        "approx_w2",
        "approx_w2_min",
        "approx_t_min",
        "approx_escape",
        "approx_metastable",
    ]
    assert (told["beta"], told["approx_times"], told["approx_w2"]) == (7.0, t.tolist(), w2.tolist())
    assert told["approx_escape"] == pytest.approx(2.5)
    assert (told["approx_w2_min"], told["approx_t_min"]) == (run.phases.w2_min, run.phases.t_min)
    assert told["approx_metastable"] == list(run.phases.metastable)
    lower = w2 - np.array([0, 0, 0.1, 0])
    assert replace(run, lower=lower).json()["approx_w2_lower"] == lower.tolist()


def test_a_simulation_in_json_has_its_runs_the_cold_one_and_both_slopes() -> None:
    found = approx_run(*METASTABLE, FOUR, [5.0, 20.0], Settings(2.0, 0.5))
    told = found.json()
    assert told["runs"] == [run.json() for run in found.runs]
    assert told["zero_temperature"] == {
        "approx_times": found.cold.times.tolist(),
        "approx_w2": found.cold.w2.tolist(),
    }
    assert told["approx_slopes"] == found.slopes() == slopes([5.0, 20.0], [run.phases for run in found.runs])
    assert told["predicted_slopes"] == found.predicted() == Rates.of(*METASTABLE[0], METASTABLE[1]).slopes()  # type: ignore[union-attr]
    without = Simulation(found.runs, found.cold, None)
    assert without.predicted() == {"t_min": None, "escape": None, "w2_min": None}


def test_a_simulation_has_a_time_of_forty_in_steps_of_a_twentieth_unless_told() -> None:
    system = System.of([[1, 0], [0, "1/2"]], [["1/5", 0], [0, 1]])
    found = approx_simulation(system, [5], tokens=FOUR, scheme="euler")
    assert (found.cold.times[0], found.cold.times[-1], len(found.cold.times)) == (0.0, 40.0, 801)
    few = approx_simulation(system, [5], n=30, time=1, step=0.5)
    assert (few.cold.times.tolist(), few.cold.shown.shape) == ([0.0, 0.5, 1.0], (3, 30, 2))
    drawn = [
        approx_simulation(system, [5], n=9, seed=seed, time=1, step=1).cold.shown[0].tolist() for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    with pytest.raises(InvalidInput, match="a hypothesis fails"):
        approx_simulation(sample_system("rotation"), [5], n=9)
