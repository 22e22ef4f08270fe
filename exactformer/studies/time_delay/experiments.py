"""The paper's four studies by our own code: TD-DMD, the time-delayed transformer, a perceptron and a reservoir.

The protocol was fixed before any test part was looked at: rows 60/20/20 in time, one window a study, models chosen
by the validation rollout, test once, several seeds. What the paper reports could not be read beyond its abstract.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.time_delay.approx_reservoir import fit_reservoir
from exactformer.studies.time_delay.approx_rollout import Measures, Model, NetworkModel, measure
from exactformer.studies.time_delay.approx_training import FLAT, DelayRecipe, flat_network, train_delay_network
from exactformer.studies.time_delay.fit import HORIZON, SeriesParts, fit_parts
from exactformer.studies.time_delay.series import Series
from exactformer.studies.time_delay.systems import (
    approx_lorenz,
    approx_pitching,
    approx_reaction_diffusion,
    approx_two_tones,
)


@dataclass(frozen=True)
class Study:
    """A series with the window of its models; the first `inputs` columns are known inputs."""

    name: str
    words: str
    rows: Callable[[], Array]
    window: int
    inputs: int = 0


STUDIES = (
    Study("tones", "two tones with incommensurable frequencies", approx_two_tones, 8),
    Study("aerodynamics", "lift of a pitching aerofoil, a generated model; the angle is given", approx_pitching, 8, 1),
    Study("lorenz", "Lorenz '63, step 0.02", partial(approx_lorenz, 30_000), 8),
    Study("reaction-diffusion", "four POD modes of a lambda-omega spiral", approx_reaction_diffusion, 8),
)


@dataclass(frozen=True)
class ExperimentEntry:
    """One model of a study: its name, seed and measures on the test part, and a rollout for the picture."""

    study: str
    model: str
    seed: int
    measures: Measures
    rollout: Array

    def json(self) -> dict[str, object]:
        """As plain data."""
        return {"study": self.study, "model": self.model, "seed": self.seed, **self.measures.json()}


def run_study(
    study: Study, *, seeds: int = 2, steps: int = 2500, rows: Array | None = None, progress: Callable[[str], None]
) -> tuple[Array, list[ExperimentEntry]]:
    """(truth, entries): every model with every seed on the test part; the truth is what the rollouts are drawn over."""
    parts = SeriesParts.of(Series.of(study.rows() if rows is None else rows), study.window)
    made: list[tuple[str, int, Model, Measures | None]] = []
    progress(f"{study.name}: TD-DMD")
    linear = fit_parts(parts, study.window, model="dmd", inputs=study.inputs)
    made.append(("TD-DMD", 0, NetworkModel(linear.network), linear.measures))
    for seed in range(seeds):
        for start in ("dmd", "random"):
            progress(f"{study.name}: TD-TF from {start}, seed {seed}")
            fitted = fit_parts(parts, study.window, start=start, seed=seed, steps=steps, inputs=study.inputs)
            made.append((f"TD-TF from {start}", seed, NetworkModel(fitted.network), fitted.measures))
        progress(f"{study.name}: perceptron and reservoir, seed {seed}")
        made.append(("perceptron", seed, _perceptron(parts, study.window, seed, steps), None))
        made.append(("reservoir", seed, fit_reservoir(parts.train, seed=seed), None))
    entries = [_entry(study, parts, *row) for row in made]
    return parts.test[study.window :][: len(entries[0].rollout)], entries


def _perceptron(parts: SeriesParts, m: int, seed: int, steps: int) -> Model:
    d = parts.train.shape[1]
    wanted = 8 * max(8, 4 * d + 4) * d + (16 * d + 16) * (max(8, 4 * d + 4) + d)  # about the size of the transformer
    hidden = max(4, wanted // (m * d + d + 1))
    start = flat_network(d, m, hidden=hidden, seed=seed)
    recipe = DelayRecipe(steps=steps, frozen=FLAT)
    return NetworkModel(train_delay_network(start, parts.train, parts.validation, recipe, seed=seed))


def _entry(
    study: Study, parts: SeriesParts, name: str, seed: int, model: Model, measures: Measures | None
) -> ExperimentEntry:
    found = measures or measure(model, parts.test, HORIZON, inputs=study.inputs)
    begin = max(0, study.window - model.history)
    start = parts.test[begin : begin + model.history][None]
    first = begin + model.history
    given = parts.test[first:, None, : study.inputs] if study.inputs else None
    count = min(500, len(parts.test) - first)
    rolled = model.rollout(start, count, given)[:, 0]
    lead = np.full((first - study.window, parts.test.shape[1]), np.nan)  # a reservoir listens longer before it speaks
    return ExperimentEntry(study.name, name, seed, found, np.vstack([lead, rolled]))
