"""From a series to a trained network: 60/20/20 in time, both starts, the validation rollout chooses, test once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.studies.time_delay.approx_dmd import best_dmd
from exactformer.studies.time_delay.approx_rollout import Measures, NetworkModel, measure, rollout_score, window_rows
from exactformer.studies.time_delay.approx_training import (
    DelayRecipe,
    dmd_start,
    random_network,
    train_delay_network,
    with_units,
)
from exactformer.studies.time_delay.network import ApproxFunctions, DelayNetwork, contain
from exactformer.studies.time_delay.series import Series

#: steps of a test rollout, at most
HORIZON = 1000


@dataclass(frozen=True)
class SeriesParts:
    """The train, validation and test part of a series, standardised by mean and deviation of the train part."""

    train: Array
    validation: Array
    test: Array
    mean: Array
    scale: Array

    @classmethod
    def of(cls, series: Series, m: int) -> SeriesParts:
        """60, 20 and 20 % of the rows in time; raises InvalidInput for a short series or a constant column."""
        series.verify_length(m, 10 * (m + 2))
        rows = series.floats()
        first, second = int(0.6 * len(rows)), int(0.8 * len(rows))
        mean, deviation = rows[:first].mean(axis=0), rows[:first].std(axis=0)
        constant = np.flatnonzero(deviation <= 1e-12 * np.abs(rows).max(axis=0, initial=1e-300))
        if len(constant):
            name = series.names[constant[0]] if series.names else str(constant[0] + 1)
            raise InvalidInput(f"series, column {name}: it is constant in the first 60 % of the rows; leave it out")
        z = (rows - mean) / deviation
        return cls(z[:first], z[first:second], z[second:], mean, deviation)


@dataclass(frozen=True)
class Fitted:
    """A network with how it started and what it does on the test part."""

    network: DelayNetwork
    model: str
    start: str
    measures: Measures
    seed: int


def fit_parts(
    parts: SeriesParts,
    m: int,
    *,
    model: str = "tf",
    start: str | None = None,
    encoding: str = "block",
    seed: int = 0,
    steps: int = 2500,
    inputs: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> Fitted:
    """TD-DMD, or a time-delayed transformer from `start` (dmd, random; both, and the better one, without any)."""
    d = parts.train.shape[1]
    coefficients, intercept = best_dmd(parts.train, parts.validation, m)
    made = {"dmd": contain(coefficients, intercept)} if model == "dmd" else {}
    features, hidden = max(8, 4 * d + 4), max(16, 16 * d + 16)
    small = random_network(d, m, encoding=encoding, features=features, hidden=hidden, seed=seed)
    if model == "tf" and start in (None, "random"):
        recipe = DelayRecipe(steps=steps)
        made["random"] = train_delay_network(small, parts.train, parts.validation, recipe, seed=seed, progress=progress)
    if model == "tf" and start in (None, "dmd"):
        first = dmd_start(small, coefficients, intercept)
        recipe = DelayRecipe(steps=steps, decay=0.0)
        unit = _residual(first, parts.train)
        made["dmd"] = train_delay_network(
            first, parts.train, parts.validation, recipe, unit=unit, seed=seed, progress=lambda k: progress(steps + k)
        )
    best = min(made, key=lambda name: rollout_score(NetworkModel(made[name]), parts.validation))
    network = with_units(made[best], parts.mean, parts.scale)
    measures = measure(NetworkModel(network), parts.test, HORIZON, inputs=inputs)
    if model == "dmd":  # the pairs of relus that carry it are no parameters of its own
        measures = replace(measures, parameters=int(coefficients.size + intercept.size))
    return Fitted(network, model, best if model == "tf" else "least squares", measures, seed)


def _residual(network: DelayNetwork, train: Array) -> Array:
    """The deviation of what TD-DMD leaves over, the unit in which its correction is trained."""
    inputs, wanted = window_rows(train, network.window)
    left = wanted - network.increment(inputs, ApproxFunctions())
    return np.asarray(left.std(axis=0) + 1e-13)


def fit(series: object, m: int, **options: object) -> Fitted:
    """The fit of a series (or of whatever `Series.of` takes) with a window of m rows; options as of `fit_parts`."""
    if m < 1:
        raise InvalidInput(f"window: expected at least 1, got {m}")
    return fit_parts(SeriesParts.of(Series.of(series), m), m, **options)  # type: ignore[arg-type]
