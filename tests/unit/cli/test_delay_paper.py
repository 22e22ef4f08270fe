"""Tests of `exactformer.cli.delay_paper`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from exactformer.cli.delay_paper import _drawn, _readings, _rows
from exactformer.studies.time_delay.approx_rollout import Measures
from exactformer.studies.time_delay.experiments import ExperimentEntry


def entry(model: str, seed: int, valid: float) -> ExperimentEntry:
    measures = Measures(5, 0.5, valid, 10, 0.1, 1.0, [1.0], 0.25, 0.125, 0.0625)
    return ExperimentEntry("tones", model, seed, measures, np.zeros((2, 1)))


@pytest.mark.parametrize(("best", "reproduces"), [(7.0, "does not reproduce"), (8.0, "reproduces")])
@pytest.mark.parametrize(("better", "worse"), [("dmd", "random"), ("random", "dmd")])
def test_attention_has_an_advantage_from_twice_the_steps_on(
    better: str, worse: str, best: float, reproduces: str
) -> None:
    entries = [entry("TD-DMD", 0, 4.0), entry(f"TD-TF from {better}", 0, best), entry(f"TD-TF from {worse}", 0, 1.0)]
    entries += [entry("perceptron", 0, 2.0), entry("reservoir", 0, 2.0), entry("reservoir", 1, 4.0)]
    words = f"{reproduces} ({best:.0f} valid steps against 4); the better of two simple nonlinear baselines: 3"
    assert _readings(entries) == [f"tones: the advantage of attention over TD-DMD {words}"]
    assert _rows(entries)[-1] == ["tones", "reservoir", 5, "0.5", "3", "1", "0.25", "0.125", "0.0625"]


def test_the_picture_of_a_study_shows_the_first_seed() -> None:
    entries = [replace(entry("reservoir", seed, 1.0), rollout=np.full((2, 1), seed)) for seed in (0, 1)]
    assert {model: rows.tolist() for model, rows in _drawn(entries).items()} == {"reservoir": [[0], [0]]}
