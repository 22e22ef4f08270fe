"""Tests of `exactformer.studies.time_delay.fit`."""

from __future__ import annotations

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.studies.time_delay import systems
from exactformer.studies.time_delay.approx_dmd import fit_dmd
from exactformer.studies.time_delay.approx_rollout import NetworkModel, rollout_score
from exactformer.studies.time_delay.fit import HORIZON, SeriesParts, _residual, fit, fit_parts
from exactformer.studies.time_delay.network import contain
from exactformer.studies.time_delay.series import Series


def test_fits_of_every_kind_are_named_by_what_they_are() -> None:
    parts = SeriesParts.of(Series.of(systems.approx_two_tones(100)), 4)
    dmd = fit_parts(parts, 4, model="dmd")
    assert (dmd.model, dmd.start, dmd.seed, dmd.measures.parameters) == ("dmd", "least squares", 0, 5)
    assert dmd.measures.horizon == min(HORIZON, len(parts.test) - 4)
    assert (dmd.network.mean, dmd.network.scale) == (tuple(parts.mean), tuple(parts.scale))
    told: dict[str | None, list[int]] = {"dmd": [], "random": [], None: []}
    found = {
        start: fit_parts(parts, 4, start=start, steps=100, seed=3, encoding="additive", progress=steps.append)
        for start, steps in told.items()
    }
    assert told == {"random": [100], "dmd": [200], None: [100, 200]}
    for fitted in found.values():
        assert (fitted.model, fitted.seed, fitted.network.encoding) == ("tf", 3, "additive")
        assert fitted.measures.parameters == fitted.network.parameters
        assert fitted.network.weights["p"].shape == (4, 8)
        assert fitted.network.weights["b1"].shape == (32,)
    scores = {start: rollout_score(NetworkModel(found[start].network), parts.validation) for start in ("random", "dmd")}
    assert (found["dmd"].start, found["random"].start) == ("dmd", "random")
    assert found[None].start == min(scores, key=lambda start: scores[start])
    with pytest.raises(InvalidInput, match="window: expected at least 1"):
        fit(Series.of([1, 2, 3]), 0)


def test_the_unit_of_a_correction_is_what_dmd_leaves_over() -> None:
    rows = np.random.default_rng(8).normal(size=(60, 2))
    model = NetworkModel(contain(*fit_dmd(rows, 2, 1e-2)))
    assert _residual(model.network, rows) == pytest.approx(model.one_step_errors(rows).std(axis=0))
