"""Tests of `exactformer.studies.time_delay.experiments`."""

from __future__ import annotations

import numpy as np
from kits.drifting_model import Drifting

from exactformer.arithmetic.integers import Array
from exactformer.studies.time_delay import systems
from exactformer.studies.time_delay.approx_rollout import NetworkModel, measure
from exactformer.studies.time_delay.experiments import STUDIES, Study, _entry, _perceptron
from exactformer.studies.time_delay.fit import HORIZON, SeriesParts
from exactformer.studies.time_delay.series import Series


def test_an_entry_of_a_study_measures_and_draws_with_the_inputs_given() -> None:
    rows = np.cumsum(np.random.default_rng(7).normal(size=(200, 3)), axis=0)
    parts, study = SeriesParts.of(Series.of(rows), 4), Study("walk", "a random walk", lambda: rows, 4, 1)
    model = Drifting()
    entry = _entry(study, parts, "drifting", 6, model, None)
    drawn = model.asked[-1]
    assert (entry.study, entry.model, entry.seed) == ("walk", "drifting", 6)
    assert entry.measures == measure(Drifting(), parts.test, HORIZON, inputs=1)
    assert entry.json() == {"study": "walk", "model": "drifting", "seed": 6, **entry.measures.json()}
    assert (drawn[0].tolist(), drawn[1], len(drawn[2])) == ([parts.test[2:4].tolist()], 36, 36)
    assert drawn[2][:, 0].tolist() == parts.test[4:, :1].tolist()
    assert entry.rollout[:, 0].tolist() == parts.test[4:, 0].tolist()
    assert entry.rollout[:, 1:].tolist() == [Drifting().row(parts.test[2:4], k)[1:] for k in range(1, 37)]
    assert _entry(study, parts, "known", 0, model, entry.measures).measures is entry.measures


def test_the_studies_of_the_paper() -> None:
    assert [(study.name, study.window, study.inputs) for study in STUDIES] == [
        ("tones", 8, 0),
        ("aerodynamics", 8, 1),
        ("lorenz", 8, 0),
        ("reaction-diffusion", 8, 0),
    ]
    assert STUDIES[1].rows().tolist() == systems.approx_pitching().tolist()


class Lagging:
    """It predicts the last row again; of known inputs it is told the truth."""

    parameters, history = 0, 2

    def one_step_errors(self, rows: Array) -> Array:
        return -np.diff(rows, axis=0)[self.history - 1 :]

    def rollout(self, starts: Array, steps: int, inputs: Array | None = None) -> Array:
        out = np.repeat(starts[None, :, -1], steps, axis=0)
        if inputs is not None:
            out[:, :, : inputs.shape[2]] = inputs[:steps]
        return out


def test_rollouts_of_a_picture_begin_after_the_window_whatever_the_history() -> None:
    study = Study("a", "a study", lambda: np.zeros((1, 1)), 5, 1)
    test = np.column_stack([np.arange(40.0), np.arange(40.0) ** 2])
    parts = SeriesParts(test, test, test, np.zeros(2), np.ones(2))
    found = _entry(study, parts, "lagging", 3, Lagging(), None)
    assert found.rollout.tolist() == [[k, 16.0] for k in range(5, 40)]
    longer = Lagging()
    longer.history = 8
    found = _entry(study, parts, "lagging", 3, longer, None)
    assert np.isnan(found.rollout[:3]).all()
    assert found.rollout[3:].tolist() == [[k, 49.0] for k in range(8, 40)]


def test_a_perceptron_is_about_as_large_as_the_transformer() -> None:
    parts = SeriesParts.of(Series.of(systems.approx_two_tones(200)), 8)
    model = _perceptron(parts, 8, 0, 0)
    assert isinstance(model, NetworkModel)
    assert len(model.network.weights["b1"]) == (8 * 8 + 32 * 9) // 10
