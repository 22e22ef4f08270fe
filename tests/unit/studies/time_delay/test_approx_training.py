"""Tests of `exactformer.studies.time_delay.approx_training`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from exactformer.studies.time_delay import systems
from exactformer.studies.time_delay.approx_dmd import TOLERANCES, fit_dmd
from exactformer.studies.time_delay.approx_rollout import NetworkModel, measure, rollout_score, window_rows
from exactformer.studies.time_delay.approx_training import (
    RIDGES,
    DelayRecipe,
    _gelu,
    _step,
    adamw,
    chosen_by_rollout,
    dmd_start,
    flat_network,
    loss_and_gradient,
    polished,
    random_network,
    train_delay_network,
)
from exactformer.studies.time_delay.fit import HORIZON, SeriesParts, fit_parts
from exactformer.studies.time_delay.network import ApproxFunctions, contain, verify_shapes
from exactformer.studies.time_delay.series import Series


def noisy_rows(count: int, seed: int) -> Any:
    """Two columns of different sizes that hang together, with noise."""
    t, rng = np.arange(count), np.random.default_rng(seed)
    columns = np.column_stack([np.sin(t / 3), 5 * np.cos(t / 4) + np.sin(t / 3)])
    return columns + rng.normal(size=(count, 2)) * np.array([0.1, 0.3])


def curved_rows(count: int) -> Any:
    """x+ = 1 - 1.4 x^2 + y, y+ = 0.3 x + 0.1 y^2."""
    rows = [(0.1, 0.2)]
    for _ in range(count - 1):
        x, y = rows[-1]
        rows.append((1 - 1.4 * x * x + y, 0.3 * x + 0.1 * y * y))
    return np.array(rows)


@pytest.mark.parametrize("unit", [None, np.array([0.2, 3.0])])
def test_adamw_step_by_step(unit: Any) -> None:
    rows = noisy_rows(60, 1)
    train, validation = rows[:40], rows[40:]
    start = random_network(2, 3, encoding="additive", features=3, hidden=4, seed=5)
    slow = {"W1": 0.25, "p": 3.0}
    recipe = DelayRecipe(5, 0.02, 7, 0.3, 0.5, 0.05, 2, ("A", "b2"), slow)
    rng, w = np.random.default_rng(8), dict(start.weights)
    inputs, wanted = window_rows(train, 3)
    size = wanted.std(axis=0) if unit is None else unit
    first, second = ({name: 0.0 * array for name, array in w.items()} for _ in range(2))
    kept = [(loss_and_gradient(start, *window_rows(validation, 3), size)[0], w)]
    for k in range(1, 6):
        chosen = rng.integers(0, 37, 7)
        batch = inputs[chosen] + 0.05 * rng.normal(size=(7, 3, 2))
        gradient = loss_and_gradient(start.with_weights(w), batch, wanted[chosen], size)[1]
        moving = [name for name in w if name not in ("A", "b2")]
        norm = math.sqrt(sum((gradient[name] ** 2).sum() for name in moving))
        after = dict(w)
        for name in moving:
            g = gradient[name] * min(1, 0.5 / norm)
            first[name] = 0.9 * first[name] + 0.1 * g
            second[name] = 0.999 * second[name] + 0.001 * g * g
            rate = 0.02 * slow.get(name, 1) * (1 + math.cos(math.pi * (k - 1) / 5)) / 2
            ahead = first[name] / (1 - 0.9**k) / (np.sqrt(second[name] / (1 - 0.999**k)) + 1e-8)
            after[name] = w[name] - rate * 0.3 * w[name] - rate * ahead
        w = after
        if k in (2, 4):
            kept.append((loss_and_gradient(start.with_weights(w), *window_rows(validation, 3), size)[0], w))
    best = min(kept, key=lambda pair: pair[0])[1]
    assert best is not kept[0][1]
    found = adamw(start, train, validation, recipe, unit=unit, seed=8)
    assert all(found.weights[name] == pytest.approx(value, rel=1e-6, abs=1e-9) for name, value in best.items())


def test_a_training_that_rolls_out_worse_is_given_up() -> None:
    rows = noisy_rows(80, 30)
    start = random_network(2, 2, encoding="block", features=3, hidden=4, seed=30)
    unit, recipe = np.array([4.0, 0.5]), DelayRecipe(steps=10, every=5, rate=0.05, batch=20)
    assert adamw(start, rows[:50], rows[50:], recipe, unit=unit, seed=30) is not start
    assert train_delay_network(start, rows[:50], rows[50:], recipe, unit=unit, seed=30) is start


@pytest.mark.parametrize("start", ["dmd", "random"])
def test_a_fit_trains_with_the_recipe_of_its_start(start: str) -> None:
    parts = SeriesParts.of(Series.of(curved_rows(90)), 1)
    found = fit_parts(parts, 1, start=start, seed=3, steps=100, inputs=1)
    small = random_network(2, 1, encoding="block", features=12, hidden=48, seed=3)
    if start == "random":
        raw = adamw(small, parts.train, parts.validation, DelayRecipe(steps=100), seed=3)
        assert not found.network.weights["A"].any()
    else:
        fits = [fit_dmd(parts.train, 1, tolerance) for tolerance in TOLERANCES]
        A, b = next(pair for pair in fits if (pair[0] == found.network.weights["A"]).all())
        unit = NetworkModel(contain(A, b)).one_step_errors(parts.train).std(axis=0)
        recipe = DelayRecipe(steps=100, decay=0.0)
        raw = adamw(dmd_start(small, A, b), parts.train, parts.validation, recipe, unit=unit, seed=3)
    for name in ("E", "p", "W1", "b1"):
        assert found.network.weights[name] == pytest.approx(raw.weights[name], rel=1e-6, abs=1e-9)
        assert (found.network.weights[name] != small.weights[name]).any()
    assert (found.start, found.network.mean, found.network.scale) == (start, tuple(parts.mean), tuple(parts.scale))
    wanted = measure(NetworkModel(found.network), parts.test, HORIZON, inputs=1)
    assert found.measures == wanted != measure(NetworkModel(found.network), parts.test, HORIZON)


@pytest.mark.parametrize("encoding", ["block", "additive"])
@pytest.mark.parametrize("ridge", [1e-12, 0.3])
def test_a_polished_last_layer_is_ridge_regression_in_units_of_its_features(encoding: str, ridge: float) -> None:
    rng = np.random.default_rng(6)
    rows = np.cumsum(rng.normal(size=(60, 2)), axis=0) / 4
    made = random_network(2, 3, encoding=encoding, features=3, hidden=4, seed=1)
    made = replace(made, weights={**made.weights, "A": rng.normal(size=(3, 2, 2)) / 5})
    found, w = polished(made, rows, ridge), made.weights
    features, wanted = [], []
    for k in range(len(rows) - 3):
        window = rows[k : k + 3]
        x = np.array([w["E"][j % len(w["E"])] @ z + w["p"][j] for j, z in enumerate(window)])
        logits = np.array([(w["WQ"] @ x[2]) @ (w["WK"] @ x[j]) for j in range(3)])
        mixed = (np.exp(logits) / np.exp(logits).sum()) @ x
        u = 3 * mixed if encoding == "block" else x[2] + w["WV"] @ mixed
        hidden = ApproxFunctions().activation(w["W1"] @ u + w["b1"], "gelu")
        features.append([*u, *hidden, 1.0])
        wanted.append(rows[k + 3] - rows[k + 2] - sum(w["A"][j] @ window[j] for j in range(3)))
    X, Y = np.array(features), np.array(wanted)
    size = np.sqrt((X**2).mean(axis=0))
    scaled = X / size
    top = np.linalg.norm(scaled, 2)
    C = np.linalg.solve(scaled.T @ scaled + ridge * top**2 * np.eye(8), scaled.T @ Y) / size[:, None]
    got = np.vstack([found.weights["L"].T, found.weights["W2"].T, found.weights["b2"]])
    assert got == pytest.approx(C, rel=1e-5, abs=1e-7)
    assert all((found.weights[name] == w[name]).all() for name in ("E", "p", "WQ", "WK", "WV", "W1", "b1", "A"))


# training ---------------------------------------------------------------------------------------------
def test_gelu_and_its_derivative() -> None:
    y = np.array([-2.0, 0.0, 0.5, 3.0])
    value, slope = _gelu(y)
    wanted = [x * (1 + math.erf(x / 2**0.5)) / 2 for x in y.tolist()]
    assert value == pytest.approx(wanted)
    assert slope == pytest.approx((_gelu(y + 1e-6)[0] - _gelu(y - 1e-6)[0]) / 2e-6, abs=1e-8)
    assert ApproxFunctions().activation(y, "gelu") == pytest.approx(wanted)
    assert ApproxFunctions().activation(y, "relu").tolist() == [0, 0, 0.5, 3]


def test_a_step_of_adamw_is_clipped_decays_and_falls_as_a_cosine() -> None:
    recipe = DelayRecipe(steps=10, rate=0.1, decay=0.5, clip=2.0, frozen=("c",), slow={"b": 0.25})
    weights = {"a": np.array([1.0, -2.0]), "b": np.array([3.0]), "c": np.array([7.0])}
    gradient = {"a": np.array([3.0, 0.0]), "b": np.array([4.0]), "c": np.array([100.0])}  # of norm 5 without c
    moments = {name: [np.full_like(weights[name], 0.2), np.full_like(weights[name], 0.3)] for name in "ab"}
    for step in (1, 6):
        rate = 0.1 * (1 + math.cos(math.pi * (step - 1) / 10)) / 2
        wanted = {}
        for name, own in (("a", rate), ("b", rate / 4)):
            m = 0.9 * moments[name][0] + 0.1 * gradient[name] * 2 / 5
            v = 0.999 * moments[name][1] + 0.001 * (gradient[name] * 2 / 5) ** 2
            direction = m / (1 - 0.9**step) / np.sqrt(v / (1 - 0.999**step))
            wanted[name] = weights[name] - own * (0.5 * weights[name] + direction)
        found = _step(weights, gradient, moments, step, recipe)
        for name, value in wanted.items():
            assert found[name] == pytest.approx(value, rel=1e-6)
        assert found["c"] is weights["c"]
    small = {name: value / 100 for name, value in gradient.items()}
    fresh = {name: [weights[name] * 0, weights[name] * 0] for name in "ab"}
    _step(weights, small, fresh, 1, recipe)
    assert fresh["b"][0] == pytest.approx([0.004])  # not clipped


def test_the_best_network_on_the_validation_part_is_kept() -> None:
    rows = systems.approx_two_tones(200)
    start = random_network(1, 3, encoding="block", features=3, hidden=4, seed=0)
    told = list[int]()
    recipe = DelayRecipe(steps=40, every=10, rate=0.02)
    found = adamw(start, rows[:120], rows[120:], recipe, progress=told.append)
    assert told == [10, 20, 30, 40]
    size = window_rows(rows[:120], 3)[1].std(axis=0)
    loss = [loss_and_gradient(network, *window_rows(rows[120:], 3), size)[0] for network in (start, found)]
    assert loss[1] < loss[0]
    wild = adamw(start, rows[:120], rows[120:], DelayRecipe(steps=20, every=10, rate=1e4))
    assert wild is start  # nothing better was found
    assert adamw(start, rows[:120], rows[120:], replace(recipe, every=50)) is start
    noisy = adamw(start, rows[:120], rows[120:], replace(recipe, noise=0.5))
    assert (noisy.weights["W1"] != found.weights["W1"]).any()
    assert (adamw(start, rows[:120], rows[120:], recipe, seed=1).weights["W1"] != found.weights["W1"]).any()


@pytest.mark.parametrize("encoding", ["block", "additive"])
def test_a_polished_last_layer_is_least_squares(encoding: str) -> None:
    rows = np.random.default_rng(6).normal(size=(80, 2))
    network = random_network(2, 3, encoding=encoding, features=3, hidden=4, seed=2)
    network = network.with_weights({**network.weights, "A": np.random.default_rng(7).normal(size=(3, 2, 2))})
    better = polished(network, rows, 1e-12)
    changed = {name for name, array in better.weights.items() if (array != network.weights[name]).any()}
    assert changed == {"L", "W2", "b2"}
    gradient = loss_and_gradient(better, *window_rows(rows, 3), np.ones(2))[1]
    assert max(np.abs(gradient[name]).max() for name in changed) < 1e-6
    tame = polished(network, rows, 10.0)
    assert np.abs(tame.weights["L"]).max() < np.abs(better.weights["L"]).max()


def test_the_start_and_every_ridge_are_candidates_of_a_training() -> None:
    rows = systems.approx_two_tones(200)
    start = contain(*fit_dmd(rows[:120], 4, 1e-12))
    other = contain(*fit_dmd(rows[:120], 4, 0.3))
    assert chosen_by_rollout([other, start], rows[120:]) is start
    assert chosen_by_rollout([start, other], rows[120:]) is start
    network = random_network(1, 4, encoding="block", features=4, hidden=6, seed=0)
    found = train_delay_network(network, rows[:120], rows[120:], DelayRecipe(steps=0))
    candidates = [network, *(polished(network, rows[:120], ridge) for ridge in RIDGES)]
    scores = [rollout_score(NetworkModel(one), rows[120:]) for one in candidates]
    assert rollout_score(NetworkModel(found), rows[120:]) == min(scores) < scores[0]


def test_a_flat_network_sees_the_whole_window() -> None:
    network = flat_network(2, 3, hidden=4, seed=0)
    verify_shapes(network)
    window = np.random.default_rng(1).normal(size=(3, 2))
    w = network.weights
    flat = window.ravel()
    hidden = _gelu(w["W1"] @ flat + w["b1"])[0]
    assert network.increment(window, ApproxFunctions()) == pytest.approx(w["L"] @ flat + w["W2"] @ hidden + w["b2"])
